//! Barriers in shared memory (`mbarrier`): phases, states, bytes, and their treatment by the checks.

use crate::common::{Arg, Device};
use simt::finding::{FindingKind, MbarrierMisuse, Scope, Space};
use simt::machine::{Checks, Fault, Report};

/// Returns a module with a kernel of these lines, with an mbarrier at `bar`, 64 words at `tile`, and the address of its
/// results in `%out`.
fn module(lines: &str) -> String {
    format!(
        ".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .shared .align 8 .b64 bar;
  .shared .align 16 .b32 tile[64];
  .reg .b64 %out, %state, %s<4>, %at;
  .reg .b32 %t, %r<12>, %mine, %other, %phase;
  .reg .pred %p, %q, %first;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  mov.u32 %r0, tile;
  shl.b32 %mine, %t, 2;
  xor.b32 %other, %mine, 128;
  add.u32 %mine, %mine, %r0;
  add.u32 %other, %other, %r0;
  mul.wide.u32 %at, %t, 4;
  add.u64 %at, %at, %out;
{lines}
  ret;
}}
"
    )
}

/// Runs a kernel of these lines with `threads` threads and all checks, and returns its report and its results.
fn run(lines: &str, threads: u32) -> (Report, Vec<u32>) {
    let mut device = Device::new(&module(lines));
    device.settings.checks = Checks::ALL;
    let out = device.zeros::<u32>(64);
    let (report, _) = device.try_launch("k", [1, 1, 1], [threads, 1, 1], 0, &[Arg::Ptr(out)]);
    (report, device.get(out, 64))
}

fn fine(lines: &str, threads: u32) -> Vec<u32> {
    let (report, results) = run(lines, threads);
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    results
}

const INIT: &str = "  @%first mbarrier.init.shared::cta.b64 [bar], 64;
  bar.sync 0;
";

/// Returns what the thread with that number reads after three rounds, each of which adds the value of a thread of the
/// other warp.
fn exchanged(thread: u32) -> u32 {
    let mut values: Vec<u32> = (0..64).map(|t| t * 3 + 1).collect();
    for _ in 0..3 {
        values = (0..64).map(|t| values[t] + values[t ^ 32]).collect();
    }
    values[thread as usize]
}

fn rounds(wait: &str) -> String {
    format!(
        "{INIT}  mad.lo.u32 %r1, %t, 3, 1;
  mov.u32 %phase, 0;
  mov.u32 %r2, 0;
ROUND:
  st.shared.u32 [%mine], %r1;
  mbarrier.arrive.shared::cta.b64 %state, [bar];
WRITTEN:
{wait}
  @!%p bra WRITTEN;
  ld.shared.u32 %r3, [%other];
  add.u32 %r1, %r1, %r3;
  xor.b32 %phase, %phase, 1;
  mbarrier.arrive.release.cta.shared::cta.b64 %state, [bar];
READ:
{wait}
  @!%p bra READ;
  xor.b32 %phase, %phase, 1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %q, %r2, 3;
  @%q bra ROUND;
  st.global.u32 [%at], %r1;"
    )
}

#[test]
fn phases_order_what_threads_exchange() {
    for wait in [
        "  mbarrier.try_wait.shared::cta.b64 %p, [bar], %state;",
        "  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], %phase;",
        "  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [bar], %phase, 1000;",
        "  mbarrier.test_wait.shared.b64 %p, [bar], %state;",
        "  mbarrier.test_wait.parity.shared.b64 %p, [bar], %phase;",
    ] {
        let got = fine(&rounds(wait), 64);
        for t in 0..64 {
            assert_eq!(got[t as usize], exchanged(t), "thread {t}, {wait}");
        }
    }
}

#[test]
fn a_phase_that_nobody_waits_for_orders_nothing() {
    for (wait, scope) in [("  setp.eq.u32 %p, 0, 0;", Scope::Block), ("", Scope::Block)] {
        let wait = if wait.is_empty() {
            // The wait is for the previous phase, which has ended.
            "  xor.b32 %r9, %phase, 1;\n  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], %r9;"
        } else {
            wait
        };
        let (report, _) = run(&rounds(wait), 64);
        let kind = FindingKind::Race { space: Space::Shared, scope };
        assert!(report.findings.iter().any(|f| f.kind == kind), "{wait}: {:#?}", report.findings);
    }
}

#[test]
fn a_relaxed_arrival_orders_nothing() {
    let lines = rounds("  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], %phase;")
        .replace("mbarrier.arrive.shared::cta.b64 %state", "mbarrier.arrive.relaxed.cta.shared::cta.b64 %state");
    let (report, _) = run(&lines, 64);
    let kind = FindingKind::Race { space: Space::Shared, scope: Scope::Block };
    assert!(report.findings.iter().any(|f| f.kind == kind), "{:#?}", report.findings);
}

#[test]
fn arrivals_that_never_come_are_a_deadlock() {
    for wait in ["try_wait", "test_wait"] {
        let lines = format!(
            "  @%first mbarrier.init.shared::cta.b64 [bar], 65;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 %state, [bar];
AGAIN:
  mbarrier.{wait}.shared::cta.b64 %p, [bar], %state;
  @!%p bra AGAIN;"
        );
        let (report, _) = run(&lines, 64);
        assert_eq!(report.fault, Some(Fault::Deadlock), "{wait}: {:#?}", report.findings);
        let finding = &report.findings[0];
        assert_eq!((&finding.kind, finding.accesses[0].threads), (&FindingKind::Deadlock, 64));
        assert!(finding.notes[0].contains("lacks 1 of 65 arrivals"), "{:?}", finding.notes);
    }
}

