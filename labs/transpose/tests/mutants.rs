//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("transpose");
const SHAPE: [&str; 4] = ["--m", "70", "-n", "50"];
const FILE: &str = "transpose.cu";
const PADDED: &str = "void padded(";
const SWIZZLED: &str = "void swizzled(";
/// No thread waits until the tile is written.
const MISSING_BARRIER: Mutant<'_> = Mutant::new("missing_barrier", FILE, &[(SWIZZLED, "    __syncthreads();\n", "")]);
/// The bounds of the second half are those of the first.
const CROSSED_BOUNDS: Mutant<'_> = Mutant::new(
    "crossed_bounds",
    FILE,
    &[(PADDED, "left + i < n && top + lane < m", "top + i < m && left + lane < n")],
);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    // The tile is swizzled when it is written, but not when it is read.
    let half_swizzled = [(SWIZZLED, "tile[lane][lane ^ i]", "tile[lane][i]")];
    // Tiles that are not whole are left out.
    let whole = "    if (left + 32 > n || top + 32 > m) return;\n    __shared__";
    let dropped_tail = [(PADDED, "    __shared__", whole)];
    // A row of the tile has 31 words: its last column lies where the next row begins.
    let one_short = [(PADDED, "tile[32][33]", "tile[33][31]")];
    for (mutant, variant, says) in [
        (MISSING_BARRIER, "swizzled", "of 3500 wrong: [row 0, column"),
        (Mutant::new("half_swizzled", FILE, &half_swizzled), "swizzled", "of 3500 wrong: [row 0, column"),
        (
            Mutant::new("dropped_tail", FILE, &dropped_tail),
            "padded",
            "of 3500 wrong: [row 0, column 64] was never written",
        ),
        (CROSSED_BOUNDS, "padded", "Invalid __global__ write"),
        (Mutant::new("one_short", FILE, &one_short), "padded", "of 3500 wrong: [row 0, column"),
    ] {
        LAB.rejects(mutant, &[&SHAPE[..], &["--variant", variant]].concat(), says);
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = [&SHAPE[..], &["--variant", "swizzled", "--check", "racecheck"]].concat();
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, SWIZZLED, text);
    ran.race(Space::Shared, [line("tile[i][lane ^ i] ="), line("= tile[lane][lane ^ i]")]);
}

/// A bulk copy may read what was in shared memory before. The machine copies immediately: the answer is right anyway.
#[test]
#[ignore = "needs NVRTC"]
fn a_bulk_copy_must_wait_for_what_threads_wrote_nvrtc() {
    let fence = "            asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n";
    let options = ["--device", "emulated:h200", "--check", "all", "--variant", "bulk", "--m", "68", "-n", "64"];
    let ran =
        LAB.rejects(Mutant::new("missing_fence", "bulk.cu", &[("void store_global(", fence, "")]), &options, "Race");
    ran.finding(|f| f.text.contains("let each thread put fence.proxy.async.shared::cta"));
}

/// A tile begins at a sector of each row of out, up to 7 floats early. Here the last row of tiles does not take what is
/// then left. It is right where that row has room for it.
#[test]
#[ignore = "needs NVRTC"]
fn a_tile_that_begins_early_must_not_lose_its_end_nvrtc() {
    let end = "WHOLE || top + H < m ? H + 8 - early : m - top + 8";
    let edits = [("void store_global_aligned(", end, "min(H + 8 - early, m - top + 8)")];
    let mutant = Mutant::new("one_round", "tall.cu", &edits);
    let says = "of 17780 wrong: [row 1, column 250] was never written";
    LAB.rejects(mutant, &["--variant", "grouped-tall", "--m", "254", "-n", "70"], says);
    for m in ["70", "130"] {
        let ran = LAB.run_mutant(mutant, &["--variant", "grouped-tall", "--m", m, "-n", "70"]);
        assert_eq!(ran.code, Some(0), "{}", ran.text);
    }
}

/// Right where all tiles are whole, and so for a test that knows no other shapes.
#[test]
#[ignore = "needs NVRTC"]
fn crossed_bounds_pass_where_the_tiles_fit_nvrtc() {
    let ran = LAB.run_mutant(CROSSED_BOUNDS, &["--variant", "padded", "--m", "64", "-n", "96"]);
    assert_eq!(ran.code, Some(0), "{}", ran.text);
}
