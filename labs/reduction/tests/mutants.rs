//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs the lab with the mutant's kernels in place of its own; gives the exit code and the CSV.
fn run(mutant: &str, options: &[&str]) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let kernel = format!(
        "{}/tests/mutants/{mutant}/reduction.cu",
        env!("CARGO_MANIFEST_DIR")
    );
    let status = Command::new(env!("CARGO_BIN_EXE_reduction"))
        .args([
            "--device", "emulated", "--quiet", "--kernel", &kernel, "--out",
        ])
        .arg(out.path())
        .args(options)
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("reduction.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    let mutants: &[(&str, &[&str])] = &[
        (
            "off_by_one",
            &["--variant", "two-pass", "--op", "sum", "-n", "1000"],
        ),
        (
            "missing_barrier",
            &[
                "--variant",
                "shuffle",
                "--op",
                "sum",
                "-n",
                "1000",
                "--threads",
                "256",
            ],
        ),
        (
            "dropped_tail",
            &["--variant", "vectorized", "--op", "sum", "-n", "1001"],
        ),
        (
            "unwritten",
            &["--variant", "interleaved", "--op", "sum", "-n", "1000"],
        ),
        (
            "nan",
            &["--variant", "atomic-finish", "--op", "dot", "-n", "1000"],
        ),
        (
            "wrong_way",
            &["--variant", "cas-loop", "--op", "max", "-n", "1000"],
        ),
    ];
    for (mutant, options) in mutants {
        let (code, csv) = run(mutant, options);
        assert_eq!(code, Some(1), "{mutant} passed:\n{csv}");
        assert!(
            csv.contains(",fail,") || csv.contains(",finding,"),
            "{mutant}:\n{csv}"
        );
    }
}
