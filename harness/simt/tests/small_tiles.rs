//! Products of tiles of bits and of 4-bit numbers, and those with a sparse first factor, compared with plain
//! arithmetic. The mapping of registers to tiles is that of the PTX manual.

use crate::common::{Arg, Device};
use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::sync::Arc;

/// Returns a kernel whose lanes provide `left` and `right` words of the factors and, for sparse ones, a word of
/// metadata.
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
        ".version 8.7\n.target sm_89\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
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

/// Returns words without a pattern.
fn words(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i << 7)).collect()
}

/// Runs the kernel. Returns a function from row and column to the number of D there.
fn run(ptx: &str, input: &[u32]) -> impl Fn(usize, usize) -> i32 + use<> {
    let device = Device::new(ptx);
    let (from, to) = (device.put(input), device.zeros::<i32>(128));
    device.launch("k", 1, 32, &[Arg::Ptr(from), Arg::Ptr(to)]);
    let d = device.get::<i32>(to, 128);
    move |row, column| d[(row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2]
}

/// Checks sums over eight words of a row of A and a column of B.
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
    // Positions 0 and 3, or 1 and 2, of each four.
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
            let word = input[(row % 8 * 4 + row / 8) * 5 + 4];
            four * 4 + (word >> (four * 4 + kept % 2 * 2) & 3) as usize
        };
        let want: i32 = (0..16).map(|kept| a(row, kept) * b(place(kept), column)).sum();
        assert_eq!(found(row, column), want, "row {row}, column {column}");
    }
}

/// Of 4-bit numbers, neighbours are kept in pairs: two pairs of each four.
#[test]
fn of_a_sparse_factor_two_of_four_pairs_of_four_bits_are_kept() {
    let nibble = |word: u32, k: usize, signed| four_bits(word, k as u32, signed);
    for (depth, left, right) in [(64, 2, 2), (128, 4, 4)] {
        for (first, a_signed, second, b_signed) in [("s4", true, "u4", false), ("u4", false, "s4", true)] {
            let each = left + right + 1;
            let mut input = words(32 * each);
            for lane in 0..32 {
                input[lane * each + left + right] = if lane % 3 == 0 { 0xcccc_9999 } else { 0x9999_cccc };
            }
            let form = format!("mma.sp.sync.aligned.m16n8k{depth}.row.col.s32.{first}.{second}.s32");
            let found = run(&product(&form, left, right, true), &input);
            // The manual counts numbers; a register has eight.
            let a = |row: usize, kept: usize| {
                nibble(input[(row % 8 * 4 + kept % 32 / 8) * each + row / 8 + kept / 32 * 2], kept % 8, a_signed)
            };
            let b = |k: usize, column: usize| {
                nibble(input[(column * 4 + k % 32 / 8) * each + left + k / 32], k % 8, b_signed)
            };
            for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
                let place = |kept: usize| {
                    // Eight numbers of which two pairs are kept, and the four bits that describe them.
                    let eight = kept / 4;
                    let (lane, low) = (row % 8 * 4 + row / 8 + eight / 8 * 2, eight % 8 * 4);
                    let pair = input[lane * each + left + right] >> (low + kept % 4 / 2 * 2) & 3;
                    eight * 8 + pair as usize * 2 + kept % 2
                };
                let want: i32 = (0..depth / 2).map(|kept| a(row, kept) * b(place(kept), column)).sum();
                assert_eq!(found(row, column), want, "{form}: row {row}, column {column}");
            }
        }
    }
}

