//! Whole runs on the embedded machine: rows, session, streams, interruption.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use harness::{PIECE, Request, Role};

use crate::common::{Run, compiler, one_line, rows, warplab, warplab_in, warplab_with};

const SMALL: [&str; 4] = ["--device", "emulated", "--n", "1000"];

#[test]
fn every_mode_of_vecadd_passes_and_is_in_the_csv() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        warplab_in(folder.path(), &[&["run", "vecadd", "--no-exercises", "--out", "out"], &SMALL[..]].concat(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.contains("n = 1000: 4 blocks of 256 threads are 1024 threads, 24 of them idle"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("Device: emulated:"), "{}", run.stdout);
    let rows = rows(&folder.path().join("out/vecadd.csv"));
    assert_eq!(rows.len(), 9);
    for row in &rows {
        assert!(["pass", "skip"].contains(&row["verdict"].as_str()), "{row:?}");
        assert_eq!(
            (row["device"].as_str(), row["gb_per_s"].as_str(), row["percent_of_ceiling"].as_str()),
            ("emulated", "", "")
        );
    }
    let passed: Vec<_> = rows.iter().filter(|r| r["verdict"] == "pass").collect();
    assert!(passed.len() >= 6, "{rows:?}");
    for row in passed {
        assert_eq!(
            (row["n"].as_str(), row["two_norm_of_error"].as_str(), row["h2d_bytes"].as_str()),
            ("1000", "0", "8000")
        );
    }
    let session: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("out/session.json")).unwrap()).unwrap();
    assert_eq!(session["schema"], 2);
    let session = &session["sessions"][0];
    assert_eq!(session["seed"], 1);
    assert_eq!(session["device"]["is_emulated"], true);
    assert_eq!(session["labs"][0]["lab"], "vecadd");
    assert_eq!(session["labs"][0]["fail"], 0);
}

#[test]
fn a_row_tells_what_its_one_kernel_takes_of_a_multiprocessor() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--device", "emulated:h200", "--quick", "--no-exercises", "--out", "out"];
    let run = warplab_in(folder.path(), &[&["run", "reduction", "scan"], &options[..]].concat(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let of = |lab: &str, variant: &str| {
        let all = rows(&folder.path().join(format!("out/{lab}.csv")));
        let row = all.into_iter().find(|row| row["variant"] == variant).unwrap_or_else(|| panic!("{variant}"));
        ["kernel_registers", "kernel_occupancy_percent"].map(|column| row[column].parse::<f64>().ok())
    };
    // A kernel that the case names, and the only one that a case has used.
    for (lab, variant) in [("reduction", "shuffle"), ("reduction", "two-pass"), ("scan", "kogge-stone")] {
        let [registers, occupancy] = of(lab, variant);
        assert!(registers.is_some_and(|count| count > 4.0), "{lab} {variant}");
        assert!(occupancy.is_some_and(|percent| percent > 10.0 && percent <= 100.0), "{lab} {variant}");
    }
    // With three kernels, no single one belongs to the row.
    assert_eq!(of("scan", "three-kernel"), [None, None]);
}

#[test]
#[ignore = "needs NVRTC"]
fn every_kernel_file_is_compiled_before_the_first_lab_begins_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let kept = |cache: &str, arguments: &[&str]| {
        let cache = folder.path().join(cache);
        let args = [&["run", "reduction", "--quick", "--device", "emulated"], arguments].concat();
        let run = warplab_in(folder.path(), &args, &[("WARPLAB_CACHE", cache.to_str().unwrap())]);
        assert_eq!(run.code, 0, "{run:?}");
        std::fs::read_dir(cache.join("answers")).unwrap().count()
    };
    // The exercises alone launch nothing.
    assert_eq!(kept("whole", &["--exercises", "--out", "whole-run"]), reduction::LAB.kernels.len());
    // A run of one variant waits only for its file.
    assert_eq!(kept("part", &["--variant", "shuffle", "--no-exercises", "--out", "part-run"]), 1);
}

#[test]
fn standard_output_is_all_csv_or_all_json_when_asked() {
    let csv = warplab(&[&["run", "vecadd", "--csv", "-", "--variant", "pageable"], &SMALL[..]].concat());
    assert_eq!(csv.code, 0, "{csv:?}");
    let lines: Vec<_> = csv.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{csv:?}");
    assert!(lines[0].starts_with("schema,lab,variant,") && lines[1].starts_with("2,vecadd,pageable,"), "{csv:?}");

    let json = warplab(&[&["run", "vecadd", "--json", "--variant", "pageable"], &SMALL[..]].concat());
    let row: serde_json::Value = serde_json::from_str(json.stdout.trim()).unwrap_or_else(|e| panic!("{e}: {json:?}"));
    assert_eq!((&row["variant"], &row["n"], &row["verdict"]), (&"pageable".into(), &1000.into(), &"pass".into()));
}

