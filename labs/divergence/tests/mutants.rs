//! Broken kernels: the lab's check must reject each of them, whether they compute or count wrongly, and must say what
//! is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("divergence");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        // The last row's column 799 of 799 lies past the picture's end.
        ("off_by_one", "picture", "Invalid __global__ read of size 4 bytes"),
        ("missing_barrier", "average", "of 8196 wrong: ["),
        ("dropped_tail", "vecadd", "18 of 2004 wrong: [992] is 4294967295"),
        ("unwritten", "odd", "984 of 2004 wrong: [17] is 4294967295"),
        ("nan", "loop-parity", "1024 of 2052 wrong: [0] is 2147483647"),
        ("uncounted", "even-odd", "[warps at the branch by ballots] is 0, should be 32"),
    ] {
        let mutant = format!("{mutant}/divergence.cu");
        LAB.rejects(&mutant, &["--exercises", "--variant", variant], says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/divergence.cu";
    let options = ["--exercises", "--variant", "average", "--check", "racecheck"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "void average", text);
    ran.race(Space::Shared, [line("tile[t + 2] = in[i]"), line("/ 5.0f")]);
}
