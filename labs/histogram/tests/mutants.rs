//! Broken kernels: the lab's check must reject each of them, and say what is wrong.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("histogram");

/// The options of every mutant, apart from the kind of bins and text.
fn options<'a>(variant: &'a str, bins: &'a str, text: &'a str, n: &'a str) -> Vec<&'a str> {
    vec!["--variant", variant, "--bins", bins, "--text", text, "-n", n, "--blocks", "1"]
}

#[test]
fn every_mutant_is_rejected() {
    for (mutant, options, says) in [
        // y and z belong to the last bin.
        (
            "off_by_one",
            options("privatized", "letters", "uniform", "1000"),
            "1 of 7 wrong: [bin 6, y-z] is 0, should be",
        ),
        ("missing_barrier", options("privatized", "bytes", "same", "5000"), "1 of 256 wrong: [bin 97, 'a'] is"),
        (
            "dropped_tail",
            options("wide", "bytes", "uniform", "1001"),
            "7 of 256 wrong: [bin 100, 'd'] is 43, should be 44",
        ),
        // The characters from { to DEL count as letters.
        ("all_letters", options("lanes", "letters", "bytes", "1000"), "1 of 7 wrong: [bin 6, y-z] is 13, should be 7"),
    ] {
        LAB.rejects(&format!("{mutant}/histogram.cu"), &options, says);
    }
}

/// Only the first block counts: 256 of 1000 bytes.
#[test]
fn an_unwritten_part_is_rejected() {
    let options = ["--variant", "atomic", "--bins", "bytes", "--text", "same", "-n", "1000", "--blocks", "4"];
    let says = "1 of 256 wrong: [bin 97, 'a'] is 256, should be 1000";
    LAB.rejects("unwritten/histogram.cu", &options, says);
}

#[test]
fn the_missing_barrier_is_a_race() {
    let mutant = "missing_barrier/histogram.cu";
    let mut options = options("privatized", "bytes", "same", "5000");
    options.extend(["--check", "racecheck"]);
    let ran = LAB.rejects(mutant, &options, "Race");
    let source = LAB.source(&format!("tests/mutants/{mutant}"));
    let line = |text| line_of(&source, "privatized_bytes", text);
    ran.race(Space::Shared, [line("atomicAdd(&s["), line("(unsigned long long)s[b]")]);
}
