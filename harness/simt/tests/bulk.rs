//! Bulk copies (`cp.async.bulk`): what they move, what must be waited for, and what a device rejects.

use crate::common::{Arg, Device};
use gpu::Part;
use simt::finding::{FindingKind, Scope, Space};
use simt::machine::{Checks, Fault, Report};

/// Returns a module with a kernel of these lines for 64 threads: `tile` and `other` have 256 words each, `bar` is an
/// mbarrier for one arrival, `%in` and `%out` are addresses of global memory.
fn module(lines: &str) -> String {
    format!(
        ".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
  .shared .align 8 .b64 bar;
  .shared .align 128 .b32 tile[256];
  .shared .align 128 .b32 other[256];
  .reg .b64 %in, %out, %state, %at;
  .reg .b32 %t, %r<8>, %mine;
  .reg .pred %p, %first;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  mov.u32 %mine, tile;
  mad.lo.u32 %mine, %t, 16, %mine;
  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  bar.sync 0;
{lines}
  ret;
}}
"
    )
}

/// Runs such a kernel with all checks on 256 words, and returns its report and the 256 words that it has written.
fn run(lines: &str) -> (Report, Vec<u32>) {
    let mut device = Device::new(&module(lines));
    device.settings.checks = Checks::ALL;
    let input: Vec<u32> = (0..256).map(|i| i * i + 7).collect();
    let (input, out) = (device.put(&input), device.put(&[1000u32; 256]));
    let (report, _) = device.try_launch("k", [1, 1, 1], [64, 1, 1], 0, &[Arg::Ptr(input), Arg::Ptr(out)]);
    (report, device.get(out, 256))
}

const LOAD: &str = "  @!%first bra LOADED;
  mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 1024;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%in], 1024, [bar];
LOADED:
";
const WAIT: &str = "WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
";
const DOUBLE: &str = "  ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%mine];
  shl.b32 %r0, %r0, 1;
  shl.b32 %r1, %r1, 1;
  shl.b32 %r2, %r2, 1;
  shl.b32 %r3, %r3, 1;
  st.shared.v4.u32 [%mine], {%r0, %r1, %r2, %r3};
  fence.proxy.async.shared::cta;
  bar.sync 0;
";
const STORE: &str = "  @!%first bra STORED;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [tile], 1024;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
STORED:
  bar.sync 0;
";

fn races(report: &Report, scope: Scope) -> bool {
    report.findings.iter().any(|f| f.kind == FindingKind::Race { space: Space::Shared, scope })
}

#[test]
fn a_tile_comes_and_goes_in_bulk() {
    let overwrite = "  st.shared.u32 [%mine], %t;\n";
    let (report, got) = run(&[LOAD, WAIT, DOUBLE, STORE, overwrite].concat());
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    for (i, value) in got.iter().enumerate() {
        assert_eq!(*value, 2 * (i * i + 7) as u32, "word {i}");
    }
}

#[test]
fn a_copy_that_nobody_has_waited_for_has_not_come() {
    let (report, _) = run(&[LOAD, DOUBLE].concat());
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    let finding = report.findings.iter().find(|f| matches!(f.kind, FindingKind::Race { .. })).expect("a race");
    assert!(finding.remedy.as_deref().unwrap_or_default().contains("mbarrier"), "{finding:#?}");
    // A barrier of the block does not wait for it.
    let (report, _) = run(&[LOAD, "  bar.sync 0;\n", DOUBLE].concat());
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    // The thread that began it must not use it either.
    let (report, _) = run(&[LOAD, "  @%first ld.shared.u32 %r0, [tile];\n"].concat());
    assert!(races(&report, Scope::Thread), "{:#?}", report.findings);
}

