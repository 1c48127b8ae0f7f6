//! The lab on the emulated device: what is right, what is found, and what is refused.
use labtest::{Mutant, line_of};

const LAB: labtest::Lab = labtest::lab!("newlab");

#[test]
fn every_size_around_a_block_is_right() {
    for n in ["1", "255", "256", "257", "1000"] {
        let ran = LAB.accepts(&["--variant", "guarded", "--check", "all", "-n", n]);
        assert_eq!(ran.rows.len(), 1, "{}", ran.text);
        assert!(ran.findings.is_empty(), "{}", ran.text);
    }
}

#[test]
fn the_wrong_guard_is_found_at_its_line() {
    let ran = LAB.accepts(&["--variant", "off-by-one", "-n", "1000"]);
    let line = line_of(&LAB.source("kernels/newlab.cu"), "void off_by_one(", "i <= n");
    let found = ran.finding(|f| f.title.contains("Invalid __global__"));
    assert_eq!(labtest::lines(found)[0], line, "{}", ran.text);
}

#[test]
fn a_grid_that_is_too_small_is_refused() {
    LAB.refuses(&["-n", "1000", "--blocks", "3"], "--blocks 4");
}

/// The lab's own kernel with a mistake that its check must notice: the last block, which is not full, does nothing.
#[test]
#[ignore = "needs NVRTC"]
fn broken_kernels_are_rejected_nvrtc() {
    let edit = ("void guarded(", "i < n", "i / blockDim.x < n / blockDim.x");
    LAB.rejects(
        Mutant::new("dropped_tail", "newlab.cu", &[edit]),
        &["--variant", "guarded", "-n", "1000"],
        "232 of 1000 wrong",
    );
}
