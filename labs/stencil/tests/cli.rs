//! Impossible sizes are refused with a message and with the exit status of a usage error.
use std::process::Command;

#[test]
fn impossible_sizes_are_refused() {
    for (arguments, words) in [
        (&["--variant", "naive", "--n", "0"][..], "at least 1"),
        (&["--variant", "naive", "--n", "2^62"], "choose a smaller --n"),
        (&["--variant", "naive", "--threads", "2048"], "1024"),
        (&["--variant", "naive", "--n", "1000", "--blocks", "2"], "--blocks has no effect"),
        (&["--variant", "mean-naive", "--width", "4294967295"], "32-bit"),
        (&["--variant", "mean-naive", "--width", "1000000", "--height", "1000000"], "choose a smaller --width"),
        (&["--variant", "jacobi-graph", "--width", "2000000000", "--height", "2000000000"], "choose a smaller --width"),
        (&["--steps", "0"], "at least 1"),
        (&["--tolerance", "small"], "small"),
        (
            &["--variant", "jacobi-in-place", "--width", "1024", "--height", "1024", "--steps", "1"],
            "its 4096 blocks wait for each other, and only 1056 are resident at once",
        ),
        (
            &["--variant", "jacobi-cluster", "--width", "128", "--height", "129", "--steps", "1"],
            "a cluster holds at most 128 x 128 points, not 128 x 129",
        ),
    ] {
        let out = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_stencil"))
            .args(["--device", "emulated", "--quiet", "--out"])
            .arg(out.path())
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
}
