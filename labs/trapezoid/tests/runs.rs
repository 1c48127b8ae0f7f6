//! The lab on the emulated device: any n, any block, and invalid input.
const LAB: labtest::Lab = labtest::lab!("trapezoid");

#[test]
fn any_n() {
    // Each run also has a dozen small sizes around the warp and the block.
    for n in ["1", "33", "1023", "1025", "10007"] {
        LAB.accepts(&["--n", n]);
    }
}

#[test]
fn any_block_of_whole_warps() {
    for threads in ["32", "96", "992", "1024"] {
        LAB.accepts(&["--n", "3001", "--threads", threads]);
    }
    for threads in ["1", "31", "33", "1000"] {
        LAB.accepts(&["--n", "3001", "--threads", threads, "--variant", "atomic"]);
    }
}

#[test]
fn other_integrals() {
    LAB.accepts(&["--n", "1000", "--from", "0", "--to", "1"]);
    LAB.accepts(&["--n", "1000", "--from", "-2.5", "--to", "1000"]);
}

#[test]
fn traces_of_every_width() {
    for lanes in ["2", "4", "8", "16", "32"] {
        LAB.accepts(&["--trace", "--lanes", lanes]);
    }
    let text = LAB.accepts(&["--trace"]).text;
    for lanes in ["shuffle-32, trace, by xor", "shared-32, trace: "] {
        assert!(text.contains(lanes), "{text}");
    }
    assert!(text.contains("72, exact") && text.contains("73 where 72 is exact"), "{text}");
}

#[test]
fn what_cannot_be_is_refused() {
    LAB.refuses(&["--n", "0"], "at least 1");
    LAB.refuses(&["--n", "-5"], "at least 1");
    // One size is beyond any grid at one point per thread; the other would take longer than anyone would wait.
    let atomic = ["--n", "2^40", "--threads", "256", "--variant", "atomic"];
    LAB.refuses(&atomic, "choose a smaller --n");
    LAB.refuses(&["--n", "2^62", "--variant", "grid-stride"], "at most");
    LAB.refuses(&["--threads", "2048"], "1024");
    LAB.refuses(&["--threads", "100"], "multiple of 32");
    LAB.refuses(&["--n", "1000", "--blocks", "1", "--threads", "32"], "too few");
    LAB.refuses(&["--from", "3", "--to", "-3"], "smaller");
    LAB.refuses(&["--from", "nan"], "smaller");
    LAB.refuses(&["--variant", "no-such"], "no-such");
    LAB.refuses(&["--trace", "--n", "100"], "'--trace' cannot be used with '--n");
    LAB.refuses(&["--lanes", "3", "--trace"], "2, 4, 8, 16 or 32");
}

/// The sums that lie in their warps' first words are all in one bank; the other sums have no bank conflicts.
#[test]
fn own_first_has_a_conflict_of_32_ways() {
    let ran = LAB.accepts(&[
        "-n",
        "4096",
        "--threads",
        "1024",
        "--variant",
        "shared",
        "--variant",
        "own-first",
        "--variant",
        "two-barriers",
    ]);
    for (variant, ways) in [("shared", "1"), ("two-barriers", "1"), ("own-first", "32")] {
        let row = ran.rows_of(variant)[0];
        assert_eq!(row["shared_worst_ways"], ways, "{row:?}");
        assert_eq!(row["shared_bank_conflicts"] == "0", ways == "1", "{row:?}");
    }
}

/// The whole gain: one atomic per point, per warp, or per block; and a block of 256 threads has 8 warps.
#[test]
fn the_atomics_are_as_many_as_the_handout_says() {
    let variants = ["--variant", "atomic", "--variant", "shuffle-32", "--variant", "shuffle", "--variant", "shared"];
    let atomics = |threads: &str, n: &str| {
        let ran = LAB.accepts(&[&variants[..], &["-n", n, "--threads", threads]].concat());
        ["atomic", "shuffle-32", "shuffle", "shared"].map(|variant| {
            let row = ran.rows_of(variant)[0];
            let [lanes, launches] =
                ["global_atomic_lanes", "launches"].map(|column| row[column].parse::<u64>().expect(column));
            lanes / launches
        })
    };
    assert_eq!(atomics("1024", "2^20"), [(1 << 20) - 1, 32_768, 1024, 1024]);
    assert_eq!(atomics("256", "2^12"), [4095, 128, 16, 16]);
}

/// The handout's 465: two reads and a write per step, five steps, each taking 32 passes instead of one.
#[test]
fn own_first_pays_for_465_accesses_a_block() {
    let ran = LAB.accepts(&["-n", "2^14", "--threads", "1024", "--variant", "own-first"]);
    let row = ran.rows_of("own-first")[0];
    let [conflicts, launches] =
        ["shared_bank_conflicts", "launches"].map(|column| row[column].parse::<u64>().expect(column));
    assert_eq!(conflicts, launches * 16 * 5 * 3 * 31);
    assert_eq!(5 * 3 * 31, 465);
}
