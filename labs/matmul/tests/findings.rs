//! No rung races, reads unwritten memory or skips a barrier, with two alternating tiles, asynchronous copies or three
//! tiles in flight, at a shape that no tile divides.
const LAB: labtest::Lab = labtest::lab!("matmul");

#[test]
fn no_rung_has_findings() {
    let mut options = vec!["--device", "emulated:a100", "--check", "all", "--m", "35", "--k", "41", "--n", "67"];
    for variant in harness::VariantTable::variants(&matmul::RUNGS) {
        options.extend(["--variant", variant.name]);
    }
    for variant in ["cublas", "cublas-tf32", "cublas-bf16", "bf16", "bf16-hopper", "matvec-naive", "matvec"] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    // Only the library's rows are skipped, and on this device those for other devices.
    for row in &ran.rows {
        let is_hopper = row["variant"].ends_with("hopper");
        assert_eq!(row["verdict"] == "skip", is_hopper || row["variant"].starts_with("cublas"), "{row:?}");
        assert_eq!(row["note"].contains("only compute capability 9.0 has"), is_hopper, "{row:?}");
    }
}

/// A tile shared by several clusters, of which the last one to arrive adds up all partial sums; and a tile of 128 x
/// 128.
#[test]
fn clusters_that_meet_have_no_findings() {
    let small = ["--device", "emulated:h200", "--check", "all", "--variant", "bf16-small-hopper"];
    let small = [&small[..], &["--variant", "tf32-small-hopper"]].concat();
    for (shape, notes) in [
        (["30", "16000", "40"], ["tf32_small_8, 64 slices", "bf16_small_8, 32 slices"]),
        (["1000", "70", "300"], ["tf32_medium_1, 1 slices", "bf16_medium_1, 1 slices"]),
        (["400", "300", "500"], ["tf32_medium_2, 2 slices", "bf16_medium_1, 1 slices"]),
        (["130", "1100", "520"], ["tf32_medium_8, 8 slices", "bf16_medium_8, 8 slices"]),
    ] {
        let ran = LAB.accepts(&[&small[..], &["--m", shape[0], "--k", shape[1], "-n", shape[2]]].concat());
        assert!(ran.findings.is_empty(), "{}", ran.text);
        for (row, note) in ran.rows.iter().zip(notes) {
            assert!(row["verdict"] == "pass" && row["note"].contains(note), "{row:?}");
        }
    }
}

/// On Hopper: one tile with sides that nothing divides and rows that TMA cannot read; more depth than stages; more
/// tiles than clusters, so that a cluster takes several; and a depth that is cut.
#[test]
fn no_rung_for_hopper_has_findings() {
    let hopper = ["--device", "emulated:h200", "--check", "all"];
    let variants: Vec<&str> =
        harness::VariantTable::variants(&matmul::HOPPER).iter().map(|variant| variant.name).collect();
    for [m, k, n] in [["35", "41", "67"], ["260", "328", "136"], ["17000", "9", "257"], ["64", "2000", "96"]] {
        let mut options = [&hopper[..], &["--m", m, "--k", k, "--n", n]].concat();
        for variant in &variants {
            options.extend(["--variant", variant]);
        }
        let ran = LAB.accepts(&options);
        assert!(ran.findings.is_empty(), "{}", ran.text);
        assert!(
            ran.rows.len() == variants.len() && ran.rows.iter().all(|row| row["verdict"] == "pass"),
            "{}",
            ran.text
        );
        for row in &ran.rows {
            let rewrites = !["260", "64"].contains(&m) || row["variant"] == "tf32x3-hopper";
            assert_eq!(row["note"].contains("rewriting A and B"), rewrites, "{row:?}");
            let slices = match (&row["variant"][..], m) {
                ("bf16-small-hopper", "64") => "bf16_small_8, 8 slices",
                ("tf32-small-hopper", "64") => "tf32_small_8, 8 slices",
                _ => "",
            };
            assert!(row["note"].contains(slices), "{row:?}");
        }
    }
}

/// The tiles of `float-even-hopper`, and the ways to cut the depth, that no shape above uses.
#[test]
fn no_tile_for_hopper_has_findings() {
    for ([m, k, n], note) in [
        (["600", "673", "1260"], "float_medium_2, 2 slices"),
        (["127", "320", "1087"], "float_small_2, 2 slices"),
        (["64", "2000", "64"], "float_small, 63 slices"),
    ] {
        let options = ["--device", "emulated:h200", "--check", "all", "--variant", "float-even-hopper"];
        let ran = LAB.accepts(&[&options[..], &["--m", m, "--k", k, "--n", n]].concat());
        assert!(ran.findings.is_empty(), "{}", ran.text);
        let row = ran.rows_of("float-even-hopper")[0];
        assert!(row["verdict"] == "pass" && row["note"].contains(note), "{m}x{k}x{n}: {row:?}");
    }
}

