//! The findings of the machine's checks in the variants that are wrong on purpose, by line, and no findings in the
//! others: not in the halos, the several steps of a launch, or the barrier of the whole grid.
use harness::Expect;
use labtest::{FindingKind, RenderedFinding, Space, line_of, lines};

const LAB: labtest::Lab = labtest::lab!("stencil");
const SIZES: [&str; 12] =
    ["-n", "3001", "--width", "40", "--height", "23", "--steps", "19", "--every", "7", "--tolerance", "0.003"];

/// The line of `text` in `kernel` of `file`.
fn line(file: &str, kernel: &str, text: &str) -> u32 {
    line_of(&LAB.source(&format!("kernels/{file}")), kernel, text)
}

fn reads_past_the_end(told: &RenderedFinding) -> bool {
    told.finding.kind == FindingKind::OutOfBounds { space: Space::Global } && told.headline.contains("read of size 4")
}

#[test]
fn no_right_variant_has_findings() {
    let mut options = [&["--check", "all"], &SIZES[..]].concat();
    for variant in stencil::LAB.variants().into_iter().filter(|variant| variant.expect == Expect::Right) {
        options.extend(["--variant", variant.name]);
    }
    let ran = LAB.accepts(&options);
    // Without the questions: 18 variants with a row each, 2 with two blocks, 7 with two goals.
    let rows = ran.rows.iter().filter(|row| row["question"].is_empty()).count();
    assert_eq!(rows, 18 + 2 * 2 + 7 * 2, "{}", ran.text);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}

#[test]
fn a_blur_without_its_barrier_races() {
    let ran = LAB.accepts(&["--variant", "no-barrier", "-n", "1000"]);
    let (load, blur) =
        (line("wrong.cu", "void no_barrier", "s[t + 1] ="), line("wrong.cu", "void no_barrier", "0.25f * s[t]"));
    let race = ran.race(Space::Shared, [load, blur]);
    assert!(race.text.contains("__syncthreads()"), "{}", race.text);
}

#[test]
fn the_printed_halos_read_past_the_end() {
    for (variant, file, kernel, text, says) in [
        ("past-the-end", "wrong.cu", "void past_the_end", "buffer[n] = x[n]", "index 1000, and there are 0 to 999"),
        // The last block begins at element 2 + 11 x 256, so its halo would be element 2 + 12 x 256 and one more.
        ("fused-printed", "wrong.cu", "float blur", "x[i + 1]", "index 3073, and there are 0 to 3000"),
        ("mean-printed", "plane.cu", "void mean_printed", "s[at + 1] = in[i + 1]", "there are 0 to 919"),
    ] {
        let own = if variant == "mean-printed" { &SIZES[2..6] } else { &SIZES[..2] };
        let ran = LAB.accepts(&[&["--variant", variant], own].concat());
        let found = ran.finding(reads_past_the_end);
        assert_eq!(lines(found), [line(file, kernel, text)], "{}", found.text);
        assert!(found.text.contains(says), "{}", found.text);
        assert!(ran.of(variant)[0]["note"].starts_with("wrong on purpose"), "{}", ran.text);
    }
}

#[test]
fn threads_that_are_left_over_never_come_to_the_barrier() {
    let ran = LAB.accepts(&["--variant", "barrier-in-if"]);
    let found = ran.finding(|told| matches!(told.finding.kind, FindingKind::DivergentBarrier { .. }));
    let [barrier, on] = ["__syncthreads", "if (i == n - 1)"].map(|text| line("wrong.cu", "void barrier_in_if", text));
    assert_eq!(lines(found), [barrier, on], "{}", found.text);
    // 1024 threads, of which 998 take the branch: the last warp has 6 of them.
    assert!(found.text.contains("(992,0,0) in block (0,0,0) and 5 more"), "{}", found.text);
}

/// A fault ruins the context of its own process only.
#[test]
fn rows_after_a_fault_still_run() {
    let mut options = vec!["-n", "1000", "--width", "40", "--height", "23", "--steps", "3", "--tolerance", "1"];
    for variant in ["past-the-end", "fused-printed", "cpu-twice", "mean-printed", "mean-naive", "jacobi-launches"] {
        options.extend(["--variant", variant]);
    }
    let ran = LAB.accepts(&options);
    assert_eq!(ran.rows.iter().filter(|row| row["verdict"] == "pass").count(), 7, "{}", ran.text);
}

/// Blocks of a cluster wait for their two neighbours only. They have the CPU's result to the last bit in planes of any
/// shape, whatever is left of the last round's steps, and nothing that a check finds.
#[test]
fn the_rows_of_a_cluster_arrive_before_they_are_read() {
    for (width, height, steps) in
        [("128", "128", "37"), ("101", "77", "9"), ("127", "5", "8"), ("3", "126", "6"), ("1", "1", "2")]
    {
        let size = ["--width", width, "--height", height, "--steps", steps, "--random-start", "--tolerance", "1"];
        let hopper = ["--device", "emulated:h200", "--check", "all", "--variant", "jacobi-cluster"];
        let ran = LAB.accepts(&[&hopper[..], &size].concat());
        assert_eq!(ran.rows.len(), 2);
        assert!(ran.rows.iter().all(|row| row["verdict"] == "pass"), "{}", ran.text);
        assert!(ran.findings.is_empty(), "{}", ran.text);
    }
    let ran = LAB.accepts(&["--device", "emulated:a100", "--variant", "jacobi-cluster"]);
    assert!(ran.rows.iter().all(|row| row["verdict"] == "skip"), "{}", ran.text);
}
