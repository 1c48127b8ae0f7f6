//! Runs the program `predict` on the report of a program on the emulated machine.

use std::path::Path;
use std::process::{Command, Output};

/// One launch of 1024 blocks of 1024 threads, each of which adds to the same word; counted with `WARPLAB_COSTS=1`.
const REPORT: &str = include_str!("../../../reports/prediction/foreign/trap_612.json");

fn predict(text: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    std::fs::write(&file, text).unwrap();
    of_file(&file)
}

fn of_file(file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_predict")).arg("h200").arg(file).output().unwrap()
}

#[test]
fn each_launch_of_a_report_is_predicted() {
    let told = predict(REPORT);
    let line: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&line["kernel"], &line["launch"]), (&"_Z8trap_612fffiPf".into(), &0.into()));
    assert_eq!(line["predicted"]["terms"][0]["bound"], "atomics");
    // Measured: 1.846 ms.
    let ms = line["predicted"]["ms"].as_f64().unwrap();
    assert!(ms > 1.846 / 1.2 && ms < 1.846 * 1.2, "{ms}");
}

#[test]
fn a_report_without_costs_says_how_to_count_them() {
    let mut report: serde_json::Value = serde_json::from_str(REPORT).unwrap();
    report["launches"][0]["counters"]["costs"] = serde_json::Value::Null;
    let told = predict(&report.to_string());
    let error = String::from_utf8(told.stderr).unwrap();
    assert!(!told.status.success() && error.contains("WARPLAB_COSTS=1"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = String::from_utf8(of_file(Path::new("nowhere.json")).stderr).unwrap();
    assert!(error.contains("nowhere.json"), "{error}");
}
