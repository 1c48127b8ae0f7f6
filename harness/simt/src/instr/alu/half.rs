//! Half precision and bfloat16, one number or two in a register.
//!
//! Sums and products are computed in a wider format, exactly or such that a second rounding does no harm, and rounded
//! to the narrow one. NaN results are 0x7fff. The forms without modifiers compute whole warps; they have no branches,
//! so that the compiler can vectorize them.

use super::approx;
use super::compare::{JOINS, NAMES, holds, join};
use super::convert::{FINITE, FloatReg, RELU, float_to_float, saturate_bits};
use super::directed::odd_sum;
use super::dispatch::op;
use super::float::{FTZ, SAT};
use super::half_number::Half;
use super::soft::{self, Format, Round};
use super::table::FormTable;
use crate::lane::{Bf16, Bf16x2, F16, F16x2, Lane};
use ptx::modifier::Modifier;

/// A register of one or two 16-bit numbers.
pub trait Halves: Lane {
    /// The type of one of them.
    type One: Half;
    /// Their format.
    const FORMAT: Format = Self::One::FORMAT;
    /// Applies `f` to each number; missing operands repeat another one.
    fn each(a: Self, b: Self, c: Self, f: impl Fn(u16, u16, u16) -> u16) -> Self;
    /// As a pair; a single number counts as two.
    fn pair(self) -> (u16, u16);
}
macro_rules! one {
    ($($t:ident)*) => {$(
        impl Halves for $t {
            type One = $t;
            #[inline(always)]
            fn each(a: $t, b: $t, c: $t, f: impl Fn(u16, u16, u16) -> u16) -> $t {
                $t(f(a.0, b.0, c.0))
            }
            #[inline(always)]
            fn pair(self) -> (u16, u16) { (self.0, self.0) }
        }
    )*};
}
macro_rules! two {
    ($($t:ident $one:ident;)*) => {$(
        impl Halves for $t {
            type One = $one;
            #[inline(always)]
            fn each(a: $t, b: $t, c: $t, f: impl Fn(u16, u16, u16) -> u16) -> $t {
                let low = f(a.0 as u16, b.0 as u16, c.0 as u16);
                let high = f((a.0 >> 16) as u16, (b.0 >> 16) as u16, (c.0 >> 16) as u16);
                $t(u32::from(low) | (u32::from(high) << 16))
            }
            #[inline(always)]
            fn pair(self) -> (u16, u16) { (self.0 as u16, (self.0 >> 16) as u16) }
        }
    )*};
}
one!(F16 Bf16);
two!(F16x2 F16; Bf16x2 Bf16;);

/// The NaN of both formats.
const NAN: u16 = 0x7fff;
/// The code's bit for `.NaN`.
const PROPAGATE: u64 = 1 << 13;
/// The code's bit for `.xorsign.abs`.
const XORSIGN: u64 = 1 << 14;
/// The code's bit for `max`.
const LARGER: u64 = 1 << 15;

fn to_f64(f: Format, x: u16) -> f64 {
    let single = if f == soft::F16 { F16(x).to_f32() } else { Bf16(x).to_f32() };
    f64::from(single)
}

/// Magnitudes below this round to less than 2^-14, the smallest normal f16, if the exponent range had no lower end.
const LEAST: f64 = 1.0 / 16_384.0 - 1.0 / 67_108_864.0;

/// Rounds an exact f64, or one rounded to odd, to the format, then applies the code's `.ftz`, `.sat`, `.relu`.
#[inline(never)]
fn finish(f: Format, x: f64, code: u64) -> u16 {
    let bits = if f == soft::F16 { F16::nearest_of_double(x).0 } else { Bf16::nearest_of_double(x).0 };
    let bits = u64::from(bits);
    // A number is tiny if it would be subnormal with an exponent range without a lower end, even if it rounds up to a
    // normal number.
    let tiny = code & FTZ != 0 && f == soft::F16 && x.abs() < LEAST;
    let bits = if tiny {
        bits & f.sign()
    } else if code & FTZ != 0 {
        f.flush(bits)
    } else {
        bits
    };
    let bits = if code & SAT != 0 { saturate_bits(f, bits) } else { bits };
    let negative = bits & f.sign() != 0 && !f.is_nan(bits);
    (if code & RELU != 0 && negative { 0 } else { bits }) as u16
}

