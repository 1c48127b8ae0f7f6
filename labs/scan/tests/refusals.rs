//! What cannot be is refused before anything is launched, with exit code 2 and the flag to change.
use std::process::Command;

fn refused(options: &[&str], says: &str) {
    let out = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_scan"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(options)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{options:?}: {text}");
    assert!(text.contains(says), "{options:?} says {text}");
}

#[test]
fn bad_requests_are_refused() {
    refused(&["-n", "5000", "--variant", "kogge-stone"], "1024 elements");
    refused(
        &["-n", "5000", "--variant", "brent-kung", "--threads", "64"],
        "128 elements",
    );
    refused(
        &["-n", "5000", "--variant", "single-pass", "--blocks", "7"],
        "--blocks",
    );
    refused(&["--threads", "1025"], "--threads");
    refused(&["-n", "2^60"], "--n");
    refused(&["--items", "7"], "7");
}
