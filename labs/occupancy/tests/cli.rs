//! The command line: the sweep on every profile, the questions, and launches that do and do not run.
use std::process::Command;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_occupancy"))
        .args(["--quiet", "--quick", "--out"])
        .arg(out.path())
        .args(arguments)
        .status()
        .unwrap();
    (status.code(), std::fs::read_to_string(out.path().join("occupancy.csv")).unwrap_or_default())
}

// titan-x is left out, because the committed PTX is for 7.0 and later.
#[test]
fn calculator_and_driver_agree_on_every_profile() {
    for profile in ["v100", "t4", "a100", "rtx3090", "rtx4090", "h100", "h200"] {
        let device = format!("emulated:{profile}");
        let (code, csv) = run(&["--device", &device, "--variant", "calculator"]);
        assert_eq!(code, Some(0), "{profile}:\n{csv}");
        assert_eq!(csv.matches(",pass,").count(), 11, "{profile}:\n{csv}");
    }
}

#[test]
fn the_questions_are_answered() {
    let (code, csv) = run(&["--device", "emulated", "--exercises"]);
    assert_eq!(code, Some(0), "{csv}");
    assert!(csv.contains("obtained 57.9%") || csv.contains("57.9% of its places"), "{csv}");
}

#[test]
fn launches_that_run_and_that_do_not() {
    let (code, csv) = run(&["--device", "emulated:a100", "--variant", "launch", "--launch", "100,1000"]);
    assert_eq!(code, Some(0), "{csv}");
    assert!(csv.contains("runs: 100000 threads, 24 lanes idle in each block; 2 blocks an SM"), "{csv}");
    let (code, csv) = run(&["--device", "emulated:a100", "--variant", "launch", "--launch", "1,1025"]);
    assert_eq!(code, Some(0), "{csv}");
    assert!(csv.contains("does not run") && csv.contains("1024"), "{csv}");
    assert_eq!(run(&["--device", "emulated", "--launch", "5"]).0, Some(2));
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let lab = labtest::lab!("occupancy");
    lab.refuses(&["--variant", "vecadd", "-n", "2^62"], "three vectors");
    lab.refuses(&["--variant", "vecadd", "-n", "2^36"], "three vectors");
    lab.refuses(&["--variant", "vecadd", "--threads", "1025"], "1024");
    lab.refuses(&["--launch", "1,2^32"], "32-bit");
}
