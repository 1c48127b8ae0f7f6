//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("stencil");
const LINE: &[&str] = &["-n", "1000"];
const PLANE: &[&str] = &["--width", "50", "--height", "40"];

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        // The left halo of every block but the first is wrong.
        ("off_by_one/line.cu", "shared", "3 of 1000 wrong: [256] is"),
        ("missing_barrier/line.cu", "shared", "of 1000 wrong: ["),
        ("dropped_tail/line.cu", "shared", "1 of 1000 wrong: [999] was never written"),
        ("nan/line.cu", "shared", "1 of 1000 wrong: [77] is NaN"),
        // The border is not copied.
        ("unwritten/plane.cu", "mean-naive", "176 of 2000 wrong: [row 0, column 0] was never written"),
    ] {
        let size = if variant == "shared" { LINE } else { PLANE };
        let options = [size, &["--variant", variant]].concat();
        LAB.rejects(mutant, &options, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/line.cu";
    let options = [LINE, &["--variant", "shared", "--check", "racecheck"]].concat();
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "blur_shared", text);
    ran.race(Space::Shared, [line("s[t + 1] ="), line("0.25f * s[t]")]);
}
