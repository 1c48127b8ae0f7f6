//! Any user error ends in one clear message and the right exit status, never in a panic.

use crate::common::{fails, warplab};

#[test]
fn an_unknown_lab_is_guessed_at() {
    fails(&["run", "vecad"], 2, &["no lab `vecad`", "did you mean `vecadd`?"]);
    fails(&["list", "xyzzy"], 2, &["no lab `xyzzy`", "there are: "]);
    fails(&["run"], 2, &["name a lab to run, or all"]);
}

#[test]
fn an_unknown_variant_is_guessed_at() {
    fails(&["run", "vecadd", "--variant", "pined"], 2, &["no variant `pined` in vecadd", "did you mean `pinned`?"]);
}

#[test]
fn an_unknown_device_is_refused() {
    fails(&["run", "vecadd", "--device", "gpu"], 2, &["invalid value 'gpu'", "auto, cuda:N or emulated[:PROFILE]"]);
    fails(&["device", "--device", "cuda:one"], 2, &["`one` is not the number of a GPU"]);
    fails(&["run", "vecadd", "--device", "emulated:t44"], 2, &["unknown profile `t44`", "t4"]);
}

#[test]
fn a_gpu_that_is_not_there_is_said() {
    fails(&["run", "vecadd", "--device", "cuda:4000"], 4, &["--device cuda:4000"]);
}

#[test]
fn counts_must_be_positive() {
    fails(&["run", "vecadd", "--n", "0"], 2, &["invalid value '0'", "at least 1"]);
    fails(&["run", "vecadd", "--n", "-5"], 2, &["invalid value '-5'", "at least 1"]);
    fails(&["run", "vecadd", "--n", "-5"], 2, &["-5 is negative: the number must be at least 1"]);
    fails(&["run", "vecadd", "--n", "1.5"], 2, &["1.5 is not a whole number"]);
    fails(&["run", "vecadd", "--seed", "-1"], 2, &["-1 is negative: the number must be at least 0"]);
    fails(&["run", "vecadd", "--timeout", "-1"], 2, &["`-1` is not a time above 0"]);
    fails(&["run", "vecadd", "--threads", "0"], 2, &["--threads", "at least 1"]);
    fails(&["run", "vecadd", "--blocks", "-1"], 2, &["--blocks", "at least 1"]);
    fails(&["run", "vecadd", "--samples", "none"], 2, &["`none` is not a number"]);
}

#[test]
fn a_speed_can_be_demanded_of_a_gpu_only() {
    let common = ["run", "vecadd", "--device", "emulated", "--min-percent"];
    fails(&[&common[..], &["0"]].concat(), 2, &["not a percentage above 0"]);
    fails(&[&common[..], &["50"]].concat(), 4, &["--min-percent", "needs a GPU"]);
}

#[test]
fn too_many_threads_name_the_limit() {
    for lab in ["vecadd", "reduction", "scan"] {
        fails(&["run", lab, "--device", "emulated", "--threads", "2^31"], 2, &["too large: the most is 65536"]);
    }
    fails(
        &["run", "vecadd", "--device", "emulated:t4", "--n", "4096", "--threads", "2048"],
        2,
        &["the number of threads in a block is 2048", "allows 1024", "--threads"],
    );
}

