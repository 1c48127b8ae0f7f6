//! Broken kernels: the lab's check must reject each of them, whether they compute or count wrongly, and must say what
//! is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("divergence");
const FILE: &str = "divergence.cu";
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", FILE, &[("void average(", "    __syncthreads();\n", "")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, variant, says) in [
        // The last row's column 799 of 799 lies past the picture's end.
        (
            "off_by_one",
            ("void picture(", "col < width", "col <= width"),
            "picture",
            "Invalid __global__ read of size 4 bytes",
        ),
        // The last warp, which has work for only some of its lanes, does nothing.
        (
            "dropped_tail",
            ("void vecadd(", "i < n", "i < n / 32 * 32"),
            "vecadd",
            "18 of 2004 wrong: [992] is 4294967295",
        ),
        // Elements that fail the test of the data are not copied.
        (
            "unwritten",
            ("void odd(", "        else\n            out[i] = in[i];\n", ""),
            "odd",
            "984 of 2004 wrong: [17] is 4294967295",
        ),
        // The even sums are NaN.
        (
            "nan",
            ("void loop_parity(", "sum = 0.0f", "sum = i % 2 == 0 ? sqrtf(-1.0f - i) : 0.0f"),
            "loop-parity",
            "1024 of 2052 wrong: [0] is 2147483647",
        ),
        // The parity is counted under the number of another branch.
        (
            "uncounted",
            ("void even_odd(", "taken(1, i % 2", "taken(0, i % 2"),
            "even-odd",
            "[warps at the branch by ballots] is 0, should be 32",
        ),
    ] {
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &["--exercises", "--variant", variant], says);
    }
    LAB.rejects(MISSING_BARRIER, &["--exercises", "--variant", "average"], "of 8196 wrong: [");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = ["--exercises", "--variant", "average", "--check", "racecheck"];
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, "void average", text);
    ran.race(Space::Shared, [line("tile[t + 2] = in[i]"), line("/ 5.0f")]);
}
