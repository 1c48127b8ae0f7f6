//! Matrix fragments: which lane holds which element of a tile, and how the hardware sums products.
//!
//! The layouts of `mma` are the PTX manual's. Those of `wmma` the manual leaves open: they are an H200's, read off what it loads.
//!
//! Tensor cores sum in fixed point. All products of a row and a column, and the accumulator, are brought to the exponent of the
//! largest, 25 bits below which everything is cut off; the sum, which is then exact, is cut off once more to f32, or rounded to
//! the nearest f16. The committed vectors of an H200 agree bit for bit. The exponent of a product is the sum of its factors'.

use crate::isa::soft::{self, Format, Parts, Round};
use crate::lane::LANES;

/// Bits that a sum keeps below the leading bit of its largest term.
const KEPT: i32 = 25;

/// An element's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S32,
}

/// Types by their codes.
const ELEMENTS: [(Element, &str); 8] = [
    (Element::F16, "f16"),
    (Element::Bf16, "bf16"),
    (Element::Tf32, "tf32"),
    (Element::F32, "f32"),
    (Element::F64, "f64"),
    (Element::S8, "s8"),
    (Element::U8, "u8"),
    (Element::S32, "s32"),
];

impl Element {
    /// The type of a modifier.
    pub fn named(word: &str) -> Option<Element> {
        ELEMENTS.iter().find(|e| e.1 == word).map(|e| e.0)
    }

    /// From the low bits of a code.
    pub fn from_code(code: u32) -> Element {
        ELEMENTS[code as usize & 7].0
    }

    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
            Element::S8 | Element::U8 => 8,
        }
    }

    /// Bytes of a register of a fragment.
    pub fn register(self) -> u32 {
        if self == Element::F64 { 8 } else { 4 }
    }

    /// Elements of a register.
    pub fn per_register(self) -> usize {
        (self.register() * 8 / self.bits()) as usize
    }

    fn format(self) -> Format {
        match self {
            Element::F16 => soft::F16,
            Element::Bf16 => soft::BF16,
            Element::F64 => soft::F64,
            _ => soft::F32,
        }
    }
}

/// A tile's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Rows times depth.
    A,
    /// Depth times columns.
    B,
    /// Rows times columns: the accumulator and the result.
    C,
}

/// Rows, columns and depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// Shapes by their codes.
const SHAPES: [(&str, [usize; 3]); 10] = [
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
];

impl Shape {
    /// Code of a shape's name.
    pub fn code(name: &str) -> Option<u32> {
        let at = SHAPES.iter().position(|s| s.0 == name);
        at.map(|at| at as u32)
    }

    /// From a code.
    pub fn from_code(code: u32) -> Shape {
        let [m, n, k] = SHAPES[(code as usize & 15).min(SHAPES.len() - 1)].1;
        Shape { m, n, k }
    }

    /// Registers that hold distinct elements.
    pub fn distinct(self, part: Part, element: Element) -> usize {
        let elements = match part {
            Part::A => self.m * self.k,
            Part::B => self.k * self.n,
            Part::C => self.m * self.n,
        };
        elements / LANES / element.per_register()
    }

    /// Registers of a fragment: `wmma` gives those of f16 factors eight whatever the shape.
    pub fn registers(self, part: Part, element: Element, whole_tile: bool) -> usize {
        if whole_tile && element == Element::F16 && part != Part::C {
            8
        } else {
            self.distinct(part, element)
        }
    }

