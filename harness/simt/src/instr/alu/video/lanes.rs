//! `vadd2`, `vsub2`, `vavrg2`, `vabsdiff2`, `vmin2`, `vmax2` and `vset2`, and their variants with four bytes.
//!
//! Each of the two or four results is computed from one part of `a` and one of `b`. The results that a mask selects
//! either replace parts of a third operand, or are summed and added to it.

use super::{Comparison, is_signed, part_of};
use crate::instr::alu::dispatch::op;
use crate::instr::alu::table::FormTable;
use crate::instr::operands::Number;
use ptx::ast::{Operand, RegisterPart};

/// The operations' names in the order of their codes.
const OPERATIONS: [&str; 7] = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"];
/// The code of `vset`.
const SET: u64 = 6;
/// Code: `a` is signed.
const SIGNED_A: u64 = 1 << 4;
/// Code: `b` is signed.
const SIGNED_B: u64 = 1 << 5;
/// Code: the result is signed.
const SIGNED_D: u64 = 1 << 6;
/// Code: `.sat`.
const SAT: u64 = 1 << 7;
/// Code: `.add`.
const SUM: u64 = 1 << 8;
/// Code: bytes rather than half words.
const BYTES: u64 = 1 << 9;
/// The first bit of the code's comparison for `vset`.
const COMPARISON: u32 = 10;
/// The first bit of the code's mask.
const MASK: u32 = 16;
/// The first bits of the selectors for the parts of `a` and `b`: four bits each, from the lowest result on.
const PICKS: [u32; 2] = [20, 36];

/// Returns the code of an opcode with its modifiers, for whole operands.
pub(super) fn code(op: &str) -> Option<u64> {
    let mut words = op.split('.');
    let name = words.next()?;
    let bytes = name.ends_with('4');
    let name = name.strip_suffix(['2', '4'])?;
    let operation = OPERATIONS.iter().position(|known| *known == name)? as u64;
    let mut code = operation | if bytes { BYTES } else { 0 };
    let (mut types, mut compares) = (Vec::new(), false);
    for word in words {
        match (word, Comparison::named(word), is_signed(word)) {
            (_, _, Some(signed)) => types.push(signed),
            (_, Some(comparison), _) => (code, compares) = (code | comparison.code() << COMPARISON, true),
            ("sat", ..) => code |= SAT,
            ("add", ..) => code |= SUM,
            _ => return None,
        }
    }
    let [d, a, b] = match (operation == SET, &types[..]) {
        (true, &[a, b]) => [false, a, b],
        (false, &[d, a, b]) => [d, a, b],
        _ => return None,
    };
    for (signed, flag) in [(d, SIGNED_D), (a, SIGNED_A), (b, SIGNED_B)] {
        code |= if signed { flag } else { 0 };
    }
    let both = code & SAT != 0 && code & SUM != 0;
    let fits = compares == (operation == SET) && !both && !(compares && code & SAT != 0);
    fits.then(|| with(with(code, 0, &inner(bytes, 0)), 1, &inner(bytes, 1)) | 15 << MASK)
}

/// The default selection of the parts of operand `at`.
fn inner(bytes: bool, at: u8) -> Vec<u8> {
    let count = if bytes { 4 } else { 2 };
    (0..count).map(|part| part + at * count).collect()
}

/// Sets the selected parts of operand `at` in a code, from the lowest result on.
fn with(code: u64, at: usize, picks: &[u8]) -> u64 {
    let all = picks.iter().rev().fold(0, |all, &pick| (all << 4) | u64::from(pick));
    (code & !(0xffff << PICKS[at])) | (all << PICKS[at])
}

/// Returns the code of an instruction with these operands, given the code of its opcode.
pub(super) fn select(mut code: u64, operands: &[Operand]) -> Option<u64> {
    let bytes = code & BYTES != 0;
    let count = if bytes { 4 } else { 2 };
    let fits =
        |part: &RegisterPart, below: u8| !part.negative && part.bytes == bytes && part.picks.iter().all(|&p| p < below);
    if let Some((_, part)) = part_of(operands.first()) {
        let descends = part.picks.windows(2).all(|pair| pair[0] > pair[1]);
        (fits(part, count) && descends && !part.picks.is_empty()).then_some(())?;
        let mask = part.picks.iter().fold(0, |mask, &pick| mask | 1 << pick);
        code = (code & !(15 << MASK)) | (mask << MASK);
    }
    for at in 0..2 {
        if let Some((_, part)) = part_of(operands.get(at + 1)) {
            (fits(part, 2 * count) && part.picks.len() == count as usize).then_some(())?;
            let upwards: Vec<u8> = part.picks.iter().rev().copied().collect();
            code = with(code, at, &upwards);
        }
    }
    part_of(operands.get(3)).is_none().then_some(code)
}

