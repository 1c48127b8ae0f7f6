//! `--check leakcheck`: a lab's leaks are reported with their case and the allocating line, and nothing else is.
use std::process::{Command, Output};

/// Runs the variant of the leaky lab on the emulated device, with one JSON object a row.
fn run(variant: &str, more: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let Output { status, stdout, stderr } = output(variant, &[&["--json"], more].concat());
    let rows = stdout.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let rows = rows.map(|line| serde_json::from_slice(line).unwrap()).collect();
    (status.code(), rows, String::from_utf8(stderr).unwrap())
}

fn output(variant: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    // NVRTC is searched for once for all processes.
    let _ = kernels::nvrtc();
    Command::new(env!("CARGO_BIN_EXE_leaky-lab"))
        .args(["--device", "emulated", "--variant", variant])
        .args(more)
        .env_remove("WARPLAB_CHECKS")
        .envs(kernels::for_children())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn a_forgotten_buffer_is_a_finding_of_its_case() {
    let leakcheck = ["--check", "leakcheck"];
    for (variant, case, words) in [
        ("forgets", "floats", "3 times 4096 bytes, from cuMemAllocAsync, called by leaky_lab::run"),
        ("alone", "floats", "3 times 4096 bytes, from cuMemAllocAsync, called by leaky_lab::run"),
        ("raw", "", "from cuMemAlloc, called by leaky_lab::run"),
    ] {
        let (code, rows, _) = run(variant, &leakcheck);
        assert_eq!((code, rows.len()), (Some(1), 2), "{rows:?}");
        assert_eq!(rows[0]["verdict"], "pass", "{rows:?}");
        let leak = &rows[1];
        assert_eq!(leak["verdict"], "finding", "{leak}");
        assert_eq!(leak["variant"], variant, "{leak}");
        assert_eq!(leak["case"].as_str().unwrap_or_default(), case, "{leak}");
        assert_eq!(leak["n"], rows[0]["n"], "{leak}");
        let text = leak["findings"][0].as_str().unwrap();
        assert!(text.contains(words), "{text}");
        // Tests are built with line information.
        let line = "harness/core/tests/leaky_lab/lab.rs:";
        assert!(text.contains(line), "{text}");
    }
    let (code, rows, _) = run("outside", &leakcheck);
    assert_eq!((code, rows.len()), (Some(1), 2), "{rows:?}");
    assert_eq!(rows[1]["case"], "outside of every case");
    assert_eq!(rows[1]["note"], "Leaked 100 bytes in 1 allocation");
}

#[test]
fn what_is_freed_in_time_is_no_leak() {
    for variant in ["tidy", "late"] {
        let (code, rows, words) = run(variant, &["--check", "all"]);
        assert_eq!(code, Some(0), "{rows:?}");
        assert!(rows.iter().all(|r| r["verdict"] == "pass"), "{rows:?}");
        assert!(!words.contains("Leaked"), "{words}");
    }
}

#[test]
fn leaks_are_looked_for_when_that_is_asked() {
    for (checks, code) in [
        (&[][..], 0),
        (&["--check", "memcheck,racecheck"], 0),
        (&["--check", "none"], 0),
        (&["--check", "memcheck,leakcheck"], 1),
        (&["--check", "all"], 1),
    ] {
        let (ended, rows, words) = run("forgets", checks);
        assert_eq!(ended, Some(code), "{checks:?}: {rows:?}");
        let told = words.matches("error: Leaked 12288 bytes in 3 allocations").count();
        assert_eq!(told, code as usize, "{checks:?}: {words}");
    }
}

#[test]
fn a_leak_is_in_the_table_too() {
    let ended = output("forgets", &["--check", "leakcheck"]);
    let text = String::from_utf8(ended.stdout).unwrap();
    for words in [
        "forgets floats:\nerror: Leaked 12288 bytes in 3 allocations\n",
        "= fault: the host code's",
        "forgets floats: Leaked 12288 bytes in 3 allocations",
        "1 pass, 1 finding",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}
