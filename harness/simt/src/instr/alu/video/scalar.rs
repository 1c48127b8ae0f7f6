//! `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vmad` and `vset`.
//!
//! Bytes, half words or all bits of two registers are extended by their types to compute the result. It is clamped to
//! the destination's range with `.sat`, and then either combined with a third operand, or inserted in place of one byte
//! or half word of it.

use super::{Comparison, Number, is_signed, part_of};
use crate::instr::alu::dispatch::op;
use crate::instr::operands::codes;
use ptx::ast::{Inst, RegisterPart};

codes! {
    /// The computed operation.
    enum Operation {
        Add = "vadd",
        Subtract = "vsub",
        Difference = "vabsdiff",
        Minimum = "vmin",
        Maximum = "vmax",
        Left = "vshl",
        Right = "vshr",
        Multiply = "vmad",
        Set = "vset",
    }
}

codes! {
    /// How the result is combined with the third operand.
    enum Second {
        Nothing = "",
        Add = "add",
        Minimum = "min",
        Maximum = "max",
    }
}

/// The byte or half word of a register, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// The lowest bit.
    low: u32,
    /// The number of bits.
    bits: u32,
}

/// All of a register.
const WHOLE: Piece = Piece { low: 0, bits: 32 };

impl Piece {
    fn named(part: &RegisterPart) -> Option<Piece> {
        let bits = if part.bytes { 8 } else { 16 };
        match part.picks[..] {
            [] => Some(WHOLE),
            [pick] => Some(Piece { low: bits * u32::from(pick), bits }).filter(|piece| piece.low < 32),
            _ => None,
        }
    }

    fn code(self) -> u64 {
        u64::from((self.low / 8) | ((self.bits.trailing_zeros() - 3) << 2))
    }

    fn from_code(code: u64) -> Piece {
        Piece { low: (code as u32 & 3) * 8, bits: 8 << (code >> 2 & 3) }
    }

    fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.low
    }

    /// Returns its value in a register.
    fn select(self, word: u32, signed: bool) -> i128 {
        let up = word << (32 - self.bits - self.low);
        if signed { i128::from((up as i32) >> (32 - self.bits)) } else { i128::from(up >> (32 - self.bits)) }
    }

    /// Clamps a value to its range.
    fn held(self, value: i128, signed: bool) -> i128 {
        let all = (1i128 << self.bits) - 1;
        if signed { value.clamp(-(all >> 1) - 1, all >> 1) } else { value.clamp(0, all) }
    }
}

/// The decoded modifiers and selectors of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScalarModifiers {
    operation: Operation,
    second: Second,
    comparison: Comparison,
    /// Whether the destination, `a` and `b` are signed.
    signed: [bool; 3],
    /// The parts selected in these.
    pieces: [Piece; 3],
    /// Whether the result replaces a part of the third operand.
    merges: bool,
    saturates: bool,
    /// Whether shift counts are taken modulo 32.
    wraps: bool,
    /// The right shift of `vmad`'s sum.
    scale: u32,
    /// Whether one is added to the sum.
    plus_one: bool,
    /// Whether the product is negated; whether the third operand is.
    negates: [bool; 2],
}

impl ScalarModifiers {
    /// Decodes the modifiers and selectors of an instruction.
    pub fn parse(inst: &Inst) -> Option<ScalarModifiers> {
        let mut words = inst.text().split('.');
        let mut how = ScalarModifiers {
            operation: Operation::named(words.next()?)?,
            second: Second::Nothing,
            comparison: Comparison::Equal,
            signed: [false; 3],
            pieces: [WHOLE; 3],
            merges: false,
            saturates: false,
            wraps: false,
            scale: 0,
            plus_one: false,
            negates: [false; 2],
        };
        let (mut types, mut compares, mut moded) = (Vec::new(), false, false);
        for word in words {
            match (word, Second::named(word), Comparison::named(word), is_signed(word)) {
                (_, _, _, Some(signed)) => types.push(signed),
                (_, Some(second), ..) => how.second = second,
                (_, _, Some(comparison), _) => (how.comparison, compares) = (comparison, true),
                ("sat", ..) => how.saturates = true,
                ("wrap", ..) => (how.wraps, moded) = (true, true),
                ("clamp", ..) => moded = true,
                ("po", ..) => how.plus_one = true,
                ("shr7", ..) => how.scale = 7,
                ("shr15", ..) => how.scale = 15,
                _ => return None,
            }
        }
        how.signed = match (how.operation, &types[..]) {
            (Operation::Set, &[a, b]) => [false, a, b],
            (Operation::Set, _) => return None,
            (_, &[d, a, b]) => [d, a, b],
            _ => return None,
        };
        let shifts = matches!(how.operation, Operation::Left | Operation::Right);
        let fits = compares == (how.operation == Operation::Set) && moded == shifts && !(shifts && how.signed[2]);
        fits.then_some(())?;
        how.select(inst)
    }

