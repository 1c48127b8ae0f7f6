//! The variants that are wrong on purpose: the findings of the machine's checks in each, with every access.
use labtest::{AccessKind, FindingKind, Space, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("reduction");

#[test]
fn a_stride_of_the_whole_block_reads_past_the_shared_array() {
    let ran = LAB.accepts(&["--variant", "stride-blockdim", "-n", "4096", "--threads", "256"]);
    let source = LAB.source("kernels/wrong.cu");
    let add = line_of(&source, "void stride_blockdim", "s[t] += s[t + stride]");
    let space = Space::Shared;
    let found = ran.finding(|f| f.finding.kind == FindingKind::OutOfBounds { space });
    let read = &found.finding.accesses[0];
    assert_eq!((read.what, read.size), (AccessKind::Read, 4), "{}", found.text);
    assert_eq!(lines(found), [add], "{}", found.text);
    assert!(found.headline.starts_with("Invalid __shared__ read of size 4 bytes"), "{}", found.text);
    for says in ["stride_blockdim", "by thread (", "`s`", "of size 1024 bytes"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    let row = ran.of("stride-blockdim")[0];
    assert!(row["note"].contains("Invalid __shared__ read"), "{row:?}");
}

/// The faulting variant runs in a separate process, so the rows after it still run.
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
    for variant in [
        "interleaved",
        "sequential",
        "padded",
        "shuffle",
        "one-block",
        "two-pass",
        "atomic-finish",
        "cas-loop",
        "spin-lock",
        "vectorized",
    ] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.len(), 3 * 10);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

#[test]
fn without_a_guard_the_last_block_reads_past_the_array() {
    let ran = LAB.accepts(&["--variant", "unguarded", "-n", "4099", "--threads", "256"]);
    let source = LAB.source("kernels/wrong.cu");
    let load = line_of(&source, "void unguarded", "x[i] + x[i + blockDim.x]");
    let space = Space::Global;
    let found = ran.finding(|f| f.finding.kind == FindingKind::OutOfBounds { space });
    assert_eq!(lines(found), [load], "{}", found.text);
    assert!(ran.of("unguarded")[0]["note"].contains("Invalid __global__ read"), "{}", ran.text);
    // One full block is right. Eight are not: the second launch has only their eight results to read.
    let ran = LAB.accepts(&["--variant", "unguarded", "-n", "4096", "--threads", "256"]);
    assert!(ran.of("unguarded")[0]["note"].contains("Invalid __global__ read"), "{}", ran.text);
    let ran = LAB.accepts(&["--variant", "unguarded", "-n", "512", "--threads", "256"]);
    assert!(ran.of("unguarded")[0]["note"].ends_with("right by luck in this run"), "{}", ran.text);
}

/// No check of the machine finds these two: every access is within its array, and none races. Only the answer shows the
/// mistake.
#[test]
fn a_wrong_place_and_a_wrong_condition_show_in_the_answer() {
    let ran =
        LAB.accepts(&["--variant", "overlapping", "--variant", "cas-precedence", "-n", "4096", "--threads", "256"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let [overlapping, precedence] = ["overlapping", "cas-precedence"].map(|v| &ran.of(v)[0]["note"]);
    assert!(overlapping.contains("wrong: [sum] is"), "{overlapping}");
    assert!(overlapping.contains("[ones among zeros] is"), "{overlapping}");
    assert!(precedence.contains("wrong: [sum] is"), "{precedence}");
}

/// The votes of a block and its warps: the answers match the CPU's.
#[test]
fn votes_are_counted() {
    let ran = LAB.accepts(&["--variant", "votes"]);
    let notes: Vec<&str> = ran.of("votes").iter().map(|row| row["note"].as_str()).collect();
    assert_eq!(notes[3], "count 1, and 0, or 1; warps: all [0, 0, 0], any [0, 1, 0]");
    assert_eq!(notes.len(), 4);
}

/// Ones in 16 bits: a float can hold their sum, a half stagnates at 2048.
#[test]
fn a_sum_in_half_stands_still() {
    let ran = LAB.accepts(&["--check", "all", "--variant", "ones"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let sums: Vec<&str> = ran.of("ones").iter().map(|row| row["result"].as_str()).collect();
    assert_eq!(sums, ["131072", "131072", "65536"]);
}

#[test]
fn random_halves_are_added_in_float() {
    let variants = ["--variant", "half", "--variant", "bfloat16", "--variant", "half-in-half"];
    let ran = LAB.accepts(&[&variants[..], &["--check", "all", "-n", "100003"]].concat());
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let [half, bfloat16, in_half] = ["half", "bfloat16", "half-in-half"].map(|variant| ran.of(variant)[0]);
    assert_eq!([&half["note"], &bfloat16["note"]], ["", ""]);
    assert_eq!(half["result"], bfloat16["result"]);
    assert!(in_half["note"].contains("1 of 1 wrong: [sum] is"), "{in_half:?}");
}
