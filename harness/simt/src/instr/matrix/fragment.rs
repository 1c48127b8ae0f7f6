//! Matrix fragments: which lane holds which element of a tile.
//!
//! The layouts of `mma` are those of the PTX manual. The manual leaves the layouts of `wmma` open; these were observed
//! in loads by an H200.

use crate::instr::alu::soft::{self, Format};
use crate::instr::operands::codes;
use crate::lane::LANES;

codes! {
    /// An element's type.
    pub(super) enum Element {
        F16 = "f16",
        Bf16 = "bf16",
        Tf32 = "tf32",
        F32 = "f32",
        F64 = "f64",
        S8 = "s8",
        U8 = "u8",
        S32 = "s32",
        S4 = "s4",
        U4 = "u4",
        B1 = "b1",
        E4m3 = "e4m3",
        E5m2 = "e5m2",
        S4Pair = "s4x2",
        U4Pair = "u4x2",
    }
}

impl Element {
    /// The element type for a sparse product: of 4-bit numbers, two neighbours are kept or left out together.
    pub fn in_sparse(self) -> Element {
        match self {
            Element::S4 => Element::S4Pair,
            Element::U4 => Element::U4Pair,
            other => other,
        }
    }

    /// Bits of an element. Elements of less than a byte are handled in words or in bytes, packed contiguously.
    pub fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 | Element::S4 | Element::U4 | Element::B1 => 32,
            Element::F64 => 64,
            Element::S8 | Element::U8 | Element::E4m3 | Element::E5m2 | Element::S4Pair | Element::U4Pair => 8,
        }
    }

    /// The number of elements that are handled as one unit: those of a word or of a byte, if an element has less than a
    /// byte.
    pub fn at_once(self) -> usize {
        match self {
            Element::S4 | Element::U4 => 8,
            Element::B1 => 32,
            Element::S4Pair | Element::U4Pair => 2,
            _ => 1,
        }
    }

    /// Bytes of a register of a fragment.
    pub fn register(self) -> u32 {
        if self == Element::F64 { 8 } else { 4 }
    }

    /// Elements of a register, or words of elements.
    pub fn per_register(self) -> usize {
        (self.register() * 8 / self.bits()) as usize
    }

    /// Whether it is an 8-bit floating-point number.
    pub fn is_quarter(self) -> bool {
        matches!(self, Element::E4m3 | Element::E5m2)
    }

    /// The format in which its products are computed: 8-bit numbers are first converted to f16.
    pub fn format(self) -> Format {
        match self {
            Element::E4m3 | Element::E5m2 | Element::F16 => soft::F16,
            Element::Bf16 => soft::BF16,
            Element::F64 => soft::F64,
            _ => soft::F32,
        }
    }
}

codes! {
    /// The matrix of a product that a fragment belongs to.
    pub(super) enum MatrixRole {
        /// Rows times depth.
        A = "a",
        /// Depth times columns.
        B = "b",
        /// Rows times columns: the accumulator and the result.
        C = "c",
    }
}

/// Rows, columns and depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dims {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// The dimensions that instructions can have, by name.
const DIMS: [(&str, [usize; 3]); 15] = [
    ("m16n8k4", [16, 8, 4]),
    ("m16n8k8", [16, 8, 8]),
    ("m16n8k16", [16, 8, 16]),
    ("m16n8k32", [16, 8, 32]),
    ("m8n8k4", [8, 8, 4]),
    ("m8n8k16", [8, 8, 16]),
    ("m16n16k16", [16, 16, 16]),
    ("m8n32k16", [8, 32, 16]),
    ("m32n8k16", [32, 8, 16]),
    ("m16n16k8", [16, 16, 8]),
    ("m8n8k32", [8, 8, 32]),
    ("m16n8k64", [16, 8, 64]),
    ("m8n8k128", [8, 8, 128]),
    ("m16n8k128", [16, 8, 128]),
    ("m16n8k256", [16, 8, 256]),
];

