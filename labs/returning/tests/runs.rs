//! The lab on the emulated device: any two numbers come back added, and the mistake spoils nothing else.
use std::process::Command;

fn returning(arguments: &[&str]) -> (Option<i32>, String, String) {
    let out = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_returning"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(arguments)
        .output()
        .unwrap();
    let csv = std::fs::read_to_string(out.path().join("returning.csv")).unwrap_or_default();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), csv, error)
}

#[test]
fn any_two_numbers() {
    for (x, y) in [
        ("2", "3"),
        ("-7", "7"),
        ("2147483647", "1"),
        ("-2147483648", "-1"),
        ("0", "0"),
    ] {
        let (code, csv, error) = returning(&["--x", x, "--y", y]);
        assert_eq!(code, Some(0), "{x} + {y}: {csv}{error}");
    }
}

/// The machine says whose address it was and where it was used; the other cases, in a process of their own, still run.
#[test]
fn the_mistake_is_found_and_the_others_still_run() {
    let lab = labtest::lab!("returning");
    let ran = lab.accepts(&[]);
    assert_eq!(ran.rows.len(), 5, "{}", ran.text);
    let found = ran.finding(|f| f.title.contains("host pointer"));
    let source = lab.source("kernels/returning.cu");
    let write = labtest::line_of(&source, "void add(", "*result = x + y");
    assert_eq!(found.accesses, [write], "{}", found.text);
    for says in [
        "write of size 4 bytes",
        "no address of the device",
        "the host code's",
        "mapped memory",
    ] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    let mistake = ran.of("host-pointer")[0];
    assert!(
        mistake["note"].contains("CUDA_ERROR_ILLEGAL_ADDRESS"),
        "{mistake:?}"
    );
    for right in ["explicit", "managed", "pinned", "global"] {
        assert_eq!(ran.of(right)[0]["result"], "5");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for arguments in [
        &["--x", "2147483648"][..],
        &["--y", "three"],
        &["--n", "5"],
        &["--threads", "2"],
    ] {
        let (code, _, error) = returning(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
    }
}