#[test]
fn a_grid_too_small_for_n_is_refused_unless_it_strides() {
    let few = [
        "run",
        "vecadd",
        "--device",
        "emulated",
        "--n",
        "4096",
        "--threads",
        "256",
        "--blocks",
        "15",
        "--variant",
        "pageable",
    ];
    fails(&few, 2, &["15 blocks of 256 threads are 3840 threads", "--blocks 16"]);
    let stride = [&few[..], &["--stride"]].concat();
    let run = warplab(&stride);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn an_output_folder_that_cannot_be_is_said_before_anything_runs() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = file.path().join("out");
    fails(
        &["run", "vecadd", "--device", "emulated", "--n", "64", "--out", folder.to_str().unwrap()],
        4,
        &["cannot create the output folder", folder.to_str().unwrap()],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_the_file_named() {
    let out = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", out.path().join("vecadd.csv")).unwrap();
    fails(
        &["run", "vecadd", "--device", "emulated", "--n", "64", "--out", out.path().to_str().unwrap()],
        4,
        &["vecadd.csv", "No space left on device"],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_disk_that_fills_up_keeps_the_rows_that_fitted() {
    let Some(disk) = crate::common::SmallDisk::mount() else {
        eprintln!("skipped: this user may not mount a tmpfs");
        return;
    };
    let out = disk.path();
    // All but a few KiB is taken: some rows fit, but not all.
    std::fs::write(out.join("taken"), vec![1; 48 << 10]).unwrap();
    let args = ["run", "histogram", "--quick", "--device", "emulated", "--out"];
    let run = warplab(&[&args[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(run.code, 4, "{run:?}");
    // The rows or their records: whichever was being written when the disk was full.
    assert!(run.stderr.contains("histogram.csv") || run.stderr.contains("histogram.jsonl"), "{run:?}");
    assert!(run.stderr.contains("No space left on device"), "{run:?}");
    // Whole rows only.
    let rows = crate::common::rows(&out.join("histogram.csv"));
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|r| !r["verdict"].is_empty()), "{rows:?}");
}

#[test]
fn every_lab_takes_a_tiny_n_or_says_what_is_wrong_with_it() {
    for lab in crate::labs::names() {
        let run = warplab(&["run", lab, "--quick", "--no-exercises", "--device", "emulated", "--n", "1", "-q"]);
        assert!([0, 2].contains(&run.code), "{lab}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "{lab}: {run:?}");
        let refused = run.stderr.contains("error: ");
        assert_eq!(run.code == 2, refused, "{lab}: {run:?}");
    }
}

#[test]
fn unknown_checks_and_senseless_counts_are_refused() {
    let common = ["run", "vecadd", "--device", "emulated"];
    for (more, words) in [
        (&["--check", "memchek"][..], "no check is called `memchek`"),
        (&["--check", "memcheck,"], "no check is called ``"),
        (&["--schedules", "0"], "at least 1"),
        // Each of these determines the size of a list or a loop.
        (&["--schedules", "2^31"], "2^31 is too large: the most is 10000"),
        (&["--samples", "1e9"], "1e9 is too large: the most is 1000000"),
        (&["--hot=2^40"], "2^40 is too large: the most is 100000"),
        (&["--timeout", "1e18"], "`1e18` is too long: the most is a year"),
        (&["--hot=none"], "`none` is not a number"),
    ] {
        fails(&[&common[..], more].concat(), 2, &[words]);
    }
}

#[test]
fn a_kernel_file_that_is_not_there_or_cannot_be_compiled_is_said() {
    fails(
        &["run", "vecadd", "--kernel", "nowhere.cu", "--device", "emulated"],
        2,
        &["cannot read the kernel file nowhere.cu"],
    );
    fails(&["run", "vecadd", "hello", "--kernel", "x.cu", "--device", "emulated"], 2, &["--kernel goes with one lab"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vecadd.cu");
    std::fs::write(&file, "extern \"C\" __global__ void vecadd() {}\n").unwrap();
    let run = crate::common::warplab_with(
        &["run", "vecadd", "--kernel", file.to_str().unwrap(), "--device", "emulated", "--n", "64"],
        &[("WARPLAB_NVRTC", "off")],
    );
    assert_eq!(run.code, 4, "{run:?}");
    for words in ["NVRTC was not found", "`warplab setup`"] {
        assert!(run.stderr.contains(words), "{run:?}");
    }
}

#[test]
fn a_compiler_that_cannot_be_loaded_is_said_once_and_nothing_runs() {
    let run = crate::common::warplab_with(
        &["run", "all", "--quick", "--device", "emulated"],
        &[("WARPLAB_NVRTC", "/nowhere/libnvrtc.so")],
    );
    assert_eq!((run.code, run.stderr.matches("cannot load NVRTC").count()), (4, 1), "{run:?}");
    assert!(!run.stdout.contains("pass"), "{run:?}");
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_a_syntax_error_shows_the_users_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "extern \"C\" __global__ void vecadd(float *x)\n{\n    x[0] = 1\n}\n").unwrap();
    fails(
        &["run", "vecadd", "--kernel", path, "--device", "emulated", "--n", "64"],
        2,
        &[&format!("{path}(4): error: expected a \";\"")],
    );
    std::fs::write(&file, "extern \"C\" __global__ void add(float *x) { x[0] = 1; }\n").unwrap();
    fails(
        &["run", "vecadd", "--kernel", path, "--device", "emulated", "--n", "64"],
        2,
        &[path, "holds no kernel of lab vecadd"],
    );
}

#[test]
fn input_files_are_checked_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pairs.txt");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "1 2\n3 four\n").unwrap();
    fails(&["run", "vecadd", "--input", path, "--device", "emulated"], 2, &["line 2: `four` is not a number"]);
    fails(&["run", "vecadd", "--input", "/nowhere/pairs", "--device", "emulated"], 2, &["cannot read /nowhere/pairs"]);
    // It is endless.
    fails(&["run", "vecadd", "--input", "/dev/zero", "--device", "emulated"], 2, &["/dev/zero: it is a device"]);
    fails(&["run", "histogram", "--input", "/dev/zero", "--device", "emulated"], 2, &["/dev/zero: it is a device"]);
}
