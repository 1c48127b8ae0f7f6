//! The shape and types of a warpgroup matrix product.

use crate::instr::alu::soft::{self, Format};
use crate::instr::matrix::SparseSelection;
use crate::instr::operands::{Number, codes};

/// Rows of a product that each warp of the warpgroup computes.
pub(super) const ROWS: usize = 16;
/// The maximum number of columns of a product.
pub(super) const COLUMNS: usize = 256;
/// Bytes of a row of A, or a column of B.
pub(super) const DEPTH_BYTES: usize = 32;

codes! {
    /// An element's type.
    pub(super) enum Element {
        F16 = "f16",
        Bf16 = "bf16",
        Tf32 = "tf32",
        E4m3 = "e4m3",
        E5m2 = "e5m2",
        S8 = "s8",
        U8 = "u8",
        B1 = "b1",
    }
}

impl Element {
    /// Bits of an element.
    pub fn bits(self) -> usize {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 => 32,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::B1 => 1,
        }
    }

    /// Bytes of the unit of multiplication: an element, or a word of single bits.
    pub fn unit(self) -> usize {
        if self == Element::B1 { 4 } else { self.bits() / 8 }
    }

    /// The depth of a product, in such units.
    pub fn depth(self) -> usize {
        DEPTH_BYTES / self.unit()
    }

    /// The storage format of its floating-point numbers.
    pub fn format(self) -> Format {
        match self {
            Element::F16 => soft::F16,
            Element::Bf16 => soft::BF16,
            // The lowest bits of a register are ignored.
            Element::Tf32 => Format { mantissa: 10, exponent: 8 },
            Element::E4m3 => Format { mantissa: 3, exponent: 4 },
            _ => Format { mantissa: 2, exponent: 5 },
        }
    }

    /// Whether it is one of the 8-bit floating-point types.
    pub fn is_fp8(self) -> bool {
        matches!(self, Element::E4m3 | Element::E5m2)
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        !matches!(self, Element::S8 | Element::U8 | Element::B1)
    }
}

codes! {
    /// The type of accumulators.
    pub(super) enum Sum {
        F16 = "f16",
        F32 = "f32",
        S32 = "s32",
    }
}

/// The shape and types of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WgmmaForm {
    /// The number of columns divided by eight.
    pub eights: u32,
    /// The types of A and B.
    pub factors: [Element; 2],
    /// The type of the accumulators.
    pub sum: Sum,
    /// Whether A and B are multiplied by -1.
    pub negative: [bool; 2],
    /// Whether A and B are MN-major in shared memory, instead of K-major.
    pub transposed: [bool; 2],
    /// Whether A is in registers.
    pub registers: bool,
    /// Whether sums of integers saturate.
    pub saturates: bool,
    /// The selection of the kept half of A, if A is sparse; B is then twice as deep.
    pub kept: Option<SparseSelection>,
}

impl WgmmaForm {
    /// The number of columns.
    pub fn columns(self) -> usize {
        (self.eights as usize * 8).min(COLUMNS)
    }

    /// The depth of B, in [units](Element::unit).
    pub fn depth_of_b(self) -> usize {
        self.factors[1].depth() * if self.kept.is_some() { 2 } else { 1 }
    }

    /// The number of registers of the accumulator.
    pub fn sums(self) -> usize {
        self.columns() / if self.sum == Sum::F16 { 4 } else { 2 }
    }

    /// Returns the row and first column of the accumulator that a lane's register holds.
    pub fn place(self, register: usize, lane: usize) -> (usize, usize) {
        let (group, place) = (lane / 4, lane % 4);
        // Pairs of neighbours, in one register or two.
        let (pair, one) = if self.sum == Sum::F16 { (register, 0) } else { (register / 2, register % 2) };
        (group + 8 * (pair % 2), 8 * (pair / 2) + 2 * place + one)
    }
}

impl Number for WgmmaForm {
    fn code(self) -> u64 {
        let [a, b] = self.factors.map(Number::code);
        let flags = [
            self.negative[0],
            self.negative[1],
            self.transposed[0],
            self.transposed[1],
            self.registers,
            self.saturates,
        ];
        let flags = flags.iter().rev().fold(0, |code, flag| (code << 1) | flag.code());
        let kept = self.kept.map_or(0, |kept| 1 | (u64::from(kept.selector) << 1));
        u64::from(self.eights) | (a << 6) | (b << 10) | (self.sum.code() << 14) | (flags << 16) | (kept << 22)
    }

    fn from_code(code: u64) -> WgmmaForm {
        let flag = |at: u32| code & (1 << (16 + at)) != 0;
        WgmmaForm {
            eights: code as u32 & 63,
            factors: [Element::from_code((code >> 6) & 15), Element::from_code((code >> 10) & 15)],
            sum: Sum::from_code((code >> 14) & 3),
            negative: [flag(0), flag(1)],
            transposed: [flag(2), flag(3)],
            registers: flag(4),
            saturates: flag(5),
            kept: flag(6).then_some(SparseSelection { selector: (code >> 23) as u32 & 3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, SparseSelection, Sum, WgmmaForm};
    use crate::instr::operands::Number;

    #[test]
    fn a_form_survives_its_code() {
        for flags in 0..128u32 {
            let flag = |at: u32| flags & (1 << at) != 0;
            let form = WgmmaForm {
                eights: 32 - flags % 32,
                factors: [Element::E5m2, Element::B1],
                sum: Sum::S32,
                negative: [flag(0), flag(1)],
                transposed: [flag(2), flag(3)],
                registers: flag(4),
                saturates: flag(5),
                kept: flag(6).then_some(SparseSelection { selector: flags % 4 }),
            };
            assert_eq!(WgmmaForm::from_code(u64::from(form.code() as u32)), form);
        }
    }

    #[test]
    fn a_warp_s_registers_hold_its_rows_once_each() {
        for sum in [Sum::F16, Sum::F32, Sum::S32] {
            let form = WgmmaForm {
                eights: 3,
                factors: [Element::F16; 2],
                sum,
                negative: [false; 2],
                transposed: [false; 2],
                registers: false,
                saturates: false,
                kept: None,
            };
            let mut seen = [[0u32; 24]; super::ROWS];
            for register in 0..form.sums() {
                for lane in 0..32 {
                    let (row, column) = form.place(register, lane);
                    seen[row][column] += 1;
                    if sum == Sum::F16 {
                        seen[row][column + 1] += 1;
                    }
                }
            }
            assert_eq!(seen, [[1; 24]; super::ROWS], "{sum:?}");
        }
    }
}
