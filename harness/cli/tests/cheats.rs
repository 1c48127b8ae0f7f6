//! Cheats earn nothing of what they fake by a lab's rubric. Right kernels that differ from the lab's own earn all
//! points.
//!
//! CI tries two labs. All labs are a campaign, which takes an hour and more on two cores. It can be stopped, and
//! resumes when it is started again with the same folder; at its end it writes the table of `reports/robustness.md`
//! there: `WARPLAB_CHEATS=FOLDER cargo test --release --test cheats -- --ignored --nocapture campaign`.
//! `WARPLAB_CHEATS_LABS=hello,scan` chooses labs, and `WARPLAB_CHEATS_KINDS=cached,nan` kinds.
mod cheating;
mod common;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use cheating::{
    kinds::{Ends, KINDS, Kind},
    lab::Lab,
};
use common::warplab_with;
use serde_json::Value;

/// Grades `text` as a submission to `lab`, with all its files in `folder`.
fn marks(lab: &Lab, folder: &Path, text: &str) -> Value {
    fs::create_dir_all(folder).unwrap();
    let (file, marks) = (folder.join(&lab.kernel), folder.join("marks.json"));
    // Existing files are complete.
    if !marks.exists() {
        fs::write(&file, text).unwrap();
        let [file, out] = [&file, &marks].map(|path| path.to_str().unwrap());
        let args = ["grade", &lab.name, file, "--format", "json", "--out", out, "--schedules", "2", "--seed", "7"];
        let run = warplab_with(&args, &[("WARPLAB_TRUST_PTX", "0")]);
        assert!([0, 4].contains(&run.code), "{file}: {run:?}");
    }
    let all: Value = serde_json::from_str(&fs::read_to_string(&marks).unwrap()).unwrap();
    all["submissions"][0].clone()
}

/// The parts that have points, and how many.
fn earned(marked: &Value) -> Vec<(String, f64)> {
    let parts = marked["parts"].as_array().unwrap().iter();
    let points = parts.map(|part| (part["name"].as_str().unwrap().into(), part["points"].as_f64().unwrap()));
    points.filter(|(_, points)| *points != 0.0).collect()
}

/// The table cell of a cheat: its points, and whether it could be judged.
fn cell(lab: &Lab, kind: &Kind, folder: &Path) -> String {
    let Some(text) = kind.file(lab) else {
        return String::new();
    };
    let marked = marks(lab, &folder.join(&lab.name).join(kind.name), &text);
    let parts = marked["parts"].as_array().unwrap();
    let unjudged = if parts.iter().any(|part| !part["unjudged"].is_null()) { "?" } else { "" };
    format!("{}{unjudged}", marked["points"])
}