    /// The parts in which a lane loads or stores a tile, each one access: the first register and element of each, and its bytes.
    /// What lies side by side in a register, or in the two that hold a pair, goes together.
    pub fn accesses(
        self,
        part: Part,
        element: Element,
        columns: bool,
    ) -> Vec<((usize, usize), u32)> {
        let (bytes, each) = (element.bits() / 8, element.per_register());
        let most = bytes.max(4) * if each == 1 { 2 } else { 1 };
        let mut all: Vec<((usize, usize), u32)> = Vec::new();
        let mut last = None;
        for register in 0..self.distinct(part, element) {
            for sub in 0..each {
                let (row, column) = self.place(part, element, register, sub, 0);
                let place = if columns {
                    (column, row)
                } else {
                    (row, column)
                };
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

    /// Row and column of an element: of `sub` in a lane's register.
    pub fn place(
        self,
        part: Part,
        element: Element,
        register: usize,
        sub: usize,
        lane: usize,
    ) -> (usize, usize) {
        let i = register % self.distinct(part, element).max(1);
        let (group, place) = (lane / 4, lane % 4);
        // Registers go through blocks of 8 rows (or columns) by as much depth as four lanes hold.
        let wide = 4 * element.per_register();
        let along = place * element.per_register() + sub;
        match part {
            Part::A => {
                let (x, y) = if self.m == 32 && element.bits() == 16 {
                    (i % 2 + 2 * (i / 4), i / 2 % 2)
                } else {
                    (i % (self.m / 8), i / (self.m / 8))
                };
                (group + 8 * x, along + wide * y)
            }
            Part::B => {
                let deep = self.k / wide;
                let (x, y) = if self.n == 32 && element.bits() == 16 {
                    (i % 2 + 2 * (i / 4), i / 2 % 2)
                } else {
                    (i / deep, i % deep)
                };
                (along + wide * y, group + 8 * x)
            }
            Part::C => {
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

/// A number taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Nan,
    /// Infinite, negative if set.
    Infinite(bool),
    /// `sig * 2^exp`, and the exponent of its leading bit.
    Finite {
        sig: i64,
        exp: i32,
        top: i32,
    },
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number::Finite {
        sig: 0,
        exp: 0,
        top: i32::MIN,
    };

    /// From an element's bits.
    pub fn new(element: Element, bits: u64) -> Number {
        let bits = if element == Element::Tf32 {
            bits & 0xffff_e000
        } else {
            bits
        };
        match element.format().unpack(bits) {
            Parts::Nan => Number::Nan,
            Parts::Inf(negative) => Number::Infinite(negative),
            Parts::Num(_, _, 0) => Number::ZERO,
            Parts::Num(negative, exp, sig) => {
                let top = exp + 127 - sig.leading_zeros() as i32;
                let sig = sig as i64;
                Number::Finite {
                    sig: if negative { -sig } else { sig },
                    exp,
                    top,
                }
            }
        }
    }
}

/// A product, or the accumulator.
fn product(a: Number, b: Number) -> Number {
    use Number::{Finite, Infinite, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(x), Infinite(y)) => Infinite(x != y),
        (Infinite(x), Finite { sig, .. }) | (Finite { sig, .. }, Infinite(x)) => match sig {
            0 => Nan,
            sig => Infinite(x != (sig < 0)),
        },
        (Finite { sig: 0, .. }, _) | (_, Finite { sig: 0, .. }) => Number::ZERO,
        (
            Finite { sig, exp, top },
            Finite {
                sig: s,
                exp: e,
                top: t,
            },
        ) => Finite {
            sig: sig * s,
            exp: exp + e,
            top: top + t,
        },
    }
}

/// The sum of products and an accumulator as the hardware has it, to f32 or f16 bits.
pub(crate) fn dot(
    pairs: &(impl Iterator<Item = (Number, Number)> + Clone),
    c: Number,
    to: Element,
) -> u64 {
    let terms = || pairs.clone().map(|(a, b)| product(a, b)).chain([c]);
    let nan = if to == Element::F16 {
        0x7fff
    } else {
        0x7fff_ffff
    };
    let mut highest = i32::MIN;
    let mut infinite: Option<bool> = None;
    for term in terms() {
        match term {
            Number::Nan => return nan,
            Number::Infinite(sign) => match infinite {
                Some(other) if other != sign => return nan,
                _ => infinite = Some(sign),
            },
            Number::Finite { top, .. } => highest = highest.max(top),
        }
    }
    let format = to.format();
    if let Some(negative) = infinite {
        return format.infinity() | if negative { format.sign() } else { 0 };
    }
    if highest == i32::MIN {
        return 0;
    }
    let unit = highest - KEPT;
    let sum: i64 = terms()
        .map(|term| match term {
            Number::Finite { sig, exp, .. } if sig != 0 => {
                let shift = exp - unit;
                let magnitude = sig.unsigned_abs();
                let cut = if shift >= 0 {
                    magnitude << shift
                } else {
                    magnitude.checked_shr(shift.unsigned_abs()).unwrap_or(0)
                };
                if sig < 0 { -(cut as i64) } else { cut as i64 }
            }
            _ => 0,
        })
        .sum();
    let round = if to == Element::F16 {
        Round::Nearest
    } else {
        Round::Zero
    };
    let top = 63 - sum.unsigned_abs().max(1).leading_zeros() as i32 + unit;
    if sum == 0 {
        0
    } else if to != Element::F16 && top > 127 {
        // Cut off, but not at the largest number.
        format.infinity() | if sum < 0 { format.sign() } else { 0 }
    } else {
        format.pack(round, sum < 0, unit, u128::from(sum.unsigned_abs()))
    }
}
