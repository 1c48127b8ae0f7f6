//! Atomics: every operation, on global and shared memory, from many blocks concurrently.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/atomics.cu"));

#[test]
fn integers_of_both_widths() {
    let device = Device::new(&PTX);
    let n = 1024i64;
    let a = device.put(&[0i32, 0, 100, -100, -1, 0, 0, 0]);
    let u = device.put(&[0u32, 0, 0, 1000, 0]);
    let l = device.put(&[0i64, 0]);
    let ul = device.zeros::<u64>(4);
    let args = [Arg::Ptr(a), Arg::Ptr(u), Arg::Ptr(l), Arg::Ptr(ul)];
    let report = device.launch("integers", 8, 128, &args);
    let sum = (n * (n - 1) / 2) as i32;
    let xor = (0..n as i32).fold(0, |x, i| x ^ i);
    assert_eq!(device.get::<i32>(a, 8), [sum, -sum, -1023, 1023, 0, -1, xor, 77]);
    // inc counts modulo 10; dec from 0 goes to 9 and down.
    assert_eq!(device.get::<u32>(u, 5), [3072, 1024 % 10, (10 - 1024 % 10), 5, 1023]);
    assert_eq!(device.get::<i64>(l, 2), [-1023, 1023 << 40]);
    let sums = device.get::<u64>(ul, 4);
    assert_eq!(sums, [(sum as u64) << 32, u64::MAX, 5, 9]);
    assert_eq!(report.counters.totals.global_atomics.lanes, 19 * 1024);
}

#[test]
fn floats_by_instruction_and_by_compare_and_swap() {
    let device = Device::new(&PTX);
    let (f, d) = (device.zeros::<f32>(2), device.zeros::<f64>(1));
    device.launch("floats", 16, 256, &[Arg::Ptr(f), Arg::Ptr(d)]);
    assert_eq!(device.get::<f32>(f, 2), [2048.0, 999.0]);
    assert_eq!(device.get::<f64>(d, 1), [f64::from(4096 * 4095 / 2)]);
}

#[test]
fn a_histogram_in_shared_memory() {
    let device = Device::new(&PTX);
    let text: Vec<u8> = (0..50_000u32).map(|i| (i * i / 7 % 251) as u8).collect();
    let (dt, bins) = (device.put(&text), device.zeros::<u32>(256));
    let args = [Arg::Ptr(dt), Arg::Ptr(bins), Arg::I32(text.len() as i32)];
    let report = device.launch("histogram", 10, 256, &args);
    let mut want = vec![0u32; 256];
    for &c in &text {
        want[c as usize] += 1;
    }
    assert_eq!(device.get::<u32>(bins, 256), want);
    assert_eq!(report.counters.totals.shared_atomics.lanes, 50_000);
}

#[test]
fn every_old_value_is_given_out_once() {
    let device = Device::new(&PTX);
    let (next, slots) = (device.zeros::<i32>(1), device.zeros::<i32>(4096));
    device.launch("returned", 16, 256, &[Arg::Ptr(next), Arg::Ptr(slots)]);
    let mut got = device.get::<i32>(slots, 4096);
    got.sort_unstable();
    assert_eq!(got, (0..4096).collect::<Vec<i32>>());
}

#[test]
fn sixteen_bits_and_generic_addresses() {
    let device = Device::new(&PTX);
    let s = device.zeros::<u16>(2);
    device.launch("narrow", 2, 64, &[Arg::Ptr(s)]);
    assert_eq!(device.get::<u16>(s, 2), [128, 0]);
    for which in [0, 1] {
        let at = device.zeros::<i32>(1);
        device.launch("generic", 1, 64, &[Arg::Ptr(at), Arg::I32(which)]);
        assert_eq!(device.get::<i32>(at, 1), [128]);
    }
}

