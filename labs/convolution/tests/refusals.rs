//! Invalid input is refused before anything is launched, with exit status 2 and the flag to change.
const LAB: labtest::Lab = labtest::lab!("convolution");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "0"], "at least 1");
    LAB.refuses(&["-n", "2^62", "--variant", "line-global"], "choose a smaller --n");
    LAB.refuses(&["--radius", "0"], "--radius");
    LAB.refuses(&["--radius", "9"], "1..=8");
    LAB.refuses(&["--width", "4294967295", "--variant", "image-global"], "--width is 4294967295");
    LAB.refuses(&["--height", "600000", "--variant", "image-global"], "--height is 600000");
    LAB.refuses(&["--width", "1000000", "--height", "500000", "--variant", "image-global"], "choose a smaller --width");
    LAB.refuses(&["-n", "1000", "--variant", "image-global"], "--n");
    LAB.refuses(&["--width", "64", "--variant", "line-global"], "--width");
    LAB.refuses(&["--blocks", "2", "--variant", "line-global"], "--blocks");
}

#[test]
fn kernels_of_known_radius_and_width_are_skipped_elsewhere() {
    for (option, value, variant, says) in [
        ("--radius", "4", "image-wide", "--radius is 4; it is compiled for 1, 2, 3"),
        ("--width", "70", "separable-wide", "--width is 70; its threads have four columns: choose a multiple of 4"),
    ] {
        let ran = LAB.accepts(&["--variant", variant, option, value, "--height", "20"]);
        let row = ran.rows_of(variant)[0];
        assert_eq!(row["verdict"], "skip", "{}", ran.text);
        assert!(row["note"].contains(says), "{}", ran.text);
    }
}
