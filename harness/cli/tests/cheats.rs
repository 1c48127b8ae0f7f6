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

use cheating::kinds::{Ends, KINDS};
use marking::{lab::Lab, marks};
use serde_json::{Value, json};
use solving::{Solution, Verdict};

/// The parts that have points, and how many.
fn earned(marked: &Value) -> Vec<(String, f64)> {
    let parts = marked["parts"].as_array().unwrap().iter();
    let points = parts.map(|part| (part["name"].as_str().unwrap().into(), part["points"].as_f64().unwrap()));
    points.filter(|(_, points)| *points != 0.0).collect()
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
                let bounds = json!({"points": kind.tolerated(&lab.name), "is_slow": kind.ends == Ends::ByLimit});
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
