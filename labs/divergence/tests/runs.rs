//! The lab on the emulated device: three counts that agree, and work that is right on any number of ways.
const LAB: labtest::Lab = labtest::lab!("divergence");

/// The course's table: variant, case and branch, number of warps, number of diverged warps.
const TABLE: [(&str, &str, u64, u64); 24] = [
    ("picture", "800x600, 16x16: bounds", 15200, 0),
    ("picture", "800x599, 16x16: bounds", 15200, 50),
    ("picture", "799x600, 16x16: bounds", 15200, 300),
    ("vecadd", "n=1000, 4x256: bound", 32, 1),
    ("even-odd", "n=1000, 4x256: even or odd", 32, 32),
    ("even", "n=1000, 16x32: bound", 16, 1),
    // Published as two: one for the tail and one for the data test in the first warp.
    ("odd", "n=1000, 16x32: bound", 16, 1),
    ("odd", "n=1000, 16x32: data", 16, 1),
    ("max-next", "n=1024, 4x256: window", 32, 1),
    ("max-next-3d", "n=64, 32x4x4: along x", 8192, 4096),
    ("max-next-3d", "n=64, 32x4x4: along y", 8192, 0),
    ("max-next-3d", "n=64, 32x4x4: along z", 8192, 0),
    // Published as 32 for both.
    ("average", "n=4096, 16x256: left halo", 128, 16),
    ("average", "n=4096, 16x256: right halo", 128, 16),
    ("matmul", "1000x1000, 16x16: bounds", 31752, 500),
    ("interleaved", "2048 elements, stride 1: t % stride == 0", 32, 0),
    ("interleaved", "2048 elements, stride 16: t % stride == 0", 32, 32),
    ("interleaved", "2048 elements, stride 64: t % stride == 0", 32, 16),
    ("sequential", "2048 elements, stride 64: t < stride", 32, 0),
    ("sequential", "2048 elements, stride 16: t < stride", 32, 1),
    ("brent-kung", "2048 elements, stride 16: index < 2048", 32, 0),
    ("kogge-stone", "1024 elements, stride 16: t >= stride", 32, 1),
    ("kogge-stone", "1024 elements, stride 64: t >= stride", 32, 0),
    ("loop-parity", "n=1024, 4x256: loop", 32, 32),
];

/// Every row, counted in all three ways, agrees with the published counts.
#[test]
fn the_table() {
    let ran = LAB.accepts(&["--exercises"]);
    assert!(!ran.text.contains("refuted"), "{}", ran.text);
    let mut table: Vec<(String, String, u64, u64)> =
        TABLE.iter().map(|(variant, case, w, d)| ((*variant).to_owned(), (*case).to_owned(), *w, *d)).collect();
    for phase in 0..7 {
        let (m, n) = if phase < 6 { (0, 56) } else { (350, 14) };
        for (loads, diverged) in [("loads of M", m), ("loads of N", n)] {
            let case = format!("100x100, tile 16, phase {phase}: {loads}");
            table.push(("tiled".into(), case, 392, diverged));
        }
    }
    for (variant, case, warps, diverged) in &table {
        let row = ran
            .of(variant)
            .into_iter()
            .find(|r| r["case"] == *case)
            .unwrap_or_else(|| panic!("no row {variant}, {case}"));
        for (column, expected) in [
            ("published_warps", warps),
            ("warps", warps),
            ("published_diverged", diverged),
            ("diverged_function", diverged),
            ("diverged_ballots", diverged),
            ("diverged_machine", diverged),
        ] {
            assert_eq!(row[column], expected.to_string(), "{column}: {row:?}");
        }
    }
    // A warp of 64 lanes: by arithmetic alone.
    let wide = ran.of("matmul").into_iter().find(|r| r["case"].contains("64 wide"));
    let wide = wide.expect("the question about a wider warp");
    assert_eq!((wide["warps"].as_str(), wide["diverged_function"].as_str()), ("15876", "250"));
}

#[test]
fn any_ways_any_block() {
    for (n, threads, ways) in [("1", "1", "1"), ("97", "33", "3"), ("1000", "256", "32"), ("1025", "1024", "31")] {
        let mut options = vec!["--n", n, "--threads", threads, "--ways", ways];
        for variant in ["ways", "together", "apart"] {
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