#[test]
fn counters_are_columns_and_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let args = [&["run", "vecadd", "--variant", "pageable", "--counters", "--hot=3", "--out", "out"], &SMALL[..]];
    let run = warplab_in(folder.path(), &args.concat(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for words in ["Execution", "efficiency %", "Hot lines of vecadd pageable", "vecadd.cu:"] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
    let row = &rows(&folder.path().join("out/vecadd.csv"))[0];
    let number = |column: &str| row[column].parse::<f64>().unwrap();
    // A thousand floats are 125 sectors; two vectors are read and one is written, in each launch.
    let launches = number("launches");
    assert!(launches >= 1.0);
    assert_eq!(number("global_load_sectors"), 250.0 * launches);
    assert_eq!(number("global_load_ideal_sectors"), 250.0 * launches);
    assert_eq!(number("global_store_sectors"), 125.0 * launches);
    // Of the 32 warps one has 8 lanes at work.
    assert!(number("warp_execution_efficiency_percent") < 100.0);
    assert_eq!(number("shared_bank_conflicts"), 0.0);
    assert!(number("copied_h2d_bytes") >= 8000.0);
}

#[test]
fn several_commands_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = |lab: &str, seed: &str| {
        let args = ["run", lab, "--quick", "-q", "--device", "emulated", "--out", "out", "--seed", seed];
        let variables = [("WARPLAB_GIT_REVISION", "abc")];
        let run = warplab_in(folder.path(), &args, &variables);
        assert_eq!(run.code, 0, "{run:?}");
        let text = std::fs::read_to_string(folder.path().join("out/session.json")).unwrap();
        let session: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = session["sessions"].as_array().unwrap().clone();
        let short = |s: &serde_json::Value| {
            assert_eq!(s["git_revision"], "abc");
            format!("{} {}", s["labs"][0]["lab"].as_str().unwrap(), s["seed"])
        };
        list.iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(run("hello", "1"), ["hello 1"]);
    assert_eq!(run("vecadd", "2"), ["hello 1", "vecadd 2"]);
    // A lab that runs again is only in its latest session, and so is its CSV.
    assert_eq!(run("hello", "3"), ["vecadd 2", "hello 3"]);
}

#[test]
fn schedules_find_what_one_order_hides_and_accuse_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "run",
        "trapezoid",
        "--n",
        "2^10",
        "--variant",
        "race",
        "--variant",
        "shared",
        "--variant",
        "atomic",
        "--check",
        "all",
        "--schedules",
        "4",
        "--findings=full",
        "--device",
        "emulated",
        "--out",
        "out",
    ];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("under schedule seed"), "{}", run.stdout);
    let found = rows(&folder.path().join("out/trapezoid.csv"));
    assert!(found.len() >= 3 && found.iter().all(|r| r["verdict"] == "pass"));
    // Counted once, for any number of schedules: one launch, and no more for the shared variants than with one.
    let one = warplab_in(folder.path(), &[&args[..12], &["--device", "emulated", "--out", "one"]].concat(), &[]);
    assert_eq!(one.code, 0, "{one:?}");
    let launches = |rows: &[std::collections::HashMap<String, String>]| -> Vec<String> {
        rows.iter().map(|r| r["launches"].clone()).collect()
    };
    assert_eq!(launches(&found), launches(&rows(&folder.path().join("one/trapezoid.csv"))));
}

