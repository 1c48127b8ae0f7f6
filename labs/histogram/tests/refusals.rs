//! The user's own texts are counted. Invalid input is refused before anything is launched, with exit status 2 and the
//! flag to change.
const LAB: labtest::Lab = labtest::lab!("histogram");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "2^60"], "--n");
    LAB.refuses(&["-n", "2^32", "--variant", "lanes", "--blocks", "1"], "--blocks 3");
    LAB.refuses(&["--threads", "2000"], "--threads");
    LAB.refuses(&["-n", "-5"], "at least 1");
    LAB.refuses(&["--text", "latin"], "latin");
    LAB.refuses(&["--variant", "contention-global", "--blocks", "2^30"], "--blocks");
}

/// 6 of the 12 bytes are letters: capitals, digits, space, umlaut and line end are not counted among the letters.
#[test]
fn a_text_comes_from_a_file_and_from_standard_input() {
    let text = "abz yA9\u{e4}wx\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let path = file.path().to_str().unwrap();
    let ran = [
        LAB.accepts(&["--variant", "lanes", "--input", path]),
        LAB.run_with(text, &["--variant", "lanes", "--input", "-"]),
    ];
    for ran in ran {
        assert_eq!(ran.rows.len(), 2, "{}", ran.text);
        for row in &ran.rows {
            let counted = if row["bins"] == "letters" { "6" } else { "12" };
            assert_eq!((row["counted"].as_str(), row["n"].as_str()), (counted, "12"));
            assert_eq!(row["verdict"], "pass");
        }
    }
    let first = LAB.accepts(&["--variant", "lanes", "--input", path, "-n", "3"]);
    assert!(first.rows.iter().all(|r| r["counted"] == "3"), "{}", first.text);
    LAB.refuses(&["--input", "/no/such/file", "--bins", "seven"], "letters");
    let missing = LAB.run(&["--input", "/no/such/file"]);
    assert_ne!(missing.code, Some(0), "{}", missing.text);
    assert!(missing.text.contains("/no/such/file"), "{}", missing.text);
}
