//! Invalid input is refused before anything is launched, with exit status 2 and what to change.
const LAB: labtest::Lab = labtest::lab!("sparse");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "2^60"], "--n");
    LAB.refuses(&["--matrix", "dense"], "dense");
    LAB.refuses(&["--lanes", "3"], "should be 1, 2, 4, 8, 16 or 32");
    LAB.refuses(&["--lanes", "8", "--variant", "coo"], "--lanes");
    LAB.refuses(&["--blocks", "7"], "--blocks");
    LAB.refuses(&["--threads", "2000"], "--threads");
    LAB.refuses(&["--variant", "ell", "--matrix", "one-long", "-n", "2000"], "its padding makes");
    LAB.refuses(&["--input", "no-such-file.mtx"], "no-such-file.mtx");
}

#[test]
fn a_file_that_is_no_matrix_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.mtx");
    std::fs::write(&file, "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 4 2.5\n").unwrap();
    LAB.refuses(&["--input", file.to_str().unwrap()], "bad.mtx: line 3: column `4` should be a number from 1 to 3");
}