/// Performs `op` in f64 on the operands, flushed if the code has `.ftz`.
#[inline(never)]
fn compute(f: Format, code: u64, x: [u16; 3], op: impl Fn(f64, f64, f64) -> f64) -> u16 {
    let x = x.map(|x| if code & FTZ != 0 { f.flush(u64::from(x)) as u16 } else { x });
    let [a, b, c] = x.map(|x| to_f64(f, x));
    finish(f, op(a, b, c), code)
}

/// The smaller or larger, with the modifiers of the code.
#[inline(never)]
fn extreme(f: Format, code: u64, a: u16, b: u16) -> u16 {
    let flush = |x: u16| {
        if code & FTZ != 0 { f.flush(u64::from(x)) as u16 } else { x }
    };
    let (a, b) = (flush(a), flush(b));
    let sign = (a ^ b) & 0x8000;
    let (a, b) = if code & XORSIGN != 0 { (a & 0x7fff, b & 0x7fff) } else { (a, b) };
    let nan = |x: u16| f.is_nan(u64::from(x));
    if (nan(a) && nan(b)) || (code & PROPAGATE != 0 && (nan(a) || nan(b))) {
        return NAN;
    }
    let r = if nan(a) {
        b
    } else if nan(b) {
        a
    } else {
        // Maps sign and magnitude to an integer with the same order; minus zero comes before zero.
        let key = |x: u16| {
            if x & 0x8000 != 0 { -1 - i32::from(x & 0x7fff) } else { i32::from(x) }
        };
        let first = (key(a) < key(b)) == (code & LARGER == 0);
        if first { a } else { b }
    };
    if code & XORSIGN != 0 { r | sign } else { r }
}

/// The smaller or larger without modifiers, and without branches.
#[inline(always)]
fn plain_extreme<T: Half, const LARGER: bool>(a: u16, b: u16) -> u16 {
    let magnitude = |x: u16| i32::from(x & 0x7fff);
    let nan = |x: u16| magnitude(x) > T::FORMAT.infinity() as i32;
    // As in `extreme`.
    let key = |x: u16| if x & 0x8000 != 0 { -1 - magnitude(x) } else { magnitude(x) };
    let first = (key(a) < key(b)) != LARGER;
    let of_numbers = if first { a } else { b };
    let with_b = if nan(b) { a } else { of_numbers };
    let with_both = if nan(a) { b } else { with_b };
    if nan(a) & nan(b) { NAN } else { with_both }
}

/// Returns the smaller of two f16, or the larger, as `min.f16` and `max.f16` do.
pub(crate) fn extreme_f16<const LARGER: bool>(a: u16, b: u16) -> u16 {
    plain_extreme::<F16, LARGER>(a, b)
}

/// The same for bf16.
pub(crate) fn extreme_bf16<const LARGER: bool>(a: u16, b: u16) -> u16 {
    plain_extreme::<Bf16, LARGER>(a, b)
}

/// Magnitude or negation without modifiers.
#[inline(always)]
fn plain_sign_change<T: Half>(a: u16, changed: u16) -> u16 {
    if u64::from(a & 0x7fff) > T::FORMAT.infinity() { NAN } else { changed }
}

/// Magnitude or negation: an operation on the bits, but with a single NaN.
fn sign_change(f: Format, code: u64, a: u16, change: impl Fn(u16) -> u16) -> u16 {
    let a = if code & FTZ != 0 { f.flush(u64::from(a)) as u16 } else { a };
    if f.is_nan(u64::from(a)) { NAN } else { change(a) }
}

/// Computes an approximation in single precision.
#[inline(never)]
fn approximate(f: Format, code: u64, a: u16, op: impl Fn(f32) -> f32) -> u16 {
    compute(f, code, [a; 3], |a, _, _| f64::from(op(a as f32)))
}

