//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("reduction");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, op, n, says) in [
        // The zeros with ones at the edges reveal a lost element that a sum could hide.
        ("off_by_one", "two-pass", "sum", "1000", "[ones among zeros] is 31, should be 34"),
        ("missing_barrier", "shuffle", "sum", "1000", "[ones among zeros] is"),
        ("dropped_tail", "vectorized", "sum", "1001", "[ones among zeros] is"),
        ("unwritten", "interleaved", "sum", "1000", "[sum] is NaN"),
        ("nan", "atomic-finish", "dot", "1000", "[dot] is NaN"),
        ("wrong_way", "cas-loop", "max", "1000", "[max] is 0.002466440200805664, should be 0.9994136095046997"),
    ] {
        let options = ["--variant", variant, "--op", op, "-n", n, "--threads", "256"];
        LAB.rejects(&format!("{mutant}/reduction.cu"), &options, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/reduction.cu";
    let options = ["--check", "racecheck", "--variant", "shuffle", "--op", "sum", "-n", "1000"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "__syncthreads", text);
    ran.race(Space::Shared, [line("of_warp[warp] = v"), line("? of_warp[lane]")]);
}
