//! The stack of recursive functions.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::finding::FindingKind;
use simt::machine::{Checks, Fault};
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("fail/stack_overflow/too_deep.cu"));

/// Launches the recursion to this depth with a stack of `stack_bytes` bytes: each call adds 15 and the result of the
/// call it makes.
fn dive(depth: i32, stack_bytes: u32) -> Result<i64, FindingKind> {
    let mut device = Device::new(&PTX);
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

/// Returns the result of the recursion: the sum over its calls of `n` and `n % 16`.
fn sum(depth: i32) -> i64 {
    (1..=i64::from(depth)).map(|n| n + n % 16).sum()
}

/// An H200 with a stack of 1024 bytes succeeds at a depth of 8, but not at a depth of 11.
#[test]
fn the_stack_is_as_deep_as_a_gpus() {
    for depth in [0, 1, 2, 8] {
        assert_eq!(dive(depth, 1024), Ok(sum(depth)));
    }
    for depth in [11, 12, 1000] {
        assert!(matches!(dive(depth, 1024), Err(FindingKind::StackOverflow { depth: 9..=11, stack_bytes: 1024 })));
    }
}

#[test]
fn a_larger_stack_allows_deeper_calls() {
    assert_eq!(dive(500, 1 << 16), Ok(sum(500)));
    assert!(matches!(dive(5000, 1 << 16), Err(FindingKind::StackOverflow { depth: 600.., stack_bytes: 65536 })));
    assert!(matches!(dive(0, 0), Err(FindingKind::StackOverflow { depth: 1, stack_bytes: 0 })));
}

/// A recursive function that passes down the address of an array of its frame. The innermost one writes `value` to each
/// word from `%w` words before that array on, of which its caller's frame has `%n`.
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

/// Nothing that the machine needs to return is in memory that the kernel writes: each word of the frames and around
/// them is overwritten by a program counter, by an invalid one, and by all ones, and every function continues where it
/// was called.
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

/// `h` and `f` call each other. `g`, which `f` calls, calls `h` as well, through a pointer and as if it were a function
/// of another type: an analysis of the types alone cannot see that `f` is entered again.
const DISGUISED: &str = ".version 7.4
.target sm_70
.address_size 64
.global .align 4 .u32 state[4];
.func f();
.func h(.param .b32 n);
.func g()
{
  .reg .b64 %p, %zero;
  mov.u64 %p, h;
  mov.u64 %zero, 0;
  { .param .b64 a; st.param.b64 [a], %zero;
    other: .callprototype _ (.param .b64 _);
    call %p, (a), other; }
  ret;
}
.func h(.param .b32 n)
{
  .reg .b64 %a;
  .reg .b32 %s, %x;
  .reg .pred %q;
  mov.u64 %a, state;
  ld.global.u32 %s, [%a];
  setp.ne.u32 %q, %s, 0;
  @%q bra AGAIN;
  st.global.u32 [%a], 1;
  ld.param.u32 %x, [n];
  add.u32 %x, %x, 1;
  call f;
  st.global.u32 [%a+4], %x;
  ret;
AGAIN:
  st.global.u32 [%a], 2;
  call f;
  ret;
}
.func f()
{
  .reg .b64 %a;
  .reg .b32 %s;
  .reg .pred %q, %never;
  mov.u64 %a, state;
  ld.global.u32 %s, [%a];
  setp.eq.u32 %q, %s, 2;
  @%q ret;
  setp.eq.u32 %never, %s, 99;
  @!%never bra ON;
  { .param .b32 c; st.param.b32 [c], 0; call h, (c); }
ON:
  call g;
  ret;
}
.visible .entry k(.param .u32 value)
{
  .reg .b32 %v;
  .reg .b64 %a;
  ld.param.u32 %v, [value];
  { .param .b32 c; st.param.b32 [c], %v; call h, (c); }
  mov.u64 %a, state;
  st.global.u32 [%a], 1;
  call f;
  ret;
}
";

/// A call through a pointer to a function of another type is refused, because the callee was not considered for it: the
/// registers that it changes, a caller's return address among them, were not saved.
#[test]
fn a_pointer_calls_no_function_of_another_type() {
    let device = Device::new(DISGUISED);
    let (report, _) = device.try_launch("k", [1; 3], [1, 1, 1], 0, &[Arg::U32(0x4141_4140)]);
    assert_eq!(report.fault, Some(Fault::InvalidPc), "{:?}", report.findings);
    // The call is refused, not the return that would follow it.
    let is_pointer = |kind: &FindingKind| matches!(kind, FindingKind::InvalidCall { target } if target >> 56 == 4);
    assert!(is_pointer(&report.findings[0].kind), "{:?}", report.findings);
}
