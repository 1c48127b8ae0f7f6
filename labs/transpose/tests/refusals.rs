//! Invalid input is refused before anything is launched, with exit status 2 and the flag to change.
const LAB: labtest::Lab = labtest::lab!("transpose");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "0"], "at least 1");
    LAB.refuses(&["--m", "2^31", "-n", "1"], "--m is 2147483648");
    LAB.refuses(&["-n", "2^20"], "choose a smaller --m or --n");
    LAB.refuses(&["--stride", "0", "--variant", "copy-stride"], "0");
    LAB.refuses(&["--offset=-1", "--variant", "copy-offset"], "-1");
    LAB.refuses(&["--stride", "2", "--variant", "copy-offset"], "--stride");
    LAB.refuses(&["--offset", "2", "--variant", "padded"], "--offset");
    LAB.refuses(&["--threads", "64"], "--threads");
}
