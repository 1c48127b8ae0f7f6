//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs `tiled16` with the mutant's kernel in place of the lab's; returns the exit code and the CSV.
fn run(kernel: &str) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_matmul"))
        .args(["--device", "emulated", "--quiet", "--variant", "tiled16"])
        .args([
            "--m", "40", "--k", "37", "--n", "50", "--kernel", kernel, "--out",
        ])
        .arg(out.path())
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("matmul.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    for mutant in [
        "off_by_one",
        "missing_barrier",
        "dropped_tail",
        "unwritten",
        "nan",
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutants");
        let (code, csv) = run(&format!("{folder}/{mutant}/matmul.cu"));
        assert_eq!(code, Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}

#[test]
fn the_lab_itself_is_accepted() {
    let (code, csv) = run(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/matmul.cu"));
    assert_eq!(code, Some(0), "{csv}");
}
