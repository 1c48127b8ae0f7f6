//! Products of tiles of bits and of numbers of four bits, and those whose first factor is sparse, against plain
//! arithmetic. Registers and tiles correspond as the PTX manual says.

use crate::common::{Arg, Device};
use simt::machine::Module;
use simt::memory::Memory;
use simt::profile::Profile;
use std::sync::Arc;

/// A kernel whose lanes give `left` and `right` words of the factors and, for sparse ones, a word that says what is
/// kept.
fn product(form: &str, left: usize, right: usize, sparse: bool) -> String {
    let list = |from: usize, count: usize| {
        let names: Vec<String> = (from..from + count).map(|r| format!("%r{r}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let words = left + right + usize::from(sparse);
    let loads: Vec<String> = (0..words).map(|w| format!("ld.global.b32 %r{}, [%rd3+{}];", 10 + w, 4 * w)).collect();
    let loads = loads.join("\n");
    let metadata = if sparse { format!(", %r{}, 0x0", 10 + left + right) } else { String::new() };
    format!(
        ".version 8.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %r<40>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n\
         mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd3, %r1, {each}, %rd1;\nmad.wide.u32 %rd4, %r1, 16, %rd2;\n{loads}\n\
         mov.b32 %r2, 0;\nmov.b32 %r3, 0;\nmov.b32 %r4, 0;\nmov.b32 %r5, 0;\n\
         {form} {d}, {a}, {b}, {d}{metadata};\nst.global.v4.b32 [%rd4], {d};\nret;\n}}\n",
        each = 4 * words,
        a = list(10, left),
        b = list(10 + left, right),
        d = list(2, 4),
    )
}

/// Words without a pattern.
fn words(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i << 7)).collect()
}

/// Runs the kernel, and returns the words of each lane, and row and column of D.
fn run(ptx: &str, input: &[u32]) -> impl Fn(usize, usize) -> i32 + use<> {
    let device = Device::new(ptx);
    let (from, to) = (device.put(input), device.zeros::<i32>(128));
    device.launch("k", 1, 32, &[Arg::Ptr(from), Arg::Ptr(to)]);
    let d = device.get::<i32>(to, 128);
    move |row, column| d[(row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2]
}

/// Sums over eight words of a row of A and a column of B.
fn sums_are(form: &str, of: impl Fn(u32, u32) -> i32) {
    let input = words(32 * 6);
    let found = run(&product(form, 4, 2, false), &input);
    let a = |row: usize, word: usize| input[(row % 8 * 4 + word % 4) * 6 + row / 8 + word / 4 * 2];
    let b = |word: usize, column: usize| input[(column * 4 + word % 4) * 6 + 4 + word / 4];
    for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
        let want: i32 = (0..8).map(|word| of(a(row, word), b(word, column))).sum();
        assert_eq!(found(row, column), want, "{form}: row {row}, column {column}");
    }
}

fn four_bits(word: u32, k: u32, signed: bool) -> i32 {
    let value = (word >> (4 * k) & 15) as i32;
    if signed && value > 7 { value - 16 } else { value }
}

#[test]
fn bits_and_numbers_of_four_bits() {
    sums_are("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", |a, b| (a & b).count_ones() as i32);
    sums_are("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", |a, b| (a ^ b).count_ones() as i32);
    for (first, a) in [("s4", true), ("u4", false)] {
        for (second, b) in [("s4", true), ("u4", false)] {
            let form = format!("mma.sync.aligned.m16n8k64.row.col.s32.{first}.{second}.s32");
            sums_are(&form, |x, y| (0..8).map(|k| four_bits(x, k, a) * four_bits(y, k, b)).sum());
        }
    }
}

#[test]
fn of_a_sparse_factor_two_of_four_bytes_are_kept() {
    let mut input = words(32 * 5);
    // Places 0 and 3, or 1 and 2, of each four.
    for lane in 0..32 {
        input[lane * 5 + 4] = if lane % 3 == 0 { 0xcccc_9999 } else { 0x9999_cccc };
    }
    let form = "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
    let found = run(&product(form, 2, 2, true), &input);
    let byte = |word: u32, k: usize| i32::from((word >> (8 * k)) as i8);
    let a = |row: usize, kept: usize| byte(input[(row % 8 * 4 + kept / 4) * 5 + row / 8], kept % 4);
    let b = |k: usize, column: usize| byte(input[(column * 4 + k % 16 / 4) * 5 + 2 + k / 16], k % 4);
    for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
        let place = |kept: usize| {
            let four = kept / 2;
            let word = input[(row % 8 * 4 + four / 4) * 5 + 4];
            four * 4 + (word >> (row / 8 * 16 + four % 4 * 4 + kept % 2 * 2) & 3) as usize
        };
        let want: i32 = (0..16).map(|kept| a(row, kept) * b(place(kept), column)).sum();
        assert_eq!(found(row, column), want, "row {row}, column {column}");
    }
}

/// Forms that no device has are refused, not computed in some way.
#[test]
fn what_does_not_exist_is_refused() {
    let refused = |form: &str, left, right, sparse| {
        let ptx = product(form, left, right, sparse);
        assert!(Module::load(&ptx, &Arc::new(Memory::new(1 << 20)), Profile::default_profile()).is_err(), "{form}");
    };
    refused("mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 8, 4, false);
    refused("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32", 4, 2, false);
    refused("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32.and.popc", 4, 2, false);
    refused("mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 2, true);
}
