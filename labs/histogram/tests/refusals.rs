//! What cannot be is refused before anything is launched, with exit code 2 and the flag to change.
use std::process::Command;

fn refused(options: &[&str], says: &str) {
    let out = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_histogram"))
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
    refused(&["-n", "2^60"], "--n");
    refused(
        &["-n", "5G", "--variant", "lanes", "--blocks", "1"],
        "--blocks 3",
    );
    refused(&["--threads", "2000"], "--threads");
    refused(&["-n", "-5"], "at least 1");
    refused(&["--text", "latin"], "latin");
    refused(
        &["--variant", "contention-global", "--blocks", "2^30"],
        "--blocks",
    );
}