/// Forms that no device has are rejected, not computed in some way.
#[test]
fn what_does_not_exist_is_refused() {
    let refused = |form: &str, left, right, sparse| {
        let ptx = product(form, left, right, sparse);
        assert!(Module::load(&ptx, &Arc::new(Memory::new(1 << 20)), Part::default_part()).is_err(), "{form}");
    };
    refused("mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 8, 4, false);
    refused("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32", 4, 2, false);
    refused("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32.and.popc", 4, 2, false);
    refused("mma.sp.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 2, 2, true);
    refused("mma.sp.sync.aligned.m16n8k256.row.col.s32.s4.s4.s32", 4, 4, true);
}

/// Small integers, some negative, as `e4m3` and `e5m2`.
const QUARTERS: [(u8, u8, i32); 8] = [
    (0x00, 0x00, 0),
    (0x38, 0x3c, 1),
    (0x40, 0x40, 2),
    (0x44, 0x42, 3),
    (0xb8, 0xbc, -1),
    (0xc0, 0xc0, -2),
    (0x48, 0x44, 4),
    (0xc4, 0xc2, -3),
];

/// Returns the index of the number that a lane has in a byte of a word.
fn quarter(lane: usize, word: usize, byte: usize) -> usize {
    (lane * 31 + word * 17 + byte * 5 + lane / 3 + word * byte) % 8
}

/// Products of 8-bit numbers, dense and sparse: exact where they are small.
#[test]
fn floating_point_numbers_of_eight_bits() {
    for (dims, left, right, sparse) in [("m16n8k16", 2, 1, false), ("m16n8k32", 4, 2, false), ("m16n8k64", 4, 4, true)]
    {
        let each = left + right + usize::from(sparse);
        let mut input = vec![0u32; 32 * each];
        for (lane, words) in input.chunks_mut(each).enumerate() {
            for (word, to) in words.iter_mut().enumerate() {
                let number = QUARTERS.map(|(e4m3, e5m2, _)| if word < left { e4m3 } else { e5m2 });
                *to = u32::from_le_bytes([0, 1, 2, 3].map(|byte| number[quarter(lane, word, byte)]));
            }
            if sparse {
                words[each - 1] = if lane % 3 == 0 { 0xc49e_9c4e } else { 0x4e9c_c49e };
            }
        }
        let sp = if sparse { ".sp" } else { "" };
        let form = format!("mma{sp}.sync.aligned.{dims}.row.col.f32.e4m3.e5m2.f32");
        let found = run(&product(&form, left, right, sparse), &input);
        let value = |lane: usize, word: usize, byte: usize| QUARTERS[quarter(lane, word, byte)].2;
        let a = |row: usize, kept: usize| value(row % 8 * 4 + kept % 16 / 4, row / 8 + kept / 16 * 2, kept % 4);
        let b = |k: usize, column: usize| value(column * 4 + k % 16 / 4, left + k / 16, k % 4);
        for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let place = |kept: usize| {
                if !sparse {
                    return kept;
                }
                let four = kept / 2;
                let word = input[(row % 8 * 4 + row / 8 + four / 8 * 2) * each + each - 1];
                4 * four + (word >> (four % 8 * 4 + kept % 2 * 2) & 3) as usize
            };
            let want: i32 = (0..left * 8).map(|kept| a(row, kept) * b(place(kept), column)).sum();
            assert_eq!(f32::from_bits(found(row, column) as u32), want as f32, "{form}: row {row}, column {column}");
        }
    }
}

/// The accumulator is added at the end, rounded to nearest: otherwise 3, which is the sum of the products, would be
/// truncated to 2.
#[test]
fn an_accumulator_of_quarters_is_added_at_last() {
    let form = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32";
    for (byte, want) in [(0x1cu8, 16_777_216.0f32 + 4.0), (0x7f, f32::NAN)] {
        let word = u32::from_le_bytes([byte; 4]);
        let ones = u32::from_le_bytes([0x3c; 4]);
        let input: Vec<u32> = (0..32).flat_map(|_| [word, word, word, word, ones, ones]).collect();
        let kernel = product(form, 4, 2, false).replace("mov.b32 %r2, 0;", "mov.b32 %r2, 0f4B800000;");
        let found = f32::from_bits(run(&kernel, &input)(0, 0) as u32);
        assert!(found == want || (found.is_nan() && want.is_nan()), "{byte:#x}: {found}");
    }
}

#[test]
fn of_a_sparse_factor_of_tf32_one_of_two_is_kept() {
    for (dims, kept, selector) in [("m16n8k8", 4, 3), ("m16n8k16", 8, 1)] {
        let count = kept / 2;
        let each = 2 * count + 1;
        let number = |lane: usize, word: usize| ((lane * 7 + word * 3) % 11) as f32 - 5.0;
        let mut input = vec![0u32; 32 * each];
        for (lane, words) in input.chunks_mut(each).enumerate() {
            for (word, to) in words[..2 * count].iter_mut().enumerate() {
                *to = number(lane, word).to_bits();
            }
            words[2 * count] = if lane % 5 < 2 { 0x4e4e_e44e } else { 0xe4e4_4ee4 };
        }
        let form = format!("mma.sp.sync.aligned.{dims}.row.col.f32.tf32.tf32.f32");
        let kernel = product(&form, count, count, true).replace(", 0x0;", &format!(", {selector};"));
        let found = run(&kernel, &input);
        let a = |row: usize, k: usize| number(row % 8 * 4 + k % 4, row / 8 + k / 4 * 2);
        let b = |k: usize, column: usize| number(column * 4 + k % 4, count + k / 4);
        for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let place = |k: usize| {
                let lane = row % 8 * 4 + selector * kept / 4 + k / 4;
                let four = input[lane * each + 2 * count] >> (row / 8 * 16 + k % 4 * 4) & 15;
                2 * k + usize::from(four == 0xe)
            };
            let want: f32 = (0..kept).map(|k| a(row, k) * b(place(k), column)).sum();
            assert_eq!(f32::from_bits(found(row, column) as u32), want, "{form}: row {row}, column {column}");
        }
    }
}