op! {
    /// Sum.
    PlainAdd<T: Halves>(a: T, b: T) -> T {
        T::each(a, b, b, |a, b, _| T::One::with_bits(a).sum(T::One::with_bits(b)).bits())
    }
    /// Difference: a sum with the sign changed, which turns no NaN into a number.
    PlainSub<T: Halves>(a: T, b: T) -> T {
        T::each(a, b, b, |a, b, _| T::One::with_bits(a).sum(T::One::with_bits(b ^ 0x8000)).bits())
    }
    /// Product.
    PlainMul<T: Halves>(a: T, b: T) -> T {
        T::each(a, b, b, |a, b, _| T::One::with_bits(a).product(T::One::with_bits(b)).bits())
    }
    /// Fused multiply-add.
    PlainFma<T: Halves>(a: T, b: T, c: T) -> T {
        T::each(a, b, c, |a, b, c| T::One::with_bits(a).fused(T::One::with_bits(b), T::One::with_bits(c)).bits())
    }
    /// The smaller.
    PlainMin<T: Halves>(a: T, b: T) -> T { T::each(a, b, b, |a, b, _| plain_extreme::<T::One, false>(a, b)) }
    /// The larger.
    PlainMax<T: Halves>(a: T, b: T) -> T { T::each(a, b, b, |a, b, _| plain_extreme::<T::One, true>(a, b)) }
    /// Negation.
    PlainNeg<T: Halves>(a: T) -> T { T::each(a, a, a, |a, _, _| plain_sign_change::<T::One>(a, a ^ 0x8000)) }
    /// Magnitude.
    PlainAbs<T: Halves>(a: T) -> T { T::each(a, a, a, |a, _, _| plain_sign_change::<T::One>(a, a & 0x7fff)) }
    /// Two f32 to the nearest half-precision numbers, the first in the high half.
    NearestF16x2(a: f32, b: f32) -> F16x2 { F16x2(u32::from(F16::nearest(a).0) << 16 | u32::from(F16::nearest(b).0)) }
    /// Two f32 to the nearest bfloat16 numbers, the first in the high half.
    NearestBf16x2(a: f32, b: f32) -> Bf16x2 {
        Bf16x2(u32::from(Bf16::nearest(a).0) << 16 | u32::from(Bf16::nearest(b).0))
    }
    /// Sum.
    Add<T: Halves>(a: T, b: T) [code] -> T {
        T::each(a, b, b, |a, b, _| compute(T::FORMAT, code, [a, b, b], |a, b, _| odd_sum(a, b)))
    }
    /// Difference.
    Sub<T: Halves>(a: T, b: T) [code] -> T {
        T::each(a, b, b, |a, b, _| compute(T::FORMAT, code, [a, b, b], |a, b, _| odd_sum(a, -b)))
    }
    /// Product.
    Mul<T: Halves>(a: T, b: T) [code] -> T {
        T::each(a, b, b, |a, b, _| compute(T::FORMAT, code, [a, b, b], |a, b, _| a * b))
    }
    /// Fused multiply-add.
    Fma<T: Halves>(a: T, b: T, c: T) [code] -> T {
        T::each(a, b, c, |a, b, c| compute(T::FORMAT, code, [a, b, c], |a, b, c| odd_sum(a * b, c)))
    }
    /// A number minus a product, rounded once.
    NegatedFma<T: Halves>(a: T, b: T, c: T) [code] -> T {
        T::each(a, b, c, |a, b, c| compute(T::FORMAT, code, [a ^ 0x8000, b, c], |a, b, c| odd_sum(a * b, c)))
    }
    /// A product minus a number, rounded once.
    FmaMinus<T: Halves>(a: T, b: T, c: T) [code] -> T {
        T::each(a, b, c, |a, b, c| compute(T::FORMAT, code, [a, b, c ^ 0x8000], |a, b, c| odd_sum(a * b, c)))
    }
    /// The smaller or larger.
    Extreme<T: Halves>(a: T, b: T) [code] -> T { T::each(a, b, b, |a, b, _| extreme(T::FORMAT, code, a, b)) }
    /// Negation.
    Neg<T: Halves>(a: T) [code] -> T { T::each(a, a, a, |a, _, _| sign_change(T::FORMAT, code, a, |a| a ^ 0x8000)) }
    /// Magnitude.
    Abs<T: Halves>(a: T) [code] -> T { T::each(a, a, a, |a, _, _| sign_change(T::FORMAT, code, a, |a| a & 0x7fff)) }
    /// 2^x.
    Ex2<T: Halves>(a: T) [code] -> T { T::each(a, a, a, |a, _, _| approximate(T::FORMAT, code, a, approx::ex2)) }
    /// Hyperbolic tangent.
    Tanh<T: Halves>(a: T) [code] -> T { T::each(a, a, a, |a, _, _| approximate(T::FORMAT, code, a, approx::tanh)) }
    /// Two f32 to two half-precision numbers, the first in the high half.
    PackF16(a: f32, b: f32) [code] -> F16x2 { F16x2(pack::<F16>(a, b, code)) }
    /// Two f32 to two bfloat16 numbers, the first in the high half.
    PackBf16(a: f32, b: f32) [code] -> Bf16x2 { Bf16x2(pack::<Bf16>(a, b, code)) }
    /// f32 to the 19 bits of tf32, in the high bits of a word.
    Tf32(a: f32) [code] -> u32 {
        let tf32 = Format { mantissa: 10, exponent: 8 };
        let bits = float_to_float(soft::F32, u64::from(a.to_bits()), tf32, 0x3_ffff, code);
        (bits << 13) as u32
    }
    /// f32 to the nearest tf32, ties away from zero. Infinity and NaN lose their low bits, and with `.satfinite` one
    /// more.
    Tf32Away(a: f32) [code] -> u32 {
        // Half a unit is added to the magnitude; carries propagate into the exponent.
        let finite = a.to_bits() & 0x7f80_0000 != 0x7f80_0000;
        let rounded = a.to_bits().wrapping_add(if finite { 0x1000 } else { 0 }) & !0x1fff;
        let large = rounded & 0x7fff_ffff >= 0x7f80_0000;
        if code & FINITE != 0 && large { rounded - 0x2000 } else { rounded }
    }
    /// Compares two pairs, each joined with a predicate.
    SetpJoin<T: Halves>(a: T, b: T, c: bool) [code] -> bool, bool {
        let (p, q) = compare(a, b, code);
        (join(code, p, c), join(code, q, c))
    }
    /// Compares two pairs.
    Setp<T: Halves>(a: T, b: T) [code] -> bool, bool { compare(a, b, code) }
    /// Compares two pairs into 1.0 and 0.0.
    SetNumber<T: Halves>(a: T, b: T) [code] -> T {
        let one = T::FORMAT.pack(Round::Nearest, false, 0, 1) as u16;
        T::each(a, b, b, |a, b, _| if relation(T::FORMAT, code, a, b) { one } else { 0 })
    }
    /// Compares two pairs into all ones and zero.
    SetMask<T: Halves>(a: T, b: T) [code] -> u32 {
        let (p, q) = compare(a, b, code);
        (if p { 0xffff } else { 0 }) | (if q { 0xffff_0000 } else { 0 })
    }
}

