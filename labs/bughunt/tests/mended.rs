//! The mended file: right at every size, under every check and under several orders of warps and blocks. It proves that
//! each of the mistakes can be mended in the kernel file alone.
const LAB: labtest::Lab = labtest::lab!("bughunt");
const MENDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mended/bughunt.cu");
const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/bughunt.cu");

#[test]
fn every_mistake_can_be_mended() {
    for n in ["1", "2", "31", "33", "255", "256", "257", "1000", "1024", "4133"] {
        let ran = LAB.accepts(&["--kernel", MENDED, "--check", "all", "--schedules", "2", "-n", n]);
        assert_eq!(ran.rows.len(), 20, "{}", ran.text);
        assert!(ran.findings.is_empty(), "{}", ran.text);
        for row in &ran.rows {
            assert_eq!((row["verdict"].as_str(), row["answer"].as_str()), ("pass", "right"), "{row:?}");
            // The rows of those that say themselves how they are launched have the launch too.
            assert!(!row["grid"].is_empty(), "{row:?}");
        }
    }
}

/// The same file with the mistakes is wrong in all its parts. Where it stands in for itself, no luck counts: at the
/// usual size each mistake has a finding, or a wrong answer.
#[test]
fn a_copy_that_is_not_mended_is_rejected_as_a_whole() {
    let ran = LAB.run(&["--kernel", PLANTED]);
    assert_eq!(ran.code, Some(1), "{}", ran.text);
    assert_eq!(ran.rows.len(), 20, "{}", ran.text);
    for row in &ran.rows {
        assert!(matches!(row["verdict"].as_str(), "fail" | "finding"), "{row:?}");
    }
}

/// The lab's own kernels pass, wrong as they are, and by luck at the sizes that do not show the mistake.
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

/// The teacher's key: its diffs, applied to the lab's file, give the mended one.
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
    // Above the kernels, the files say what they are.
    let kernels = |text: &str| text.split_once("// ---- 1\n").map(|(_, kernels)| kernels.to_string());
    assert_eq!(kernels(&text), kernels(&LAB.source("tests/mended/bughunt.cu")));
}
