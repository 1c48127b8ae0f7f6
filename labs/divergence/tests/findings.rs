//! The machine's findings in the course's wrong kernels, by line; and no findings in the others.
use labtest::{FindingKind, Lab, Ran, Space, line_of, lines};

const LAB: Lab = labtest::lab!("divergence");

fn is_outside(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::OutOfBounds { space: Space::Global })
}

/// A finding in `kernel` of `wrong.cu` on the line with `text`.
fn finds(ran: &Ran, is: fn(&FindingKind) -> bool, kernel: &str, text: &str) {
    let source = LAB.source("kernels/wrong.cu");
    let line = line_of(&source, &format!("void {kernel}("), text);
    // The access may lie in a function that is called on that line.
    let called = |told: &labtest::RenderedFinding| {
        told.finding.accesses.iter().flat_map(|a| &a.place.inlined_at).any(|caller| caller.line == line)
    };
    ran.finding(|told| is(&told.finding.kind) && (lines(told).contains(&line) || called(told)));
}

#[test]
fn a_thread_reads_past_the_end() {
    let ran = LAB.accepts(&["--exercises", "--variant", "parity-past-end"]);
    assert_eq!(ran.rows.len(), 1);
    finds(&ran, is_outside, "parity_past_end", "taps(in, i, i % 2)");
}

#[test]
fn a_split_reads_what_nobody_wrote_and_before_the_first() {
    let ran = LAB.accepts(&["--exercises", "--variant", "parity-split"]);
    let is_unset = |kind: &FindingKind| matches!(kind, FindingKind::Uninitialized { space: Space::Global, .. });
    finds(&ran, is_unset, "split_odd", "out[i] += ");
    finds(&ran, is_outside, "split_even", "taps(in, i, 1)");
}

#[test]
fn the_other_exercises_have_no_findings() {
    let ran = LAB.accepts(&["--exercises", "--check", "all", "--variant", "branch", "--variant", "max-from-zero"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    assert!(ran.rows_of("max-from-zero")[0]["note"].contains("not one of them"), "{}", ran.text);
}