fn pack<T: FloatReg>(high: f32, low: f32, code: u64) -> u32 {
    let one = |x: f32| float_to_float(soft::F32, u64::from(x.to_bits()), T::FORMAT, T::NAN, code) as u32;
    (one(high) << 16) | one(low)
}

#[inline(never)]
fn relation(f: Format, code: u64, a: u16, b: u16) -> bool {
    let value = |x: u16| to_f64(f, if code & FTZ != 0 { f.flush(u64::from(x)) as u16 } else { x });
    holds(code, value(a), value(b))
}

fn compare<T: Halves>(a: T, b: T, code: u64) -> (bool, bool) {
    let ((a, a2), (b, b2)) = (a.pair(), b.pair());
    (relation(T::FORMAT, code, a, b), relation(T::FORMAT, code, a2, b2))
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    of_type::<F16>(t, "f16", true);
    of_type::<F16x2>(t, "f16x2", true);
    of_type::<Bf16>(t, "bf16", false);
    of_type::<Bf16x2>(t, "bf16x2", false);
    pairs::<F16x2>(t, "f16x2", true);
    pairs::<Bf16x2>(t, "bf16x2", false);
    conversions(t);
}

/// Returns the modifier and its absence, where a type has it.
fn optional(name: &'static str, bit: u64, has: bool) -> Vec<(&'static str, u64)> {
    if has { vec![("", 0), (name, bit)] } else { vec![("", 0)] }
}

