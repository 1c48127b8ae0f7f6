//! Texts of the user's own are counted; what cannot be is refused before anything is launched, with exit code 2 and the flag to change.
use std::process::Command;

fn refused(options: &[&str], says: &str) {
    let out = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_histogram"))
        .args(["--device", "emulated", "--quiet", "--out"])
        .arg(out.path())
        .args(options)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{options:?}: {text}");
    assert!(text.contains(says), "{options:?} says {text}");
}

#[test]
fn bad_requests_are_refused() {
    refused(&["-n", "2^60"], "--n");
    refused(
        &["-n", "5G", "--variant", "lanes", "--blocks", "1"],
        "--blocks 3",
    );
    refused(&["--threads", "2000"], "--threads");
    refused(&["-n", "-5"], "at least 1");
    refused(&["--text", "latin"], "latin");
    refused(
        &["--variant", "contention-global", "--blocks", "2^30"],
        "--blocks",
    );
}

/// 6 letters of 12 bytes: capitals, digits, space, umlaut and line end are not counted among the letters.
#[test]
fn a_text_comes_from_a_file_and_from_standard_input() {
    let lab = labtest::lab!("histogram");
    let text = "abz yA9\u{e4}wx\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let path = file.path().to_str().unwrap();
    let ran = [
        lab.accepts(&["--variant", "lanes", "--input", path]),
        lab.run_with(text, &["--variant", "lanes", "--input", "-"]),
    ];
    for ran in ran {
        assert_eq!(ran.rows.len(), 2, "{}", ran.text);
        for row in &ran.rows {
            let counted = if row["bins"] == "letters" { "6" } else { "12" };
            assert_eq!(
                (row["counted"].as_str(), row["n"].as_str()),
                (counted, "12")
            );
            assert_eq!(row["verdict"], "pass");
        }
    }
    let first = lab.accepts(&["--variant", "lanes", "--input", path, "-n", "3"]);
    assert!(
        first.rows.iter().all(|r| r["counted"] == "3"),
        "{}",
        first.text
    );
    lab.refuses(&["--input", "/no/such/file", "--bins", "seven"], "letters");
    let missing = lab.run(&["--input", "/no/such/file"]);
    assert_ne!(missing.code, Some(0), "{}", missing.text);
    assert!(missing.text.contains("/no/such/file"), "{}", missing.text);
}
