//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs `variant` with `kernel` in place of the lab's; returns the exit code and the CSV.
fn run(kernel: &str, variant: &str) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_occupancy"))
        .args([
            "--device",
            "emulated",
            "--quiet",
            "--variant",
            variant,
            "--n",
            "1000",
            "--threads",
            "128",
        ])
        .args(["--kernel", kernel, "--out"])
        .arg(out.path())
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("occupancy.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant) in [
        ("off_by_one", "vecadd"),
        ("dropped_tail", "vecadd"),
        ("unwritten", "vecadd"),
        ("missing_barrier", "shared-heavy"),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutants");
        let (code, csv) = run(&format!("{folder}/{mutant}/occupancy.cu"), variant);
        assert_eq!(code, Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}

#[test]
fn the_lab_itself_is_accepted() {
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/occupancy.cu");
    for variant in ["vecadd", "shared-heavy", "register-heavy"] {
        let (code, csv) = run(kernel, variant);
        assert_eq!(code, Some(0), "{variant}:\n{csv}");
    }
}
