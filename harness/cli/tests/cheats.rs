//! What cheats earn by a lab's rubric: nothing of what they fake.
//!
//! CI tries two labs. All labs, with the classic solutions, are the campaign of `campaigns/cheats`, whose files
//! `WARPLAB_CHEATS=FOLDER cargo test --test cheats -- --ignored campaign_files` writes.
mod cheating;
mod common;
mod marking;
mod solutions;
mod solving;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use cheating::kinds::{Ends, KINDS, tolerated_pairs};
use common::warplab_with;
use marking::{lab::Lab, marks};
use serde_json::{Value, json};
use solving::{Solution, Verdict};

/// The parts that have points, and how many.
fn earned(marked: &Value) -> Vec<(String, f64)> {
    let parts = marked["parts"].as_array().unwrap().iter();
    let points = parts.map(|part| (part["name"].as_str().unwrap().into(), part["points"].as_f64().unwrap()));
    points.filter(|(_, points)| *points != 0.0).collect()
}

/// Whether a part could not be judged here, so that its points say nothing.
fn is_unjudged(marked: &Value) -> bool {
    marked["parts"].as_array().unwrap().iter().any(|part| !part["unjudged"].is_null())
}

fn of_two_labs(ends: &Ends) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for lab in [Lab::named("vecadd"), Lab::named("returning")] {
        for kind in KINDS.iter().filter(|kind| kind.ends == *ends) {
            let Some(text) = kind.file(&lab) else {
                continue;
            };
            let marked = marks(&lab, None, &folder.path().join(&lab.name).join(kind.name), &text);
            let earned = earned(&marked);
            let points = earned.iter().map(|(_, points)| points).sum();
            if !kind.is_tolerated(&lab.name, points) || is_unjudged(&marked) && !kind.is_unmodelled() {
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

/// Few threads that do the work of all, many that do it redundantly, and a formula that needs no work.
#[test]
#[ignore = "needs NVRTC"]
fn work_that_is_not_shared_earns_no_points_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for name in ["vecadd", "hello", "trapezoid", "reduction", "scan", "histogram"] {
        let lab = Lab::named(name);
        let more: &[&str] = match name {
            "vecadd" => &["one-block", "redundant-stores"],
            "trapezoid" => &["one-lane", "exact-form"],
            _ => &["redundant-lanes"],
        };
        let is_tried = |kind: &str| ["one-thread", "redundant-threads"].contains(&kind) || more.contains(&kind);
        for kind in KINDS.iter().filter(|kind| is_tried(kind.name)) {
            let text = kind.file(&lab).unwrap();
            let marked = marks(&lab, None, &folder.path().join(name).join(kind.name), &text);
            let points = earned(&marked).iter().map(|(_, points)| points).sum();
            // Where every thread does all the work, large sizes need more instructions than a submission has.
            let reasons = ["the threads do not share the work", "did not end: it was stopped"];
            let is_explained = reasons.iter().any(|reason| marked.to_string().contains(reason));
            if !kind.is_tolerated(name, points) || !is_explained {
                all.push(format!("{name} {}: {marked:#}", kind.name));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_is_tolerated_is_a_kind_that_fits_the_lab() {
    let labs: Vec<Lab> = Lab::all();
    for (kind, lab) in tolerated_pairs() {
        let lab = labs.iter().find(|one| one.name == lab).unwrap_or_else(|| panic!("no lab {lab}"));
        let known = KINDS.iter().find(|one| one.name == kind).unwrap_or_else(|| panic!("no kind {kind}"));
        assert!(known.file(lab).is_some() && known.tolerated(&lab.name) > 0.0, "{kind} {}", lab.name);
    }
    for kind in &KINDS {
        assert!(labs.iter().any(|lab| kind.file(lab).is_some()), "{} fits no lab", kind.name);
        assert_eq!(KINDS.iter().filter(|other| other.name == kind.name).count(), 1, "{}", kind.name);
    }
}

/// What a judge says who runs the file once with one input of one size.
struct Once {
    is_right: bool,
    /// The first wrong number, as a part of what it should be.
    share: Option<f64>,
}

impl Once {
    fn run(lab: &Lab, variant: &str, n: &str, kernel: &Path) -> Self {
        let out = kernel.with_file_name("out");
        let [kernel, out] = [kernel, &out].map(|path| path.to_str().unwrap());
        let mut args = vec!["run", &lab.name, "--device", "emulated", "--quick", "--no-exercises", "--check", "none"];
        args.extend(["--variant", variant, "--seed", "7", "--kernel", kernel, "--partial", "--out", out]);
        if !n.is_empty() {
            args.extend(["--n", n]);
        }
        let run = warplab_with(&args, &[("WARPLAB_TRUST_PTX", "0")]);
        assert!([0, 1].contains(&run.code), "{kernel}: {run:?}");
        let number = |text: &str| text.split([',', ';', ' ', '\n']).next().and_then(|word| word.parse::<f64>().ok());
        let numbers = run.stdout.split_once("] is ").and_then(|(_, rest)| {
            let (is, should) = rest.split_once(", should be ")?;
            Some(number(is)? / number(should)?)
        });
        Self { is_right: run.code == 0, share: numbers }
    }
}

/// The public classes of cheats that show in what such a judge says: it takes them for right, or the error for
/// small. Here they earn nothing, and for the right reason.
#[test]
#[ignore = "needs NVRTC"]
fn what_is_right_for_a_judge_that_tries_once_earns_nothing_nvrtc() {
    const KEPT: &str = "right with the first inputs, wrong with other ones";
    const ALONE: &str = "the threads do not share the work";
    const HIDDEN: &str = "right at every size that is known, but wrong at a hidden one";
    let classes = [
        ("cached", "vecadd", ["add", "pageable", "1000"], KEPT),
        ("cached-by-pointer", "vecadd", ["add", "pageable", "1000"], KEPT),
        ("cached-by-pointer", "returning", ["pointer", "pinned", ""], KEPT),
        ("cached-by-shape", "vecadd", ["add", "pageable", "1000"], KEPT),
        ("known-sizes", "reduction", ["compare-and-swap", "cas-loop", "1000"], HIDDEN),
        ("known-range", "matmul", ["naive", "naive", "33"], HIDDEN),
        ("small-grids", "vecadd", ["add", "pageable", "33"], "wrong at n = 1000"),
        ("one-thread", "reduction", ["grid-stride", "two-pass", "1000"], ALONE),
        ("one-warp", "histogram", ["lanes", "lanes", "1000"], ALONE),
        ("exact-form", "trapezoid", ["atomic", "atomic", "1000"], ALONE),
        ("half", "vecadd", ["add", "pageable", "1000"], "should be"),
        ("half-arithmetic", "vecadd", ["add", "pageable", "1000"], "should be"),
        ("guess", "reduction", ["grid-stride", "two-pass", "1000"], "should be"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (name, lab, [part, variant, n], reason) in classes {
        let (lab, kind) = (Lab::named(lab), KINDS.iter().find(|kind| kind.name == name).unwrap());
        let (folder, text) = (folder.path().join(&lab.name).join(name), kind.file(&lab).unwrap());
        let marked = marks(&lab, Some(part), &folder, &text);
        let once = Once::run(&lab, variant, n, &folder.join(&lab.kernel));
        // The tolerance of a judge that is easily satisfied: 2 %.
        let is_near = once.share.is_some_and(|share| (share - 1.0).abs() < 0.02);
        if !(once.is_right || is_near && reason == "should be") {
            all.push(format!("{} {name} is wrong when it is tried once", lab.name));
        }
        if !earned(&marked).is_empty() || is_unjudged(&marked) || !marked.to_string().contains(reason) {
            all.push(format!("{} {name}: {marked:#}", lab.name));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// An entry of the campaign's list, for the kernel file `text`. The list has what may be earned: points of all, or per
/// cent of the points that can be earned there.
fn entry(folder: &Path, lab: &Lab, [set, name]: [&str; 2], part: Option<&str>, text: &str) -> Value {
    let inside = format!("{set}/{}/{name}", lab.name);
    fs::create_dir_all(folder.join(&inside)).unwrap();
    fs::write(folder.join(&inside).join(&lab.kernel), text).unwrap();
    let rubric = part.map(|part| {
        fs::write(folder.join(&inside).join("rubric.toml"), lab.rubric_of(part)).unwrap();
        format!("{inside}/rubric.toml")
    });
    json!({"set": set, "lab": lab.name, "name": name, "file": format!("{inside}/{}", lab.kernel), "rubric": rubric})
}

#[test]
#[ignore = "writes the files of a campaign: see the head of this file"]
fn campaign_files() {
    let folder = PathBuf::from(env::var_os("WARPLAB_CHEATS").expect("WARPLAB_CHEATS names a folder"));
    let mut all = Vec::new();
    let mut add = |entry: Value, bounds: Value| {
        let mut entry = entry;
        entry.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        all.push(entry);
    };
    for lab in Lab::all() {
        add(entry(&folder, &lab, ["own", "own"], None, &lab.right), json!({"share": [100, 100]}));
        for kind in &KINDS {
            if let Some(text) = kind.file(&lab) {
                let (points, why) = kind.tolerance(&lab.name).unwrap_or_default();
                let bounds = json!({
                    "points": points,
                    "why": why,
                    "is_slow": kind.ends == Ends::ByLimit,
                    "is_unmodelled": kind.is_unmodelled(),
                });
                add(entry(&folder, &lab, ["cheats", kind.name], None, &text), bounds);
            }
        }
        for solution in Solution::all(&lab) {
            let share = match solution.verdict {
                Verdict::Right => [100, 100],
                Verdict::Wrong => [0, 50],
                Verdict::Missed => [51, 100],
                Verdict::Accused => [0, 99],
            };
            let name: String = solution.head.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            let text = solution.file(&lab);
            add(entry(&folder, &lab, ["solutions", &name], Some(&solution.part), &text), json!({"share": share}));
        }
    }
    fs::write(folder.join("campaign.json"), serde_json::to_string_pretty(&all).unwrap()).unwrap();
}
