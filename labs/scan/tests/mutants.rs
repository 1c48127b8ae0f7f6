//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("scan");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, element, n, says) in [
        ("off_by_one", "kogge-stone", "u32", "1000", "999 of 1000 wrong: [1] is 198, should be 353"),
        ("missing_barrier", "brent-kung", "u32", "1000", "of 1000 wrong: ["),
        // A tile has 8192 or 4096 elements. Elements after the last whole tile keep their poison or their own tile's
        // sums.
        ("dropped_tail", "three-kernel", "u32", "10000", "1808 of 10000 wrong: [8192] is 4294967295"),
        ("no_look_back", "single-pass", "u32", "10000", "1808 of 10000 wrong: [8192] is 298, should be 4092295"),
        ("unwritten", "kogge-stone", "f32", "1000", "1 of 1000 wrong: [0] was never written"),
        ("nan", "brent-kung", "f32", "1000", "1 of 1000 wrong: [999] is NaN"),
    ] {
        let options = ["--variant", variant, "--element", element, "-n", n];
        LAB.rejects(&format!("{mutant}/scan.cu"), &options, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/scan.cu";
    let options = ["--check", "racecheck", "--variant", "brent-kung", "--element", "u32", "-n", "1000"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let up = line_of(&source, "stride *= 2", "s[i] += s[i - stride]");
    ran.race(Space::Shared, [up, up]);
}
