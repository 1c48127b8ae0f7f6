//! The lab on the emulated device: every thread's line arrives, whatever the launch.
use std::process::Command;

fn hello(arguments: &[&str]) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hello"))
        .args(["--device", "emulated", "--out"])
        .arg(out.path())
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

#[test]
fn as_many_lines_as_threads() {
    for (shape, lines) in [
        (&["10"][..], 10),
        (&["1"], 1),
        (&["33"], 33),
        (&["1024"], 1024),
        (&["2", "5"], 10),
        (&["7", "97"], 679),
    ] {
        let (code, text) = hello(shape);
        assert_eq!(code, Some(0), "{shape:?}: {text}");
        let printed = text
            .lines()
            .filter(|l| l.starts_with("Hello from thread"))
            .count();
        assert_eq!(printed, lines, "{shape:?}");
    }
}

#[test]
fn the_rest_and_the_exercises() {
    for arguments in [&["--all"][..], &["--exercises"], &["--quick"]] {
        let (code, text) = hello(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {text}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, says) in [
        (&["1025"][..], "1024"),
        (&["0"], "at least 1"),
        (&["-3"], "-3"),
        (&["1", "2", "3"], "3"),
        (&["100000", "1024"], "lines"),
        (&["ten"], "ten"),
    ] {
        let (code, text) = hello(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(says), "{arguments:?}: {text}");
    }
}
