//! The lab on the emulated device: any n, any block, and input that cannot be.
use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    let out = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_trapezoid"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(arguments)
        .output()
        .unwrap()
}

fn assert_code(arguments: &[&str], code: i32, says: &str) {
    let output = lab(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(error.contains(says), "{arguments:?}: {error}");
}

#[test]
fn any_n() {
    // Each run has a dozen small sizes around the warp and the block besides.
    for n in ["1", "33", "1023", "1025", "10007"] {
        assert_code(&["--n", n], 0, "");
    }
}

#[test]
fn any_block_of_whole_warps() {
    for threads in ["32", "96", "992", "1024"] {
        assert_code(&["--n", "3001", "--threads", threads], 0, "");
    }
    for threads in ["1", "31", "33", "1000"] {
        assert_code(
            &["--n", "3001", "--threads", threads, "--variant", "atomic"],
            0,
            "",
        );
    }
}

#[test]
fn other_integrals() {
    assert_code(&["--n", "1000", "--from", "0", "--to", "1"], 0, "");
    assert_code(&["--n", "1000", "--from", "-2.5", "--to", "1000"], 0, "");
}

#[test]
fn traces_of_every_width() {
    for lanes in ["2", "4", "8", "16", "32"] {
        assert_code(&["--trace", "--lanes", lanes], 0, "");
    }
    let out = tempfile::tempdir().unwrap();
    let shown = Command::new(env!("CARGO_BIN_EXE_trapezoid"))
        .args(["--device", "emulated", "--trace", "--out"])
        .arg(out.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&shown.stdout) + String::from_utf8_lossy(&shown.stderr);
    assert!(
        text.contains("72, exact") && text.contains("73 where 72 is exact"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    assert_code(&["--n", "0"], 2, "at least 1");
    assert_code(&["--n", "-5"], 2, "at least 1");
    // Beyond any grid at one point a thread; and beyond what anybody would wait for.
    let atomic = ["--n", "2^40", "--threads", "256", "--variant", "atomic"];
    assert_code(&atomic, 2, "choose a smaller --n");
    assert_code(&["--n", "2^62", "--variant", "grid-stride"], 2, "at most");
    assert_code(&["--threads", "2048"], 2, "1024");
    assert_code(&["--threads", "100"], 2, "multiple of 32");
    assert_code(
        &["--n", "1000", "--blocks", "1", "--threads", "32"],
        2,
        "too few",
    );
    assert_code(&["--from", "3", "--to", "-3"], 2, "smaller");
    assert_code(&["--from", "nan"], 2, "smaller");
    assert_code(&["--variant", "no-such"], 2, "no-such");
    assert_code(&["--trace", "--n", "100"], 2, "--lanes");
    assert_code(&["--lanes", "3", "--trace"], 2, "2, 4, 8, 16 or 32");
}

/// The sums that lie in their warps' first words are all in one bank; the others go without conflicts.
#[test]
fn own_first_has_a_conflict_of_32_ways() {
    let lab = labtest::lab!("trapezoid");
    let ran = lab.accepts(&[
        "-n",
        "4096",
        "--threads",
        "1024",
        "--variant",
        "shared",
        "--variant",
        "own-first",
        "--variant",
        "two-barriers",
    ]);
    for (variant, ways) in [("shared", "1"), ("two-barriers", "1"), ("own-first", "32")] {
        let row = ran.of(variant)[0];
        assert_eq!(row["shared_worst_ways"], ways, "{row:?}");
        assert_eq!(row["shared_bank_conflicts"] == "0", ways == "1", "{row:?}");
    }
}
