//! Invalid input is refused before anything is launched, with exit status 2 and the flag to change.
const LAB: labtest::Lab = labtest::lab!("scan");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "5000", "--variant", "kogge-stone"], "1024 elements");
    LAB.refuses(&["-n", "5000", "--variant", "brent-kung", "--threads", "64"], "128 elements");
    LAB.refuses(&["-n", "5000", "--variant", "single-pass", "--blocks", "7"], "--blocks");
    LAB.refuses(&["--threads", "1025"], "--threads");
    LAB.refuses(&["-n", "2^60"], "--n");
    LAB.refuses(&["--items", "7"], "7");
}
