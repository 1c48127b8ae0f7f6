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
    for profile in ["v100", "t4", "a100", "rtx3060", "l40s", "h200", "b200", "rtx5090"] {
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
fn blocks_of_any_shape_run_or_are_refused() {
    let launch = |launch: &str| run(&["--device", "emulated:t4", "--variant", "launch", "--launch", launch]);
    for (shape, says) in [
        ("1000,4x4", "16000 threads, 16 lanes idle in each block; 16 blocks an SM (blocks)"),
        ("1000,8x8", "64000 threads, 0 lanes idle in each block; 16 blocks an SM (threads)"),
        ("1000,30x30", "900000 threads, 28 lanes idle in each block; 1 blocks an SM (threads)"),
        ("100,1000", "1 blocks an SM (threads) on 40 SMs, 3 waves"),
        ("4x4x4,256x256x256", "does not run: the number of threads in a block is 16777216"),
        ("1,1x1x65", "does not run: the block's z dimension is 65"),
    ] {
        let (code, csv) = launch(shape);
        assert_eq!(code, Some(0), "{shape}: {csv}");
        assert!(csv.contains(says), "{shape}: {csv}");
    }
    assert_eq!(launch("1,2x2x2x2").0, Some(2));
}

/// A text's statement "More than 2.x: 2048 threads an SM" holds for the data-centre GPUs of each generation except 7.5;
/// the handout has a table of it.
#[test]
fn threads_of_a_multiprocessor_by_capability() {
    let handout = labtest::lab!("occupancy").source("README.md");
    for (profile, capability, threads) in [
        ("v100", "7.0", 2048),
        ("t4", "7.5", 1024),
        ("a100", "8.0", 2048),
        ("rtx3090", "8.6", 1536),
        ("rtx4090", "8.9", 1536),
        ("h200", "9.0", 2048),
    ] {
        let device = format!("emulated:{profile}");
        let (_, csv) = run(&["--device", &device, "--variant", "launch", "--launch", "1,512"]);
        assert!(csv.contains(&format!("{} blocks an SM (threads)", threads / 512)), "{profile}: {csv}");
        let line = format!("| {capability} | `{profile}` | {threads} |");
        assert!(handout.contains(&line), "the handout lacks {line}");
    }
}

#[test]
fn blocks_that_are_kept_away_and_loads_under_way() {
    let lab = labtest::lab!("occupancy");
    let ran = lab.accepts(&["--quick", "--variant", "latency", "--variant", "waves-latency", "--variant", "spilled"]);
    assert_eq!(ran.rows_of("latency").len(), 4 * 3);
    for row in ran.rows_of("latency") {
        let number = |column: &str| row[column].parse::<u64>().unwrap();
        let [blocks, pairs] = [0, 4].map(|word| row["case"].split(' ').nth(word).unwrap().parse::<u64>().unwrap());
        assert_eq!(number("blocks_per_sm"), blocks);
        // A pair is 8 bytes.
        assert_eq!(number("kib_in_flight"), blocks * 256 * pairs * 8 / 1024);
    }
    assert_eq!(ran.rows_of("waves-latency").iter().filter(|row| row["blocks_per_sm"] == "2").count(), 3);
    assert_eq!(ran.rows_of("spilled").len(), 3);
}

/// The smaller default of the emulated device is printed.
#[test]
fn a_smaller_default_is_printed() {
    let ran = labtest::lab!("occupancy").accepts(&["--variant", "vecadd"]);
    assert!(ran.text.contains("n = 8192 here (emulated device); 67108864 on a GPU"), "{}", ran.text);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let lab = labtest::lab!("occupancy");
    lab.refuses(&["--variant", "vecadd", "-n", "2^62"], "three vectors");
    lab.refuses(&["--variant", "vecadd", "-n", "2^36"], "three vectors");
    lab.refuses(&["--variant", "vecadd", "--threads", "1025"], "1024");
    lab.refuses(&["--launch", "1,2^32"], "32-bit");
}

/// The statements about the reference run in the handout, and the figures in the key: blocks of up to 128 threads take
/// as long as it takes to start them, and one block more than a wave costs less than half of a wave.
#[test]
fn the_handout_and_the_key_agree_with_the_reference_run() {
    let lab = labtest::lab!("occupancy");
    let vecadd = |block: u32, column: &str| lab.figure("occupancy", "vecadd", &format!("block {block}"), column);
    for block in [32, 64, 96, 128] {
        let ns_a_block = 1e6 * vecadd(block, "time_median_ms") / vecadd(block, "grid");
        assert!((0.60..0.635).contains(&ns_a_block), "{block}: {ns_a_block}");
    }
    assert!(vecadd(64, "achieved_percent") > vecadd(192, "achieved_percent"));
    assert!(vecadd(64, "time_median_ms") > 2.0 * vecadd(192, "time_median_ms"));
    for (block, column) in [(192, "time_median_ms"), (192, "gb_per_s"), (1024, "time_median_ms")] {
        lab.quotes(vecadd(block, column), &format!("{column} of blocks of {block}"));
    }
    for (variant, block, column) in [
        ("shared-heavy", 256, "time_median_ms"),
        ("shared-heavy", 512, "time_median_ms"),
        ("shared-heavy", 1024, "time_median_ms"),
        ("shared-heavy", 32, "time_median_ms"),
        ("shared-heavy", 64, "time_median_ms"),
        ("shared-heavy", 512, "achieved_percent"),
        ("register-heavy", 128, "achieved_percent"),
        ("vecadd", 256, "achieved_percent"),
    ] {
        let figure = lab.figure("occupancy", variant, &format!("block {block}"), column);
        lab.quotes(figure, &format!("{column} of {variant}, {block}"));
    }
    // With 12 warps on a multiprocessor it takes as long as with 16.
    let [sixteen, twelve] =
        [64, 192].map(|block| lab.figure("occupancy", "register-heavy", &format!("block {block}"), "time_median_ms"));
    assert!((sixteen / twelve - 1.0).abs() < 0.02, "{sixteen} and {twelve}");
    let [one, more, four] = [264, 265, 1056]
        .map(|blocks| lab.figure("occupancy", "waves", &format!("{blocks} blocks, a wave is 264"), "time_median_ms"));
    for (figure, what) in [(one, "a wave"), (more, "a block more"), (four, "four waves")] {
        lab.quotes(figure, what);
    }
    let (block, wave) = (more - one, (four - one) / 3.0);
    assert!(block < 0.5 * wave, "{block} of {wave}");
    let key = lab.source("ANSWERS.md");
    assert!(key.contains(&format!("{block:.4}")) && key.contains(&format!("{wave:.4}")), "{block}, {wave}");
}
