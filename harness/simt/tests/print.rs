//! The output of kernels, and their assertion failures.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::finding::{AccessKind, FindingKind, Relation, Space};
use simt::machine::Fault;
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/print.cu"));

fn printed(kernel: &str, grid: u32, block: u32) -> String {
    let device = Device::new(&PTX);
    let (report, text) = device.try_launch(kernel, [grid, 1, 1], [block, 1, 1], 0, &[]);
    assert_eq!((report.fault, report.findings.len()), (None, 0));
    text
}

#[test]
fn every_thread_prints_its_line() {
    let text = printed("hello", 3, 40);
    let want: String =
        (0..3).flat_map(|b| (0..40).map(move |t| format!("Hello from thread {t} of block {b}\n"))).collect();
    assert_eq!(text, want);
}

#[test]
fn what_a_full_buffer_drops_is_the_oldest_whichever_block_runs_first() {
    let print = |bytes: usize, seed: u64, workers: usize| {
        let mut device = Device::new(&PTX);
        (device.settings.print_bytes, device.settings.seed, device.settings.workers) = (bytes, seed, workers);
        device.try_launch("hello", [300, 1, 1], [64, 1, 1], 0, &[]).1
    };
    let whole = print(usize::MAX, 0, 1);
    for (bytes, seed, workers) in [(100, 0, 1), (10_000, 0, 1), (10_000, 3, 1), (10_000, 0, 4), (500_000, 5, 4)] {
        let whole = if seed == 0 { whole.clone() } else { print(usize::MAX, seed, 1) };
        let text = print(bytes, seed, workers);
        assert!(text.len() <= bytes && whole.ends_with(&text), "{bytes} {seed} {workers}");
        // One more line would not fit.
        let before = whole[..whole.len() - text.len()].trim_end_matches('\n');
        let line = before.len() - before.rfind('\n').unwrap();
        assert!(text.starts_with("Hello from") && text.len() + line > bytes, "{bytes} {seed} {workers}: {text:.80}");
    }
    assert_eq!(print(usize::MAX, 0, 4), whole);
    let usual = Device::new(&PTX).settings.print_bytes;
    assert_eq!(usual, 1 << 20);
}

#[test]
fn all_conversions() {
    let text = printed("conversions", 1, 1);
    let lines: Vec<&str> = text.lines().collect();
    let want = [
        "-5|42|4000000000|10|ff|FF|z|text|%",
        "   42|42   |00042|+42| 42|0xff|007",
        "3.141590|2.72|     1.500|2.2       |1.234568e+04|1.200000E-04|1e-10|1E+20|0x1p+0",
        "-1234567890123|9876543210|18446744073709551615|deadbeefcafe|4464|4464",
        "    42|42    |3.14||     right|left      |cu",
        "no arguments",
    ];
    assert_eq!(&lines[..6], &want);
    assert!(lines[6] == "inf -inf nan" || lines[6] == "inf -inf -nan", "{}", lines[6]);
}

#[test]
fn a_thread_prints_in_its_own_order() {
    let text = printed("ordered", 2, 32);
    assert_eq!(text, "0:0 0:1 0:2 1:0 1:1 1:2 ");
}

#[test]
fn a_failed_assertion_says_where() {
    let device = Device::new(&PTX);
    let (report, text) = device.try_launch("asserts", [1; 3], [34, 1, 1], 0, &[Arg::I32(33)]);
    assert_eq!(report.fault, Some(Fault::Assert));
    let asserted = String::from_utf8_lossy(&report.asserted);
    assert!(asserted.contains("block: [0,0,0], thread: [33,0,0] Assertion"), "{asserted}");
    assert_eq!(text, "", "it is for standard error");
    let finding = &report.findings[0];
    assert!(matches!(&finding.kind, FindingKind::Assert { expression } if expression.contains("threadIdx.x < n")));
    assert_eq!(finding.accesses[0].thread, [33, 0, 0]);
}

#[test]
fn a_trap_stops_the_kernel() {
    let device = Device::new(&PTX);
    let (report, _) = device.try_launch("traps", [1; 3], [64, 1, 1], 0, &[Arg::I32(40)]);
    assert_eq!(report.fault, Some(Fault::Trap));
    assert_eq!(report.findings[0].accesses[0].thread, [40, 0, 0]);
}

#[test]
fn a_write_out_of_bounds_names_the_thread_and_the_allocation() {
    let device = Device::new(&PTX);
    let p = device.zeros::<i32>(256);
    let (report, _) = device.try_launch("writes", [1; 3], [64, 1, 1], 0, &[Arg::Ptr(p), Arg::I64(200)]);
    assert_eq!(report.fault, Some(Fault::IllegalAddress));
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::OutOfBounds { space: Space::Global });
    let access = &finding.accesses[0];
    assert_eq!((access.what, access.size, access.thread), (AccessKind::Write, 4, [56, 0, 0]));
    assert_eq!(access.address, Some(p + 1024));
    let near = finding.allocation.as_ref().expect("an allocation is near");
    assert_eq!((near.address, near.size, near.relation), (p, 1024, Relation::After(1)));
    assert!(access.place.file == "print.cu" && access.place.line == 19, "{:?}", access.place);
}

