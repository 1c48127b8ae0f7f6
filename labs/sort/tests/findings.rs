//! The variants that are wrong on purpose: the checks find the mistake, or the answer shows it. Nothing is found in the
//! other variants.
use labtest::{Space, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("sort");

#[test]
fn a_network_without_barriers_races_in_shared_memory() {
    let ran = LAB.accepts(&["--variant", "no-barrier", "-n", "2000", "--order", "random"]);
    let source = LAB.source("kernels/bitonic.cu");
    let (read, write) = (line_of(&source, "void order(", "K x = a, y = b"), line_of(&source, "void order(", "a = y;"));
    let found = ran.race(Space::Shared, [read, write]);
    for says in ["no_barrier_u32", "shared_words", "the kernel's", "__syncthreads()"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    assert!(ran.rows_of("no-barrier")[0]["note"].contains("Race"), "{}", ran.text);
}

#[test]
fn a_network_without_padding_reads_past_the_end() {
    let ran = LAB.accepts(&["--variant", "unpadded", "-n", "3000"]);
    let line = line_of(&LAB.source("kernels/bitonic.cu"), "void flip_unpadded_u32", "unsigned a = x[i]");
    let found = ran.finding(|f| f.title.contains("Invalid __global__ read"));
    assert_eq!(lines(found)[0], line, "{}", ran.text);
    assert!(found.text.contains("flip_unpadded_u32"), "{}", found.text);
}

/// Atomic additions are not a race, so only the answer shows the mistake, and only with equal keys: their values should
/// be 0, 1, 2, ... afterwards.
#[test]
fn atomic_counters_do_not_keep_the_order_of_equal_keys() {
    for (order, says) in [("equal", "[1001] is 32, should be 1"), ("random", "should be")] {
        let ran = LAB.accepts(&["--variant", "unstable", "-n", "1000", "--order", order]);
        assert!(ran.findings.is_empty(), "{}", ran.text);
        assert!(ran.rows_of("unstable")[0]["note"].contains(says), "{}", ran.text);
    }
}

/// Tiles that wait for one another through words in memory, without a barrier between blocks, are correct, and the
/// checks find nothing.
#[test]
fn the_right_variants_have_no_findings() {
    let right = [
        "compact",
        "partition",
        "compact-rounds",
        "bitonic-warp",
        "bitonic-block",
        "bitonic-grid",
        "radix-passes",
        "radix",
    ];
    let variants = right.iter().flat_map(|variant| ["--variant", variant]);
    let options: Vec<&str> = ["--check", "all", "-n", "20001"].into_iter().chain(variants).collect();
    let ran = LAB.accepts(&options);
    // With random keys: 8 of u32, 2 of pairs, 5 of u64; in the other four orders only radix.
    assert_eq!(ran.rows.len(), 15 + 3 * 4, "{}", ran.text);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

/// A block takes more tiles than its ring has stages, so keys arrive in stages that a warp has just split or stored.
#[test]
fn blocks_that_split_ahead_have_no_findings() {
    let options = ["--variant", "compact-rounds", "--device", "emulated:rtx4090", "--check", "all", "-n", "4000003"];
    let ran = LAB.accepts(&options);
    assert!(ran.rows.len() == 1 && ran.rows[0]["verdict"] == "pass", "{}", ran.text);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
