//! Broken kernels: the lab's check must reject each of them, in every kind of memory.
use std::process::Command;

#[test]
fn every_mutant_is_rejected() {
    for mutant in ["wrong_sum", "unwritten", "out_of_bounds"] {
        for variant in ["explicit", "managed", "pinned", "global"] {
            let out = tempfile::tempdir().unwrap();
            let kernel = format!(
                "{}/tests/mutants/{mutant}/returning.cu",
                env!("CARGO_MANIFEST_DIR")
            );
            let status = Command::new(env!("CARGO_BIN_EXE_returning"))
                .args(["--device", "emulated", "--quiet", "--kernel", &kernel])
                .args(["--variant", variant, "--out"])
                .arg(out.path())
                .status()
                .unwrap();
            let csv = std::fs::read_to_string(out.path().join("returning.csv")).unwrap_or_default();
            assert_eq!(status.code(), Some(1), "{mutant}, {variant} passed:\n{csv}");
            assert!(
                csv.contains(",fail,") || csv.contains(",finding,"),
                "{mutant}, {variant}:\n{csv}"
            );
        }
    }
}
