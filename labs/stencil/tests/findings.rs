//! No variant here races or reads unwritten memory: not the halos, the several steps of a launch, or the barrier of the
//! whole grid.
const LAB: labtest::Lab = labtest::lab!("stencil");

#[test]
fn no_variant_has_findings() {
    // A halo loaded from the wrong place is neither a race nor unwritten memory; only the answer shows it.
    let sizes =
        ["-n", "3001", "--width", "40", "--height", "23", "--steps", "19", "--every", "7", "--tolerance", "0.003"];
    let ran = LAB.accepts(&[&["--check", "all"], &sizes[..]].concat());
    assert_eq!(ran.rows.len(), 24, "{}", ran.text);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
