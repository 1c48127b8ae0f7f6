//! No request is ignored silently, and a run in which nothing ran does not pass.

use crate::common::{fails, rows, warplab, warplab_in};

const EMULATED: [&str; 3] = ["--quick", "--device", "emulated"];

fn refused(args: &[&str], words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let run = warplab_in(folder.path(), &[&["run"], args, &EMULATED].concat(), &[]);
    assert_eq!(run.code, 2, "{args:?}: {run:?}");
    for words in words {
        assert!(run.stderr.contains(words), "{args:?}: no `{words}` in {}", run.stderr);
    }
    // Nothing is left behind.
    let left: Vec<_> = std::fs::read_dir(folder.path().join("reports")).map(Iterator::collect).unwrap_or_default();
    assert!(left.is_empty(), "{args:?}: {left:?}");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    refused(&["hello", "--exercises", "--no-exercises"], &["--exercises", "--no-exercises"]);
    refused(&["trapezoid", "--trace", "--from", "0"], &["--trace", "--from"]);
    refused(&["trapezoid", "--trace", "-n", "8"], &["--trace", "--n"]);
    refused(&["vecadd", "--sweep", "--input", "x"], &["--sweep", "--input"]);
    refused(&["histogram", "--text", "same", "--input", "x"], &["--text", "--input"]);
}

#[test]
fn a_run_in_which_nothing_would_run_is_refused() {
    for (args, words) in [
        (&["hello", "--variant", "flat", "--exercises"][..], &["flat", "hello"][..]),
        (&["hello", "--variant", "index-maps", "--no-exercises"], &["index-maps"]),
        (&["reduction", "--variant", "no-barrier", "--op", "max"], &["no-barrier", "reduction"]),
        (&["histogram", "--variant", "bit-sliced", "--bins", "bytes"], &["bit-sliced"]),
        (&["scan", "--variant", "one-barrier", "--element", "f32"], &["one-barrier"]),
        (&["trapezoid", "--variant", "serial", "--trace"], &["serial"]),
    ] {
        refused(args, words);
    }
    // One of the two runs.
    let two = ["run", "reduction", "--variant", "no-barrier", "--variant", "shuffle", "--op", "max"];
    fails(&[&two, &EMULATED[..]].concat(), 2, &["no case of no-barrier of lab reduction runs with these options"]);
    let exercises = ["run", "divergence", "--exercises", "-n", "64"];
    fails(&[&exercises, &EMULATED[..]].concat(), 2, &["--n has no effect on any case of lab divergence"]);
}

#[test]
fn a_kernel_file_that_no_case_uses_is_refused() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../labs/reduction/kernels/wrong.cu");
    let args = ["run", "reduction", "--variant", "shuffle", "--kernel", file];
    fails(&[&args, &EMULATED[..]].concat(), 2, &["--kernel", "wrong.cu: nothing that ran uses it"]);
}

#[test]
fn a_lab_that_cannot_do_what_is_asked_is_named() {
    refused(&["vecadd", "reduction", "--variant", "pinned"], &["reduction has no variant pinned"]);
    refused(&["trapezoid", "hello", "--exercises"], &["trapezoid has no exercises"]);
    refused(&["vecadd", "hello", "-n", "64"], &["--n", "lab hello"]);
}

