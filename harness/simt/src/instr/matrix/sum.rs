//! How tensor cores sum products.
//!
//! Tensor cores sum in fixed point. All products of a row and a column, and the accumulator, are aligned to the
//! exponent of the largest, and truncated 25 bits below it; the sum, which is then exact, is truncated once more to
//! f32, or rounded to the nearest f16. The committed vectors of an H200 agree bit for bit. The exponent of a product is
//! the sum of its factors'.

use super::fragment::Element;
use crate::instr::alu::quarter::{half_of_e4m3, half_of_e5m2};
use crate::instr::alu::soft::{Parts, Round};

/// Bits that a sum keeps below the leading bit of its largest term.
const KEPT: i32 = 25;

/// An unpacked number: a term of a sum, or a factor of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
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

impl Term {
    /// Zero.
    pub const ZERO: Term = Term::Finite { sig: 0, exp: 0, top: i32::MIN };

    /// Unpacks an element's bits.
    pub fn new(element: Element, bits: u64) -> Term {
        let bits = match element {
            Element::Tf32 => bits & 0xffff_e000,
            Element::E4m3 => half_of_e4m3(bits as u8).into(),
            Element::E5m2 => half_of_e5m2(bits as u8).into(),
            _ => bits,
        };
        match element.format().unpack(bits) {
            Parts::Nan => Term::Nan,
            Parts::Inf(negative) => Term::Infinite(negative),
            Parts::Num(_, _, 0) => Term::ZERO,
            Parts::Num(negative, exp, sig) => {
                let top = exp + 127 - sig.leading_zeros() as i32;
                let sig = sig as i64;
                Term::Finite { sig: if negative { -sig } else { sig }, exp, top }
            }
        }
    }
}

/// A product, or the accumulator.
fn product(a: Term, b: Term) -> Term {
    use Term::{Finite, Infinite, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(x), Infinite(y)) => Infinite(x != y),
        (Infinite(x), Finite { sig, .. }) | (Finite { sig, .. }, Infinite(x)) => match sig {
            0 => Nan,
            sig => Infinite(x != (sig < 0)),
        },
        (Finite { sig: 0, .. }, _) | (_, Finite { sig: 0, .. }) => Term::ZERO,
        (Finite { sig, exp, top }, Finite { sig: s, exp: e, top: t }) => {
            Finite { sig: sig * s, exp: exp + e, top: top + t }
        }
    }
}

/// Returns the sum of products and an accumulator as the hardware computes it, as f32 or f16 bits.
pub(super) fn dot(pairs: &(impl Iterator<Item = (Term, Term)> + Clone), c: Term, to: Element) -> u64 {
    let terms = || pairs.clone().map(|(a, b)| product(a, b)).chain([c]);
    let nan = if to == Element::F16 { 0x7fff } else { 0x7fff_ffff };
    let mut highest = i32::MIN;
    let mut infinite: Option<bool> = None;
    for term in terms() {
        match term {
            Term::Nan => return nan,
            Term::Infinite(sign) => match infinite {
                Some(other) if other != sign => return nan,
                _ => infinite = Some(sign),
            },
            Term::Finite { top, .. } => highest = highest.max(top),
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
            Term::Finite { sig, exp, .. } if sig != 0 => {
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
    let round = if to == Element::F16 { Round::Nearest } else { Round::Zero };
    let top = 63 - sum.unsigned_abs().max(1).leading_zeros() as i32 + unit;
    if sum == 0 {
        0
    } else if to != Element::F16 && top > 127 {
        // Numbers that are too large become infinite, although other results are rounded towards zero.
        format.infinity() | if sum < 0 { format.sign() } else { 0 }
    } else {
        format.pack(round, sum < 0, unit, u128::from(sum.unsigned_abs()))
    }
}

/// Returns the sum of products of these bits and an accumulator, for tests of other code that computes the same.
#[cfg(test)]
pub(crate) fn reference(element: &str, pairs: &[(u32, u32)], c: u32, to: &str) -> u32 {
    let named = |word| Element::named(word).expect("a type");
    let [element, to] = [element, to].map(named);
    let terms = pairs.iter().map(|&(a, b)| (Term::new(element, a.into()), Term::new(element, b.into())));
    dot(&terms, Term::new(to, c.into()), to) as u32
}
