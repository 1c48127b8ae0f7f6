//! The stack of functions that call themselves.

use crate::common::{Arg, Device};
use simt::finding::Kind;
use simt::machine::{Checks, Fault};

const PTX: &str = include_str!("fail/stack_overflow/too_deep.ptx");

/// Launches the recursion to this depth with a stack of so many bytes: each call adds 15 and what it called gave.
fn dive(depth: i32, stack_bytes: u32) -> Result<i64, Kind> {
    let mut device = Device::new(PTX);
    device.settings.stack_bytes = stack_bytes;
    device.settings.checks = Checks::ALL;
    let (out, sink) = (device.zeros::<i64>(32), device.zeros::<i32>(1));
    let args = [Arg::I32(depth), Arg::Ptr(out), Arg::Ptr(sink)];
    let (mut report, _) = device.try_launch("k", [1; 3], [32, 1, 1], 0, &args);
    match report.fault {
        None => {
            assert!(report.findings.is_empty(), "{:?}", report.findings);
            let values = device.get::<i64>(out, 32);
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
            Ok(values[0])
        }
        Some(fault) => {
            assert_eq!((fault, report.findings.len()), (Fault::IllegalAddress, 1));
            Err(report.findings.remove(0).kind)
        }
    }
}

/// What the recursion gives: the sum over its calls of `n` and `n % 16`.
fn sum(depth: i32) -> i64 {
    (1..=i64::from(depth)).map(|n| n + n % 16).sum()
}

/// An H200 with a stack of 1024 bytes comes through a depth of 8, and not through one of 11.
#[test]
fn the_stack_is_as_deep_as_a_gpus() {
    for depth in [0, 1, 2, 8] {
        assert_eq!(dive(depth, 1024), Ok(sum(depth)));
    }
    for depth in [11, 12, 1000] {
        assert!(matches!(dive(depth, 1024), Err(Kind::StackOverflow { depth: 9..=11, stack_bytes: 1024 })));
    }
}

#[test]
fn a_larger_stack_allows_deeper_calls() {
    assert_eq!(dive(500, 1 << 16), Ok(sum(500)));
    assert!(matches!(dive(5000, 1 << 16), Err(Kind::StackOverflow { depth: 600.., stack_bytes: 65536 })));
    assert!(matches!(dive(0, 0), Err(Kind::StackOverflow { depth: 1, stack_bytes: 0 })));
}

/// A function that calls itself and hands down the address of an array of its frame. The innermost one writes `value`
/// to each word from `%w` words before that array on, of which the frame of its caller has `%n`.
const SPOILER: &str = ".version 7.4
.target sm_70
.address_size 64
.func (.param .b32 out) f(.param .b32 depth, .param .b64 up, .param .b32 value, .param .b32 slot)
{
  .local .align 16 .b8 own[32];
  .reg .b32 %n, %v, %s, %m, %r, %keep;
  .reg .b64 %up, %own, %at;
  .reg .pred %p;
  ld.param.u32 %n, [depth];
  ld.param.u64 %up, [up];
  ld.param.u32 %v, [value];
  ld.param.u32 %s, [slot];
  mov.u64 %own, own;
  cvta.local.u64 %own, %own;
  setp.eq.s32 %p, %n, 0;
  @%p bra LAST;
  sub.s32 %m, %n, 1;
  mul.lo.u32 %keep, %n, 100;
  { .param .b32 a; .param .b64 b; .param .b32 c; .param .b32 d; .param .b32 o;
    st.param.b32 [a], %m; st.param.b64 [b], %own; st.param.b32 [c], %v; st.param.b32 [d], %s;
    call.uni (o), f, (a, b, c, d); ld.param.b32 %r, [o]; }
  add.u32 %r, %r, %keep;
  st.param.b32 [out], %r;
  ret;
LAST:
  mul.wide.s32 %at, %s, 4;
  add.s64 %at, %up, %at;
  st.u32 [%at], %v;
  st.param.b32 [out], 1;
  ret;
}
.visible .entry k(.param .u64 p, .param .u32 value, .param .u32 slot)
{
  .reg .b32 %r, %v, %s, %t;
  .reg .b64 %p, %zero;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [value];
  ld.param.u32 %s, [slot];
  mov.u64 %zero, 0;
  { .param .b32 a; .param .b64 b; .param .b32 c; .param .b32 d; .param .b32 o;
    st.param.b32 [a], 3; st.param.b64 [b], %zero; st.param.b32 [c], %v; st.param.b32 [d], %s;
    call.uni (o), f, (a, b, c, d); ld.param.b32 %r, [o]; }
  mov.u32 %t, %tid.x;
  mul.wide.u32 %zero, %t, 4;
  add.s64 %p, %p, %zero;
  st.global.u32 [%p], %r;
  ret;
}
";

/// Nothing that the machine needs to return lies where the kernel writes: each word of the frames and around them is
/// overwritten by a program counter, by a wild one, and by all ones, and every function goes on where it was called.
#[test]
fn no_kernel_writes_a_return_address() {
    let device = Device::new(SPOILER);
    for slot in -40..60 {
        for value in [0, 7, 0x41_4141, u32::MAX] {
            let out = device.zeros::<u32>(32);
            let args = [Arg::Ptr(out), Arg::U32(value), Arg::I32(slot)];
            let (report, _) = device.try_launch("k", [1; 3], [32, 1, 1], 0, &args);
            if report.fault.is_none() {
                assert_eq!(device.get::<u32>(out, 32), [601; 32], "{value:#x} in word {slot}");
            }
        }
    }
}
