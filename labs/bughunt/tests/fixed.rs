//! The fixed file: right at every size, under every check and under several orders of warps and blocks. It proves that
//! each of the mistakes can be fixed in the kernel file alone.
const LAB: labtest::Lab = labtest::lab!("bughunt");
const FIXED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixed/bughunt.cu");
const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/bughunt.cu");

#[test]
fn every_mistake_can_be_mended() {
    for n in ["1", "2", "31", "33", "255", "256", "257", "1000", "1024", "4133"] {
        let ran = LAB.accepts(&["--kernel", FIXED, "--check", "all", "--schedules", "2", "-n", n]);
        assert_eq!(ran.rows.len(), 20, "{}", ran.text);
        assert!(ran.findings.is_empty(), "{}", ran.text);
        for row in &ran.rows {
            assert_eq!((row["verdict"].as_str(), row["answer"].as_str()), ("pass", "right"), "{row:?}");
            // Rows whose kernels choose the launch record it too.
            assert!(!row["grid"].is_empty(), "{row:?}");
        }
    }
}

/// A copy of the original file, mistakes included, is rejected completely. As a replacement it cannot pass by luck: at
/// the usual size each mistake has a finding, or a wrong answer.
#[test]
fn a_copy_that_is_not_mended_is_rejected_as_a_whole() {
    let ran = LAB.run(&["--kernel", PLANTED]);
    assert_eq!(ran.code, Some(1), "{}", ran.text);
    assert_eq!(ran.rows.len(), 20, "{}", ran.text);
    for row in &ran.rows {
        assert!(matches!(row["verdict"].as_str(), "fail" | "finding"), "{row:?}");
    }
}

/// The lab's own kernels pass although they are wrong: their mistakes are expected, and at some sizes do not show.
#[test]
fn the_labs_own_mistakes_are_expected() {
    for n in ["1", "32", "256", "1000"] {
        let ran = LAB.accepts(&["-n", n]);
        assert_eq!(ran.rows.len(), 20, "{}", ran.text);
        assert!(ran.rows.iter().all(|row| row["note"].contains("wrong on purpose")), "{}", ran.text);
    }
}

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.refuses(&["-n", "0"], "at least 1");
    LAB.refuses(&["--threads", "128"], "--threads");
    LAB.refuses(&["--blocks", "7"], "--blocks");
}

/// The diffs of the teacher's key, applied to the lab's file, give the fixed one.
#[test]
fn the_diffs_of_the_key_are_the_mends() {
    let key = LAB.source("ANSWERS.md");
    let mut text = LAB.source("kernels/bughunt.cu");
    let diffs = key.split("```diff\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut applied = 0;
    for diff in diffs {
        let side = |drop: char| -> String {
            let kept = diff.lines().filter(|line| !line.starts_with(drop));
            kept.map(|line| line.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
        };
        let (before, after) = (side('+'), side('-'));
        assert_eq!(text.matches(&before).count(), 1, "{diff}");
        text = text.replace(&before, &after);
        applied += 1;
    }
    assert_eq!(applied, 20);
    // The text above the kernels differs between the files.
    let kernels = |text: &str| text.split_once("// ---- 1\n").map(|(_, kernels)| kernels.to_string());
    assert_eq!(kernels(&text), kernels(&LAB.source("tests/fixed/bughunt.cu")));
}