fn of_two_labs(ends: &Ends) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for lab in [Lab::named("vecadd"), Lab::named("returning")] {
        for kind in KINDS.iter().filter(|kind| kind.ends == *ends) {
            let Some(text) = kind.file(&lab) else {
                continue;
            };
            let marked = marks(&lab, &folder.path().join(&lab.name).join(kind.name), &text);
            let earned = earned(&marked);
            if !earned.is_empty() {
                all.push(format!("{} {}: {earned:?} of {marked:#}", lab.name, kind.name));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
#[ignore = "needs NVRTC"]
fn no_cheat_earns_points_nvrtc() {
    of_two_labs(&Ends::Soon);
}

#[test]
#[ignore = "needs NVRTC"]
fn what_never_ends_earns_no_points_nvrtc() {
    of_two_labs(&Ends::ByLimit);
}

/// One thread that does everything, all threads that do so redundantly, and a formula that needs no work.
#[test]
#[ignore = "needs NVRTC"]
fn work_that_is_not_shared_earns_no_points_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for name in ["vecadd", "hello", "trapezoid", "reduction", "scan", "histogram"] {
        let lab = Lab::named(name);
        for kind in KINDS.iter().filter(|kind| ["one-thread", "redundant-lanes", "exact-form"].contains(&kind.name)) {
            let Some(text) = kind.file(&lab) else {
                assert!(kind.name == "exact-form" && name != "trapezoid", "{name} {}", kind.name);
                continue;
            };
            let marked = marks(&lab, &folder.path().join(name).join(kind.name), &text);
            if !earned(&marked).is_empty() || !marked.to_string().contains("the threads do not share the work") {
                all.push(format!("{name} {}: {marked:#}", kind.name));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Mistakes, or solutions of another task, that square matrices and the sums of all copies do not show.
#[test]
#[ignore = "needs NVRTC"]
fn classic_mistakes_earn_less_than_half_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let strides = [
        ("(size_t)row * k + q", "(size_t)row * n + q"),
        ("(size_t)q * n + col", "(size_t)q * k + col"),
        ("(size_t)(q + y) * n + col", "(size_t)(q + y) * k + col"),
    ];
    let copies = [
        ("s + threadIdx.x % 32, 32);", "s + threadIdx.x % 32 * Kind::rows, 1);"),
        ("add_up(s, Kind::bins, 32, 32, 1, counts)", "add_up(s, Kind::bins, 1, 32, Kind::rows, counts)"),
    ];
    // All of the parts' points, and those of the one part with the mistake.
    for (name, mistakes, part) in [("matmul", &strides[..], None), ("histogram", &copies[..], Some("lanes"))] {
        let lab = Lab::named(name);
        let wrong = mistakes.iter().fold(lab.right.clone(), |text, (right, wrong)| {
            assert!(text.contains(right), "{right}");
            text.replace(right, wrong)
        });
        let marked = marks(&lab, &folder.path().join(name), &wrong);
        let parts = marked["parts"].as_array().unwrap().iter();
        let meant: Vec<&Value> = parts.filter(|one| part.is_none_or(|name| one["name"] == name)).collect();
        assert!(!meant.is_empty());
        for one in meant {
            assert!(one["points"].as_f64().unwrap() < one["of"].as_f64().unwrap() / 2.0, "{name}: {one:#}");
        }
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn right_kernels_that_are_unlike_the_labs_own_have_all_points_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let unusual = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheating/unusual");
    let mut files: Vec<PathBuf> = fs::read_dir(unusual).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 3, "{files:?}");
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let lab = Lab::named(name.split_once('-').unwrap().0);
        let text = lab.with_parts(&fs::read_to_string(&file).unwrap());
        let marked = marks(&lab, &folder.path().join(name), &text);
        assert_eq!(marked["points"], marked["of"], "{name}: {marked:#}");
        assert!(marked["of"].as_f64() > Some(0.0), "{name}: {marked:#}");
    }
}

/// Whether this environment variable contains `name`, or is unset.
fn is_chosen(variable: &str, name: &str) -> bool {
    let chosen = env::var(variable).unwrap_or_default();
    chosen.is_empty() || chosen.split(',').any(|one| one == name)
}

#[test]
#[ignore = "a campaign over all labs: see the head of this file"]
fn campaign() {
    let folder = PathBuf::from(env::var_os("WARPLAB_CHEATS").expect("WARPLAB_CHEATS names a folder"));
    let labs: Vec<Lab> = Lab::all().into_iter().filter(|lab| is_chosen("WARPLAB_CHEATS_LABS", &lab.name)).collect();
    let row = |first: &str, cells: &[String]| format!("| {first} | {} |\n", cells.join(" | "));
    let names: Vec<String> = labs.iter().map(|lab| lab.name.clone()).collect();
    let mut table = row("cheat", &names) + &row("---", &vec!["---:".to_string(); labs.len()]);
    let mut earns = Vec::new();
    // The fast kinds come first, so that a stopped campaign has covered most.
    let kinds = KINDS.iter().filter(|kind| is_chosen("WARPLAB_CHEATS_KINDS", kind.name));
    let (slow, soon): (Vec<&Kind>, Vec<&Kind>) = kinds.partition(|kind| kind.ends == Ends::ByLimit);
    for kind in soon.into_iter().chain(slow) {
        let mut cells = Vec::new();
        for lab in &labs {
            let points = cell(lab, kind, &folder);
            println!("{} {}: {points}", lab.name, kind.name);
            let has_points = !points.is_empty() && points.trim_end_matches('?').parse() != Ok(0.0);
            if has_points {
                earns.push(format!("{} {}: {points}", lab.name, kind.name));
            }
            cells.push(points);
        }
        table += &row(kind.name, &cells);
    }
    fs::write(folder.join("table.md"), table).unwrap();
    assert!(earns.is_empty(), "{earns:#?}");
}
