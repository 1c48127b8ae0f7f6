//! The variants that are wrong on purpose: the findings of the machine's checks in each, with both accesses.
use labtest::{FindingKind, Space, is_race, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("trapezoid");
const KERNELS: &str = "kernels/trapezoid.cu";
const WRONG: &str = "kernels/wrong.cu";

/// Line of `text` in the wrong kernel `kernel`.
fn wrong(kernel: &str, text: &str) -> u32 {
    line_of(&LAB.source(WRONG), &format!("void {kernel}"), text)
}

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

/// Lanes read what other lanes of their warp write. This is right only while the lanes run in lockstep, which nothing
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

/// Between a thread's read of the sum and its write others read and write it, and most additions are lost.
#[test]
fn a_plain_addition_races_in_global_memory() {
    let ran = LAB.accepts(&["--variant", "plain-add", "-n", "3001"]);
    let add = wrong("trap_plain_add", "*sum += f(a + i * h)");
    let found = ran.race(Space::Global, [add, add]);
    assert!(found.text.contains("use atomicAdd"), "{}", found.text);
    let row = ran.of("plain-add")[0];
    // At most one addition of each warp remains, so a 32nd of 24; and the ends, 20 h / 2.
    assert!(row["value"].parse::<f64>().unwrap() < 0.8, "{row:?}");
}

/// Thread 0 writes the sum to which others add, and nothing orders the two.
#[test]
fn a_start_by_thread_0_races_with_the_additions() {
    let ran = LAB.accepts(&["--variant", "thread-0-starts", "-n", "3001"]);
    let lines = ["if (i == 0) *sum =", "atomicAdd(sum, f"].map(|text| wrong("trap_thread_0_starts", text));
    ran.race(Space::Global, lines);
}

/// Shuffles whose mask names lanes that have returned, or that never existed.
#[test]
fn shuffles_read_lanes_that_are_not_there() {
    let ran = LAB.accepts(&["--variant", "early-return", "--variant", "partial-warp", "-n", "3001"]);
    let shuffle = |file| line_of(&LAB.source(file), "float warp_sum", "__shfl_down_sync");
    for (kernel, line) in [("trap_early_return", shuffle(WRONG)), ("trap_shuffle", shuffle(KERNELS))] {
        let found = ran.finding(|f| {
            matches!(f.finding.kind, FindingKind::InactiveLane { .. }) && f.kernel_name == kernel && lines(f) == [line]
        });
        assert!(found.text.contains("Shuffle from inactive lane"), "{}", found.text);
    }
    // The first warp's sum is lost with its lane 0; of 48 threads only the first 32 count.
    let row = ran.of("early-return")[1];
    assert!(row["note"].contains("[n = 2] is 30, should be 33"), "{row:?}");
    let value = |ran: &labtest::Ran| ran.of("partial-warp")[0]["value"].parse::<f64>().unwrap();
    assert!((value(&ran) - 16.0).abs() < 0.2, "{}", ran.text);
    let more = LAB.accepts(&["--variant", "partial-warp", "-n", "2^16"]);
    assert!((value(&more) - 16.0).abs() < 0.02, "{}", more.text);
}

/// Lanes that wait at a barrier, and the rest of their warp that waits for them elsewhere: a deadlock.
#[test]
fn a_barrier_in_an_if_holds_up_the_block() {
    let ran = LAB.accepts(&["--variant", "barrier-in-if", "-n", "3001"]);
    let barrier = wrong("trap_barrier_in_if", "__syncthreads()");
    let diverged = ran.finding(|f| f.finding.kind == FindingKind::DivergentBarrier { barrier: 0 });
    assert_eq!(lines(diverged)[0], barrier, "{}", diverged.text);
    let stuck =
        ran.finding(|f| matches!(f.finding.kind, FindingKind::MissingLanes { arrived: 0xffff_fffe, exited: 0, .. }));
    assert!(lines(stuck).contains(&barrier), "{}", stuck.text);
    for row in ran.of("barrier-in-if") {
        assert!(row["note"].contains("CUDA_ERROR_LAUNCH_TIMEOUT"), "{row:?}");
    }
}

/// One array for two purposes needs both barriers: each prevents a different race.
#[test]
fn two_barriers_guard_against_two_races() {
    let of_sum = ["float sum = words[lane]", "words[lane] = sum"]
        .map(|text| line_of(&LAB.source(WRONG), "float shared_sum", text));
    for (variant, kernel) in
        [("no-first-barrier", "trap_no_first_barrier"), ("no-second-barrier", "trap_no_second_barrier")]
    {
        let ran = LAB.accepts(&["--variant", variant, "-n", "3001", "--threads", "256"]);
        let write = wrong(kernel, "if (lane == 0) words[warp] = total");
        let found = ran.finding(|f| {
            let lines = lines(f);
            is_race(f, Space::Shared) && lines.contains(&write) && of_sum.iter().any(|line| lines.contains(line))
        });
        // Without the first barrier warp 0's own sum is at risk, without the second the sum of the sums.
        let inlined =
            wrong(kernel, if kernel.contains("first") { "shared_sum(words + warp" } else { "shared_sum(words)" });
        assert!(found.text.contains(&format!("wrong.cu:{inlined}:")), "{}", found.text);
    }
}

/// With 32 warps all words are written by their warps; with 8, one of the others is not written at all.
#[test]
fn a_word_too_few_is_zeroed() {
    let unset = |threads| LAB.accepts(&["--variant", "unset-word", "-n", "3001", "--threads", threads]);
    let ran = unset("256");
    let read = line_of(&LAB.source(WRONG), "float shared_sum", "float sum = words[lane]");
    let found =
        ran.finding(|f| f.finding.kind == FindingKind::Uninitialized { space: Space::Shared } && lines(f) == [read]);
    // Word 8 of the second array.
    assert!(found.text.contains("warp_sums+0x20"), "{}", found.text);
    assert!(unset("1024").findings.is_empty());
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
