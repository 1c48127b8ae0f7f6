//! Many runs in parallel: each has a separate folder, or waits for its turn in a shared one.
mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use common::rows;

/// Starts all runs in this folder before waiting for the first; each must pass.
fn all_at_once(folder: &Path, runs: &[Vec<&str>]) -> Vec<Output> {
    let start = |args: &Vec<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
        command.arg("run").args(args).args(["--quick", "--device", "emulated"]).current_dir(folder);
        command.envs(common::compiler());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = runs.iter().map(start).collect();
    let outputs: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    outputs
}

#[test]
fn runs_that_share_a_folder_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let labs = ["hello", "returning", "vecadd", "reduction", "scan"];
    let seeds: Vec<String> = (1..=20).map(|seed| seed.to_string()).collect();
    let of = |i: usize| vec![labs[i % labs.len()], "--no-exercises", "--out", "out", "--seed", &seeds[i]];
    let outputs = all_at_once(folder.path(), &(0..20).map(of).collect::<Vec<_>>());
    let out = folder.path().join("out");
    let waited = |output: &&Output| String::from_utf8_lossy(&output.stderr).contains("another run writes to out");
    assert!(outputs.iter().any(|output| waited(&output)), "no run had to wait");

    // Each lab's rows come from one run, which is in session.json; an earlier run of the lab is replaced.
    let text = std::fs::read_to_string(out.join("session.json")).unwrap();
    let session: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sessions = session["sessions"].as_array().unwrap();
    let known: BTreeMap<&str, u64> =
        sessions.iter().map(|s| (s["labs"][0]["lab"].as_str().unwrap(), s["seed"].as_u64().unwrap())).collect();
    assert_eq!(known.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from(labs));
    assert_eq!(sessions.len(), labs.len());
    for (lab, seed) in known {
        let done = sessions.iter().find(|s| s["labs"][0]["lab"] == lab).unwrap();
        let rows = rows(&out.join(format!("{lab}.csv")));
        assert_eq!(done["labs"][0]["rows"], rows.len(), "{lab}");
        assert!(rows.iter().all(|row| row["seed"] == seed.to_string()), "{lab}: {rows:?}");
    }
    let left = std::fs::read_dir(&out).unwrap().flatten().map(|f| f.file_name().to_string_lossy().into_owned());
    // A lab with findings has them next to its rows.
    let of_a_lab = |name: &str| name.strip_suffix(".jsonl").is_some_and(|lab| labs.contains(&lab));
    let left: BTreeSet<String> = left.filter(|name| !of_a_lab(name)).collect();
    let csvs = labs.iter().flat_map(|lab| [record::csv_of(lab), record::counters_of(lab)]);
    assert_eq!(left, csvs.into_iter().chain(["report.html", "session.json"].map(String::from)).collect());
}

#[test]
fn runs_that_choose_their_own_folder_never_meet() {
    let folder = tempfile::tempdir().unwrap();
    all_at_once(folder.path(), &vec![vec!["returning"]; 10]);
    let folders: Vec<_> = std::fs::read_dir(folder.path().join("reports")).unwrap().flatten().collect();
    assert_eq!(folders.len(), 10);
    for folder in folders {
        assert_eq!(rows(&folder.path().join("returning.csv")).len(), returning::LAB.variants().len());
    }
}