#[test]
fn a_kernel_that_goes_on_loses_its_stray_writes_and_each_is_found_once() {
    let mut device = Device::new(&PTX);
    device.settings.keep_going = true;
    for checks in [simt::machine::Checks::MEMORY, simt::machine::Checks::NONE] {
        device.settings.checks = checks;
        let (p, behind) = (device.zeros::<i32>(256), device.zeros::<i32>(256));
        let (report, _) = device.try_launch("writes", [1; 3], [64, 1, 1], 0, &[Arg::Ptr(p), Arg::I64(200)]);
        assert_eq!((report.fault, report.findings.len()), (None, 1), "{report:?}");
        assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds { space: Space::Global });
        assert_eq!(report.findings[0].count, 8);
        // The words inside were written, and nothing else was.
        assert!(device.get::<i32>(p, 256).iter().skip(200).all(|n| *n != 0));
        assert_eq!(device.get::<i32>(behind, 256), [0; 256]);
    }
}

#[test]
fn misaligned_freed_null_and_host_addresses_are_told_apart() {
    let device = Device::new(&PTX);
    let out = device.zeros::<f64>(1);
    let fault = |p: u64, bytes: i64| {
        let args = [Arg::Ptr(p), Arg::I64(bytes), Arg::Ptr(out)];
        let (report, _) = device.try_launch("reads", [1; 3], [1; 3], 0, &args);
        (report.fault, report.findings[0].kind.clone())
    };
    let p = device.zeros::<f64>(4);
    let (wrong, kind) = fault(p, 4);
    assert_eq!(wrong, Some(Fault::MisalignedAddress));
    assert_eq!(kind, FindingKind::Misaligned { space: Space::Global, required: 8 });
    assert_eq!(fault(0, 0), (Some(Fault::IllegalAddress), FindingKind::NullPointer));
    let host = Box::new(1.0f64);
    let at = std::ptr::from_ref(&*host) as u64;
    assert_eq!(fault(at, 0), (Some(Fault::IllegalAddress), FindingKind::HostPointer));
    device.memory.free(p).expect("it lives");
    assert_eq!(fault(p, 0), (Some(Fault::IllegalAddress), FindingKind::UseAfterFree));
}

#[test]
fn shared_memory_has_bounds() {
    let device = Device::new(&PTX);
    let out = device.zeros::<i32>(32);
    let (report, _) = device.try_launch("shared_overrun", [1; 3], [32, 1, 1], 0, &[Arg::Ptr(out), Arg::I32(4)]);
    assert_eq!(report.fault, Some(Fault::IllegalAddress));
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::OutOfBounds { space: Space::Shared });
    assert_eq!(finding.accesses[0].thread, [28, 0, 0]);
    assert_eq!(finding.allocation.as_ref().map(|a| a.relation), Some(Relation::After(1)));
}

/// Prints with the format to which its argument points; the arguments are 16 words, each of which is 1.
const ANY_FORMAT: &str = ".version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.visible .entry k(.param .u64 format)
{
  .local .align 8 .b8 list[64];
  .reg .b64 %d<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %d0, [format];
  mov.u64 %d1, list;
  mov.u32 %r0, 1;
  st.local.v4.u32 [%d1], {%r0, %r0, %r0, %r0};
  cvta.local.u64 %d1, %d1;
  { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %d0; st.param.b64 [b], %d1; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }
  ret;
}
";

/// Returns the peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// A format of 50,000 bytes that produces 500 MB is dropped like any text that is longer than the buffer, and takes no
/// more memory than that. The test measures it in a separate process.
#[test]
#[cfg(target_os = "linux")]
fn a_format_takes_no_more_memory_than_the_buffer() {
    const CHILD: &str = "SIMT_TEST_PRINT";
    let name = "print::a_format_takes_no_more_memory_than_the_buffer";
    if std::env::var_os(CHILD).is_none() {
        let exe = std::env::current_exe().expect("it runs");
        let child =
            std::process::Command::new(exe).args([name, "--exact"]).env(CHILD, "1").output().expect("it starts");
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        return;
    }
    let device = Device::new(ANY_FORMAT);
    let print = |format: &[u8]| {
        let at = device.put(&[format, &[0]].concat());
        device.try_launch("k", [1; 3], [1; 3], 0, &[Arg::Ptr(at)]).1
    };
    assert_eq!(print(b"%d,%3d,%.2d"), "1,  1,01");
    let before = peak();
    assert_eq!(print(&b"%65535d".repeat(7000)), "");
    assert_eq!(print(&b"%.65535d".repeat(7000)), "");
    assert_eq!(print(&b"%-65535c".repeat(7000)), "");
    let wide = print(&b"%65535d".repeat(16));
    assert_eq!((wide.len(), wide.trim_start_matches(' ').len()), (16 * 65535, 1 + 15 * 65535));
    let grown = peak() - before;
    assert!(grown < 64 << 10, "{grown} KiB");
}
