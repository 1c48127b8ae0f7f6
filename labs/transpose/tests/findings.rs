//! The variants that are wrong on purpose: the machine's checks find the mistakes, at their lines, and find nothing in
//! the other variants.
use labtest::{Space, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("transpose");

#[test]
fn without_the_barrier_the_tile_is_raced_for() {
    let ran = LAB.accepts(&["--variant", "no-barrier", "--m", "40", "-n", "70"]);
    let source = LAB.source("kernels/wrong.cu");
    let line = |text| line_of(&source, "void no_barrier", text);
    ran.race(Space::Shared, [line("tile[i][lane] ="), line("= tile[lane][i]")]);
}

#[test]
fn a_tile_that_is_written_where_it_was_read_leaves_a_tall_matrix() {
    let line = line_of(&LAB.source("kernels/wrong.cu"), "void swapped", "= tile[lane][i]");
    let ran = LAB.accepts(&["--variant", "swapped", "--m", "200", "-n", "70"]);
    let found = ran.finding(|f| f.title.contains("Invalid __global__ write"));
    assert_eq!(lines(found)[0], line, "{}", ran.text);
    // In a square matrix all tiles are written, but in the wrong places: only the answer shows it.
    let ran = LAB.accepts(&["--variant", "swapped", "-n", "64"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    assert!(ran.rows_of("swapped")[0]["note"].contains("2048 of 4096 wrong"), "{}", ran.text);
}

#[test]
fn sixteen_bytes_at_an_address_for_four_are_refused() {
    let line = line_of(&LAB.source("kernels/wrong.cu"), "void misaligned", "*(const float4*)");
    let ran = LAB.accepts(&["--variant", "misaligned", "--m", "9", "-n", "70"]);
    let found = ran.finding(|f| f.text.contains("misaligned"));
    assert_eq!(lines(found)[0], line, "{}", ran.text);
    let ran = LAB.accepts(&["--variant", "misaligned", "--m", "9", "-n", "72"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    assert!(ran.rows_of("misaligned")[0]["note"].contains("right by luck"), "{}", ran.text);
}

#[test]
fn the_right_variants_have_no_findings() {
    let right = ["device-copy", "copy", "copy-wide", "copy-stride", "copy-offset", "aos", "soa", "aos-whole"];
    let turning = [
        "naive-read",
        "naive-write",
        "tiled",
        "padded",
        "swizzled",
        "vectorized",
        "grouped",
        "grouped-512",
        "grouped-tall",
        "grouped-wide",
        "thin",
        "thin-back",
    ];
    for (m, n) in [("70", "100"), ("67", "131"), ("66", "132"), ("499", "16"), ("15", "514"), ("200", "67")] {
        let mut options = vec!["--no-exercises", "--check", "all", "--m", m, "-n", n];
        options.extend(right.iter().chain(&turning).flat_map(|variant| ["--variant", *variant]));
        let ran = LAB.accepts(&options);
        assert_eq!(ran.rows.len(), 3 + 10 + 3 + 12, "{}", ran.text);
        assert!(ran.findings.is_empty(), "{}", ran.text);
    }
}

/// On Hopper: whole and partial tiles, rows that a bulk copy can write and others, rows that are read four floats at a
/// time and others.
#[test]
fn bulk_copies_store_any_shape_and_have_no_findings() {
    let sides = ["1", "3", "4", "15", "16", "63", "64", "68", "129", "513", "516"];
    for (i, m) in sides.iter().enumerate() {
        for n in [sides[i], sides[(i + 3) % sides.len()], sides[(i + 7) % sides.len()]] {
            let device = ["--no-exercises", "--check", "all", "--device", "emulated:h200"];
            let variants = ["--variant", "bulk", "--variant", "bulk-columns", "--variant", "thin-bulk"];
            let ran = LAB.accepts(&[&device[..], &variants, &["--m", m, "-n", n]].concat());
            assert!(ran.rows.len() == 3 && ran.rows.iter().all(|row| row["verdict"] == "pass"), "{}", ran.text);
            assert!(ran.findings.is_empty(), "{}", ran.text);
        }
    }
}
