//! Broken kernels: the lab's check must reject each of them, whether they compute or count wrongly.
use std::process::Command;

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant) in [
        ("off_by_one", "picture"),
        ("missing_barrier", "average"),
        ("dropped_tail", "vecadd"),
        ("unwritten", "odd"),
        ("nan", "loop-parity"),
        ("uncounted", "even-odd"),
    ] {
        let out = tempfile::tempdir().unwrap();
        let kernel = format!(
            "{}/tests/mutants/{mutant}/divergence.cu",
            env!("CARGO_MANIFEST_DIR")
        );
        let status = Command::new(env!("CARGO_BIN_EXE_divergence"))
            .args([
                "--device",
                "emulated",
                "--quiet",
                "--exercises",
                "--kernel",
                &kernel,
            ])
            .args(["--variant", variant, "--out"])
            .arg(out.path())
            .status()
            .unwrap();
        let csv = std::fs::read_to_string(out.path().join("divergence.csv")).unwrap_or_default();
        assert_eq!(status.code(), Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}
