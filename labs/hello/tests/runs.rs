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
