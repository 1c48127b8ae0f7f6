//! The lab on the emulated device: three counts that agree, and work that is right on any number of ways.
use std::process::Command;

fn divergence(arguments: &[&str]) -> (Option<i32>, String, String) {
    let out = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_divergence"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(arguments)
        .output()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("divergence.csv")).unwrap_or_default();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), csv, error)
}

#[test]
fn the_table() {
    let (code, csv, error) = divergence(&["--exercises"]);
    assert_eq!(code, Some(0), "{csv}{error}");
    assert!(!csv.contains("refuted"), "{csv}");
    assert_eq!(
        csv.matches(",pass,").count(),
        csv.lines().count() - 1,
        "{csv}"
    );
}

#[test]
fn any_ways_any_block() {
    for (n, threads, ways) in [
        ("1", "1", "1"),
        ("97", "33", "3"),
        ("1000", "256", "32"),
        ("1025", "1024", "31"),
    ] {
        let (code, csv, error) = divergence(&[
            "--n",
            n,
            "--threads",
            threads,
            "--ways",
            ways,
            "--variant",
            "ways",
            "--variant",
            "together",
            "--variant",
            "apart",
        ]);
        assert_eq!(code, Some(0), "{n}, {threads}, {ways}: {csv}{error}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for arguments in [
        &["--ways", "33"][..],
        &["--ways", "0"],
        &["--threads", "2000"],
        &["--n", "0"],
    ] {
        let (code, _, error) = divergence(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
    }
}
