//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("trapezoid");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        // One point too many is 10 h.
        ("off_by_one", "shuffle-32", "of 2 wrong: [the integral] is 24.0600"),
        ("missing_barrier", "shuffle", "[n = 33] is"),
        ("dropped_tail", "f64", "[n = 2] is 30, should be 33"),
        ("unwritten", "shared-32", "[the integral] is 0.06, should be 24.000036"),
        ("nan", "atomic", "[the integral] is NaN"),
    ] {
        // Some always have a warp a block.
        let threads: &[&str] = if variant.ends_with("-32") { &[] } else { &["--threads", "256"] };
        let options = [&["--n", "1000", "--variant", variant], threads].concat();
        LAB.rejects(&format!("{mutant}/trapezoid.cu"), &options, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/trapezoid.cu";
    let options = ["--check", "racecheck", "--variant", "shuffle", "-n", "1000"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "trap_shuffle", text);
    let found = ran.race(Space::Shared, [line("warp_sums[warp] = total"), line("warp_sums[lane] : 0.0f")]);
    assert!(found.text.contains("__syncthreads()"), "{}", found.text);
}
