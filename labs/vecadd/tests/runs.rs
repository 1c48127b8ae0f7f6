//! The lab on the emulated device: every mode at awkward sizes, its options, and invalid input.

const LAB: labtest::Lab = labtest::lab!("vecadd");

const MODES: [&str; 9] = [
    "pageable",
    "pinned",
    "pinned-async",
    "overlapped",
    "write-combined",
    "unified",
    "unified-prefetch",
    "unified-advise",
    "zero-copy",
];

/// Figures of the reference run that the key quotes.
#[rustfmt::skip]
const QUOTED: [(&str, &str); 11] = [
    ("overlapped", "time_median_ms"), ("zero-copy", "time_median_ms"), ("pageable", "warm_h2d_ms"),
    ("pinned", "warm_h2d_ms"), ("pinned", "first_allocate_ms"), ("pageable", "first_touch_ms"),
    ("pageable", "first_d2h_ms"), ("unified", "first_touch_ms"), ("unified-advise", "first_touch_ms"),
    ("zero-copy", "first_allocate_ms"), ("pinned", "warm_kernel_ms"),
];

#[test]
fn every_mode_is_a_variant_and_the_other_way_round() {
    let variants: Vec<_> = vecadd::LAB.variants().iter().map(|v| v.name).collect();
    assert_eq!(variants, [&MODES[..], &["constant", "events", "questions"]].concat());
}

#[test]
fn every_mode_at_awkward_sizes() {
    // 2^17 is the smallest chunk of `overlapped`: these sizes give one chunk, one and a little more, and several.
    for n in ["1", "31", "257", "997", "131072", "200003", "999983"] {
        let ran = LAB.run(&["-n", n, "--seed", n, "--no-exercises"]);
        assert_eq!(ran.code, Some(0), "{n}: {}", ran.text);
        let modes: Vec<&str> = ran.rows.iter().map(|r| r["variant"].as_str()).collect();
        assert_eq!(modes, MODES, "{n}");
        for row in &ran.rows {
            assert_eq!(row["verdict"], "pass", "{row:?}");
            assert_eq!(row["two_norm_of_error"], "0", "{row:?}");
            assert_eq!(row["max_abs_error"], "0", "{row:?}");
        }
    }
}

#[test]
fn each_row_is_split_into_its_phases() {
    let ran = LAB.run(&["-n", "1000", "--no-exercises"]);
    let says = "the worst of all modes: two-norm 0, largest 0";
    assert!(ran.text.contains(says), "{}", ran.text);
    for row in &ran.rows {
        let number = |column: &str| -> f64 {
            let text = &row[column];
            text.parse().unwrap_or_else(|_| panic!("{column}: {text:?} in {row:?}"))
        };
        let phases = ["touch", "h2d", "kernel", "d2h", "host_read"];
        let first: f64 = phases.iter().map(|p| number(&format!("first_{p}_ms"))).sum();
        let end_to_end = number("first_end_to_end_ms");
        assert!((first + number("first_allocate_ms") - end_to_end).abs() < 1e-9);
        assert!(phases.iter().all(|p| number(&format!("warm_{p}_ms")) >= 0.0));
        assert!(number("warm_kernel_ms") > 0.0 && number("time_median_ms") > 0.0);
        assert_eq!((number("h2d_bytes"), number("d2h_bytes")), (8000.0, 4000.0));
    }
}

#[test]
fn idle_threads_are_counted() {
    let grid = ["-n", "997", "--blocks", "4", "--threads", "256"];
    let ran = LAB.accepts(&grid);
    assert!(ran.text.contains("1024 threads, 27 of them idle"), "{}", ran.text);
}

#[test]
fn a_small_grid_serves_only_if_it_strides() {
    let grid = ["-n", "1025", "--blocks", "4", "--threads", "256"];
    LAB.refuses(&grid, "--blocks 5");
    let strides = LAB.accepts(&[&grid[..], &["--stride", "--no-exercises"]].concat());
    assert!(strides.rows.iter().all(|r| r["grid"] == "4"));
}

/// In every mode, even with chunks of the vectors added one by one.
#[test]
fn four_elements_a_thread_are_right_in_every_mode() {
    for (n, says) in [("997", "1024 threads, 774 of them idle"), ("1048577", "263168 threads, 1023 of them idle")] {
        let ran = LAB.accepts(&["-n", n, "--wide", "--check", "all", "--no-exercises"]);
        assert!(ran.text.contains(says) && ran.findings.is_empty(), "{}", ran.text);
        assert!(ran.rows.len() == 9 && ran.rows.iter().all(|r| r["block"] == "1024"), "{}", ran.text);
    }
    LAB.refuses(&["-n", "997", "--wide", "--stride"], "--stride");
}

