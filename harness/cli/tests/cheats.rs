//! What cheats earn by a lab's rubric: nothing of what they fake.
//!
//! CI tries two labs. All labs are a campaign, which takes an hour and more on two cores. It can be stopped, and
//! resumes when it is started again with the same folder; at its end it writes the table of `reports/robustness.md`
//! there: `WARPLAB_CHEATS=FOLDER cargo test --release --test cheats -- --ignored --nocapture campaign`.
//! `WARPLAB_CHEATS_LABS=hello,scan` chooses labs, and `WARPLAB_CHEATS_KINDS=cached,nan` kinds.
mod cheating;
mod common;
mod marking;
mod solutions;
mod solving;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use cheating::kinds::{CheatKind, Ends, KINDS};
use marking::{is_chosen, lab::Lab, marks};
use serde_json::Value;

/// The parts that have points, and how many.
fn earned(marked: &Value) -> Vec<(String, f64)> {
    let parts = marked["parts"].as_array().unwrap().iter();
    let points = parts.map(|part| (part["name"].as_str().unwrap().into(), part["points"].as_f64().unwrap()));
    points.filter(|(_, points)| *points != 0.0).collect()
}

/// The table cell of a cheat: its points, and whether it could be judged.
fn cell(lab: &Lab, kind: &CheatKind, folder: &Path) -> String {
    let Some(text) = kind.file(lab) else {
        return String::new();
    };
    let marked = marks(lab, None, &folder.join(&lab.name).join(kind.name), &text);
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
            let marked = marks(&lab, None, &folder.path().join(&lab.name).join(kind.name), &text);
            let earned = earned(&marked);
            if !kind.is_tolerated(&lab.name, earned.iter().map(|(_, points)| points).sum()) {
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
    let (slow, soon): (Vec<&CheatKind>, Vec<&CheatKind>) = kinds.partition(|kind| kind.ends == Ends::ByLimit);
    for kind in soon.into_iter().chain(slow) {
        let mut cells = Vec::new();
        for lab in &labs {
            let points = cell(lab, kind, &folder);
            println!("{} {}: {points}", lab.name, kind.name);
            let is_tolerated =
                || points.trim_end_matches('?').parse().is_ok_and(|points| kind.is_tolerated(&lab.name, points));
            if !points.is_empty() && !is_tolerated() {
                earns.push(format!("{} {}: {points}", lab.name, kind.name));
            }
            cells.push(points);
        }
        table += &row(kind.name, &cells);
    }
    fs::write(folder.join("table.md"), table).unwrap();
    assert!(earns.is_empty(), "{earns:#?}");
}
