//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("sort");

/// The lab must reject the mutant, with a variant of an element, and n keys in an order.
fn rejects(mutant: Mutant<'_>, [variant, element, order, n]: [&str; 4], says: &str) {
    LAB.rejects(mutant, &["--variant", variant, "--element", element, "--order", order, "-n", n], says);
}

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, file, edit, options, says) in [
        // Each of the three tiles writes from the list's start; which of them is last depends on the number of cores.
        (
            "no_look_back",
            "lists.cu",
            ("void split(", "tile > 0 ? look_back(states, tile) : 0", "0"),
            ["compact", "u32", "sorted", "20000"],
            "of 20001 wrong: [",
        ),
        // The threshold itself counts as below it.
        (
            "off_by_one",
            "lists.cu",
            ("void split(", "key[k] < below", "key[k] <= below"),
            ["partition", "u32", "sorted", "1000"],
            "[500] is 500, should be 999",
        ),
        // The last key is not stored.
        (
            "dropped_tail",
            "bitonic.cu",
            ("void store_tile(", "first + i < n", "first + i + 1 < n"),
            ["bitonic-block", "u32", "reversed", "1000"],
            "1 of 1000 wrong: [999] is 4294967295",
        ),
        // The flip is left out, so that a merge is given two runs that both ascend.
        (
            "one_direction",
            "bitonic.cu",
            ("void bitonic_warp(", "k - 1", "k / 2"),
            ["bitonic-warp", "u32", "random", "1000"],
            "of 1000 wrong: [",
        ),
        // Tiles in which all keys have the same digit are not stored.
        (
            "unwritten",
            "radix.cu",
            ("void sweep(", "        store<S>(key, size, p.out + to);\n", ""),
            ["radix", "u32", "equal", "10000"],
            "6144 of 10000 wrong: [0] is 4294967295",
        ),
    ] {
        rejects(Mutant::new(name, file, &[edit]), options, says);
    }
}

/// Among the lanes of a warp with the same digit, a higher lane goes first: each pass turns round the order that the
/// passes before have made.
#[test]
#[ignore = "needs NVRTC"]
fn a_pass_that_turns_the_order_round_is_rejected_nvrtc() {
    let edits = [
        ("unsigned rank_of(", "__popc(same & lanes_below())", "__popc(same >> lane_id()) - 1"),
        ("unsigned rank_of(", "31 - __clz(same)", "__ffs(same) - 1"),
    ];
    let mutant = Mutant::new("backwards", "radix.cu", &edits);
    rejects(mutant, ["radix", "pairs", "random", "1000"], "of 2000 wrong: [");
}

/// Keys are read back before all of them are in their places.
#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let edits = [("void sweep(", "    __syncthreads();\n\n    if (in_order)", "    if (in_order)")];
    let mutant = Mutant::new("missing_barrier", "radix.cu", &edits);
    let options = ["--variant", "radix", "--element", "u32", "--order", "random", "-n", "7000", "--check", "racecheck"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.mutated(mutant);
    let line = |text| line_of(&source, "void sweep(", text);
    ran.race(Space::Shared, [line("sorted[r] = key[i]"), line("key[i] = sorted[")]);
}
