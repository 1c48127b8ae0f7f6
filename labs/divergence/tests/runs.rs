//! The lab on the emulated device: three counts that agree, and work that is right on any number of ways.
const LAB: labtest::Lab = labtest::lab!("divergence");

/// Variant, case and branch, numbers of warps and of diverged warps; and a text's statement, if there is one.
type ExpectedRow = (&'static str, &'static str, u64, u64, Option<(u64, u64)>);

#[rustfmt::skip]
const TABLE: [ExpectedRow; 28] = [
    ("picture", "800x600, 16x16: bounds", 15200, 0, Some((15200, 0))),
    ("picture", "599x800, 16x16: bounds", 15200, 400, Some((15200, 50))),
    ("picture", "600x799, 16x16: bounds", 15200, 437, Some((15200, 300))),
    ("picture", "800x599, 16x16: bounds", 15200, 50, None),
    ("picture", "799x600, 16x16: bounds", 15200, 300, None),
    ("vecadd", "n=1000, 4x256: bound", 32, 1, Some((32, 1))),
    ("even-odd", "n=1000, 4x256: even or odd", 32, 32, Some((32, 32))),
    ("even", "n=1000, 16x32: bound", 16, 1, None),
    ("odd", "n=1000, 16x32: bound", 16, 1, None),
    ("odd", "n=1000, 16x32: data", 16, 1, None),
    ("max-next", "n=1024, 4x256: window", 32, 1, Some((32, 1))),
    ("max-next-3d", "n=64, 32x4x4: along x", 8192, 4096, None),
    ("max-next-3d", "n=64, 32x4x4: along y", 8192, 0, None),
    ("max-next-3d", "n=64, 32x4x4: along z", 8192, 0, None),
    ("average", "n=4096, 16x256: left halo", 128, 16, None),
    ("average", "n=4096, 16x256: right halo", 128, 16, None),
    ("matmul", "1000x1000, 16x16: bounds", 31752, 500, None),
    ("interleaved", "2048 elements, stride 1: t % stride == 0", 32, 0, Some((32, 0))),
    ("interleaved", "2048 elements, stride 16: t % stride == 0", 32, 32, Some((32, 32))),
    ("interleaved", "2048 elements, stride 64: t % stride == 0", 32, 16, Some((32, 16))),
    ("sequential", "2048 elements, stride 64: t < stride", 32, 0, Some((32, 0))),
    ("sequential", "2048 elements, stride 16: t < stride", 32, 1, Some((32, 1))),
    ("brent-kung", "2048 elements, stride 16: index < 2048", 32, 0, Some((32, 0))),
    ("kogge-stone", "1024 elements, stride 16: t >= stride", 32, 1, Some((32, 1))),
    ("kogge-stone", "1024 elements, stride 64: t >= stride", 32, 0, Some((32, 0))),
    ("loop-parity", "n=1024, 4x256: loop", 32, 32, None),
    // The last two are too large, or not supported by any device, and are counted only by arithmetic.
    ("matmul", "1000x1000, 16x16: bounds, were a warp 64 wide", 15876, 250, Some((15876, 250))),
    ("max-next-3d", "n=1024, rows of 32: the cube of 16 ahead", 33_554_432, 1_048_576, Some((33_554_432, 2_056_448))),
];

/// Every row, counted in all three ways, with a text's statement and its place.
#[test]
fn the_table() {
    let ran = LAB.accepts(&["--exercises"]);
    for (variant, case, warps, diverged, published) in &TABLE {
        let row = ran.rows_of(variant).into_iter().find(|r| r["case"] == *case);
        let row = row.unwrap_or_else(|| panic!("no row {variant}, {case}"));
        let is_run = !row["diverged_ballots"].is_empty();
        assert_eq!(is_run, !row["branch"].contains("arithmetic"), "{row:?}");
        let runs = is_run.then_some(*diverged);
        let (text_warps, text_diverged) = published.unzip();
        for (column, expected) in [
            ("warps", Some(*warps)),
            ("diverged_function", Some(*diverged)),
            ("diverged_ballots", runs),
            ("diverged_machine", runs),
            ("published_warps", text_warps),
            ("published_diverged", text_diverged),
        ] {
            assert_eq!(row[column], expected.map_or_else(String::new, |count| count.to_string()), "{column}: {row:?}");
        }
        assert_eq!(row["published_in"].is_empty(), published.is_none(), "{row:?}");
        // The note reports a difference, with both values.
        let differs = published.is_some_and(|said| said != (*warps, *diverged));
        let told = row["note"].contains("says") && row["note"].contains(&format!("right is {diverged} of {warps}"));
        assert_eq!(told, differs, "{row:?}");
    }
    for phase in 0..7 {
        let (m, n) = if phase < 6 { ("0", "56") } else { ("350", "14") };
        for (loads, diverged) in [("M", m), ("N", n)] {
            let case = format!("100x100, tile 16, phase {phase}: loads of {loads}");
            let row = ran.rows_of("tiled").into_iter().find(|r| r["case"] == case).expect(&case);
            let counts = ["warps", "diverged_function", "diverged_ballots", "diverged_machine"];
            assert_eq!(counts.map(|column| row[column].as_str()), ["392", diverged, diverged, diverged], "{case}");
        }
    }
    for (label, steps, published) in [
        ("both sides in one warp", "3", "3"),
        ("one SM, a warp for each side", "2", ""),
        ("two blocks, one for each side", "2", "2"),
    ] {
        let row = ran.rows_of("branch").into_iter().find(|r| r["case"] == label).expect(label);
        assert_eq!((row["steps"].as_str(), row["published_steps"].as_str()), (steps, published));
    }
    // The device chooses which side comes first.
    for lanes in ["++..".repeat(8), "..--".repeat(8)] {
        assert!(ran.text.contains(&lanes), "{}", ran.text);
    }
}

