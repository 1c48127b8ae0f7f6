//! Broken kernels: the lab's check must reject each of them, in every kind of memory, and say what is wrong.
const LAB: labtest::Lab = labtest::lab!("returning");

#[test]
fn every_mutant_is_rejected() {
    for (mutant, says) in [
        ("wrong_sum", "[the sum] is 6, should be 5"),
        ("unwritten", "[the sum] is -2147483648, should be 5"),
        ("out_of_bounds", "Invalid __global__ write of size 4 bytes"),
    ] {
        for variant in ["explicit", "managed", "pinned", "global", "managed-variable"] {
            let mutant = format!("{mutant}/returning.cu");
            LAB.rejects(&mutant, &["--variant", variant], says);
        }
    }
}

#[test]
fn places_that_are_wrong_are_rejected() {
    for variant in ["array-in-registers", "array-in-local", "latency-l1", "latency-global"] {
        LAB.rejects("wrong_place/places.cu", &["--quick", "--variant", variant], "[0] is ");
    }
}