    /// Adds the parts of registers that the operands select.
    fn select(mut self, inst: &Inst) -> Option<ScalarModifiers> {
        let multiplies = self.operation == Operation::Multiply;
        for at in 0..inst.operands.len().min(4) {
            let Some((_, part)) = part_of(inst.operands.get(at)) else { continue };
            match at {
                3 if multiplies && part.picks.is_empty() => self.negates[1] ^= part.negative,
                1 | 2 if multiplies || !part.negative => self.negates[0] ^= part.negative,
                0 if !multiplies && !part.negative => self.merges = true,
                _ => return None,
            }
            if at < 3 {
                self.pieces[at] = Piece::named(part)?;
            }
        }
        let scaled = self.scale != 0 || self.plus_one;
        let is_alone = !self.merges && !multiplies;
        let fits = (is_alone || self.second == Second::Nothing)
            && (multiplies || !scaled)
            && !(self.plus_one && self.negates != [false; 2]);
        fits.then_some(self)
    }

    /// Whether it has a third operand.
    pub fn needs_third(self) -> bool {
        self.merges || self.second != Second::Nothing || self.operation == Operation::Multiply
    }

    fn eval(self, a: u32, b: u32, c: u32) -> u32 {
        let [to, of_a, of_b] = self.pieces;
        let [signed, signed_a, signed_b] = self.signed;
        let (x, y) = (of_a.select(a, signed_a), of_b.select(b, signed_b));
        let amount = if self.wraps { y & 31 } else { y.min(32) };
        let value = match self.operation {
            Operation::Add => x + y,
            Operation::Subtract => x - y,
            Operation::Difference => (x - y).abs(),
            Operation::Minimum => x.min(y),
            Operation::Maximum => x.max(y),
            Operation::Left => x << amount,
            Operation::Right => x >> amount,
            Operation::Set => i128::from(self.comparison.holds(x, y)),
            Operation::Multiply => return self.multiplied(x * y, c),
        };
        let value = if self.saturates { to.held(value, signed) } else { value } as u32;
        if self.merges {
            return (value << to.low & to.mask()) | (c & !to.mask());
        }
        match (self.second, signed) {
            (Second::Nothing, _) => value,
            (Second::Add, _) => value.wrapping_add(c),
            (Second::Minimum, true) => (value as i32).min(c as i32) as u32,
            (Second::Minimum, false) => value.min(c),
            (Second::Maximum, true) => (value as i32).max(c as i32) as u32,
            (Second::Maximum, false) => value.max(c),
        }
    }

    /// The result of `vmad`.
    fn multiplied(self, product: i128, c: u32) -> u32 {
        let [negative, negative_c] = self.negates;
        let signed = self.signed[1] || self.signed[2] || negative || negative_c;
        let product = if negative { -product } else { product };
        let c = WHOLE.select(c, signed);
        let sum = product + if negative_c { -c } else { c } + i128::from(self.plus_one);
        let scaled = sum >> self.scale;
        (if self.saturates { WHOLE.held(scaled, signed) } else { scaled }) as u32
    }
}

impl Number for ScalarModifiers {
    fn code(self) -> u64 {
        let flags = [self.merges, self.saturates, self.wraps, self.plus_one, self.negates[0], self.negates[1]];
        let flags = flags.into_iter().chain(self.signed).rev();
        let flags = flags.fold(0, |code, flag| (code << 1) | flag.code());
        let pieces = self.pieces.iter().rev().fold(0, |code, piece| (code << 4) | piece.code());
        self.operation.code()
            | (self.second.code() << 4)
            | (self.comparison.code() << 8)
            | (u64::from(self.scale) << 12)
            | (flags << 16)
            | (pieces << 28)
    }

    fn from_code(code: u64) -> ScalarModifiers {
        let flag = |at: u32| code >> (16 + at) & 1 != 0;
        ScalarModifiers {
            operation: Operation::from_code(code & 15),
            second: Second::from_code(code >> 4 & 15),
            comparison: Comparison::from_code(code >> 8 & 15),
            signed: [flag(6), flag(7), flag(8)],
            pieces: [28, 32, 36].map(|at| Piece::from_code(code >> at & 15)),
            merges: flag(0),
            saturates: flag(1),
            wraps: flag(2),
            scale: code as u32 >> 12 & 15,
            plus_one: flag(3),
            negates: [flag(4), flag(5)],
        }
    }
}

