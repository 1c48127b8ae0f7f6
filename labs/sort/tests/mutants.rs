//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("sort");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, options, says) in [
        // Each of the three tiles writes from the list's start; which of them is last depends on the number of cores.
        ("no_look_back/lists.cu", ["compact", "u32", "sorted", "20000"], "of 20001 wrong: ["),
        ("off_by_one/lists.cu", ["partition", "u32", "sorted", "1000"], "[500] is 500, should be 999"),
        (
            "dropped_tail/bitonic.cu",
            ["bitonic-block", "u32", "reversed", "1000"],
            "1 of 1000 wrong: [999] is 4294967295",
        ),
        ("one_direction/bitonic.cu", ["bitonic-warp", "u32", "random", "1000"], "of 1000 wrong: ["),
        ("unwritten/radix.cu", ["radix", "u32", "equal", "10000"], "6144 of 10000 wrong: [0] is 4294967295"),
        // Each pass turns round the order that the passes before have made.
        ("backwards/radix.cu", ["radix", "pairs", "random", "1000"], "of 2000 wrong: ["),
    ] {
        let [variant, element, order, n] = options;
        LAB.rejects(mutant, &["--variant", variant, "--element", element, "--order", order, "-n", n], says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/radix.cu";
    let options = ["--variant", "radix", "--element", "u32", "--order", "random", "-n", "7000", "--check", "racecheck"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "void sweep(", text);
    ran.race(Space::Shared, [line("sorted[r] = key[i]"), line("key[i] = sorted[")]);
}
