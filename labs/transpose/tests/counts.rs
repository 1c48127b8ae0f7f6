//! The handout's figures about sectors and banks: closed formulas, the counting functions and the machine's counters
//! agree.
use std::collections::HashMap;

use transpose::counting::{WARP, ways};

const LAB: labtest::Lab = labtest::lab!("transpose");

/// Runs the lab on 64 x 64, whose lines have 4096 floats, with an option's values; for every row that passes, the
/// machine's counts match the arithmetic.
fn rows(variant: &str, option: &str, values: &[u32]) -> Vec<HashMap<String, String>> {
    let given: Vec<String> = values.iter().map(|value| format!("--{option}={value}")).collect();
    let mut arguments = vec!["--no-exercises", "-n", "64", "--variant", variant];
    arguments.extend(given.iter().map(String::as_str));
    let rows = LAB.accepts(&arguments).rows;
    assert_eq!(rows.len(), values.len());
    rows
}

fn number(row: &HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} in {row:?}"))
}

#[test]
fn a_stride_of_s_floats_touches_4_s_sectors_and_at_most_32() {
    let strides = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33, 64];
    for (row, stride) in rows("copy-stride", "stride", &strides).iter().zip(strides) {
        assert_eq!(row["stride"], stride.to_string());
        let counted = number(row, "counted_load_sectors_per_request");
        assert_eq!(counted, number(row, "load_sectors_per_request"), "stride {stride}");
        // With these strides every warp has 32 lanes, and its first float begins a sector.
        if stride.is_power_of_two() {
            assert_eq!(number(row, "counted_store_sectors_per_request"), 4.0);
            assert_eq!(counted, f64::from((4 * stride).min(32)), "stride {stride}");
        }
    }
}

#[test]
fn an_offset_inside_of_a_sector_costs_one_more() {
    let offsets: Vec<u32> = (0..=32).collect();
    for (row, offset) in rows("copy-offset", "offset", &offsets).iter().zip(&offsets) {
        assert_eq!(row["offset"], offset.to_string());
        let expected = if offset % 8 == 0 { 4.0 } else { 5.0 };
        assert_eq!(number(row, "counted_load_sectors_per_request"), expected, "offset {offset}");
        assert_eq!(number(row, "counted_store_sectors_per_request"), 4.0);
    }
}

/// Sectors of a load and of a store, and conflicts, of each variant on 64 x 64: 4096 floats.
#[test]
fn what_the_table_of_the_handout_says() {
    let column_reads = 4096 / 32;
    for (variant, load, store, conflicts) in [
        ("copy", 4, 4, 0),
        ("copy-wide", 16, 16, 0),
        ("aos", 16, 16, 0),
        ("soa", 4, 4, 0),
        ("aos-whole", 16, 16, 0),
        ("naive-read", 4, 32, 0),
        ("naive-write", 32, 4, 0),
        ("tiled", 4, 4, 31 * column_reads),
        ("padded", 4, 4, 0),
        ("swizzled", 4, 4, 0),
        ("vectorized", 16, 16, 0),
        ("grouped", 16, 16, 0),
        ("grouped-512", 16, 16, 0),
        ("grouped-tall", 16, 16, 0),
        ("grouped-wide", 16, 16, 0),
    ] {
        let ran = LAB.accepts(&["-n", "64", "--variant", variant]);
        let row = ran.rows_of(variant)[0];
        assert_eq!(number(row, "counted_load_sectors_per_request"), f64::from(load), "{variant}");
        assert_eq!(number(row, "counted_store_sectors_per_request"), f64::from(store), "{variant}");
        assert_eq!(number(row, "counted_bank_conflicts"), f64::from(conflicts), "{variant}");
        let most = if variant == "tiled" { 32.0 } else { 1.0 };
        assert!(number(row, "shared_worst_ways") <= most && (variant != "tiled" || row["shared_worst_ways"] == "32"));
    }
}

/// For matrices whose rows do not begin at a sector boundary the arithmetic still matches the machine's counts:
/// otherwise the row fails.
#[test]
fn odd_shapes_are_counted_as_well() {
    for (m, n) in [
        ("1", "1"),
        ("67", "35"),
        ("33", "100"),
        ("100", "33"),
        ("130", "66"),
        ("65", "129"),
        ("5", "400"),
        ("600", "9"),
        ("255", "64"),
        ("383", "37"),
        ("500", "100"),
    ] {
        let ran = LAB.accepts(&["--m", m, "-n", n]);
        // Four are grouped: in groups of 8 if there are more than 8 rows of tiles, and in one of all.
        let groups = if m == "600" { 8 } else { 4 };
        let compared = ran.rows.iter().filter(|row| !row["counted_bank_conflicts"].is_empty());
        assert_eq!(compared.count(), 2 + 10 + 3 + 6 + groups, "{}", ran.text);
    }
}

#[test]
fn the_ways_of_a_column_are_the_divisor_that_its_pitch_shares_with_32() {
    for (pitch, expected) in [(32, 32), (33, 1), (34, 2), (36, 4), (40, 8), (48, 16), (31, 1)] {
        assert_eq!(ways((0..WARP).map(|y| y * pitch)), expected, "a row of {pitch} words");
    }
    for x in 0..WARP {
        assert_eq!(ways((0..WARP).map(|y| 32 * y + (x ^ y))), 1);
    }
    // Lanes that read the same word share the pass.
    assert_eq!(ways([7; 32].into_iter()), 1);
}
