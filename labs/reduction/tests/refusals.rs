//! What cannot be is refused before anything is launched, with exit code 2 and the flag to change.
use std::process::Command;

fn refused(options: &[&str], says: &str) {
    let out = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_reduction"))
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
    refused(
        &[
            "-n",
            "2^20",
            "--variant",
            "sequential",
            "--blocks",
            "3",
            "--threads",
            "128",
        ],
        "--blocks 4096",
    );
    refused(&["-n", "1000", "--variant", "dot-pow2"], "a power of two");
    refused(&["-n", "1025", "--variant", "dot-1024"], "1 to 1024");
    refused(&["--threads", "1025"], "--threads");
    refused(&["-n", "2^60"], "--n");
    refused(&["-n", "0"], "at least 1");
    refused(&["--op", "product"], "product");
}
