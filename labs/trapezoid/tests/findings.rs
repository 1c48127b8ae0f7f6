//! The variants that are wrong on purpose: what the machine's checks find in each, with both accesses.
use labtest::{Space, is_race, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("trapezoid");
const KERNELS: &str = "kernels/trapezoid.cu";

/// Warp 0 adds up the warps' sums although the other warps may not have written them yet.
#[test]
fn the_race_is_one_between_the_warps_in_shared_memory() {
    let ran = LAB.accepts(&["--variant", "race", "-n", "3001", "--threads", "256"]);
    let source = LAB.source(KERNELS);
    let write = line_of(&source, "void trap_race", "warp_sums[warp] = total");
    let sum = ["words[lane * spread] + words[partner", "words[lane * spread] = sum"]
        .map(|text| line_of(&source, "float shared_sum", text));
    let found = ran.finding(|f| {
        let lines = lines(f);
        is_race(f, Space::Shared) && lines.contains(&write) && sum.iter().any(|line| lines.contains(line))
    });
    for says in ["trap_race", "warp_sums", "by thread (", "the kernel's", "__syncthreads()"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    for row in ran.of("race") {
        assert!(row["note"].starts_with("wrong on purpose (no __syncthreads"), "{row:?}");
    }
}

/// Lanes read what other lanes of their warp write. This is right only while the lanes run in step, which nothing
/// guarantees.
#[test]
fn the_lockstep_sum_races_inside_a_warp() {
    let ran = LAB.accepts(&["--variant", "lockstep", "-n", "3001"]);
    let source = LAB.source(KERNELS);
    let add = line_of(&source, "void trap_lockstep", "words[lane] += words[(lane + distance)");
    let found = ran.race(Space::Shared, [add, add]);
    for says in ["trap_lockstep", "__syncwarp()", "by thread (", "lockstep"] {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    // The sum itself may well be right; only the finding reveals the mistake.
    for row in ran.of("lockstep") {
        assert!(row["note"].contains("Race"), "{row:?}");
    }
}

/// The same sums with their barriers: no check finds anything.
#[test]
fn the_right_sums_have_no_findings() {
    let mut options = vec!["--check", "all", "-n", "2000", "--threads", "256"];
    for variant in [
        "atomic",
        "shuffle-32",
        "shared-32",
        "shuffle",
        "shared",
        "two-barriers",
        "own-first",
        "grid-stride",
        "compensated",
        "f64",
    ] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.len(), 20);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
