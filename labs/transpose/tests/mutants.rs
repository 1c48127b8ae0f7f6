//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("transpose");
const SHAPE: [&str; 4] = ["--m", "70", "-n", "50"];

#[test]
fn every_mutant_is_rejected() {
    for (mutant, variant, says) in [
        ("missing_barrier", "swizzled", "of 3500 wrong: [row 0, column"),
        ("half_swizzled", "swizzled", "of 3500 wrong: [row 0, column"),
        ("dropped_tail", "padded", "of 3500 wrong: [row 0, column 64] was never written"),
        ("crossed_bounds", "padded", "Invalid __global__ write"),
        ("one_short", "padded", "of 3500 wrong: [row 0, column"),
    ] {
        let options = [&SHAPE[..], &["--variant", variant]].concat();
        LAB.rejects(&format!("{mutant}/transpose.cu"), &options, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/transpose.cu";
    let options = [&SHAPE[..], &["--variant", "swizzled", "--check", "racecheck"]].concat();
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "swizzled", text);
    ran.race(Space::Shared, [line("tile[i][lane ^ i] ="), line("= tile[lane][lane ^ i]")]);
}

/// A bulk copy may read what was in shared memory before. The machine copies at once: the answer is right all the same.
#[test]
fn a_bulk_copy_must_wait_for_what_threads_wrote() {
    let options = ["--device", "emulated:h200", "--check", "all", "--variant", "bulk", "--m", "68", "-n", "64"];
    let ran = LAB.rejects("missing_fence/bulk.cu", &options, "Race");
    ran.finding(|f| f.text.contains("let each thread put fence.proxy.async.shared::cta"));
}

/// Right where the last row of tiles has room for what is left.
#[test]
fn a_tile_that_begins_early_must_not_lose_its_end() {
    let says = "of 17780 wrong: [row 1, column 250] was never written";
    LAB.rejects("one_round/tall.cu", &["--variant", "grouped-tall", "--m", "254", "-n", "70"], says);
    for m in ["70", "130"] {
        let ran = LAB.run_mutant("one_round/tall.cu", &["--variant", "grouped-tall", "--m", m, "-n", "70"]);
        assert_eq!(ran.code, Some(0), "{}", ran.text);
    }
}

/// Right where all tiles are whole, and so for a test that knows no other shapes.
#[test]
fn crossed_bounds_pass_where_the_tiles_fit() {
    let ran = LAB.run_mutant("crossed_bounds/transpose.cu", &["--variant", "padded", "--m", "64", "-n", "96"]);
    assert_eq!(ran.code, Some(0), "{}", ran.text);
}
