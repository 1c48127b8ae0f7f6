//! The variant that is wrong on purpose: the machine's checks find the mistake, with both accesses, and find nothing in
//! the other variants.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("scan");

#[test]
fn one_barrier_a_round_is_a_race_in_shared_memory() {
    let ran = LAB.accepts(&["--variant", "one-barrier", "-n", "1000"]);
    let source = LAB.source("kernels/scan.cu");
    let add = line_of(&source, "void one_barrier_u32", "s[t] += s[t - stride]");
    let found = ran.race(Space::Shared, [add, add]);
    for says in ["one_barrier_u32", "shared_words", "the kernel's", "__syncthreads()"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    assert_eq!(found.text.matches("by thread (").count(), 2);
    for row in ran.rows_of("one-barrier") {
        assert!(row["note"].contains("Race"), "{row:?}");
    }
}

/// Tiles that wait for one another through words in memory, without a barrier between blocks, are correct, and the
/// checks find nothing.
#[test]
fn the_right_scans_have_no_findings() {
    let mut options = vec!["--check", "all", "-n", "20001", "--threads", "64"];
    for variant in ["three-kernel", "single-pass", "ahead"] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.len(), 3 * 4);
    assert!(ran.findings.is_empty(), "{}", ran.text);

    let ran = LAB.accepts(&["--check", "all", "--variant", "kogge-stone", "--variant", "brent-kung"]);
    assert_eq!(ran.rows.len(), 2 * 4);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

/// A block takes six tiles, so it waits for copies that were started while it scanned. A device on which the ring does
/// not fit skips the row.
#[test]
fn blocks_that_sum_ahead_have_no_findings() {
    let ahead = ["--variant", "ahead", "--element", "u32", "--kind", "exclusive"];
    let ran = LAB.accepts(&[&ahead[..], &["--device", "emulated:rtx4090", "--check", "all", "-n", "2000003"]].concat());
    assert!(ran.rows.len() == 1 && ran.rows.iter().all(|row| row["verdict"] == "pass"), "{}", ran.text);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let on_a_t4 = ["--variant", "single-pass", "--device", "emulated:t4", "-n", "3073"];
    let ran = LAB.accepts(&[&ahead[..], &on_a_t4].concat());
    assert!(ran.rows_of("ahead").iter().all(|row| row["verdict"] == "skip"), "{}", ran.text);
}

/// Every access of this variant is in order. Only the answer shows that a round is missing: one element of a full block
/// is wrong.
#[test]
fn an_up_sweep_that_ends_early_spoils_the_last_element() {
    let ran = LAB.accepts(&["--variant", "short-up", "--kind", "inclusive", "-n", "2048"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let note = &ran.rows_of("short-up")[0]["note"];
    assert!(note.contains("1 of 2048 wrong: [2047] is"), "{note}");
    // A section that is not full never uses that element.
    let ran = LAB.accepts(&["--variant", "short-up", "--kind", "inclusive", "-n", "2047"]);
    assert!(ran.rows_of("short-up")[0]["note"].ends_with("right by luck in this run"), "{}", ran.text);
}