/// The handout's list of wrong published answers matches the rows.
#[test]
fn the_handouts_list_is_that_of_the_table() {
    let handout = LAB.source("README.md");
    for (_, case, warps, diverged, published) in TABLE {
        if let Some((_, said)) = published.filter(|said| *said != (warps, diverged)) {
            let case = case.split([',', ':']).next().unwrap_or(case);
            let is_told = |line: &&str| {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                line.contains(case)
                    && cells.contains(&said.to_string().as_str())
                    && cells.contains(&diverged.to_string().as_str())
            };
            assert!(handout.lines().any(|line| is_told(&line)), "{case}: {said}, {diverged}");
        }
    }
}

/// One working lane of a warp costs as many instructions as 32; and a filter leaves fewer instructions on long paths.
#[test]
fn idle_lanes_cost_as_much_as_working_ones() {
    let ran = LAB.accepts(&["--variant", "lone", "--variant", "by-data", "--variant", "filtered"]);
    let number = |row: &std::collections::HashMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    for row in ran.rows_of("lone") {
        let cost = number(row, "cost_of_all_lanes");
        assert!((0.9..1.1).contains(&cost), "{row:?}");
    }
    let instructions = |variant: &str| {
        let row = ran.rows_of(variant).into_iter().find(|r| r["case"] == "64 FMA").expect(variant);
        number(row, "warp_instructions")
    };
    assert!(instructions("filtered") < instructions("by-data"));
}

#[test]
fn any_ways_any_block() {
    for (n, threads, ways) in [("1", "1", "1"), ("97", "33", "3"), ("1000", "256", "32"), ("1025", "1024", "31")] {
        let mut options = vec!["--n", n, "--threads", threads, "--ways", ways];
        for variant in ["ways", "together", "apart", "lone", "by-data", "filtered"] {
            options.extend(["--variant", variant]);
        }
        LAB.accepts(&options);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, says) in [
        (["--ways", "33"], "1 to 32 ways"),
        (["--ways", "0"], "at least 1"),
        // Beyond the kernels' 32-bit indices, and beyond any countable size.
        (["--n", "2^31"], "32 bits"),
        (["--n", "2^63"], "--n"),
        (["--threads", "2000"], "--threads"),
        (["--n", "0"], "at least 1"),
    ] {
        LAB.refuses(&arguments, says);
    }
}

/// The key quotes the reference run and the emulated device.
#[test]
fn the_key_quotes_what_was_measured() {
    for (variant, case) in [
        ("together", "4 FMA"),
        ("apart", "4 FMA"),
        ("together", "16 FMA"),
        ("apart", "16 FMA"),
        ("by-data", "64 FMA"),
        ("filtered", "64 FMA"),
        ("by-data", "256 FMA"),
        ("filtered", "256 FMA"),
    ] {
        LAB.quotes(LAB.figure("divergence", variant, case, "time_median_ms"), &format!("{variant}, {case}"));
    }
    for case in ["2 ways", "32 ways"] {
        LAB.quotes(LAB.figure("divergence", "ways", case, "cost_of_one_way"), case);
    }
    let key = LAB.source("ANSWERS.md");
    let ran = LAB.accepts(&["--variant", "lone", "--variant", "by-data", "--variant", "filtered"]);
    for row in ran.rows.iter().filter(|row| !row["case"].ends_with(" 1 FMA") && row["case"] != "1 FMA") {
        assert!(key.contains(&row["warp_instructions"]), "{row:?}");
    }
}
