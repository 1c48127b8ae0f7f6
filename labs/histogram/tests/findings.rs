//! The variants that are wrong on purpose: the findings of the machine's checks in each, with both accesses.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("histogram");

#[test]
fn plain_additions_race_in_global_memory() {
    for (variant, function, kernel) in [
        ("partitioned-racy", "void partitioned_racy(", "partitioned_racy_letters"),
        ("strided-racy", "void strided_racy(", "strided_racy_letters"),
    ] {
        let ran = LAB.accepts(&[
            "--variant",
            variant,
            "--bins",
            "letters",
            "--text",
            "uniform",
            "-n",
            "4096",
            "--blocks",
            "2",
        ]);
        let source = LAB.source("kernels/histogram.cu");
        let add = line_of(&source, function, "counts[bin] += 1");
        let found = ran.race(Space::Global, [add, add]);
        for says in [kernel, "atomic"] {
            assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
        }
        assert_eq!(found.text.matches("by thread (").count(), 2, "{}", found.text);
        let row = ran.rows_of(variant)[0];
        assert!(row["note"].contains("Race") && row["note"].contains("7 of 7 wrong"), "{row:?}");
        let lost: i64 = row["lost"].parse().unwrap();
        assert!(lost > 0, "{row:?}");
    }
}

/// All other methods, on every kind of bins and on the text with the most contention: the checks find nothing.
#[test]
fn the_right_methods_have_no_findings() {
    let mut options = vec!["--check", "all", "--text", "same", "-n", "5001", "--blocks", "2"];
    for variant in ["atomic", "matched", "privatized", "reduced", "wide", "lanes", "bit-sliced"] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.len(), 13);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
