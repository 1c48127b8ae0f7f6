//! The evidence for each mistake: the machine's finding, by its line, or the words of the check.
use labtest::{FindingKind, Space, is_race, line_of, lines};

use crate::mutants::{EARLY_FREE, LATE_CAST, SKIPPED, WARP_BARRIER};

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
    type Is = fn(&FindingKind) -> bool;
    let cases: [(&str, &str, &str, Is); 8] = [
        ("bounds", "differences", "i <= n", |k| matches!(k, FindingKind::OutOfBounds { space: Space::Global })),
        ("countdown", "last_positive", "row[k] > 0", |k| {
            matches!(k, FindingKind::OutOfBounds { space: Space::Global })
        }),
        ("divergent-barrier", "steps", "__syncthreads()", |k| {
            matches!(k, FindingKind::DivergentBarrier { barrier: 0 })
        }),
        ("uninitialised", "evens", "atomicAdd(&count", |k| {
            matches!(k, FindingKind::Uninitialized { space: Space::Shared })
        }),
        ("wrong-mask", "warp_sums", "__shfl_down_sync", |k| matches!(k, FindingKind::InactiveLane { .. })),
        ("misaligned", "powers", "samples[i]", |k| matches!(k, FindingKind::Misaligned { required: 8, .. })),
        ("small-shared", "smooth", "tile[t] = x[i]", |k| {
            matches!(k, FindingKind::OutOfBounds { space: Space::Shared })
        }),
        ("host-pointer", "checksum", "atomicXor(sum", |k| matches!(k, FindingKind::HostPointer)),
    ];
    for (variant, kernel, text, is) in cases {
        let ran = hunt(variant);
        let found = ran.finding(|f| is(&f.finding.kind));
        assert_eq!(lines(found)[0], line(kernel, text), "{}", found.text);
        assert_eq!(ran.findings.len(), 1, "{}", ran.text);
    }
}