/// The second warp does not wait, and nothing else orders it after the first.
#[test]
fn each_thread_waits_or_is_told() {
    let some = "  setp.ge.u32 %p, %t, 32;\n  @%p bra READ;\n";
    let read = "READ:\n  ld.shared.u32 %r0, [%mine];\n";
    let (report, _) = run(&[LOAD, some, WAIT, read].concat());
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    let told = "READ:\n  bar.sync 0;\n  ld.shared.u32 %r0, [%mine];\n";
    let (report, _) = run(&[LOAD, some, WAIT, told].concat());
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
}

#[test]
fn what_a_copy_reads_must_not_change_before() {
    let early = STORE.replace("  cp.async.bulk.wait_group.read 0;\n", "");
    let fill = "  st.shared.v4.u32 [%mine], {%t, %t, %t, %t};\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n";
    let overwrite = "  st.shared.u32 [%mine], %t;\n";
    let (report, _) = run(&[fill, &early, overwrite].concat());
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    // Reads do not conflict with it.
    let (report, _) = run(&[fill, &early, "  ld.shared.u32 %r0, [%mine];\n"].concat());
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    // A group that is still open is not waited for.
    let open = STORE.replace("  cp.async.bulk.commit_group;\n", "");
    let (report, _) = run(&[fill, &open, overwrite].concat());
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
}

#[test]
fn misaligned_and_outside() {
    for (wrong, fault) in [
        (LOAD.replace("[%in]", "[%in+8]"), Fault::MisalignedAddress),
        (LOAD.replace("[tile]", "[tile+4]"), Fault::MisalignedAddress),
        (LOAD.replace("[%in], 1024", "[%in], 1000"), Fault::MisalignedAddress),
        (LOAD.replace("[%in]", "[%out+16]"), Fault::IllegalAddress),
        (LOAD.replace("[tile]", "[other+1024]"), Fault::IllegalAddress),
    ] {
        let (report, _) = run(&wrong);
        assert_eq!(report.fault, Some(fault), "{wrong}");
    }
}

/// Sums, minima, maxima and bitwise operations, compared with the host's results.
#[test]
fn reductions_in_bulk() {
    let value = |i: u32| (i / 4).wrapping_mul(0x9e37) ^ 0x3f0;
    let fill = "  mul.lo.u32 %r0, %t, 0x9e37;\n  xor.b32 %r0, %r0, 0x3f0;
  st.shared.v4.u32 [%mine], {%r0, %r0, %r0, %r0};\n  fence.proxy.async;\n  bar.sync 0;\n";
    type Combine = fn(u32, u32) -> u32;
    let operations: [(&str, Combine); 6] = [
        ("add.u32", |a, b| a.wrapping_add(b)),
        ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
        ("max.u32", |a, b| a.max(b)),
        ("xor.b32", |a, b| a ^ b),
        ("inc.u32", |a, b| if a >= b { 0 } else { a + 1 }),
        // Unlike atomics, these sums keep subnormal numbers.
        ("add.f32", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits()),
    ];
    for (operation, combine) in operations {
        // For sums of f32, the values are integers.
        let float = operation == "add.f32";
        let fill = if float { fill.replace("  st.", "  cvt.rn.f32.u32 %r0, %r0;\n  st.") } else { fill.to_owned() };
        let value = |i: u32| if float { (value(i) as f32).to_bits() } else { value(i) };
        let reduce = format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%out]");
        let store = STORE.replace("cp.async.bulk.global.shared::cta.bulk_group [%out]", &reduce);
        let (report, got) = run(&[&fill[..], &store].concat());
        assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]), "{operation}");
        for (i, got) in (0..).zip(&got) {
            assert_eq!(*got, combine(1000, value(i)), "{operation}, word {i}");
        }
    }
}

