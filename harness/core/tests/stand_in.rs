//! A run on a fake GPU: the driver is the embedded machine's, without the names that identify it. The measurements are
//! meaningless, but the run takes a GPU's whole code path: ceilings, rates, impossible rates, and a companion that
//! predicts.
#![cfg(target_os = "linux")]
use std::{collections::HashMap, path::Path, process::Command};

/// Writes a driver library to the folder, without the function names that identify the machine.
fn driver(folder: &Path) {
    let mut library = harness::machine_library().to_vec();
    let known = b"\0simt_";
    let places: Vec<usize> = library.windows(known.len()).enumerate().filter(|w| w.1 == known).map(|w| w.0).collect();
    assert!(!places.is_empty(), "the machine is known by other names now");
    for place in places {
        library[place + 1..place + 5].copy_from_slice(b"none");
    }
    std::fs::write(folder.join("libcuda.so.1"), library).unwrap();
    std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so")).unwrap();
}

/// The exit code, standard error, and the only row's cells by their columns.
type Ran = (Option<i32>, String, HashMap<String, String>);

/// Runs a variant of the lab on a fake H200.
fn run(variant: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    driver(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_limits-lab"));
    command.args(["--device", "cuda:0", "--quick", "--samples", "3", "--out", "out", "--variant", variant]);
    command.args(arguments).current_dir(folder.path());
    command.env("LD_LIBRARY_PATH", folder.path()).env("WARPLAB_PROFILE", "h200").env("WARPLAB_QUIET", "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut rows =
        csv::Reader::from_path(folder.path().join("out/limits-lab.csv")).unwrap_or_else(|e| panic!("{e}: {said}"));
    let rows: Vec<HashMap<String, String>> = rows.deserialize().map(|row| row.unwrap()).collect();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row["device"], "cuda", "{said}");
    (output.status.code(), said, row.clone())
}

#[test]
fn a_run_whose_ceiling_is_too_low_fails_and_says_so() {
    let (code, said, row) = run("within", &[]);
    let percent = row["percent_of_ceiling"].parse::<f64>();
    assert!(percent.is_ok_and(|percent| percent < 103.0), "{row:?}");
    assert_eq!((code, row["verdict"].as_str()), (Some(0), "pass"), "{said}");
    let (code, said, row) = run("beyond", &[]);
    assert_eq!((code, row["verdict"].as_str()), (Some(1), "pass"), "{said}");
    for words in
        ["limits-lab beyond reaches ", " % of its ceiling, which is impossible: the ceiling was measured wrongly"]
    {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn beside_what_a_gpu_took_stands_what_was_predicted() {
    let (code, said, row) = run("within", &["--predict"]);
    assert_eq!(code, Some(0), "{said}");
    let ms = |column: &str| row[column].parse::<f64>().unwrap_or_else(|_| panic!("{column}: {row:?}"));
    assert!(ms("predicted_low_ms") <= ms("predicted_ms") && ms("predicted_ms") <= ms("predicted_high_ms"), "{row:?}");
    assert!(ms("time_median_ms") > 0.0 && row["predicted_bound"] == "launch", "{row:?}");
}
