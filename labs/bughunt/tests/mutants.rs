//! Mends that are none: the lab rejects each of them, and says what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("bughunt");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        ("half_guard", "bounds", "1 of 1000 wrong: [999] was never written"),
        ("skipped", "nan", "286 of 2000 wrong: [6] was never written, should be 0"),
        ("late_cast", "overflow", "wrong results differ from the right ones by multiples of 2^32"),
        ("huge_block", "wrong-launch", "clamp_shape chose 1 blocks of 2048 threads"),
        ("early_free", "leak", "1 of 1 wrong: digits_calls: FREE gives back memory that a queued kernel will write"),
    ] {
        LAB.rejects(&format!("{mutant}/bughunt.cu"), &["--variant", variant], says);
    }
}

#[test]
fn a_barrier_of_the_warp_is_a_race_between_warps() {
    let mutant = "warp_barrier/bughunt.cu";
    let ran = LAB.rejects(mutant, &["--variant", "no-barrier"], "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "void mirror(", text);
    ran.race(Space::Shared, [line("tile[t] = x"), line("tile[length - 1 - t]")]);
}
