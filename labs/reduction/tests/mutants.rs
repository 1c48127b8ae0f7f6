//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("reduction");
const FILE: &str = "reduction.cu";
/// Warp 0 does not wait for the other warps' sums.
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", FILE, &[("float block_reduce(", "    __syncthreads();\n", "")]);

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, [variant, op, n], says) in [
        // The loop stops one element short. The zeros with ones at the edges reveal a lost element that a sum could
        // hide.
        (
            "off_by_one",
            ("float grid_stride(", "i < n;", "i + 1 < n;"),
            ["two-pass", "sum", "1000"],
            "[ones among zeros] is 31, should be 34",
        ),
        // Elements that do not fill a 16-byte word are left out.
        (
            "dropped_tail",
            ("void vectorized(", "i < n;", "i < n / 4 * 4;"),
            ["vectorized", "sum", "1001"],
            "[ones among zeros] is",
        ),
        // Block 0 never writes its result.
        (
            "unwritten",
            ("void interleaved(", "if (t == 0) partial", "if (t == 0 && blockIdx.x > 0) partial"),
            ["interleaved", "sum", "1000"],
            "[sum] was never written",
        ),
        // The shares of a few threads are NaN.
        (
            "nan",
            (
                "void atomic_finish_dot(",
                "grid_stride<Dot>(x, y, n)",
                "threadIdx.x == 3 ? __int_as_float(0x7fffffff) : grid_stride<Dot>(x, y, n)",
            ),
            ["atomic-finish", "dot", "1000"],
            "[dot] is NaN",
        ),
        // The comparison is the wrong way round: of the blocks' maxima, the smallest is kept.
        (
            "wrong_way",
            ("void cas_max(", ">= v", "<= v"),
            ["cas-loop", "max", "1000"],
            "[max] is 0.995426416, should be 0.99941361",
        ),
    ] {
        let options = ["--variant", variant, "--op", op, "-n", n, "--threads", "256"];
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &options, says);
    }
    let options = ["--variant", "shuffle", "--op", "sum", "-n", "1000", "--threads", "256"];
    LAB.rejects(MISSING_BARRIER, &options, "[ones among zeros] is");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = ["--check", "racecheck", "--variant", "shuffle", "--op", "sum", "-n", "1000"];
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, "float block_reduce(", text);
    ran.race(Space::Shared, [line("of_warp[warp] = v"), line("? of_warp[lane]")]);
}

/// As many threads as the padding is to fill up to 1024: 24 of them.
#[test]
#[ignore = "needs NVRTC"]
fn padding_with_another_operation_s_identity_is_rejected_nvrtc() {
    let edits = [("void padded(", "s[i] = Op::identity()", "s[i] = 1.0f")];
    let options = ["--variant", "padded", "--op", "sum", "-n", "1000", "--threads", "1000"];
    let mutant = Mutant::new("padded_with_one", FILE, &edits);
    LAB.rejects(mutant, &options, "[ones among zeros] is 55, should be 31");
}

/// The kernel never ends; what ends it is the limit. The file that is handed out never ends either; the compiler's
/// warning is in the handout.
#[test]
#[ignore = "needs NVRTC"]
fn a_loop_without_end_is_ended_nvrtc() {
    let options = ["--variant", "sequential", "--op", "sum", "-n", "8", "--threads", "8", "--timeout", "1s"];
    let edit = ("void sequential(", "live = half;", "live >= half;");
    LAB.rejects(Mutant::new("never_ends", FILE, &[edit]), &options, "did not end within 1s");
    let name = "never_ends.cu";
    let ran = LAB.run(&[&["--kernel", &LAB.handed_out(name)], &options[..]].concat());
    ran.is_rejected(name, "did not end within 1s");
}

/// A lock alone orders nothing.
#[test]
#[ignore = "needs NVRTC"]
fn a_lock_without_fences_is_a_race_nvrtc() {
    let edit = (
        "void spin_lock(",
        "        __threadfence();\n        \
         *(volatile float*)total = Op::combine(*(volatile float*)total, v);\n        \
         __threadfence();\n",
        "        *total = Op::combine(*total, v);\n",
    );
    let edits = [edit];
    let mutant = Mutant::new("lock_without_fences", FILE, &edits);
    let options = ["--check", "racecheck", "--variant", "spin-lock", "--op", "sum", "-n", "10001", "--threads", "256"];
    let ran = LAB.rejects(mutant, &options, "Race");
    let name = "lock_without_fences.cu";
    let handed_out = LAB.run(&[&["--kernel", &LAB.handed_out(name)], &options[..]].concat());
    handed_out.is_rejected(name, "Race");
    let file = LAB.source(&format!("assignment/wrong/{name}"));
    for (ran, add) in [
        (ran, line_of(&LAB.mutated(mutant), "void spin_lock(", "*total = Op::combine")),
        (handed_out, line_of(&file, "spin_lock_sum", "*total += v")),
    ] {
        let found = ran.race(Space::Global, [add, add]);
        assert!(found.text.contains("put __threadfence() before the lock is released"), "{}", found.text);
    }
}