#[test]
fn an_option_that_means_nothing_to_the_chosen_variants_is_refused() {
    for (args, words) in [
        (&["divergence", "--variant", "picture", "--threads", "64"][..], &["--threads", "picture", "together"][..]),
        (&["divergence", "--variant", "together", "--ways", "2"], &["--ways"]),
        (&["returning", "-n", "64"], &["--n", "returning"]),
        (&["hello", "--variant", "grid3d", "--threads", "64"], &["--threads", "grid3d", "flat"]),
        (&["stencil", "--variant", "naive", "--width", "100"], &["--width", "naive"]),
        (&["stencil", "--variant", "mean-naive", "-n", "100"], &["--n", "mean-naive"]),
        (&["stencil", "--variant", "jacobi-sync", "--rows", "4"], &["--rows"]),
        (&["stencil", "--variant", "shared", "--blocks", "512"], &["--blocks", "stencil"]),
        (&["matmul", "--threads", "64"], &["--threads", "matmul"]),
        (&["matmul", "--variant", "naive", "--tile", "8"], &["--tile", "rectangular"]),
        (&["matmul", "--variant", "naive", "--slices", "8"], &["--slices", "depth-parallel"]),
        (&["scan", "--blocks", "8"], &["--blocks", "scan"]),
        (&["scan", "--variant", "three-kernel", "--items", "16"], &["--items", "single-pass"]),
        (&["occupancy", "--variant", "calculator", "--threads", "64"], &["--threads", "calculator"]),
        (&["occupancy", "--variant", "vecadd", "--launch", "1,1"], &["--launch"]),
        (&["transpose", "--variant", "copy", "--stride", "2"], &["--stride", "copy-stride"]),
        (&["sort", "--variant", "radix", "--threads", "64"], &["--threads", "radix"]),
        (&["sort", "--variant", "radix-passes", "--tile", "512x48"], &["--tile"]),
        (&["reduction", "--variant", "one-block", "--blocks", "8"], &["--blocks", "one-block"]),
        (&["histogram", "--variant", "contention-global", "-n", "64"], &["--n", "contention-global"]),
        (&["trapezoid", "--variant", "shuffle-32", "--threads", "64"], &["--threads", "shuffle-32"]),
    ] {
        refused(args, words);
    }
}

#[test]
fn what_some_variants_do_not_take_is_said() {
    let run = warplab(&[&["run", "trapezoid", "--threads", "64"], &EMULATED[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("--threads has no effect on: "), "{}", run.stdout);
    assert!(run.stdout.contains("serial, shuffle-32, shared-32, lockstep"), "{}", run.stdout);
}

#[test]
fn all_labs_are_all_that_can_and_the_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let args = [&["run", "all", "--variant", "pinned", "--out", "out"], &EMULATED[..]].concat();
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("Left out: lab reduction has no variant pinned"), "{}", run.stdout);
    let csvs = std::fs::read_dir(folder.path().join("out")).unwrap().flatten().map(|f| f.file_name());
    let mut csvs: Vec<_> = csvs
        .filter(|name| name.to_string_lossy().ends_with(".csv") && !name.to_string_lossy().contains(".counters"))
        .collect();
    csvs.sort();
    assert_eq!(csvs, ["returning.csv", "vecadd.csv"]);
}

/// The product of the parts of `8x4x2`.
fn volume(dims: &str) -> u64 {
    dims.split('x').map(|part| part.parse::<u64>().unwrap()).product()
}

/// The labs' claims about their variants are true: `n`, `blocks` and `threads` change the rows of those that take them.
#[test]
fn an_option_that_a_variant_takes_changes_its_rows() {
    let mut seen = 0;
    for (lab, (option, value)) in crate::labs::LABS
        .iter()
        .flat_map(|lab| [("threads", "64"), ("blocks", "512"), ("n", "96")].map(|given| (lab, given)))
    {
        let folder = tempfile::tempdir().unwrap();
        let given = format!("--{option}={value}");
        let args = [&["run", lab.name, &given, "--no-exercises", "--out", "out"], &EMULATED[..]].concat();
        let run = warplab_in(folder.path(), &args, &[]);
        if !lab.variants().iter().any(|variant| lab.takes(option, variant.name)) {
            assert_eq!(run.code, 2, "{run:?}");
            continue;
        }
        assert_eq!(run.code, 0, "{} {given}: {run:?}", lab.name);
        for row in rows(&folder.path().join(format!("out/{}.csv", lab.name))) {
            // A case with several sizes has no single size.
            if !lab.takes(option, &row["variant"]) || row["verdict"] == "skip" || row["case"] == "small n" {
                continue;
            }
            let is_as_given = match option {
                "n" => row["n"] == value,
                "threads" => volume(&row["block"]).to_string() == value,
                _ => volume(&row["grid"]).to_string() == value,
            };
            assert!(is_as_given, "{} {given}: {row:?}", lab.name);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_run_whose_cases_were_all_skipped_has_not_passed() {
    // There is no cuBLAS without a GPU.
    fails(&[&["run", "matmul", "--variant", "cublas"], &EMULATED[..]].concat(), 4, &["nothing ran", "cublas"]);
}
