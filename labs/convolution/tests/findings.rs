//! The findings of the machine's checks in the variants that are wrong on purpose, by line, and no findings in the
//! others.
use harness::Expect;
use labtest::{FindingKind, line_of};

const LAB: labtest::Lab = labtest::lab!("convolution");

#[test]
fn no_right_variant_has_findings() {
    let mut options = vec!["--check", "all", "-n", "3001", "--width", "152", "--height", "43"];
    for variant in convolution::LAB.variants().into_iter().filter(|variant| variant.expect == Expect::Right) {
        options.extend(["--variant", variant.name]);
    }
    let ran = LAB.accepts(&options);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

#[test]
fn a_halo_that_ends_early_is_read_before_it_is_set() {
    let ran = LAB.accepts(&["--variant", "halo-off-by-one", "-n", "1000"]);
    let found = ran.finding(|told| matches!(told.finding.kind, FindingKind::Uninitialized { .. }));
    let line = line_of(&LAB.source("kernels/wrong.cu"), "void halo_off_by_one(", "mask[j] * s[threadIdx.x + j]");
    assert_eq!(labtest::lines(found)[0], line, "{}", found.text);
}

#[test]
fn a_mask_that_was_not_copied_gives_zeros() {
    let ran = LAB.accepts(&["--variant", "mask-not-copied", "-n", "1000"]);
    let note = &ran.rows_of("mask-not-copied")[0]["note"];
    assert!(note.contains("1000 of 1000 wrong: [0] is 0,"), "{note}");
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

/// Two columns on each side of each row, but for the last row's right ones and the first row's left ones, beyond which
/// no row follows.
#[test]
fn wrapped_edges_are_wrong_at_the_edges_only() {
    let ran = LAB.accepts(&["--variant", "edges-wrapped", "--width", "40", "--height", "20"]);
    let note = &ran.rows_of("edges-wrapped")[0]["note"];
    assert!(note.contains("80 of 800 wrong"), "{note}");
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
