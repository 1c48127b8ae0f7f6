//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("sparse");
const FILE: &str = "sparse.cu";
/// Products are read before all of them are stored.
const MISSING_BARRIER: Mutant<'_> = Mutant::new(
    "missing_barrier",
    FILE,
    &[("__launch_bounds__(merge_threads) csr_merge(", "    __syncthreads();\n", "")],
);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, variant, matrix, says) in [
        (
            "last_entry",
            ("void csr_scalar(", "k < start[row + 1];", "k + 1 < start[row + 1];"),
            "csr-scalar",
            "banded",
            "300 of 300 wrong",
        ),
        (
            "next_row",
            ("void csr_scalar(", "k < start[row + 1];", "k <= start[row + 1];"),
            "csr-scalar",
            "uniform",
            "of 300 wrong",
        ),
        (
            "odd_lane",
            ("void csr_vector(", "if (k < end) even", "if (k + lanes < end) even"),
            "csr-vector",
            "uniform",
            "of 300 wrong",
        ),
        (
            "no_segments",
            ("void coo_segmented(", "lane == 31 || next != mine", "lane == 31"),
            "coo-segmented",
            "uniform",
            "of 300 wrong",
        ),
        ("no_order", ("void jds(", "y[order[i]] = sum", "y[i] = sum"), "jds", "uniform", "of 300 wrong"),
        (
            "empty_rows",
            ("void ell(", "    y[row] = sum;", "    if (sum != 0.0f) y[row] = sum;"),
            "ell",
            "empty-rows",
            "was never written",
        ),
        ("no_head", ("csr_merge(", "before + head", "head"), "csr-merge", "banded", "of 300 wrong"),
        (
            "carry_of_last_warp",
            ("csr_merge(", "carry[tile] = whole", "carry[tile] = sum"),
            "csr-merge",
            "one-long",
            "of 300 wrong",
        ),
        (
            "first_product",
            ("csr_merge(", "begin, entry0 - aligned)", "begin, 0)"),
            "csr-merge",
            "uniform",
            "of 300 wrong",
        ),
    ] {
        let options = ["--variant", variant, "--matrix", matrix, "-n", "300"];
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &options, says);
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = ["--check", "racecheck", "--variant", "csr-merge", "--matrix", "uniform", "-n", "300"];
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let stored = line_of(&LAB.mutated(MISSING_BARRIER), " csr_merge(", "row_end[i] = row0");
    let race = ran.finding(|found| labtest::is_race(found, Space::Shared));
    assert_eq!(labtest::lines(race)[0], stored, "{}", ran.text);
    assert!(race.text.contains("put __syncthreads() between"), "{}", race.text);
}