/// Vectors are added element by element, and a destination may be a register of a later operand.
#[test]
fn vectors_of_floats_are_added() {
    let device = Device::new(
        ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
         .reg .b64 %a; .reg .f32 %f<4>;\n\
         ld.param.u64 %a, [p];\n mov.f32 %f0, 0f3f800000;\n mov.f32 %f1, 0f40000000;\n\
         atom.global.add.v2.f32 {%f1, %f0}, [%a], {%f0, %f1};\n\
         red.global.add.v4.f32 [%a+16], {%f0, %f1, %f0, %f1};\n ret;\n}\n",
    );
    let at = device.put(&[10f32, 20.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    device.launch("k", 1, 1, &[Arg::Ptr(at)]);
    let want = [11.0, 22.0, 0.0, 0.0, 21.0, 12.0, 23.0, 14.0];
    assert_eq!(device.get::<f32>(at, 8), want);
}

/// A vector is read as it was written, all elements at once, as on GPUs: CUB's tile states rely on it.
#[test]
fn vectors_are_not_torn() {
    for (element, count) in [("b16", 2), ("b32", 2), ("b16", 4), ("b64", 2), ("b32", 4)] {
        let bits = &element[1..];
        let list = |name: &str| (0..count).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(", ");
        let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().join("\n  ");
        let device = Device::new(&format!(
            ".version 7.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q) {{
  .reg .b64 %p, %q; .reg .b32 %i, %t, %b; .reg .pred %w, %d; .reg .{element} %v<{count}>, %x<{count}>;
  ld.param.u64 %p, [p];
  ld.param.u64 %q, [q];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, 16, %p;
  mov.u32 %b, %ctaid.x;
  setp.eq.u32 %w, %b, 0;
  mov.u32 %i, 0;
again:
  @!%w bra reads;
  cvt.u{bits}.u32 %v0, %i;
  {copies}
  st.relaxed.gpu.global.v{count}.{element} [%p], {{{written}}};
  bra next;
reads:
  ld.relaxed.gpu.global.v{count}.{element} {{{read}}}, [%p];
  {compares}
next:
  add.u32 %i, %i, 1;
  setp.lt.u32 %d, %i, 20000;
  @%d bra again;
  ret;
}}",
            written = list("v"),
            read = list("x"),
            copies = each(&|i| if i == 0 { String::new() } else { format!("mov.b{bits} %v{i}, %v0;") }),
            compares = each(&|i| match i {
                0 => String::new(),
                _ => format!("setp.ne.u{bits} %d, %x{i}, %x0;\n  @%d red.global.add.u32 [%q], 1;"),
            }),
        ));
        let (vectors, torn) = (device.zeros::<u64>(64), device.zeros::<u32>(1));
        device.launch("k", 2, 32, &[Arg::Ptr(vectors), Arg::Ptr(torn)]);
        assert_eq!(device.get::<u32>(torn, 1), [0], "v{count}.{element}");
    }
}

/// Vectors are also read where memory of the machine's own replaces a buffer: for an address outside of all
/// allocations, for a load of which only some bytes are used, and for parameters.
#[test]
fn vectors_are_read_from_any_memory() {
    let mut device = Device::new(
        ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 v, .param .u64 w) {
  .reg .b64 %p, %q, %far; .reg .b32 %t, %a<4>, %b<4>, %c<4>;
  ld.param.u64 %p, [p];
  ld.param.u64 %q, [q];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %q, %t, 16, %q;
  add.s64 %far, %p, 1073741824;
  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%far];
  .pragma \"used_bytes_mask 0xff\";
  ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%p];
  ld.param.v4.b32 {%c0, %c1, %c2, %c3}, [v];
  add.u32 %c0, %c0, %a0;
  add.u32 %c1, %c1, %a3;
  st.global.v4.b32 [%q], {%b0, %b1, %c0, %c3};
  st.global.v4.b32 [%far], {%b0, %b1, %c0, %c3};
  ret;
}",
    );
    device.settings.keep_going = true;
    for checks in [simt::machine::Checks::MEMORY, simt::machine::Checks::NONE] {
        device.settings.checks = checks;
        // Half of the vector lies behind the allocation.
        let (half, out) = (device.put(&[1u32, 2]), device.zeros::<u32>(4 * 32));
        let vector = [3 | 4 << 32, 5 | 6 << 32];
        let args = [Arg::Ptr(half), Arg::Ptr(out), Arg::I64(vector[0]), Arg::I64(vector[1])];
        device.try_launch("k", [1; 3], [32, 1, 1], 0, &args);
        assert_eq!(device.get::<u32>(out, 4 * 32), [1, 2, 3, 6].repeat(32));
    }
}
