//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Mutant, Space, line_of};

const LAB: labtest::Lab = labtest::lab!("histogram");
const FILE: &str = "histogram.cu";
/// The block's counts are added up before all threads have counted.
const MISSING_BARRIER: Mutant<'_> =
    Mutant::new("missing_barrier", FILE, &[("void add_up(", "    __syncthreads();\n", "")]);

/// The options of every mutant, apart from the kind of bins and text.
fn options<'a>(variant: &'a str, bins: &'a str, text: &'a str, n: &'a str) -> Vec<&'a str> {
    vec!["--variant", variant, "--bins", bins, "--text", text, "-n", n, "--blocks", "1"]
}

#[test]
#[ignore = "needs NVRTC"]
fn every_mutant_is_rejected_nvrtc() {
    for (name, edit, options, says) in [
        // The last bin, to which y and z belong, is not added to the totals.
        (
            "off_by_one",
            ("void privatized(", "add_up(s, Kind::bins,", "add_up(s, Kind::bins - 1,"),
            options("privatized", "letters", "uniform", "1000"),
            "1 of 7 wrong: [bin 6, y-z] is 0, should be",
        ),
        // Bytes that do not fill a 16-byte word are not counted.
        (
            "dropped_tail",
            ("void read_ahead(", "grid_index(); i < n;", "grid_index(); i < n / 16 * 16;"),
            options("wide", "bytes", "uniform", "1001"),
            "7 of 256 wrong: [bin 100, 'd'] is 43, should be 44",
        ),
        // The characters from { to DEL count as letters.
        (
            "all_letters",
            ("struct Letters", "letter < 26", "letter < 28"),
            options("lanes", "letters", "bytes", "1000"),
            "1 of 7 wrong: [bin 6, y-z] is 13, should be 7",
        ),
    ] {
        LAB.rejects(Mutant::new(name, FILE, &[edit]), &options, says);
    }
    let options = options("privatized", "bytes", "same", "5000");
    LAB.rejects(MISSING_BARRIER, &options, "1 of 256 wrong: [bin 97, 'a'] is");
}

/// Only the first block counts: 256 of 1000 bytes.
#[test]
#[ignore = "needs NVRTC"]
fn an_unwritten_part_is_rejected_nvrtc() {
    let edit = ("void atomic(", "    for (", "    if (blockIdx.x > 0) return;\n    for (");
    let options = ["--variant", "atomic", "--bins", "bytes", "--text", "same", "-n", "1000", "--blocks", "4"];
    let says = "1 of 256 wrong: [bin 97, 'a'] is 256, should be 1000";
    LAB.rejects(Mutant::new("unwritten", FILE, &[edit]), &options, says);
}

#[test]
#[ignore = "needs NVRTC"]
fn the_missing_barrier_is_a_race_nvrtc() {
    let mut options = options("privatized", "bytes", "same", "5000");
    options.extend(["--check", "racecheck"]);
    let ran = LAB.rejects(MISSING_BARRIER, &options, "Race");
    let source = LAB.mutated(MISSING_BARRIER);
    let count = line_of(&source, "void privatized(", "atomicAdd(&s[bin], 1)");
    ran.race(Space::Shared, [count, line_of(&source, "void add_up(", "sum += s[")]);
}
