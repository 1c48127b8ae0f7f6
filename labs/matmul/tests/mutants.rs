//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("matmul");
const OPTIONS: [&str; 8] = ["--variant", "tiled16", "--m", "40", "--k", "37", "--n", "50"];

#[test]
fn every_mutant_is_rejected() {
    for (mutant, says) in [
        ("off_by_one", "2000 of 2000 wrong: [row 0, column 0] is"),
        ("missing_barrier", "of 2000 wrong: [row 0, column 0] is"),
        // Five of 37 products are too few to show in a sum in which they happen to contribute little.
        ("dropped_tail", "1999 of 2000 wrong: [row 0, column 0] is"),
        // One column of 40 rows.
        ("unwritten", "40 of 2000 wrong: [row 0, column 49] was never written"),
        ("nan", "1 of 2000 wrong: [row 3, column 3] is NaN"),
    ] {
        LAB.rejects(&format!("{mutant}/matmul.cu"), &OPTIONS, says);
    }
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/matmul.cu";
    let options = [&OPTIONS[..], &["--check", "racecheck"]].concat();
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "tiled16", text);
    let multiply = line("a[y][i] * b[i][x]");
    ran.race(Space::Shared, [line("b[y][x] ="), multiply]);
    ran.race(Space::Shared, [line("a[y][x] ="), multiply]);
}

/// Tensor cores cut their sums off. A kernel that lets them add the whole depth drifts, and is far from float accuracy;
/// the figures are those of the handout.
#[test]
fn sums_that_drift_are_rejected() {
    let deep = ["--m", "16", "--k", "4096", "--n", "16", "--variant", "tf32x3"];
    let error = |rows: &[std::collections::HashMap<String, String>], variant: &str| -> f64 {
        rows.iter().find(|row| row["variant"] == variant).unwrap()["max_abs_error"].parse().unwrap()
    };
    let drifting = LAB.rejects("drifting_sums/tensor.cu", &deep, "of 256 wrong: [row ");
    let right = LAB.accepts(&[&deep[..], &["--variant", "tiled16"]].concat());
    let errors = [error(&drifting.rows, "tf32x3"), error(&right.rows, "tiled16"), error(&right.rows, "tf32x3")];
    assert_eq!(errors.map(|e| format!("{e:.5}")), ["0.00167", "0.00009", "0.00003"]);
}
