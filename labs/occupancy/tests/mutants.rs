//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("occupancy");
const FILE: &str = "occupancy.cu";
/// The threads do not wait for the table.
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", FILE, &[("void walk(", "    __syncthreads();\n", "")]);

fn options(variant: &str) -> [&str; 6] {
    ["--variant", variant, "-n", "1000", "--threads", "128"]
}

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    // There are two kernels, the plain one and the one that counts. Only the plain one is broken.
    for (name, new, says) in [
        // Each thread adds its neighbour's element.
        ("off_by_one", "add(x, y + (index() + 1 < n), z, n)", "999 of 2000 wrong: [0] is"),
        // The last, partial block does nothing.
        ("dropped_tail", "add(x, y, z, n / blockDim.x * blockDim.x)", "104 of 2000 wrong: [896] is 4294967295"),
        // Thread 0 of each block writes nothing.
        ("unwritten", "if (threadIdx.x > 0) add(x, y, z, n)", "8 of 2000 wrong: [0] is 4294967295"),
    ] {
        let edit = ("void vecadd(", "add(x, y, z, n)", new);
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &options("vecadd"), says);
    }
    LAB.rejects(MISSING_BARRIER, &options("shared-heavy"), "of 2000 wrong: [0] is");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let options = [&options("shared-heavy")[..], &["--check", "racecheck"]].concat();
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let line = |text| line_of(&source, "void walk(", text);
    ran.race(Space::Shared, [line("t[j] = table[j]"), line("1664525u + t[v % words]")]);
}
