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

#[test]
fn the_mistake_is_found_and_the_others_still_run() {
    let (code, csv, error) = returning(&[]);
    assert_eq!(code, Some(0), "{csv}{error}");
    assert_eq!(csv.lines().count(), 6, "{csv}");
    let mistake = csv.lines().find(|l| l.contains("host-pointer")).unwrap();
    assert!(
        mistake.contains("host") && mistake.contains(",pass,"),
        "{mistake}"
    );
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
