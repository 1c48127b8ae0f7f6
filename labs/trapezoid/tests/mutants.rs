//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("trapezoid");
const FILE: &str = "trapezoid.cu";
const SHUFFLE: &str = "void trap_shuffle(";
/// Warp 0 does not wait for the other warps' sums.
const MISSING_BARRIER: Mutant<'_> = Mutant::new("missing_barrier", FILE, &[(SHUFFLE, "    __syncthreads();\n", "")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    // The last point, which the host adds, is added too: that is 10 h.
    let off_by_one = [("float inner(", "i < n", "i <= n")];
    // The last, partial stride is left out.
    let dropped_tail = [("void trap_grid_stride_f64(", "i < n;", "i + stride < n;")];
    // No thread ever adds to *sum.
    let unwritten = [("void trap_shared_32(", "threadIdx.x == 0", "threadIdx.x == 32")];
    // One point gives NaN.
    let point = "i == n / 2 ? sqrtf(-1.0f - a * a) : f(a + i * h))";
    let nan = [("void trap_atomic(", "f(a + i * h))", point)];
    for (mutant, variant, says) in [
        (Mutant::new("off_by_one", FILE, &off_by_one), "shuffle-32", "of 2 wrong: [the integral] is 24.0600"),
        (MISSING_BARRIER, "shuffle", "[n = 33] is"),
        (Mutant::new("dropped_tail", FILE, &dropped_tail), "f64", "[n = 2] is 30, should be 33"),
        (Mutant::new("unwritten", FILE, &unwritten), "shared-32", "[the integral] is 0.06, should be 24.000036"),
        (Mutant::new("nan", FILE, &nan), "atomic", "[the integral] is NaN"),
    ] {
        // Some always have a warp a block.
        let threads: &[&str] = if variant.ends_with("-32") { &[] } else { &["--threads", "256"] };
        LAB.rejects(mutant, &[&["--n", "1000", "--variant", variant], threads].concat(), says);
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = ["--check", "racecheck", "--variant", "shuffle", "-n", "1000"];
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, SHUFFLE, text);
    let found = ran.race(Space::Shared, [line("warp_sums[warp] = total"), line("warp_sums[lane] : 0.0f")]);
    assert!(found.text.contains("__syncthreads()"), "{}", found.text);
}