fn of_type<T: Halves>(t: &mut FormTable, ty: &str, full: bool) {
    plain::<T>(t, ty);
    for (ftz, f) in optional(".ftz", FTZ, full) {
        for (sat, s) in optional(".sat", SAT, full).into_iter().filter(|(_, s)| f | s != 0) {
            let names = |op: &str| vec![format!("{op}{ftz}{sat}.{ty}"), format!("{op}.rn{ftz}{sat}.{ty}")];
            t.cold_preset::<Add<T>>(names("add"), f | s);
            t.cold_preset::<Sub<T>>(names("sub"), f | s);
            t.cold_preset::<Mul<T>>(names("mul"), f | s);
            t.cold_preset::<Fma<T>>(format!("fma.rn{ftz}{sat}.{ty}"), f | s);
        }
        let [ab, c] = [Modifier::NegatedProduct, Modifier::NegatedAddend].map(Modifier::word);
        for (sat, s) in optional(".sat", SAT, full) {
            t.cold_preset::<NegatedFma<T>>(format!("fma.{ab}.rn{ftz}{sat}.{ty}"), f | s);
            t.cold_preset::<FmaMinus<T>>(format!("fma.{c}.rn{ftz}{sat}.{ty}"), f | s);
        }
        t.cold_preset::<Fma<T>>(format!("fma.rn{ftz}.relu.{ty}"), f | RELU);
        if f != 0 {
            t.cold_preset::<Neg<T>>(format!("neg{ftz}.{ty}"), f);
            t.cold_preset::<Abs<T>>(format!("abs{ftz}.{ty}"), f);
        }
        for (nan, n) in [("", 0), (".NaN", PROPAGATE)] {
            for (xor, x) in [("", 0), (".xorsign.abs", XORSIGN)].into_iter().filter(|(_, x)| f | n | x != 0) {
                t.cold_preset::<Extreme<T>>(format!("min{ftz}{nan}{xor}.{ty}"), f | n | x);
                t.cold_preset::<Extreme<T>>(format!("max{ftz}{nan}{xor}.{ty}"), f | n | x | LARGER);
            }
        }
    }
    let ftz = if full { "" } else { ".ftz" };
    let code = if full { 0 } else { FTZ };
    t.cold_preset::<Ex2<T>>(format!("ex2.approx{ftz}.{ty}"), code);
    t.cold_preset::<Tanh<T>>(format!("tanh.approx.{ty}"), 0);
}

/// Adds the forms without modifiers.
fn plain<T: Halves>(t: &mut FormTable, ty: &str) {
    let names = |op: &str| vec![format!("{op}.{ty}"), format!("{op}.rn.{ty}")];
    t.warm::<PlainAdd<T>>(names("add"));
    t.warm::<PlainSub<T>>(names("sub"));
    t.warm::<PlainMul<T>>(names("mul"));
    t.warm::<PlainFma<T>>(format!("fma.rn.{ty}"));
    t.warm::<PlainMin<T>>(format!("min.{ty}"));
    t.warm::<PlainMax<T>>(format!("max.{ty}"));
    t.warm::<PlainNeg<T>>(format!("neg.{ty}"));
    t.warm::<PlainAbs<T>>(format!("abs.{ty}"));
}

fn pairs<T: Halves>(t: &mut FormTable, ty: &str, full: bool) {
    for (name, rel) in NAMES {
        for (ftz, f) in optional(".ftz", FTZ, full) {
            let code = rel | f;
            t.cold_preset::<Setp<T>>(format!("setp.{name}{ftz}.{ty}|"), code);
            t.cold_preset::<SetNumber<T>>(format!("set.{name}{ftz}.{ty}.{ty}"), code);
            let masks = vec![format!("set.{name}{ftz}.u32.{ty}"), format!("set.{name}{ftz}.s32.{ty}")];
            t.cold_preset::<SetMask<T>>(masks, code);
            for (join, bits) in JOINS.iter().zip(1..) {
                t.cold_preset::<SetpJoin<T>>(format!("setp.{name}.{join}{ftz}.{ty}|"), code | (bits << 4));
            }
        }
    }
}

fn conversions(t: &mut FormTable) {
    for (mode, round) in [("rn", 0), ("rz", 1)] {
        for (extra, code) in [("", 0), (".relu", RELU), (".satfinite", FINITE), (".relu.satfinite", RELU | FINITE)] {
            if round | code != 0 {
                t.cold_preset::<PackF16>(format!("cvt.{mode}{extra}.f16x2.f32"), round | code);
                t.cold_preset::<PackBf16>(format!("cvt.{mode}{extra}.bf16x2.f32"), round | code);
            }
        }
        for (extra, code) in [("", 0), (".relu", RELU), (".satfinite", FINITE), (".satfinite.relu", RELU | FINITE)] {
            t.cold_preset::<Tf32>(format!("cvt.{mode}{extra}.tf32.f32"), round | code);
        }
    }
    t.warm::<NearestF16x2>("cvt.rn.f16x2.f32");
    t.warm::<NearestBf16x2>("cvt.rn.bf16x2.f32");
    t.warm::<Tf32Away>("cvt.rna.tf32.f32");
    t.cold_preset::<Tf32Away>("cvt.rna.satfinite.tf32.f32", FINITE);
}

#[cfg(test)]
mod tests;
