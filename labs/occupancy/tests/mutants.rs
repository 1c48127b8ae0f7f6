//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("occupancy");

fn options(variant: &str) -> [&str; 6] {
    ["--variant", variant, "-n", "1000", "--threads", "128"]
}

#[test]
fn every_mutant_is_rejected() {
    // Each mutant has two kernels, the plain one and the one that counts. One of them is broken, or both.
    for (mutant, variant, says) in [
        ("off_by_one", "vecadd", "999 of 2000 wrong: [0] is"),
        ("dropped_tail", "vecadd", "104 of 2000 wrong: [896] is 4294967295"),
        ("unwritten", "vecadd", "8 of 2000 wrong: [0] is 4294967295"),
        ("missing_barrier", "shared-heavy", "of 2000 wrong: [0] is"),
    ] {
        LAB.rejects(&format!("{mutant}/occupancy.cu"), &options(variant), says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/occupancy.cu";
    let options = [&options("shared-heavy")[..], &["--check", "racecheck"]].concat();
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "shared_heavy", text);
    ran.race(Space::Shared, [line("t[j] = table[j]"), line("t[v % words]")]);
}
