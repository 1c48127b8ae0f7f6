//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant) in [
        ("off_by_one", "flat"),
        ("dropped_tail", "blocks"),
        ("wrong_lane", "grid3d"),
        ("unwritten", "index-maps"),
        ("unwritten", "warp-starts"),
    ] {
        let out = tempfile::tempdir().unwrap();
        let kernel = format!(
            "{}/tests/mutants/{mutant}/hello.cu",
            env!("CARGO_MANIFEST_DIR")
        );
        let status = Command::new(env!("CARGO_BIN_EXE_hello"))
            .args(["--device", "emulated", "--quiet", "--kernel", &kernel])
            .args(["--variant", variant, "--out"])
            .arg(out.path())
            .status()
            .unwrap();
        let csv = std::fs::read_to_string(out.path().join("hello.csv")).unwrap_or_default();
        assert_eq!(status.code(), Some(1), "{mutant} passed:\n{csv}");
        assert!(csv.contains(",fail,"), "{mutant}:\n{csv}");
    }
}
