//! The lab on the emulated device: every thread's line arrives, whatever the launch.
const LAB: labtest::Lab = labtest::lab!("hello");

#[test]
fn as_many_lines_as_threads() {
    for (shape, lines) in
        [(&["10"][..], 10), (&["1"], 1), (&["33"], 33), (&["1024"], 1024), (&["2", "5"], 10), (&["7", "97"], 679)]
    {
        let printed = LAB.accepts(shape).text.lines().filter(|l| l.starts_with("Hello from thread")).count();
        assert_eq!(printed, lines, "{shape:?}");
    }
}

#[test]
fn the_rest_and_the_exercises() {
    for arguments in [&["--all"][..], &["--exercises"], &["--quick"]] {
        LAB.accepts(arguments);
    }
}

/// The courses' answers, as the rows give them, along with the wrong ones that were printed.
#[test]
fn the_answers_of_the_exercises() {
    let ran = LAB.accepts(&["--exercises"]);
    let ranks = ran.rows_of("ranks")[0];
    assert_eq!(ranks["obtained"], "[[0, 4], [5, 9], [10, 14], [15, 19]]");
    let of = |case: &str| ran.rows.iter().find(|row| row["case"] == case).unwrap_or_else(|| panic!("{}", ran.text));
    for (case, answer, note) in [
        ("block 24x12x1, warp 2", "[[8, 1, 0], [15, 2, 0]]", "printed (2, 7) to (4, 2)"),
        ("block 24x12x1, warp 4", "[[0, 4, 0], [7, 5, 0]]", "printed (7, 0)"),
        ("block 6x4x8, warp 2", "[[2, 1, 1], [3, 2, 2]]", ""),
        ("block 48x1x1, warp 2", "[[32, 0, 0], [47, 0, 0]]", "its last 16 lanes are idle"),
    ] {
        assert_eq!(of(case)["obtained"], answer);
        assert!(of(case)["note"].contains(note), "{case}");
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
        LAB.refuses(arguments, says);
    }
}