op! {
    /// The result of the operation in the code.
    Video(a: u32, b: u32, c: u32) [code] -> u32 { ScalarModifiers::from_code(code).eval(a, b, c) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::ast::{Operand, RegId};
    use ptx::opcode::Opcode;

    fn part(text: &str) -> Operand {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let picks: Vec<u8> = text.chars().skip(1).map(|digit| digit as u8 - b'0').collect();
        if text.is_empty() && !negative {
            return Operand::Reg(RegId(0));
        }
        Operand::Part(RegId(0), RegisterPart { negative, bytes: text.starts_with('b'), picks })
    }

    fn how(text: &str, parts: [&str; 4]) -> Option<ScalarModifiers> {
        let (opcode, operands) = (Opcode::of(text)?, parts.map(part).to_vec());
        let inst = Inst::new(opcode, text.into(), operands);
        let how = ScalarModifiers::parse(&inst)?;
        assert_eq!(ScalarModifiers::from_code(how.code()), how);
        Some(how)
    }

    fn eval(op: &str, parts: [&str; 4], [a, b, c]: [u32; 3]) -> u32 {
        how(op, parts).expect("an instruction").eval(a, b, c)
    }

    #[test]
    fn parts_are_extended_and_results_held() {
        let (a, b) = (0x80ff_7f01, 0x7f80_ff02);
        assert_eq!(eval("vadd.s32.s32.s32", ["", "b2", "b2", ""], [a, b, 0]), -129i32 as u32);
        assert_eq!(eval("vadd.u32.u32.u32", ["", "h1", "h0", ""], [a, b, 0]), 0x80ff + 0xff02);
        assert_eq!(eval("vsub.u32.u32.s32.sat", ["", "b0", "b3", ""], [a, b, 0]), 0);
        assert_eq!(eval("vadd.s32.u32.u32.sat", ["", "", "", ""], [u32::MAX, 1, 0]), i32::MAX as u32);
        assert_eq!(eval("vabsdiff.u32.s32.s32", ["", "", "", ""], [i32::MIN as u32, i32::MAX as u32, 0]), u32::MAX);
    }

    #[test]
    fn a_part_of_the_third_is_replaced_or_all_of_it_combined() {
        let c = 0x1122_3344;
        assert_eq!(eval("vadd.s32.s32.s32.sat", ["b1", "h0", "h0", ""], [0x7fff, 1, c]), 0x1122_7f44);
        assert_eq!(eval("vadd.s32.s32.s32", ["h1", "h0", "h0", ""], [0x7fff, 1, c]), 0x8000_3344);
        assert_eq!(eval("vmin.s32.s32.s32.max", ["", "", "", ""], [5, -3i32 as u32, -1i32 as u32]), u32::MAX);
        assert_eq!(eval("vset.s32.u32.lt.add", ["", "", "", ""], [-1i32 as u32, 0, 41]), 42);
        assert_eq!(eval("vshl.u32.u32.u32.wrap", ["", "", "", ""], [1, 33, 0]), 2);
        assert_eq!(eval("vshl.u32.u32.u32.clamp", ["", "", "", ""], [1, 33, 0]), 0);
        assert_eq!(eval("vshr.s32.s32.u32.clamp", ["", "b3", "", ""], [0x8000_0000, 40, 0]), u32::MAX);
    }

    #[test]
    fn products_are_negated_shifted_and_rounded() {
        assert_eq!(eval("vmad.s32.s32.s32", ["", "h0", "-h1", ""], [3, 5 << 16, 100]), 85);
        assert_eq!(eval("vmad.s32.s32.s32", ["", "h0", "h1", "-"], [3, 5 << 16, 100]), -85i32 as u32);
        assert_eq!(eval("vmad.u32.u32.u32.po.shr7", ["", "h0", "h0", ""], [256, 256, 127]), 513);
        assert_eq!(eval("vmad.s32.s32.s32.sat", ["", "", "", ""], [1 << 30, 1 << 30, 0]), i32::MAX as u32);
    }

    #[test]
    fn what_no_assembler_takes_is_refused() {
        for (op, parts) in [
            ("vadd.s32.s32", ["", "", "", ""]),
            ("vadd.s32.s32.s32.lt", ["", "", "", ""]),
            ("vadd.s32.s32.s32.add", ["b0", "", "", ""]),
            ("vadd.s32.s32.s32", ["", "-b0", "", ""]),
            ("vshl.u32.u32.u32", ["", "", "", ""]),
            ("vmad.s32.s32.s32.po", ["", "-", "", ""]),
            ("vadd.s32.s32.s32", ["", "b01", "", ""]),
        ] {
            assert_eq!(how(op, parts), None, "{op} {parts:?}");
        }
    }
}