/// The last tiles in shares: of less than a tile and of more, of one step each, and with the last tiles being all
/// tiles; and no shares. The parts of a tile are added in the same order in every run.
#[test]
fn shares_that_meet_have_no_findings() {
    let even = ["--device", "emulated:h200", "--check", "all", "--variant", "float-even-hopper"];
    let ran = LAB.accepts(&[&even[..], &["--m", "4200", "--k", "9", "--n", "4150"]].concat());
    let row = ran.rows_of("float-even-hopper")[0];
    assert!(ran.findings.is_empty() && row["note"].contains("float_even, 0 shares"), "{}", ran.text);
    for ([m, k, n], shares, all) in [
        (["300", "200", "516"], "5", 5),
        (["130", "100", "390"], "3", 3),
        (["257", "70", "129"], "29", 18),
        (["513", "40", "260"], "7", 7),
    ] {
        let even =
            ["--device", "emulated:h200", "--check", "all", "--variant", "float-even-hopper", "--slices", shares];
        let ran = LAB.accepts(&[&even[..], &["--m", m, "--k", k, "--n", n]].concat());
        assert!(ran.findings.is_empty(), "{}", ran.text);
        let row = ran.rows_of("float-even-hopper")[0];
        assert!(row["verdict"] == "pass" && row["note"].contains(&format!("float_even, {all} shares")), "{row:?}");
    }
}

/// The loads of each rung from global memory: the machine's counters agree with the arithmetic, whether or not the
/// tiles fit.
#[test]
fn traffic_is_what_arithmetic_says() {
    for shape in [["64", "64", "64"], ["35", "41", "67"]] {
        let [m, k, n] = shape;
        let ran = LAB.accepts(&["--m", m, "--k", k, "--n", n]);
        let (mut rungs, mut with_sectors) = (0, 0);
        for row in ran.rows.iter().filter(|r| !r["load_floats"].is_empty()) {
            assert_eq!(row["counted_load_floats"], row["load_floats"], "{row:?}");
            rungs += 1;
            if !row["load_sectors"].is_empty() {
                assert_eq!(row["counted_load_sectors"], row["load_sectors"], "{row:?}");
                with_sectors += 1;
            }
        }
        assert_eq!(rungs, 17, "{}", ran.text);
        // Tiles of 10 do not end with a sector, and neither do rows of 41 or 67 elements.
        assert_eq!(with_sectors, if shape == ["64"; 3] { 16 } else { 0 });
        if shape == ["64"; 3] {
            for (variant, floats, sectors) in [("naive", "1", "1"), ("tiled16", "16", "8"), ("tiled32", "32", "16")] {
                let row = ran.rows_of(variant)[0];
                assert_eq!((&row["load_fold"][..], &row["sector_fold"][..]), (floats, sectors), "{variant}");
            }
        }
    }
}

/// Slices begin at a sector, whatever their number.
#[test]
fn slices_of_the_depth_load_whole_sectors() {
    for slices in ["3", "5", "7"] {
        let ran =
            LAB.accepts(&["--variant", "depth-parallel", "--m", "32", "--k", "1000", "--n", "32", "--slices", slices]);
        let row = ran.rows_of("depth-parallel")[0];
        assert!(row["note"].starts_with(&format!("{slices} slices of ")), "{row:?}");
        assert_eq!(row["counted_load_sectors"], row["load_sectors"], "{row:?}");
    }
}

/// Only the transposing stores of `warp-tile` have bank conflicts, one each: 8 for every warp and tile. The assembler
/// merges neighbouring reads in `register-2d` into wide ones, so it has the conflicts of `vectorized`.
#[test]
fn bank_conflicts_are_those_of_the_handout() {
    let names = ["register-2d", "vectorized", "warp-tile"];
    let mut options = vec!["--n", "256"];
    for name in names {
        options.extend(["--variant", name]);
    }
    let ran = LAB.accepts(&options);
    let conflicts = names.map(|name| ran.rows_of(name)[0]["shared_bank_conflicts"].parse::<u32>().unwrap());
    let (blocks, tiles, warps, stores) = (4, 256 / 16, 8, 8);
    assert_eq!(conflicts, [65_536, 65_536, blocks * tiles * warps * stores]);
    let handout = LAB.source("README.md");
    for count in conflicts {
        assert!(handout.contains(&count.to_string()), "{count}");
    }
}

#[test]
fn a_launch_the_wrong_way_round_is_refused_leaves_results_out_or_is_right_by_luck() {
    for (n, note) in [
        // 16 x 16 blocks of 16 x 16 threads look the same when grid and block are exchanged.
        ("256", "right by luck in this run"),
        // Blocks of 15 x 15 threads, 16 x 16 of them: 240 of 250 rows and columns.
        ("250", "4900 of 62500 wrong: [row 0, column 240] was never written"),
        ("1000", "62 x 62 x 1 = 3844 threads; wrong on purpose"),
    ] {
        let ran = LAB.accepts(&["--variant", "swapped", "--n", n]);
        let row = ran.rows_of("swapped")[0];
        assert!(row["note"].contains(note), "{n}: {row:?}");
        assert_eq!(row["note"].contains("the driver refuses the launch"), n == "1000", "{row:?}");
    }
    let ran = LAB.accepts(&["--variant", "depth-too-deep", "--n", "64"]);
    assert!(ran.rows_of("depth-too-deep")[0]["note"].contains("2048 threads in a block; 1024 allowed"), "{}", ran.text);
}
