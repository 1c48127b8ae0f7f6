//! The text's table of run times: the notes show it in full, and the ratios derived from it are right.
use std::collections::HashMap;

use trapezoid::LAB;

/// The text's milliseconds, by the column and the variant.
fn text() -> HashMap<(&'static str, &'static str), f64> {
    let of = |p: &'static harness::Published| p.figures.iter().map(|f| ((p.column, f.variant), f.value));
    LAB.published.iter().filter(|p| p.column != "published_kernel_ms").flat_map(of).collect()
}

/// The cells of the row of the notes that begins with `first`.
fn cells(notes: &str, first: &str) -> Vec<f64> {
    let row = notes.lines().find(|line| line.starts_with(&format!("| {first} |"))).unwrap_or_else(|| panic!("{first}"));
    row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect()
}

#[test]
fn the_notes_have_the_texts_table() {
    let notes = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/NOTES.md")).unwrap();
    let text = text();
    for (name, variant) in [
        ("one CPU core", "serial"),
        ("original", "atomic"),
        ("32 a block, shuffle", "shuffle-32"),
        ("32 a block, shared", "shared-32"),
        ("any block, shuffle", "shuffle"),
        ("any block, shared", "shared"),
    ] {
        let expected = [text[&("published_jetson_ms", variant)], text[&("published_wrapper_ms", variant)]];
        assert_eq!(cells(&notes, name)[..2], expected, "{name}");
        if variant != "serial" {
            // How many times faster than the original.
            for (of, column) in ["published_jetson_ms", "published_wrapper_ms"].into_iter().enumerate() {
                let times = text[&(column, "atomic")] / text[&(column, variant)];
                let printed = cells(&notes, name)[2 + of];
                assert!((printed - times).abs() < 0.006 * times, "{name}, {column}: {printed}, not {times}");
            }
        }
    }
}

/// The text's statements about it: the small GPU is faster than the small core, one fast core than the small GPU, and
/// the large GPU than the fast core by 45%.
#[test]
fn the_texts_ratios() {
    let text = text();
    let ratio = |a, b| text[&a] / text[&b];
    for ((a, b), times) in [
        ((("published_jetson_ms", "serial"), ("published_jetson_ms", "atomic")), 1.62),
        ((("published_jetson_ms", "atomic"), ("published_wrapper_ms", "serial")), 4.62),
        ((("published_wrapper_ms", "serial"), ("published_wrapper_ms", "atomic")), 1.45),
    ] {
        assert!((ratio(a, b) - times).abs() < 0.006, "{a:?} to {b:?}");
    }
}
