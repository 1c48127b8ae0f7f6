//! No rung races, reads unwritten memory or skips a barrier, with two alternating tiles, asynchronous copies or three
//! tiles under way, at a shape that no tile divides.
const LAB: labtest::Lab = labtest::lab!("matmul");

#[test]
fn no_rung_has_findings() {
    let ran = LAB.accepts(&["--check", "all", "--m", "35", "--k", "41", "--n", "67"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    // Only the library's rows are skipped.
    for row in &ran.rows {
        let library = row["variant"].starts_with("cublas");
        assert_eq!(row["verdict"] == "skip", library, "{row:?}");
    }
}

/// What each rung loads from global memory: the machine's counter agrees with the arithmetic, whether or not the tiles
/// fit.
#[test]
fn traffic_is_what_arithmetic_says() {
    for shape in [["64", "64", "64"], ["35", "41", "67"]] {
        let [m, k, n] = shape;
        let ran = LAB.accepts(&["--m", m, "--k", k, "--n", n]);
        let mut rungs = 0;
        for row in ran.rows.iter().filter(|r| !r["load_floats"].is_empty()) {
            assert_eq!(row["counted_load_floats"], row["load_floats"], "{row:?}");
            rungs += 1;
        }
        assert_eq!(rungs, 14, "{}", ran.text);
        if shape == ["64"; 3] {
            for (variant, fold) in [("naive", "1"), ("tiled16", "16"), ("tiled32", "32")] {
                assert_eq!(ran.of(variant)[0]["load_fold"], fold, "{variant}");
            }
        }
    }
}
