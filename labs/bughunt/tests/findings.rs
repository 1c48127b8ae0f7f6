//! What leads to each mistake: the machine's finding, by its line, or the words of the check.
use labtest::{Kind, Space, is_race, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("bughunt");

/// The line of `text` in the lab's kernel.
fn line(kernel: &str, text: &str) -> u32 {
    line_of(&LAB.source("kernels/bughunt.cu"), &format!("void {kernel}("), text)
}

/// Runs the lab's own kernel of `variant`.
fn hunt(variant: &str) -> labtest::Ran {
    LAB.accepts(&["--variant", variant])
}

#[test]
fn races_are_found_with_both_lines() {
    for (variant, kernel, space, [first, second]) in [
        ("stride", "brighten", Space::Global, ["pixels[i] += 10"; 2]),
        ("index", "turn", Space::Global, ["turned[x * width + y]"; 2]),
        ("no-barrier", "mirror", Space::Shared, ["tile[t] = x", "tile[length - 1 - t]"]),
        ("shared-race", "tally", Space::Shared, ["bins[bytes[i] % 8] += 1"; 2]),
        ("block-race", "total", Space::Global, ["*sum += words[0]"; 2]),
        ("lockstep", "warp_largest", Space::Shared, ["mine[lane] = i < n", "mine[lane + half]"]),
    ] {
        let ran = hunt(variant);
        ran.race(space, [line(kernel, first), line(kernel, second)]);
        assert!(ran.findings.iter().all(|f| is_race(f, space)), "{}", ran.text);
    }
}

#[test]
fn other_mistakes_are_found_at_their_lines() {
    type Is = fn(&Kind) -> bool;
    let cases: [(&str, &str, &str, Is); 8] = [
        ("bounds", "differences", "i <= n", |k| matches!(k, Kind::OutOfBounds { space: Space::Global })),
        ("countdown", "last_positive", "row[k] > 0", |k| matches!(k, Kind::OutOfBounds { space: Space::Global })),
        ("divergent-barrier", "steps", "__syncthreads()", |k| matches!(k, Kind::DivergentBarrier { barrier: 0 })),
        ("uninitialised", "evens", "atomicAdd(&count", |k| matches!(k, Kind::Uninitialized { space: Space::Shared })),
        ("wrong-mask", "warp_sums", "__shfl_down_sync", |k| matches!(k, Kind::InactiveLane { .. })),
        ("misaligned", "powers", "samples[i]", |k| matches!(k, Kind::Misaligned { required: 8, .. })),
        ("small-shared", "smooth", "tile[t] = x[i]", |k| matches!(k, Kind::OutOfBounds { space: Space::Shared })),
        ("host-pointer", "checksum", "atomicXor(sum", |k| matches!(k, Kind::HostPointer)),
    ];
    for (variant, kernel, text, is) in cases {
        let ran = hunt(variant);
        let found = ran.finding(|f| is(&f.finding.kind));
        assert_eq!(lines(found)[0], line(kernel, text), "{}", found.text);
        assert_eq!(ran.findings.len(), 1, "{}", ran.text);
    }
}

/// The findings say more than the line: what a reader needs for the mend.
#[test]
fn findings_say_what_to_do() {
    for (variant, says) in [
        ("bounds", "that is index 1001, and there are 0 to 1000"),
        ("stride", "by thread (0,0,0) in block (1,0,0)"),
        ("divergent-barrier", "move the barrier out of the branch"),
        ("shared-race", "use atomicAdd"),
        ("uninitialised", "shared memory holds nothing when a block begins"),
        ("wrong-mask", "move it out of the branch"),
        ("lockstep", "__syncwarp()"),
        ("misaligned", "must be a multiple of 8, and is 4 more than one"),
        ("small-shared", "pass enough bytes at the launch"),
        ("host-pointer", "managed or mapped memory"),
    ] {
        let ran = hunt(variant);
        assert!(ran.findings.iter().any(|f| f.text.contains(says)), "{variant}: no `{says}` in:\n{}", ran.text);
    }
}

/// No check of the machine can know that these are wrong: the answer's check says what all wrong results have in
/// common.
#[test]
fn where_nothing_is_found_the_check_leads() {
    for (variant, says) in [
        ("overflow", "all 423 wrong results differ from the right ones by multiples of 2^32"),
        ("nan", "all 286 wrong results belong to the vector (0, 0)"),
        ("nan", "286 of 2000 wrong: [6] is NaN, should be 0"),
        ("order", "all 1000 wrong results are multiples of 4, like all floats from 2^25 to 2^26"),
        ("wrong-launch", "clamp_shape chose 3 blocks of 256 threads"),
        ("wrong-launch", "232 of 1000 wrong: [768] was never written"),
        ("no-wait", "largest_calls: when the host read the result, the kernel was still queued"),
        ("no-wait", "1 of 1 wrong: [0] is 0, should be"),
        ("leak", "digits_calls: 16000 bytes were allocated and never freed"),
    ] {
        let ran = hunt(variant);
        let row = ran.of(variant)[0];
        assert!(row["note"].contains(says), "{variant}: no `{says}` in {}", row["note"]);
        assert_eq!(row["answer"], "wrong");
        assert!(ran.findings.is_empty(), "{}", ran.text);
    }
}

/// The leak check knows what was left, if it is asked.
#[test]
fn the_leak_is_found_where_leaks_are_looked_for() {
    let ran = LAB.accepts(&["--variant", "leak", "--check", "leakcheck"]);
    let found = ran.finding(|f| matches!(f.finding.kind, Kind::Leak { allocations: 4, bytes: 16000 }));
    assert!(found.text.contains("4 times 4000 bytes, from cuMemAllocManaged"), "{}", found.text);
    let rest = LAB.accepts(&["--variant", "no-wait", "--check", "leakcheck"]);
    assert!(rest.findings.is_empty(), "{}", rest.text);
}

/// Four mistakes do not show in the answer on this machine, and the finding alone tells.
#[test]
fn a_right_answer_proves_nothing() {
    let right = ["divergent-barrier", "block-race", "wrong-mask", "lockstep"];
    let ran = LAB.accepts(&[]);
    let answers =
        |answer| ran.rows.iter().filter(move |row| row["answer"] == answer).map(|row| row["variant"].as_str());
    let mut seen: Vec<&str> = answers("right").collect();
    seen.sort_unstable();
    let mut expected = right;
    expected.sort_unstable();
    assert_eq!(seen, expected, "{}", ran.text);
    assert_eq!(answers("none").count(), 5, "{}", ran.text);
    assert_eq!(answers("wrong").count(), 11, "{}", ran.text);
}
