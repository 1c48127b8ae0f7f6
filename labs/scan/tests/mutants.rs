//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("scan");
const FILE: &str = "scan.cu";
/// There is no barrier on the way up the tree.
const MISSING_BARRIER: Mutant<'_> = Mutant::new(
    "missing_barrier",
    FILE,
    &[("void brent_kung(", "stride *= 2) {\n        __syncthreads();\n", "stride *= 2) {\n")],
);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, [variant, element, n], says) in [
        // Element `stride` itself gets nothing from element 0.
        (
            "off_by_one",
            ("void kogge_stone(", "t >= stride", "t > stride"),
            ["kogge-stone", "u32", "1000"],
            "999 of 1000 wrong: [1] is 198, should be 353",
        ),
        // A tile has 8192 or 4096 elements. Elements after the last whole tile keep their poison or their own tile's
        // sums.
        (
            "dropped_tail",
            ("void scan_tiles(", "    store(", "    if (first + blockDim.x * 4 * three_kernel_vectors <= n) store("),
            ["three-kernel", "u32", "10000"],
            "1808 of 10000 wrong: [8192] is 4294967295",
        ),
        (
            "no_look_back",
            ("void single_pass(", "tile > 0 ? look_back<T>(states, tile, p) : T(0)", "T(0)"),
            ["single-pass", "u32", "10000"],
            "1808 of 10000 wrong: [8192] is 298, should be 4092295",
        ),
        (
            "unwritten",
            ("void kogge_stone(", "if (t < n) out", "if (t > 0 && t < n) out"),
            ["kogge-stone", "f32", "1000"],
            "1 of 1000 wrong: [0] was never written",
        ),
        // The last prefix is 0 / 0.
        (
            "nan",
            ("void brent_kung(", "= inclusive", "= i + 1 == n ? (s[i] - s[i]) / (s[i] - s[i]) : inclusive"),
            ["brent-kung", "f32", "1000"],
            "1 of 1000 wrong: [999] is NaN",
        ),
    ] {
        let options = ["--variant", variant, "--element", element, "-n", n];
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &options, says);
    }
    let options = ["--variant", "brent-kung", "--element", "u32", "-n", "1000"];
    LAB.rejects(MISSING_BARRIER, &options, "of 1000 wrong: [");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = ["--check", "racecheck", "--variant", "brent-kung", "--element", "u32", "-n", "1000"];
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let up = line_of(&LAB.mutated(MISSING_BARRIER), "void brent_kung(", "s[i] += s[i - stride]");
    ran.race(Space::Shared, [up, up]);
}