#[test]
fn vectors_come_from_a_file_and_from_standard_input() {
    let pairs = "1 2\n# a remark\n3.5, -4e1\n\n0.1\t0.2\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), pairs).unwrap();
    let path = file.path().to_str().unwrap();
    for ran in [LAB.run(&["--input", path, "--no-exercises"]), LAB.run_with(pairs, &["--input", "-", "--no-exercises"])]
    {
        assert_eq!(ran.code, Some(0), "{}", ran.text);
        assert!(ran.rows.len() == 9 && ran.rows.iter().all(|r| r["n"] == "3"));
    }
    let first = LAB.run(&["--input", path, "-n", "2", "--no-exercises"]);
    assert!(first.rows.iter().all(|r| r["n"] == "2"), "{}", first.text);

    for (text, says) in [("1 2\n3\n", "line 2"), ("1 two\n", "`two` is not a number"), ("", "no numbers")] {
        let ran = LAB.run_with(text, &["--input", "-"]);
        assert_eq!(ran.code, Some(2), "{text:?}: {}", ran.text);
        assert!(ran.text.contains(says), "{text:?}: {}", ran.text);
    }
    LAB.refuses(&["--input", path, "-n", "4"], "holds 3 pairs");
    LAB.refuses(&["--input", "/no/such/file"], "/no/such/file");
}

#[test]
fn the_sweep_goes_over_sizes_in_every_mode() {
    let ran = LAB.accepts(&["--sweep", "-n", "16K", "--no-exercises"]); // 64 KiB of floats
    assert_eq!(ran.rows.len(), 3 * 9, "{}", ran.text);
    for size in ["4 KiB", "16 KiB", "64 KiB"] {
        assert_eq!(ran.rows.iter().filter(|r| r["case"] == size).count(), 9);
    }
    assert!(ran.text.contains("End to end by the size"), "{}", ran.text);
    LAB.refuses(&["--sweep", "-n", "100"], "at least 1024");
}

/// The exercises: a summand in constant memory costs no load of global memory, and an event that is waited for before
/// it is recorded gives no time.
#[test]
fn the_courses_exercises() {
    let ran = LAB.accepts(&["--exercises"]);
    let constant = ran.rows_of("constant")[0];
    assert_eq!(constant["published_sum"], "19");
    let per_launch = |row: &std::collections::HashMap<String, String>, column: &str| {
        row[column].parse::<u64>().unwrap() / row["launches"].parse::<u64>().unwrap()
    };
    let size = ["-n", "65536", "--variant", "pageable", "--no-exercises"];
    let two_summands = LAB.accepts(&size);
    for column in ["global_load_sectors", "global_load_requests", "global_store_sectors"] {
        assert_eq!(per_launch(constant, column), per_launch(two_summands.rows_of("pageable")[0], column), "{column}");
    }
    let [wrong, right] = ran.rows_of("events")[..] else { panic!("{}", ran.text) };
    // The host usually queries the time while the kernel still runs, since it does not wait.
    let is_early = |note: &str| note.starts_with("no time: CUDA_ERROR_NOT_READY");
    let again = || LAB.accepts(&["--exercises", "--variant", "events"]).rows_of("events")[0]["note"].clone();
    assert!(is_early(&wrong["note"]) || (0..20).any(|_| is_early(&again())), "{wrong:?}");
    let ms: f64 = right["note"].strip_suffix(" ms").expect("a time").parse().unwrap();
    assert!(ms > 0.0, "{right:?}");
    assert_eq!(ran.rows_of("questions").len(), 4);
}

#[test]
fn quoted_figures_are_those_of_the_reference_run() {
    for (variant, column) in QUOTED {
        LAB.quotes(LAB.figure("vecadd", variant, "", column), &format!("{column} of {variant}"));
    }
}

/// The handout compares the texts' statements with the order of the modes in the reference run.
#[test]
fn the_modes_of_the_reference_run_are_in_the_handouts_order() {
    let ms = |variant| LAB.figure("vecadd", variant, "", "time_median_ms");
    let slower = ["unified", "pageable", "unified-prefetch", "pinned-async", "overlapped"].map(ms);
    assert!(slower.is_sorted_by(|a, b| a > b), "{slower:?}");
    assert!(ms("unified-advise") < ms("unified-prefetch"));
    let allocate = |variant| LAB.figure("vecadd", variant, "", "first_allocate_ms");
    assert!(allocate("pinned") > 100.0 * allocate("pageable"));
}

#[test]
fn sizes_that_cannot_be_are_refused_before_anything_is_made() {
    for (arguments, says) in [
        (&["-n", "0"][..], "at least 1"),
        (&["-n", "-5"], "at least 1"),
        // The sizes need more blocks than a grid may have, more bytes than can be counted, or more bytes than exist.
        (&["-n", "2^40"], "choose a smaller --n"),
        (&["-n", "2^62", "--stride", "--blocks", "8"], "choose a smaller --n"),
        (&["-n", "2^36"], "choose a smaller --n"),
        (&["--sweep", "-n", "2^62"], "choose a smaller --n"),
        (&["--threads", "1025"], "1024"),
        (&["--variant", "pinend"], "pinned"),
    ] {
        LAB.refuses(arguments, says);
    }
}