/// A thread may count its attempts, and continue without the phase.
#[test]
fn a_wait_runs_out() {
    let lines = "  @%first mbarrier.init.shared::cta.b64 [bar], 2;
  mov.u32 %r1, 0;
AGAIN:
  add.u32 %r1, %r1, 1;
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  setp.lt.u32 %q, %r1, 50;
  and.pred %q, %q, !%p;
  @%q bra AGAIN;
  st.global.u32 [%at], %r1;";
    let lines = lines.replace("and.pred %q, %q, !%p;", "not.pred %p, %p;\n  and.pred %q, %q, %p;");
    assert_eq!(fine(&lines, 1)[0], 50);
}

/// It may also wait for a time.
#[test]
fn a_wait_by_the_clock_ends() {
    let lines = "  mbarrier.init.shared::cta.b64 [bar], 2;
  mov.u64 %s0, %globaltimer;
AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  mov.u64 %s1, %globaltimer;
  sub.u64 %s2, %s1, %s0;
  setp.lt.u64 %q, %s2, 100000000;
  @%q bra AGAIN;
  mov.u32 %r1, 7;
  st.global.u32 [%at], %r1;";
    assert_eq!(fine(lines, 1)[0], 7);
}

/// Compares the states of one thread's arrivals with a count by hand.
#[test]
fn states_drops_and_bytes_are_counted() {
    let lines = "  mbarrier.init.shared::cta.b64 [bar], 6;
  mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %s0, [bar], 2;
  mbarrier.arrive_drop.shared::cta.b64 %s1, [bar];
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 40;
  mbarrier.arrive_drop.noComplete.shared::cta.b64 %s2, [bar], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 %s3, [bar], 24;
  mbarrier.pending_count.b64 %r1, %s0;
  mbarrier.pending_count.b64 %r2, %s1;
  mbarrier.pending_count.b64 %r3, %s2;
  mbarrier.pending_count.b64 %r4, %s3;
  mbarrier.arrive.shared::cta.b64 _, [bar], 1;
  mbarrier.test_wait.shared::cta.b64 %p, [bar], %s0;
  selp.u32 %r5, 1, 0, %p;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 64;
  mbarrier.test_wait.shared::cta.b64 %p, [bar], %s0;
  selp.u32 %r6, 1, 0, %p;
  mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %s0, [bar], 3;
  mbarrier.pending_count.b64 %r7, %s0;
  mbarrier.arrive.b64 %s1, [%at];
  mbarrier.pending_count.b64 %r8, %s1;
  mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 1;
  selp.u32 %r9, 1, 0, %p;
  mbarrier.inval.shared::cta.b64 [bar];
";
    let stores = (1..10).map(|k| format!("  st.global.u32 [%out+{}], %r{k};", 4 * k));
    let stores = stores.collect::<Vec<_>>().join("\n");
    let generic = "  cvta.shared.u64 %at, %state;\n  mbarrier.arrive.b64 %s1, [%at];";
    let lines = lines.replace("  mbarrier.arrive.b64 %s1, [%at];", generic);
    let lines = format!("  mov.u64 %state, bar;\n{lines}{stores}");
    let got = fine(&lines, 1);
    // Of 6 arrivals: two arrive, one is dropped, one is dropped, one arrives with bytes, the last one arrives; the next
    // phase expects two fewer, of which three arrive, and then the last one.
    assert_eq!(&got[1..10], &[6, 4, 3, 2, 0, 1, 4, 1, 1]);
}

#[test]
fn what_is_no_mbarrier_is_found() {
    let wrong = |lines: &str, misuse: MbarrierMisuse| {
        let (report, _) = run(lines, 1);
        assert_eq!(report.fault, Some(Fault::IllegalInstruction), "{lines}");
        assert_eq!(report.findings[0].kind, FindingKind::InvalidMbarrier { misuse }, "{lines}");
    };
    let arrive = "  mbarrier.arrive.shared::cta.b64 %state, [bar];";
    wrong(arrive, MbarrierMisuse::NotInitialised);
    let gone = "  mbarrier.init.shared::cta.b64 [bar], 1;\n  mbarrier.inval.shared::cta.b64 [bar];\n";
    wrong(&format!("{gone}{arrive}"), MbarrierMisuse::NotInitialised);
    wrong("  mbarrier.init.shared::cta.b64 [bar], 0;", MbarrierMisuse::Count);
    let two = "  mbarrier.init.shared::cta.b64 [bar], 1;\n  mbarrier.arrive.shared::cta.b64 %state, [bar], 2;";
    wrong(two, MbarrierMisuse::Arrivals);
    let much =
        "  mbarrier.init.shared::cta.b64 [bar], 1;\n  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;";
    wrong(much, MbarrierMisuse::Bytes);
}

#[test]
fn an_mbarrier_lies_in_shared_memory_and_is_aligned() {
    let lines = "  mbarrier.init.shared::cta.b64 [tile+4], 1;";
    assert_eq!(run(lines, 1).0.fault, Some(Fault::MisalignedAddress));
    let lines = "  mbarrier.init.b64 [%out], 1;";
    assert_eq!(run(lines, 1).0.fault, Some(Fault::IllegalAddress));
}

/// Threads that do not wait for the thread that initialises it.
#[test]
fn an_mbarrier_is_initialised_before_others_use_it() {
    let lines = "  mbarrier.init.shared::cta.b64 [bar], 64;
  mbarrier.arrive.shared::cta.b64 %state, [bar];"
        .replace("  mbarrier.init", "  @%first mbarrier.init");
    let (report, _) = run(&lines, 64);
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { space: Space::Shared, .. })));
}
