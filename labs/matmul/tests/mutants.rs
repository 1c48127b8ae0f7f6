//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("matmul");
const OPTIONS: [&str; 8] = ["--variant", "tiled16", "--m", "40", "--k", "37", "--n", "50"];
const FILE: &str = "matmul.cu";
const TILES: &str = "float tile_sum(";
/// The threads do not wait for the tiles before they multiply them.
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", FILE, &[(TILES, "        __syncthreads();\n        for", "        for")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, says) in [
        // The sum over a tile ends one product early.
        ("off_by_one", (TILES, "i < T;", "i < T - 1;"), "2000 of 2000 wrong: [row 0, column 0] is"),
        // Five of 37 products are too few to show in a sum in which they happen to contribute little.
        ("dropped_tail", (TILES, "left > 0;", "left >= T;"), "1999 of 2000 wrong: [row 0, column 0] is"),
        // One column of 40 rows.
        (
            "unwritten",
            ("void tiled16(", "col < n", "col + 1 < n"),
            "40 of 2000 wrong: [row 0, column 49] was never written",
        ),
        (
            "nan",
            ("void tiled16(", "= sum;", "= row == 3 && col == 3 ? (sum - sum) / 0.0f : sum;"),
            "1 of 2000 wrong: [row 3, column 3] is NaN",
        ),
    ] {
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &OPTIONS, says);
    }
    LAB.rejects(MISSING_BARRIER, &OPTIONS, "of 2000 wrong: [row 0, column 0] is");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = [&OPTIONS[..], &["--check", "racecheck"]].concat();
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, TILES, text);
    let multiply = line("a[y][i] * b[i][x]");
    ran.race(Space::Shared, [line("b[y][x] ="), multiply]);
    ran.race(Space::Shared, [line("a[y][x] ="), multiply]);
}

/// The file that is handed out has the same mistake.
#[test]
#[ignore = "needs NVRTC"]
fn the_kernel_of_the_question_is_a_race_nvrtc() {
    let name = "missing_barrier.cu";
    let ran = LAB.run(&[&["--kernel", &LAB.handed_out(name), "--check", "racecheck"], &OPTIONS[..]].concat());
    ran.is_rejected(name, "Race");
}

/// Tensor cores cut their sums off. A kernel that lets them add the whole depth drifts, and is far from float accuracy;
/// the figures are those of the handout.
#[test]
#[ignore = "needs NVRTC"]
fn sums_that_drift_are_rejected_nvrtc() {
    let deep = ["--m", "16", "--k", "4096", "--n", "16", "--variant", "tf32x3"];
    let error = |rows: &[std::collections::HashMap<String, String>], variant: &str| -> f64 {
        rows.iter().find(|row| row["variant"] == variant).unwrap()["max_abs_error"].parse().unwrap()
    };
    let whole_depth = [("void tensor_matmul(", "if (SPLIT) {", "if (false) {")];
    let mutant = Mutant::new("drifting_sums", "tensor.cu", &whole_depth);
    let drifting = LAB.rejects(mutant, &deep, "of 256 wrong: [row ");
    let right = LAB.accepts(&[&deep[..], &["--variant", "tiled16"]].concat());
    let errors = [error(&drifting.rows, "tf32x3"), error(&right.rows, "tiled16"), error(&right.rows, "tf32x3")];
    assert_eq!(errors.map(|e| format!("{e:.5}")), ["0.00167", "0.00009", "0.00003"]);
}
