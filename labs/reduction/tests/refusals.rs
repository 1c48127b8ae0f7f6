//! Invalid input is refused before anything is launched, with exit status 2 and the flag to change.
const LAB: labtest::Lab = labtest::lab!("reduction");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "2^20", "--variant", "sequential", "--blocks", "3", "--threads", "128"], "--blocks 4096");
    LAB.refuses(&["-n", "1000", "--variant", "dot-pow2"], "a power of two");
    LAB.refuses(&["-n", "1025", "--variant", "dot-1024"], "1 to 1024");
    LAB.refuses(&["--threads", "1025"], "--threads");
    LAB.refuses(&["-n", "2^60"], "--n");
    LAB.refuses(&["-n", "0"], "at least 1");
    LAB.refuses(&["--op", "product"], "product");
}
