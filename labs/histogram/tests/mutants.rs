//! Broken kernels: the lab's check must reject each of them.
use std::process::Command;

/// Runs the lab with the mutant's kernels in place of its own; gives the exit code and the CSV.
fn run(mutant: &str, options: &[&str]) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let kernel = format!(
        "{}/tests/mutants/{mutant}/histogram.cu",
        env!("CARGO_MANIFEST_DIR")
    );
    let status = Command::new(env!("CARGO_BIN_EXE_histogram"))
        .args([
            "--device", "emulated", "--quiet", "--kernel", &kernel, "--out",
        ])
        .arg(out.path())
        .args(options)
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("histogram.csv")).unwrap_or_default();
    (status.code(), csv)
}

#[test]
fn every_mutant_is_rejected() {
    let mutants: &[(&str, &[&str])] = &[
        (
            "off_by_one",
            &[
                "--variant",
                "privatized",
                "--bins",
                "letters",
                "--text",
                "uniform",
                "-n",
                "1000",
            ],
        ),
        (
            "missing_barrier",
            &[
                "--variant",
                "privatized",
                "--bins",
                "bytes",
                "--text",
                "same",
                "-n",
                "5000",
                "--blocks",
                "1",
            ],
        ),
        (
            "dropped_tail",
            &[
                "--variant",
                "wide",
                "--bins",
                "bytes",
                "--text",
                "uniform",
                "-n",
                "1001",
            ],
        ),
        (
            "unwritten",
            &[
                "--variant",
                "atomic",
                "--bins",
                "bytes",
                "--text",
                "uniform",
                "-n",
                "1000",
            ],
        ),
        (
            "all_letters",
            &[
                "--variant",
                "lanes",
                "--bins",
                "letters",
                "--text",
                "bytes",
                "-n",
                "1000",
            ],
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
