//! Single precision with directed rounding, computed in double precision: code that vectorises.
//!
//! A sum, product, quotient or root is computed in f64, and so is its rounding error, which is exact. If the error is
//! not zero, the last bit of the f64 is set to 1 ("rounding to odd"). Rounding that to f32 gives the same result as
//! rounding the exact value, because f64 has more than two extra bits (Boldo and Melquiond, "Emulation of FMA and
//! correctly rounded sums", IEEE Trans. Comp. 57(4), 2008).

use super::soft::Round;

/// A rounding mode known at compile time.
pub trait Mode {
    /// The mode.
    const ROUND: Round;
}
/// `.rz`
pub struct Rz;
/// `.rm`
pub struct Rm;
/// `.rp`
pub struct Rp;
impl Mode for Rz {
    const ROUND: Round = Round::Zero;
}
impl Mode for Rm {
    const ROUND: Round = Round::Down;
}
impl Mode for Rp {
    const ROUND: Round = Round::Up;
}

/// Rounds to odd `x`, where `x + err` is the exact value: if `err` is not zero, the last bit of the result is 1.
#[inline(always)]
fn odd(x: f64, err: f64) -> f64 {
    let bits = x.to_bits();
    let away = (err > 0.0) == (x > 0.0);
    let other = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    // Not `err != 0.0`, because the error of an infinite sum is NaN, although the sum is exact.
    let inexact = (err > 0.0) | (err < 0.0);
    f64::from_bits(if inexact & (bits & 1 == 0) { other } else { bits })
}

/// Rounds an f64 (exact or rounded to odd) to f32.
#[inline(always)]
pub fn narrow(round: Round, x: f64) -> f32 {
    let r = x as f32;
    let back = f64::from(r);
    let bits = r.to_bits();
    let negative = bits >> 31 != 0;
    let (smaller, larger) = (bits.wrapping_sub(1), bits.wrapping_add(1));
    let fixed = match round {
        Round::Nearest | Round::NearestAway => bits,
        Round::Zero => {
            if back.abs() > x.abs() {
                smaller
            } else {
                bits
            }
        }
        Round::Down => {
            let down = if negative { larger } else { smaller };
            if back > x { down } else { bits }
        }
        Round::Up => {
            let up = if negative { smaller } else { larger };
            if back < x { up } else { bits }
        }
    };
    f32::from_bits(fixed)
}

/// `x + y`, rounded to odd.
#[inline(always)]
pub fn odd_sum(x: f64, y: f64) -> f64 {
    let s = x + y;
    let b = s - x;
    let err = (x - (s - b)) + (y - b);
    odd(s, err)
}

/// Rounds `x + y`, of two exact f64, to f32.
#[inline(always)]
fn sum(round: Round, x: f64, y: f64) -> f32 {
    let s = odd_sum(x, y);
    let r = narrow(round, s);
    let negative = (x.to_bits() | y.to_bits()) >> 63 != 0;
    if round == Round::Down && s == 0.0 && negative { -0.0 } else { r }
}

/// Sum.
#[inline(always)]
pub fn add(round: Round, a: f32, b: f32) -> f32 {
    sum(round, f64::from(a), f64::from(b))
}

/// Product.
#[inline(always)]
pub fn mul(round: Round, a: f32, b: f32) -> f32 {
    narrow(round, f64::from(a) * f64::from(b))
}

/// `a * b + c`.
#[inline(always)]
pub fn fma(round: Round, a: f32, b: f32, c: f32) -> f32 {
    sum(round, f64::from(a) * f64::from(b), f64::from(c))
}

/// Quotient.
#[inline(always)]
pub fn div(round: Round, a: f32, b: f32) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    let q = a / b;
    let rest = (-q).mul_add(b, a);
    let err = if b < 0.0 { -rest } else { rest };
    narrow(round, odd(q, err))
}

/// Square root.
#[inline(always)]
pub fn sqrt(round: Round, a: f32) -> f32 {
    let a = f64::from(a);
    let r = a.sqrt();
    narrow(round, odd(r, (-r).mul_add(r, a)))
}
