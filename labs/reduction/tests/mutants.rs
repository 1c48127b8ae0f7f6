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
        ("unwritten", "interleaved", "sum", "1000", "[sum] was never written"),
        ("nan", "atomic-finish", "dot", "1000", "[dot] is NaN"),
        ("wrong_way", "cas-loop", "max", "1000", "[max] is 0.0024664402, should be 0.99941361"),
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

/// As many threads as the padding is to fill up to 1024: 24 of them.
#[test]
fn padding_with_another_operation_s_identity_is_rejected() {
    let options = ["--variant", "padded", "--op", "sum", "-n", "1000", "--threads", "1000"];
    LAB.rejects("padded_with_one/reduction.cu", &options, "[ones among zeros] is 55, should be 31");
}

/// The kernel never ends; what ends it is the limit. The compiler's warning is in the handout.
#[test]
fn a_loop_without_end_is_ended() {
    let options = ["--variant", "sequential", "--op", "sum", "-n", "8", "--threads", "8", "--timeout", "1s"];
    LAB.rejects("never_ends/reduction.cu", &options, "did not end within 1s");
}

/// A lock orders nothing by itself.
#[test]
fn a_lock_without_fences_is_a_race() {
    let mutant = "lock_without_fences/reduction.cu";
    let options = ["--check", "racecheck", "--variant", "spin-lock", "--op", "sum", "-n", "10001", "--threads", "256"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let add = line_of(&source, "spin_lock_sum", "*total += v");
    let found = ran.race(Space::Global, [add, add]);
    assert!(found.text.contains("put __threadfence() before the lock is released"), "{}", found.text);
}
