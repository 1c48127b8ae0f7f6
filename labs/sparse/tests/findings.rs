//! The variants that are wrong on purpose: what the checks find in them, and that they find nothing in the others.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("sparse");

#[test]
fn additions_without_an_atomic_are_a_race() {
    let ran = LAB.accepts(&["--variant", "coo-plain", "--matrix", "one-long", "-n", "300"]);
    let line = line_of(&LAB.source("kernels/sparse.cu"), "void coo_plain(", "+= value[k]");
    ran.race(Space::Global, [line, line]);
    assert!(ran.rows_of("coo-plain")[0]["note"].contains("Race"), "{}", ran.text);
}

#[test]
fn padding_taken_for_entries_reads_beyond_x() {
    let ran = LAB.accepts(&["--variant", "no-guard", "--matrix", "uniform", "-n", "100"]);
    let line = line_of(&LAB.source("kernels/sparse.cu"), "void ell_no_guard(", "x[column[at]]");
    let found = ran.finding(|f| f.title.contains("Invalid __global__"));
    assert_eq!(labtest::lines(found)[0], line, "{}", ran.text);
    // A band without its ends has rows of one length, and so no padding: a file with one full row of each length.
    let ran = LAB.accepts(&["--variant", "ell", "--matrix", "uniform", "-n", "100", "--check", "all"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

/// Every access is in order: only the answer shows that a launch is missing.
#[test]
fn rows_without_their_carries_are_wrong() {
    let ran = LAB.accepts(&["--variant", "no-carries", "--matrix", "uniform", "-n", "300"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let note = &ran.rows_of("no-carries")[0]["note"];
    assert!(note.contains("of 300 wrong"), "{note}");
    // A single tile leaves nothing over.
    let ran = LAB.accepts(&["--variant", "no-carries", "--matrix", "uniform", "-n", "50"]);
    assert!(ran.rows_of("no-carries")[0]["note"].ends_with("right by luck in this run"), "{}", ran.text);
}

#[test]
fn the_right_methods_have_no_findings() {
    let mut options = vec!["--check", "all", "-n", "300"];
    let right = sparse::METHODS.iter().filter(|row| row.variant.expect == harness::Expect::Right);
    right.for_each(|row| options.extend(["--variant", row.name()]));
    let ran = LAB.accepts(&options);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    assert!(ran.rows.iter().all(|row| ["pass", "skip"].contains(&&*row["verdict"])), "{}", ran.text);
}

#[test]
fn a_t4_runs_every_method() {
    let ran = LAB.accepts(&["--device", "emulated:t4", "-n", "300", "--matrix", "power-law", "--matrix", "banded"]);
    let skipped: Vec<_> = ran.rows.iter().filter(|row| row["verdict"] == "skip").map(|row| &*row["variant"]).collect();
    assert_eq!(skipped, ["cusparse", "cusparse-2", "cusparse", "cusparse-2"], "{}", ran.text);
}