/// Copies of single lanes (`cp.async`) report to an mbarrier, too.
#[test]
fn copies_of_lanes_arrive() {
    let lines = "  @%first mbarrier.init.shared::cta.b64 [bar], 64;
  bar.sync 0;
  mad.wide.u32 %at, %t, 16, %in;
  cp.async.cg.shared.global [%mine], [%at], 16;
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  mov.u32 %r1, tile;
  sub.u32 %r0, %mine, %r1;
  xor.b32 %r0, %r0, 512;
  add.u32 %r0, %r0, %r1;
  ld.shared.u32 %r2, [%r0];
  mad.wide.u32 %at, %t, 4, %out;
  st.global.u32 [%at], %r2;";
    let (report, got) = run(lines);
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    for t in 0..64 {
        let from = 4 * (t ^ 32);
        assert_eq!(got[t], (from * from + 7) as u32, "thread {t}");
    }
    // Without the wait, another warp's part has not arrived.
    let (report, _) =
        run(&lines.replace("mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;", "setp.eq.u32 %p, 0, 0;"));
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
}

/// Runs a kernel of these lines for one warp of a B200, and returns its report and the 64 words of `sh`, in shared
/// memory, which were ones before.
fn filled(lines: &str) -> (Report, Vec<u32>) {
    let mut device = Device::of(
        Part::find("b200").expect("a part"),
        &format!(
            ".version 8.6
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .shared .align 16 .b32 sh[64];
  .reg .b64 %out, %at, %generic, %bytes;
  .reg .b32 %t, %r<4>;
  .reg .pred %first;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  mad.lo.u32 %r0, %t, 8, sh;
  st.shared.v2.u32 [%r0], {{1, 1}};
  mov.u64 %at, sh;
  cvta.shared.u64 %generic, %at;
  bar.sync 0;
{lines}
  bar.sync 0;
  ld.shared.v2.u32 {{%r1, %r2}}, [%r0];
  mad.wide.u32 %out, %t, 8, %out;
  st.global.v2.u32 [%out], {{%r1, %r2}};
  ret;
}}
"
        ),
    );
    device.settings.checks = Checks::ALL;
    let out = device.put(&[1000u32; 64]);
    let (report, _) = device.try_launch("k", [1, 1, 1], [32, 1, 1], 0, &[Arg::Ptr(out)]);
    (report, device.get(out, 64))
}

#[test]
fn a_fill_writes_zeros_and_nothing_else() {
    for (fill, zeros) in [
        ("@%first st.bulk [%generic], 256, 0;", 0..64),
        ("@%first st.bulk.weak.shared::cta [%at+8], 24, 0;", 2..8),
        ("@%first st.bulk.shared::cta [sh+240], 16, 0;", 60..64),
        ("@%first st.bulk [%generic], 0, 0;", 0..0),
        // Each lane fills its own word.
        ("cvt.u64.u32 %bytes, 8; mov.u32 %r3, %r0; st.bulk.shared::cta [%r3], %bytes, 0;", 0..64),
    ] {
        let (report, got) = filled(fill);
        assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]), "{fill}");
        let expected: Vec<u32> = (0..64).map(|word| u32::from(!zeros.contains(&word))).collect();
        assert_eq!(got, expected, "{fill}");
    }
}

#[test]
fn a_fill_outside_of_shared_memory_is_found() {
    for (fill, fault) in [
        ("@%first st.bulk [%generic+4], 16, 0;", Fault::MisalignedAddress),
        ("mov.u64 %bytes, 12; @%first st.bulk [%generic], %bytes, 0;", Fault::MisalignedAddress),
        ("@%first st.bulk [%generic+8], 256, 0;", Fault::IllegalAddress),
        ("@%first st.bulk [%out], 16, 0;", Fault::IllegalAddress),
        ("mov.u64 %bytes, -8; @%first st.bulk [%generic], %bytes, 0;", Fault::IllegalAddress),
    ] {
        let (report, _) = filled(fill);
        assert_eq!(report.fault, Some(fault), "{fill}");
    }
    // Other lanes must not read the words without a barrier.
    let (report, _) = filled("@%first st.bulk [%generic], 256, 0; ld.shared.u32 %r3, [%r0];");
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { .. })), "{:#?}", report.findings);
}
