//! Impossible sizes are refused with a message and with the exit status of a usage error.
use std::process::Command;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_matmul"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(arguments)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn impossible_sizes_are_refused() {
    for (arguments, words) in [
        (&["--n", "0"][..], "at least 1"),
        (&["--m=-3"], "at least 1"),
        (&["--m", "2^31", "--k", "1", "--n", "1"], "--m is 2147483648"),
        (&["--n", "2^40"], "1 to 2147483647"),
        (&["--n", "200000"], "choose a smaller --m, --k or --n"),
        (&["--tile", "33"], "33"),
        (&["--slices", "0"], "0"),
    ] {
        let (code, text) = run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
}

#[test]
fn a_grid_beyond_the_device_is_refused_with_the_limit() {
    // 2^21 rows in tiles of 16 need 131072 blocks in y, but only 65535 are allowed.
    let (code, text) = run(&["--variant", "naive", "--m", "2^21", "--k", "1", "--n", "1"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("65535") && text.contains("131072"), "{text}");
}
