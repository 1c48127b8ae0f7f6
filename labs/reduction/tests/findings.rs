//! The variants that are wrong on purpose: what the machine's checks find in each, with every access.
use labtest::{Kind, Space, What, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("reduction");

#[test]
fn a_stride_of_the_whole_block_reads_past_the_shared_array() {
    let ran = LAB.accepts(&["--variant", "stride-blockdim", "-n", "4096", "--threads", "256"]);
    let source = LAB.source("kernels/wrong.cu");
    let add = line_of(&source, "void stride_blockdim", "s[t] += s[t + stride]");
    let space = Space::Shared;
    let found = ran.finding(|f| f.finding.kind == Kind::OutOfBounds { space });
    let read = &found.finding.accesses[0];
    assert_eq!((read.what, read.size), (What::Read, 4), "{}", found.text);
    assert_eq!(lines(found), [add], "{}", found.text);
    assert!(found.headline.starts_with("Invalid __shared__ read of size 4 bytes"), "{}", found.text);
    for says in ["stride_blockdim", "by thread (", "`s`", "of size 1024 bytes"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    let row = ran.of("stride-blockdim")[0];
    assert!(row["note"].contains("Invalid __shared__ read"), "{row:?}");
}

/// The faulting variant runs in a process of its own, so the rows after it still run.
#[test]
fn the_others_run_after_the_fault() {
    let ran = LAB.accepts(&[
        "--variant",
        "stride-blockdim",
        "--variant",
        "no-barrier",
        "--variant",
        "vectorized",
        "--op",
        "sum",
        "-n",
        "4096",
    ]);
    let verdicts: Vec<&str> = ran.rows.iter().map(|r| r["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["pass"; 3], "{}", ran.text);
}

#[test]
fn rounds_without_a_barrier_race_in_shared_memory() {
    let ran = LAB.accepts(&["--variant", "no-barrier", "-n", "4096", "--threads", "256"]);
    let source = LAB.source("kernels/wrong.cu");
    let line = |text| line_of(&source, "void no_barrier", text);
    let (load, add) = (line("s[t] = load_two"), line("s[t] += s[t + half]"));
    // The race is between warps at the load, and between the lanes of the last warp in its last rounds.
    let between_warps = ran.race(Space::Shared, [load, add]);
    assert!(between_warps.text.contains("__syncthreads()"), "{}", between_warps.text);
    let inside_one = ran.race(Space::Shared, [add, add]);
    for found in [between_warps, inside_one] {
        assert!(found.text.contains("no_barrier"), "{}", found.text);
        assert_eq!(found.text.matches("by thread (").count(), 2, "{}", found.text);
    }
    let row = ran.of("no-barrier")[0];
    assert!(row["note"].starts_with("wrong on purpose"), "{row:?}");
}

#[test]
fn the_right_methods_have_no_findings() {
    let mut options = vec!["--check", "all", "-n", "5001", "--threads", "96"];
    for variant in
        ["interleaved", "sequential", "shuffle", "one-block", "two-pass", "atomic-finish", "cas-loop", "vectorized"]
    {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.len(), 3 * 8);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