#[test]
fn a_finding_shows_the_line_of_the_source_from_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let lab = ["run", "trapezoid", "--variant", "race", "--quick"];
    let run = warplab_in(folder.path(), &[&lab[..], &["--findings", "full"], &SMALL].concat(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let line = "if (lane == 0) warp_sums[warp] = total;";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    // A variant that is wrong on purpose has one line for each kind of finding, unless more are requested.
    let brief = warplab_in(folder.path(), &[&lab[..], &SMALL].concat(), &[]);
    assert_eq!(brief.code, 0, "{brief:?}");
    assert!(!brief.stdout.contains(line), "{}", brief.stdout);
    let folded = one_line(&brief.stdout);
    assert!(folded.contains("race: Race") && folded.contains("trapezoid.cu:"), "{}", brief.stdout);
    assert!(folded.contains("trapezoid.cu:125, as expected"), "{}", brief.stdout);
}

#[test]
fn quiet_says_nothing() {
    let run = warplab(&[&["run", "vecadd", "--quiet", "--variant", "pageable"], &SMALL[..]].concat());
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    for args in [
        &["list"][..],
        &["--help"],
        &["run", "--help"],
        &["run", "vecadd", "--help"],
        &["device", "--device", "emulated:t4"],
    ] {
        let run = warplab(args);
        assert_eq!(run.code, 0, "{run:?}");
        for line in run.stdout.lines() {
            assert!(line.chars().count() <= 100, "{args:?}: {line}");
        }
    }
}

#[test]
fn the_device_query_shows_the_emulated_part() {
    let run = warplab(&["device", "--device", "emulated:t4"]);
    assert_eq!(run.code, 0, "{run:?}");
    for words in [
        "15828320256 bytes",
        "multiprocessors (SMs)",
        " 40\n",
        "threads resident on an SM",
        " 1024\n",
        "blocks resident on an SM",
        " 16\n",
        " 65536\n",
    ] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
    let json = warplab(&["device", "--device", "emulated:t4", "--json"]);
    let device: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(device["device"]["multiprocessors"], 40);
}

#[test]
fn pairs_from_a_file_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = (0..997).fold(String::new(), |s, i| s + &format!("{i} {}\n", 2 * i));
    std::fs::write(folder.path().join("pairs.txt"), pairs).unwrap();
    let args = [
        "run",
        "vecadd",
        "--input",
        "pairs.txt",
        "--device",
        "emulated",
        "--blocks",
        "4",
        "--threads",
        "256",
        "--variant",
        "pinned",
    ];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("27 of them idle"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn control_c_keeps_the_rows_so_far() {
    let folder = tempfile::tempdir().unwrap();
    // More samples than anyone would wait for.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_warplab"))
        .args(["run", "vecadd", "--device", "emulated", "--out", "out", "--sweep", "--samples", "200000"])
        .args(["--variant", "pageable", "--variant", "pinned"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let csv = folder.path().join("out/vecadd.csv");
    let began = Instant::now();
    while !csv.exists() {
        assert!(began.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(), "it never started");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Interrupts the sampling of the first case.
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: a signal to the child that this test started and has not yet waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(words.contains("interrupted"), "{words}");
    // Only whole rows and the header, all readable.
    for row in rows(&csv) {
        assert_eq!(row["verdict"], "pass");
    }
    assert!(folder.path().join("out/session.json").exists());
}

#[test]
fn a_kernel_that_faults_is_found_in_its_own_process_and_the_others_still_run() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "returning", "--all", "--device", "emulated", "--out", "out"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("Invalid __global__ write of size 4 bytes"), "{}", run.stdout);
    let rows = rows(&folder.path().join("out/returning.csv"));
    assert!(rows.len() >= 5 && rows.iter().all(|r| r["verdict"] == "pass"), "{rows:?}");
    let wrong = rows.iter().find(|r| r["variant"] == "host-pointer").unwrap();
    assert!(wrong["note"].contains("wrong on purpose"), "{wrong:?}");
    // The case that faulted did not affect the others, whatever their order.
    let again =
        warplab_in(folder.path(), &[&args[..], &["--variant", "host-pointer", "--variant", "explicit"]].concat(), &[]);
    assert_eq!(again.code, 0, "{again:?}");
}

#[test]
fn a_usage_error_leaves_no_folder_behind() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        warplab_in(folder.path(), &["run", "vecadd", "--device", "emulated", "--n", "64", "--threads", "5000"], &[]);
    assert_eq!(run.code, 2, "{run:?}");
    let left: Vec<_> = std::fs::read_dir(folder.path().join("reports")).map(Iterator::collect).unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    for args in [
        &["list"][..],
        &["--help"],
        &["device", "--device", "emulated"],
        &["run", "hello", "--device", "emulated", "--csv", "-"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_warplab"))
            .args(args)
            .current_dir(folder.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Closed before the first line is written.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {words}");
        assert!(!words.contains("panicked"), "{args:?}: {words}");
    }
}

#[test]
fn a_sweep_is_drawn_beside_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "vecadd", "--sweep", "--n", "4096", "--device", "emulated", "--out", "out"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for said in
        ["Drawn in out/vecadd-sweep.svg", "only checked the answers", "NVIDIA H200, measured on ", "--sweep --all"]
    {
        assert!(run.stdout.contains(said), "no {said} in {}", run.stdout);
    }
    assert!(!run.stdout.contains("measured in this run"), "{}", run.stdout);
    // The rows are there with --all, and in the CSV.
    let every_time = "End to end by the size of a vector";
    assert!(!run.stdout.contains(every_time), "{}", run.stdout);
    let all = warplab_in(folder.path(), &[&args[..8], &["all-rows", "--all"]].concat(), &[]);
    assert!(all.stdout.contains(every_time) && !all.stdout.contains("only checked the answers"), "{}", all.stdout);
    let quiet = warplab_in(folder.path(), &[&args[..8], &["quiet", "--quiet"]].concat(), &[]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    let svg = std::fs::read_to_string(folder.path().join("out/vecadd-sweep.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 9);
    for words in ["<svg ", "4 KiB", "16 KiB", "zero-copy", "of the emulation", "</svg>"] {
        assert!(svg.contains(words), "no {words} in {svg}");
    }
}

#[test]
fn no_lab_leaves_device_memory_behind() {
    let run = warplab(&["run", "all", "--quick", "--device", "emulated", "--check", "leakcheck", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // One variant leaks on purpose.
    let rows = run.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let leaked = rows.filter(|row| row["note"].as_str().is_some_and(|note| note.contains("Leaked")));
    let leaked: Vec<String> = leaked.map(|row| format!("{} {}", row["lab"], row["variant"])).collect();
    assert_eq!(leaked, [r#""bughunt" "leak""#], "{}", run.stderr);
    // Every lab was checked.
    for lab in crate::labs::names() {
        let row = format!("\"lab\":\"{lab}\"");
        assert!(run.stdout.contains(&row), "no row of {lab}");
    }
}

#[test]
fn the_companion_of_a_run_on_a_gpu_predicts_the_same_cases() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let command = "warplab run vecadd --device cuda:0 --predict --variant pinned --n 1000 --no-exercises --records";
    let role = Role::Prediction { lab: "vecadd".into(), part: "h200".into() };
    let mut arguments: Vec<OsString> = command.split(' ').map(OsString::from).collect();
    arguments.push(records.clone().into());
    let run = piece(folder.path(), &serde_json::to_string(&Request { role, arguments }).unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    let rows = harness::records(&std::fs::read_to_string(records).unwrap()).unwrap();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    let predicted = row.predicted.as_ref().and_then(|predicted| predicted.in_all.as_ref());
    assert!(row.device == "emulated" && row.n == Some(1000) && predicted.is_some(), "{row:?}");
    // It leaves only its rows.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Runs one internal role of the command, with this request.
fn piece(folder: &Path, request: &str) -> Run {
    let file = folder.join("request");
    std::fs::write(&file, request).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
    command.arg(PIECE).current_dir(folder).envs(compiler()).stdin(File::open(&file).unwrap());
    std::fs::remove_file(&file).unwrap();
    Run::from_output(&command.output().unwrap())
}

#[test]
fn a_piece_without_a_request_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for request in ["", "{}", "run all"] {
        let run = piece(folder.path(), request);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains("is internal"), "{run:?}");
    }
}

/// A process's role depends only on its arguments, not on inherited variables.
#[test]
fn inherited_variables_give_a_run_no_other_role() {
    let names = ["CASE", "CASE_VARIANT", "CEILINGS", "COMPANION", "AHEAD", "WORKER", "COMPILES", "RECORDS"];
    let variables: Vec<_> = names.iter().map(|name| (format!("WARPLAB_{name}"), "vecadd/x")).collect();
    let variables: Vec<_> = variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let run = warplab_with(&["run", "returning", "--quick", "--device", "emulated", "--json"], &variables);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.lines().count() > 1, "{run:?}");
}

/// The list applies to GPUs, and it is empty on many computers without one.
#[test]
fn a_list_of_visible_gpus_does_not_hide_the_emulated_device_from_a_lab() {
    let args = ["run", "vecadd", "--quick", "--variant", "pageable", "--device", "emulated:t4"];
    let run = warplab_with(&args, &[("CUDA_VISIBLE_DEVICES", "")]);
    assert_eq!(run.code, 0, "{run:?}");
}