impl Dims {
    /// Returns the code of the dimensions with this name.
    pub fn code(name: &str) -> Option<u32> {
        let at = DIMS.iter().position(|s| s.0 == name);
        at.map(|at| at as u32)
    }

    /// Returns the dimensions of a code.
    pub fn from_code(code: u32) -> Dims {
        let [m, n, k] = DIMS[(code as usize & 15).min(DIMS.len() - 1)].1;
        Dims { m, n, k }
    }

    /// The depth, in elements or in words of elements.
    pub fn depth(self, element: Element) -> usize {
        self.k / element.at_once()
    }

    /// The number of registers that hold distinct elements.
    pub fn distinct(self, part: MatrixRole, element: Element) -> usize {
        let elements = match part {
            MatrixRole::A => self.m * self.depth(element),
            MatrixRole::B => self.depth(element) * self.n,
            MatrixRole::C => self.m * self.n,
        };
        elements / LANES / element.per_register()
    }

    /// The number of registers of a fragment. For `wmma`, factors of f16 always have eight.
    pub fn registers(self, part: MatrixRole, element: Element, whole_tile: bool) -> usize {
        if whole_tile && element == Element::F16 && part != MatrixRole::C { 8 } else { self.distinct(part, element) }
    }

    /// The accesses by which a lane loads or stores a tile: the first register and element of each, and its bytes.
    /// Elements that are contiguous in memory and lie in one register, or in two registers that hold a pair, form one
    /// access.
    pub fn accesses(self, part: MatrixRole, element: Element, columns: bool) -> Vec<((usize, usize), u32)> {
        let (bytes, each) = (element.bits() / 8, element.per_register());
        let most = bytes.max(4) * if each == 1 { 2 } else { 1 };
        let mut all: Vec<((usize, usize), u32)> = Vec::new();
        let mut last = None;
        for register in 0..self.distinct(part, element) {
            for sub in 0..each {
                let (row, column) = self.place(part, element, register, sub, 0);
                let place = if columns { (column, row) } else { (row, column) };
                let next = last.is_some_and(|(far, near)| place == (far, near + 1));
                match all.last_mut() {
                    Some((_, size)) if next && *size < most => *size += bytes,
                    _ => all.push(((register, sub), bytes)),
                }
                last = Some(place);
            }
        }
        all
    }

    /// Returns the row and column of element `sub` in a lane's register, with the depth counted as in [`Dims::depth`].
    pub fn place(self, part: MatrixRole, element: Element, register: usize, sub: usize, lane: usize) -> (usize, usize) {
        let i = register % self.distinct(part, element).max(1);
        let (group, place) = (lane / 4, lane % 4);
        // Registers cover blocks of 8 rows (or columns) by the depth that four lanes hold.
        let wide = 4 * element.per_register();
        let along = place * element.per_register() + sub;
        match part {
            MatrixRole::A => {
                let (x, y) = if self.m == 32 && element.bits() == 16 {
                    (i % 2 + 2 * (i / 4), i / 2 % 2)
                } else {
                    (i % (self.m / 8), i / (self.m / 8))
                };
                (group + 8 * x, along + wide * y)
            }
            MatrixRole::B => {
                let deep = self.depth(element) / wide;
                let (x, y) = if self.n == 32 && element.bits() == 16 {
                    (i % 2 + 2 * (i / 4), i / 2 % 2)
                } else {
                    (i / deep, i % deep)
                };
                (along + wide * y, group + 8 * x)
            }
            MatrixRole::C => {
                // Pairs of neighbours, in one register or two.
                let number = i * element.per_register() + sub;
                let (pair, one) = (number / 2, 2 * place + number % 2);
                if self.n == 32 {
                    (one, group + 8 * pair)
                } else {
                    let down = self.m / 8;
                    (group + 8 * (pair % down), one + 8 * (pair / down))
                }
            }
        }
    }
}
