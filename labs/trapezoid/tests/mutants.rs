//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs `variant` with the mutant's kernel in place of the lab's; returns the exit code and the CSV.
fn run(mutant: &str, variant: &str) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let kernel = format!(
        "{}/tests/mutants/{mutant}/trapezoid.cu",
        env!("CARGO_MANIFEST_DIR")
    );
    let status = Command::new(env!("CARGO_BIN_EXE_trapezoid"))
        .args([
            "--device",
            "emulated",
            "--quiet",
            "--n",
            "1000",
            "--threads",
            "256",
        ])
        .args(["--kernel", &kernel, "--variant", variant, "--out"])
        .arg(out.path())
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("trapezoid.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant) in [
        ("off_by_one", "shuffle-32"),
        ("missing_barrier", "shuffle"),
        ("dropped_tail", "f64"),
        ("unwritten", "shared-32"),
        ("nan", "atomic"),
    ] {
        let (code, csv) = run(mutant, variant);
        assert_eq!(code, Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}