/// Returns part `at` of two words; the first is the low one.
fn part(words: u64, at: u32, bits: u32, signed: bool) -> i32 {
    let up = ((words >> (bits * at)) as u32) << (32 - bits);
    if signed { (up as i32) >> (32 - bits) } else { (up >> (32 - bits)) as i32 }
}

/// Performs the code's operation on each part that the mask selects.
fn video(a: u32, b: u32, c: u32, code: u64) -> u32 {
    let bits = if code & BYTES != 0 { 8 } else { 16 };
    let words = u64::from(a) | u64::from(b) << 32;
    let (mut sum, mut merged) = (c, c);
    for i in (0..32 / bits).filter(|i| code >> (MASK + i) & 1 != 0) {
        let [x, y] = [(0, SIGNED_A), (1, SIGNED_B)].map(|(at, flag): (usize, u64)| {
            let pick = (code >> (PICKS[at] + 4 * i)) as u32 & 15;
            part(words, pick, bits, code & flag != 0)
        });
        let r = match code & 15 {
            0 => x + y,
            1 => x - y,
            2 => (x + y + i32::from(x + y >= 0)) >> 1,
            3 => (x - y).abs(),
            4 => x.min(y),
            5 => x.max(y),
            _ => i32::from(Comparison::from_code(code >> COMPARISON & 15).holds(x, y)),
        };
        let r = match (code & SAT != 0, code & SIGNED_D != 0) {
            (false, _) => r,
            (true, true) => r.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (true, false) => r.clamp(0, (1 << bits) - 1),
        };
        sum = sum.wrapping_add(r as u32);
        let place = ((1 << bits) - 1) << (bits * i);
        merged = (merged & !place) | ((r as u32) << (bits * i) & place);
    }
    if code & SUM != 0 { sum } else { merged }
}

op! {
    /// Two or four small integers at a time, then merged or summed.
    Video(a: u32, b: u32, c: u32) [code] -> u32 { video(a, b, c, code) }
}

/// Adds the rows for instructions with whole operands.
pub(in crate::instr::alu) fn rows(t: &mut FormTable) {
    for name in &OPERATIONS[..SET as usize] {
        for count in [2, 4] {
            for signs in 0..8u64 {
                let ty = |bit: u64| if signs & bit != 0 { "s32" } else { "u32" };
                let name = format!("{name}{count}.{}.{}.{}", ty(4), ty(1), ty(2));
                for name in [name.clone(), format!("{name}.sat"), format!("{name}.add")] {
                    let code = code(&name).expect("a name of this family");
                    t.cold_preset::<Video>(name, code);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::ast::RegId;

    #[test]
    fn each_part_has_its_own_result() {
        let code = |op: &str| code(op).expect("an instruction");
        assert_eq!(video(0x01ff_0510, 0x0300_0a20, 99, code("vabsdiff4.u32.u32.u32")), 0x02ff_0510);
        assert_eq!(video(0x01ff_0510, 0x0300_0a20, 99, code("vabsdiff4.u32.u32.u32.add")), 99 + 2 + 255 + 5 + 16);
        assert_eq!(video(0x7f80_ff01, 0x01ff_0101, 0, code("vadd4.s32.s32.s32.sat")), 0x7f80_0002);
        assert_eq!(video(0xffff_0001, 0x0001_0001, 0, code("vavrg2.u32.s32.s32")), 0x0000_0001);
        assert_eq!(video(0xffff_0001, 0x0001_0001, 0, code("vset2.s32.s32.lt")), 0x0001_0000);
        assert_eq!(video(0xffff_0001, 0x0001_0001, 40, code("vset2.s32.s32.le.add")), 42);
    }

    #[test]
    fn parts_are_selected_from_both_words() {
        let part = |bytes, picks: &[u8]| {
            Operand::Part(RegId(0), RegisterPart { negative: false, bytes, picks: picks.to_vec() })
        };
        let plain = || Operand::Reg(RegId(0));
        let code = |op: &str, operands: [Operand; 4]| select(code(op)?, &operands);
        let swapped =
            code("vadd2.u32.u32.u32", [part(false, &[1]), part(false, &[0, 1]), part(false, &[0, 3]), plain()]);
        assert_eq!(video(0x0001_0020, 0x0300_4000, 0x7777_8888, swapped.unwrap()), 0x0040_8888);
        let some = code("vmax4.u32.u32.u32.add", [part(true, &[3, 0]), plain(), plain(), plain()]);
        assert_eq!(video(0x0102_0304, 0x0201_0101, 10, some.unwrap()), 10 + 2 + 4);
        for wrong in [part(false, &[0, 1]), part(true, &[1]), part(false, &[2])] {
            assert_eq!(code("vadd2.u32.u32.u32", [wrong, plain(), plain(), plain()]), None);
        }
        assert_eq!(code("vadd2.u32.u32.u32", [plain(), part(false, &[4, 0]), plain(), plain()]), None);
    }
}