/// The findings say more than the line: they give what a reader needs for the fix.
#[test]
fn findings_say_what_to_do() {
    for (variant, says) in [
        ("bounds", "that is index 1001, and there are 0 to 1000"),
        ("stride", "give each thread an element of its own"),
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

/// No check of the machine can detect that these are wrong: the answer's check describes what all wrong results have in
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

/// The leak check finds the leak, if it is requested.
#[test]
fn the_leak_is_found_where_leaks_are_looked_for() {
    let ran = LAB.accepts(&["--variant", "leak", "--check", "leakcheck"]);
    let found = ran.finding(|f| matches!(f.finding.kind, FindingKind::Leak { allocations: 4, bytes: 16000 }));
    assert!(found.text.contains("4 times 4000 bytes, from cuMemAllocManaged"), "{}", found.text);
    let rest = LAB.accepts(&["--variant", "no-wait", "--check", "leakcheck"]);
    assert!(rest.findings.is_empty(), "{}", rest.text);
}

/// Three mistakes never show in the answer on this machine, and two only occasionally, because blocks run on all cores:
/// only the finding reveals them.
#[test]
fn a_right_answer_proves_nothing() {
    let ran = LAB.accepts(&[]);
    let answers = |answer: &str, variants: &[&str]| {
        let of = |variant: &&str| ran.of(variant)[0]["answer"] == answer;
        assert!(variants.iter().all(of), "{answer}: {variants:?} in {}", ran.text);
    };
    answers("right", &["divergent-barrier", "wrong-mask", "lockstep"]);
    answers("none", &["bounds", "countdown", "misaligned", "small-shared", "host-pointer"]);
    answers("wrong", &["stride", "overflow", "index", "no-barrier", "shared-race"]);
    answers("wrong", &["nan", "order", "wrong-launch", "no-wait", "leak"]);
    for variant in ["divergent-barrier", "wrong-mask", "lockstep", "block-race", "uninitialised"] {
        assert!(ran.findings.iter().any(|f| f.text.contains(kernel_of(variant))), "{variant}: {}", ran.text);
    }
}

/// The kernel of a mistake that does not show in every answer.
fn kernel_of(variant: &str) -> &'static str {
    match variant {
        "divergent-barrier" => "kernel: steps",
        "wrong-mask" => "kernel: warp_sums",
        "lockstep" => "kernel: warp_largest",
        "block-race" => "kernel: total",
        _ => "kernel: evens",
    }
}

/// The teacher's key quotes the output: titles, places, sources and help of the findings, and the notes if there is no
/// finding. Threads, addresses and the number of hazards may differ.
#[test]
fn the_key_shows_what_is_printed() {
    let key = LAB.source("ANSWERS.md");
    let ran = LAB.accepts(&[]);
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed = one_line(&ran.text);
    let mut sections = 0;
    for section in key.split("\n## ").skip(1) {
        let variant = section.lines().next().unwrap();
        let shown = section.split("```").nth(1).unwrap().trim_matches('\n');
        if !shown.starts_with("error: ") {
            assert!(printed.contains(&one_line(shown)), "{variant}: {shown}");
        }
        let is_source = |line: &str| line.split_once(" | ").is_some_and(|(n, _)| n.trim().parse::<u32>().is_ok());
        let is_fixed = |line: &&str| line.contains("--> ") || line.contains("= help: ") || is_source(line);
        for line in shown.lines().filter(is_fixed) {
            assert!(ran.text.contains(line), "{variant}: {line}");
        }
        if let Some(title) = shown.lines().next().filter(|line| line.starts_with("error: ")) {
            let title = title.split(" [").next().unwrap();
            assert!(ran.text.contains(title), "{variant}: {title}");
        }
        sections += 1;
    }
    assert_eq!(sections, 20);
}

/// The key, with a space in place of each line's end.
fn key_in_one_line() -> String {
    LAB.source("ANSWERS.md").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The answers to the handout's questions: what the runs print is what the key quotes.
#[test]
fn the_key_answers_the_questions() {
    let key = key_in_one_line();
    for (variant, options, noted, quoted) in [
        ("bounds", &["-n", "1024"][..], "right by luck in this run", "right by luck in this run"),
        ("bounds", &["-n", "1025"], "Invalid __global__ read", "the read past the end is found"),
        ("stride", &["-n", "256"], "right by luck", "None with `-n 256`"),
        ("stride", &["-n", "600"], " of 600 wrong: [", "344 of 600"),
        ("block-race", &["--schedules", "20"], "Race reported", "`bughunt.cu:135` reads and writes"),
        ("wrong-launch", &["-n", "1023"], "255 of 1023 wrong: [768]", "255 of 1023"),
        ("wrong-launch", &["-n", "1024"], "right by luck", "none (`-n 1024`"),
        ("wrong-launch", &["-n", "255"], "a launch of 0x1x1 blocks", "a launch of 0x1x1 blocks"),
    ] {
        let ran = LAB.run(&[&["--variant", variant], options].concat());
        assert!(ran.of(variant)[0]["note"].contains(noted), "{variant} {options:?}: no `{noted}` in {}", ran.text);
        assert!(key.contains(quoted), "no `{quoted}` in the key");
    }
}

/// The answers about incorrect fixes.
#[test]
#[ignore = "needs NVRTC"]
fn the_key_answers_the_questions_about_mends_nvrtc() {
    let key = key_in_one_line();
    for (mutant, variant, n, noted) in [
        (WARP_BARRIER, "no-barrier", "33", "1 of 33 wrong: [0] is 0"),
        (LATE_CAST, "overflow", "1000", "all 423 wrong results differ"),
        (EARLY_FREE, "leak", "1000", "FREE gives back memory that a queued"),
        (SKIPPED, "nan", "1000", "286 of 2000 wrong: [6] was"),
    ] {
        LAB.rejects(mutant, &["--variant", variant, "-n", n], noted);
        assert!(key.contains(noted), "no `{noted}` in the key");
    }
    let right = LAB.run_mutant(WARP_BARRIER, &["--variant", "no-barrier", "-n", "32"]);
    assert_eq!(right.code, Some(0), "{}", right.text);
    assert!(right.findings.is_empty() && right.of("no-barrier")[0]["note"].is_empty(), "{}", right.text);
}
