//! Invalid input is refused before anything is launched, with exit status 2 and the flag to change.
const LAB: labtest::Lab = labtest::lab!("sort");

#[test]
fn bad_requests_are_refused() {
    LAB.refuses(&["-n", "5000", "--variant", "bitonic-block", "--threads", "96"], "power of two");
    LAB.refuses(&["-n", "5000", "--variant", "radix", "--threads", "64"], "--threads");
    LAB.refuses(&["-n", "5000", "--variant", "radix-passes", "--tile", "512x48"], "--tile");
    LAB.refuses(&["-n", "5000", "--variant", "radix", "--share", "10"], "--share");
    LAB.refuses(&["-n", "5000", "--variant", "compact", "--share", "101"], "101");
    LAB.refuses(&["-n", "1000000001", "--variant", "radix"], "--n");
    LAB.refuses(&["-n", "2^60"], "--n");
    LAB.refuses(&["--order", "shuffled"], "shuffled");
}

#[test]
fn a_block_that_no_network_can_use_is_skipped_where_nobody_asked_for_it() {
    let ran = LAB.accepts(&["-n", "1000", "--threads", "96", "--element", "u64", "--order", "random"]);
    let verdict = |variant| ran.rows_of(variant)[0]["verdict"].clone();
    assert_eq!([verdict("bitonic-warp"), verdict("bitonic-grid"), verdict("radix")], ["pass", "skip", "pass"]);
}

/// A T4 has neither enough shared memory for a block of `compact-rounds` nor asynchronous copies: that row is skipped,
/// and the others run.
#[test]
fn rounds_are_skipped_where_a_block_has_too_little_shared_memory() {
    let variants = ["--variant", "compact-rounds", "--variant", "partition"];
    let ran = LAB.accepts(&[&["--device", "emulated:t4", "-n", "20000"], &variants[..]].concat());
    assert_eq!(ran.rows_of("compact-rounds")[0]["verdict"], "skip", "{}", ran.text);
    assert_eq!(ran.rows_of("partition")[0]["verdict"], "pass", "{}", ran.text);
}

/// The shared memory that a kernel declares counts in addition to that of its launch: `radix-large` has 57,344 bytes of
/// keys in a T4's 65,536, but its counts need 17,500 more.
#[test]
fn large_tiles_are_skipped_where_a_block_has_too_little_shared_memory() {
    let variants = ["--variant", "radix-large", "--variant", "radix", "--element", "u32", "--order", "random"];
    let ran = LAB.accepts(&[&["--device", "emulated:t4", "-n", "20000"], &variants[..]].concat());
    assert_eq!(ran.rows_of("radix-large")[0]["verdict"], "skip", "{}", ran.text);
    assert_eq!(ran.rows_of("radix")[0]["verdict"], "pass", "{}", ran.text);
}
