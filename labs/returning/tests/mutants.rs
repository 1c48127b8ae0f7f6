//! Broken kernels: the lab's check must reject each of them, in every kind of memory, and say what is wrong.
use labtest::Mutant;

const LAB: labtest::Lab = labtest::lab!("returning");
const KERNELS: [&str; 3] = ["void add(", "void add_global(", "void add_managed("];

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    // Of each kernel, the text that is replaced, and the new one.
    for (name, edits, says) in [
        ("wrong_sum", [("x + y", "x + y + 1"); 3], "[the sum] is 6, should be 5"),
        (
            "unwritten",
            [("*result = x + y;", ""), ("answer = x + y;", ""), ("sum = x + y;", "")],
            "[the sum] is -2147483648, should be 5",
        ),
        (
            "out_of_bounds",
            [("*result =", "result[1 << 20] ="), ("answer =", "(&answer)[1 << 20] ="), ("sum =", "(&sum)[1 << 20] =")],
            "Invalid __global__ write of size 4 bytes",
        ),
    ] {
        let edits: Vec<_> = KERNELS.into_iter().zip(edits).map(|(kernel, (old, new))| (kernel, old, new)).collect();
        for variant in ["explicit", "managed", "pinned", "global", "managed-variable"] {
            LAB.rejects(Mutant::new(name, "returning.cu", &edits), &["--variant", variant], says);
        }
    }
}

/// Each place is one too far.
#[test]
#[ignore = "needs NVRTC"]
fn places_that_are_wrong_are_rejected_nvrtc() {
    let edits = [("int add_up(", "+ round)", "+ round + 1)"), ("void chase_global(", "step < steps", "step <= steps")];
    for variant in ["array-in-registers", "array-in-local", "latency-l1", "latency-global"] {
        let mutant = Mutant::new("wrong_place", "places.cu", &edits);
        LAB.rejects(mutant, &["--quick", "--variant", variant], "[0] is ");
    }
}
