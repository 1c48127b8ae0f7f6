//! A barrier that is missing between several lines is one finding.

use crate::common::{Arg, Device};
use simt::finding::{Finding, FindingKind, Scope};
use simt::machine::Checks;

/// The races of a block of 64 threads that runs this body. `%r2` is the thread's place in the shared array `s`, `%r3`
/// that of its neighbour in the other warp.
fn races(body: &str) -> Vec<Finding> {
    let mut device = Device::new(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{
        .reg .b32 %r<40>; .reg .b64 %rd<4>; .reg .pred %p<4>; .shared .align 4 .b8 s[4096];
        ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; xor.b32 %r4, %r1, 32; mov.u32 %r5, 0;
        mov.u32 %r6, s; mad.lo.u32 %r2, %r1, 64, %r6; mad.lo.u32 %r3, %r4, 64, %r6;\n{body}\nret;\n}}\n"
    ));
    device.settings.checks = Checks { race: true, ..Checks::MEMORY };
    let at = device.zeros::<u32>(64);
    let report = device.launch("k", 1, 64, &[Arg::Ptr(at)]);
    assert!(report.findings.iter().all(|found| matches!(found.kind, FindingKind::Race { scope: Scope::Block, .. })));
    report.findings
}

/// Lines that store the thread's words of these numbers.
fn stores(words: std::ops::Range<u32>) -> String {
    words.map(|i| format!("st.shared.u32 [%r2+{}], %r1;\n", 4 * i)).collect::<Vec<_>>().concat()
}

/// Lines that load its neighbour's words.
fn loads(words: std::ops::Range<u32>) -> String {
    let load = |i: u32| format!("ld.shared.u32 %r{}, [%r3+{}];\nadd.u32 %r5, %r5, %r{};\n", 10 + i, 4 * i, 10 + i);
    words.map(load).collect::<Vec<_>>().concat()
}

#[test]
fn several_lines_on_both_sides_of_a_missing_barrier_are_one_finding() {
    let found = races(&format!("{}{}", stores(0..7), loads(0..7)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].notes.iter().any(|note| note.contains("between 6 more pairs of lines")), "{:?}", found[0].notes);
    // Each pair of lines, by each warp.
    assert!(found[0].count >= 7, "{}", found[0].count);
    assert_eq!(races(&format!("{}bar.sync 0;\n{}", stores(0..7), loads(0..7))), []);
}

#[test]
fn two_missing_barriers_are_two_findings() {
    let (first, second) = (0..3, 5..8);
    let both = format!(
        "{}{}bar.sync 0;\n{}{}",
        stores(first.clone()),
        loads(first.clone()),
        stores(second.clone()),
        loads(second.clone())
    );
    assert_eq!(races(&both).len(), 2);
    // Without a barrier in between, one cannot stand at both places either.
    let apart = format!("{}{}{}{}", stores(first.clone()), loads(first), stores(second.clone()), loads(second));
    assert_eq!(races(&apart).len(), 2);
}

#[test]
fn a_barrier_that_is_missing_at_the_end_of_a_loop_is_one_finding() {
    let round = |end: &str| {
        format!(
            "mov.u32 %r7, 0;\nagain:\n{}bar.sync 0;\n{}{end}add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 3;\n@%p1 bra again;",
            stores(0..4),
            loads(0..4)
        )
    };
    let found = races(&round(""));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].notes.iter().any(|note| note.contains("between 3 more pairs of lines")), "{:?}", found[0].notes);
    assert_eq!(races(&round("bar.sync 0;\n")), []);
}

#[test]
fn what_no_barrier_orders_is_not_taken_together() {
    // Every thread changes one word by two lines, which race with themselves and with each other.
    let found = races("ld.shared.u32 %r10, [s];\nadd.u32 %r10, %r10, %r1;\nst.shared.u32 [s], %r10;");
    assert!(found.len() >= 2, "{found:?}");
}
