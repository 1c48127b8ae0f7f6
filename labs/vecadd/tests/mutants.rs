//! Broken kernels: the lab's check must reject each of them, in every mode, and say what is wrong.
use std::process::Command;

/// Runs `n` = 1000 in blocks of 256 with the mutant's kernel in place of the lab's; returns the exit code and the rows.
fn run(mutant: &str, options: &[&str]) -> (Option<i32>, Vec<String>) {
    let out = tempfile::tempdir().unwrap();
    let kernel = format!(
        "{}/tests/mutants/{mutant}/vecadd.cu",
        env!("CARGO_MANIFEST_DIR")
    );
    let status = Command::new(env!("CARGO_BIN_EXE_vecadd"))
        .args(["--device", "emulated", "--quiet", "-n", "1000"])
        .args(["--kernel", &kernel, "--out"])
        .arg(out.path())
        .args(options)
        .status()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("vecadd.csv")).unwrap_or_default();
    let rows = csv.lines().skip(1).map(str::to_owned).collect();
    (status.code(), rows)
}

#[test]
fn every_mutant_is_rejected_in_every_mode() {
    // Three passes are checked: the first, a warm one step by step, and a warm one end to end.
    for (mutant, options, says) in [
        // A wrong neighbour: nearly every sum.
        ("off_by_one", &[][..], "wrong: [0] is"),
        // 1000 is 3 blocks and 232 elements more, which keep their poison.
        ("dropped_tail", &[], "696 of 3000 wrong: [768] is"),
        ("unwritten", &[], "3000 of 3000 wrong: [0] is"),
        ("nan", &[], "3 of 3000 wrong: [500] is NaN"),
        // 3 blocks of 333 elements leave one.
        (
            "short_stride",
            &["--stride", "--blocks", "3"],
            "3 of 3000 wrong: [999] is",
        ),
    ] {
        let (code, rows) = run(mutant, options);
        assert_eq!(code, Some(1), "{mutant} passed: {rows:#?}");
        assert_eq!(rows.len(), 9, "{rows:#?}");
        for row in rows {
            assert!(
                row.contains(",fail,") && row.contains(says),
                "{mutant}: {row}"
            );
        }
    }
}
