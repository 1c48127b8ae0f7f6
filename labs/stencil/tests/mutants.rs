//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs `variant` with `kernel` in place of the lab's file of that name; returns the exit code and the CSV.
fn run(kernel: &str, variant: &str) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_stencil"))
        .args([
            "--device",
            "emulated",
            "--quiet",
            "--variant",
            variant,
            "--n",
            "1000",
        ])
        .args([
            "--width", "50", "--height", "40", "--kernel", kernel, "--out",
        ])
        .arg(out.path())
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("stencil.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant) in [
        ("off_by_one/line.cu", "shared"),
        ("missing_barrier/line.cu", "shared"),
        ("dropped_tail/line.cu", "shared"),
        ("nan/line.cu", "shared"),
        ("unwritten/plane.cu", "mean-naive"),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutants");
        let (code, csv) = run(&format!("{folder}/{mutant}"), variant);
        assert_eq!(code, Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}

#[test]
fn the_lab_itself_is_accepted_and_its_wrong_variant_is_wrong() {
    let line = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/line.cu");
    for variant in ["shared", "average", "published"] {
        let (code, csv) = run(line, variant);
        assert_eq!(code, Some(0), "{variant}:\n{csv}");
    }
    // The check does reject what was published.
    let (_, csv) = run(line, "published");
    assert!(csv.contains("first or last two of a block"), "{csv}");
}
