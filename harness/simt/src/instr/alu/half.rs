//! Half precision and bfloat16, one number or two in a register.
//!
//! Sums and products are computed in f64 (exactly, or rounded to odd) and rounded once to the format. NaN results are
//! 0x7fff.

use super::approx;
use super::compare::{JOINS, NAMES, holds, join};
use super::convert::{FINITE, FloatReg, RELU, float_to_float, saturate_bits};
use super::directed::odd_sum;
use super::dispatch::op;
use super::float::{FTZ, SAT};
use super::soft::{self, Format, Round};
use super::table::Table;
use crate::lane::{Bf16, Bf16x2, F16, F16x2, Lane};

impl F16 {
    /// The same number in single precision; NaN becomes 0x7fffffff.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let magnitude = u32::from(self.0 & 0x7fff);
        // The bits are read as an f32, which is wrong only by the exponent's bias. The factor 2^112 corrects that, for
        // subnormal numbers, too.
        let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
        let sign = u32::from(self.0 & 0x8000) << 16;
        let finite = scaled.to_bits() | sign;
        let large = if magnitude == 0x7c00 { 0x7f80_0000 | sign } else { 0x7fff_ffff };
        f32::from_bits(if magnitude < 0x7c00 { finite } else { large })
    }

    /// The nearest half-precision number, ties to even; NaN becomes 0x7fff.
    #[inline(always)]
    pub fn nearest(x: f32) -> F16 {
        let bits = x.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Normal results: add half a unit less one, and the unit's own bit for ties. Carries go on into the exponent.
        let rebiased = magnitude.wrapping_sub(112 << 23);
        let normal = rebiased.wrapping_add(0xfff + ((magnitude >> 13) & 1)) >> 13;
        // Subnormal results: the adder rounds when 0.5 brings the unit 2^-24 to the last bit.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        // 65520 is the least that rounds to infinity.
        let large = if magnitude < 0x477f_f000 { finite } else { 0x7c00 };
        let sign = (bits >> 16) & 0x8000;
        F16(if magnitude > 0x7f80_0000 { 0x7fff } else { (large | sign) as u16 })
    }

    /// Subnormal numbers to zero of the same sign.
    #[inline(always)]
    pub fn flushed(self) -> F16 {
        F16(if self.0 & 0x7c00 == 0 { self.0 & 0x8000 } else { self.0 })
    }
}

impl Bf16 {
    /// The same number in single precision; NaN stays as it is.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// The nearest bfloat16 number, ties to even; NaN becomes 0x7fff.
    #[inline(always)]
    pub fn nearest(x: f32) -> Bf16 {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        Bf16(if x.is_nan() { 0x7fff } else { rounded as u16 })
    }
}

/// A register of one or two 16-bit numbers.
pub trait Halves: Lane {
    /// Their format.
    const FORMAT: Format;
    /// Does `f` to each; operands that the instruction lacks are given again.
    fn each(a: Self, b: Self, c: Self, f: impl Fn(u16, u16, u16) -> u16) -> Self;
    /// As a pair; one number counts as two.
    fn pair(self) -> (u16, u16);
}
macro_rules! one {
    ($($t:ident $format:ident;)*) => {$(
        impl Halves for $t {
            const FORMAT: Format = soft::$format;
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
    ($($t:ident $format:ident;)*) => {$(
        impl Halves for $t {
            const FORMAT: Format = soft::$format;
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
one!(F16 F16; Bf16 BF16;);
two!(F16x2 F16; Bf16x2 BF16;);

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

/// What is less than this rounds to less than 2^-14, the least normal f16, if the range of exponents had no lower end.
const LEAST: f64 = 1.0 / 16_384.0 - 1.0 / 67_108_864.0;

/// An exact or odd f64 to the format, then `.ftz`, `.sat`, `.relu` as the code says.
#[inline(never)]
fn finish(f: Format, x: f64, code: u64) -> u16 {
    let bits = soft::convert(soft::F64, f, Round::Nearest, x.to_bits()).unwrap_or(u64::from(NAN));
    // A number is tiny if it would be subnormal without a lower end of the exponents, even if it rounds up to a normal
    // number.
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

/// Does `op` in f64 to operands, flushed as the code says.
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
        // Sign and magnitude as an integer with the same order; minus zero comes before zero.
        let key = |x: u16| {
            if x & 0x8000 != 0 { -1 - i32::from(x & 0x7fff) } else { i32::from(x) }
        };
        let first = (key(a) < key(b)) == (code & LARGER == 0);
        if first { a } else { b }
    };
    if code & XORSIGN != 0 { r | sign } else { r }
}

/// Magnitude or negation: bits, but one NaN.
fn sign_change(f: Format, code: u64, a: u16, change: impl Fn(u16) -> u16) -> u16 {
    let a = if code & FTZ != 0 { f.flush(u64::from(a)) as u16 } else { a };
    if f.is_nan(u64::from(a)) { NAN } else { change(a) }
}

/// An approximation in single precision.
#[inline(never)]
fn approximate(f: Format, code: u64, a: u16, op: impl Fn(f32) -> f32) -> u16 {
    compute(f, code, [a; 3], |a, _, _| f64::from(op(a as f32)))
}

op! {
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
    /// f32 to the nearest tf32, ties away from zero. Infinity and NaN lose bits, and with `.satfinite` one more.
    Tf32Away(a: f32) [code] -> u32 {
        // Half a unit added to the magnitude; carries run on into the exponent.
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
pub fn rows(t: &mut Table) {
    of_type::<F16>(t, "f16", true);
    of_type::<F16x2>(t, "f16x2", true);
    of_type::<Bf16>(t, "bf16", false);
    of_type::<Bf16x2>(t, "bf16x2", false);
    pairs::<F16x2>(t, "f16x2", true);
    pairs::<Bf16x2>(t, "bf16x2", false);
    conversions(t);
}

/// The modifier and its absence, where a type has it.
fn optional(name: &'static str, bit: u64, has: bool) -> Vec<(&'static str, u64)> {
    if has { vec![("", 0), (name, bit)] } else { vec![("", 0)] }
}

fn of_type<T: Halves>(t: &mut Table, ty: &str, full: bool) {
    for (ftz, f) in optional(".ftz", FTZ, full) {
        for (sat, s) in optional(".sat", SAT, full) {
            let names = |op: &str| vec![format!("{op}{ftz}{sat}.{ty}"), format!("{op}.rn{ftz}{sat}.{ty}")];
            t.cold_preset::<Add<T>>(names("add"), f | s);
            t.cold_preset::<Sub<T>>(names("sub"), f | s);
            t.cold_preset::<Mul<T>>(names("mul"), f | s);
            t.cold_preset::<Fma<T>>(format!("fma.rn{ftz}{sat}.{ty}"), f | s);
        }
        t.cold_preset::<Fma<T>>(format!("fma.rn{ftz}.relu.{ty}"), f | RELU);
        t.cold_preset::<Neg<T>>(format!("neg{ftz}.{ty}"), f);
        t.cold_preset::<Abs<T>>(format!("abs{ftz}.{ty}"), f);
        for (nan, n) in [("", 0), (".NaN", PROPAGATE)] {
            for (xor, x) in [("", 0), (".xorsign.abs", XORSIGN)] {
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

fn pairs<T: Halves>(t: &mut Table, ty: &str, full: bool) {
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

fn conversions(t: &mut Table) {
    for (mode, round) in [("rn", 0), ("rz", 1)] {
        for (extra, code) in [("", 0), (".relu", RELU), (".satfinite", FINITE), (".relu.satfinite", RELU | FINITE)] {
            t.cold_preset::<PackF16>(format!("cvt.{mode}{extra}.f16x2.f32"), round | code);
            t.cold_preset::<PackBf16>(format!("cvt.{mode}{extra}.bf16x2.f32"), round | code);
        }
        for (extra, code) in [("", 0), (".relu", RELU), (".satfinite", FINITE), (".satfinite.relu", RELU | FINITE)] {
            t.cold_preset::<Tf32>(format!("cvt.{mode}{extra}.tf32.f32"), round | code);
        }
    }
    t.warm::<Tf32Away>("cvt.rna.tf32.f32");
    t.cold_preset::<Tf32Away>("cvt.rna.satfinite.tf32.f32", FINITE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_goes_to_single_and_back() {
        for bits in 0..=u16::MAX {
            let x = F16(bits);
            let wide = soft::convert(soft::F16, soft::F32, Round::Nearest, u64::from(bits));
            assert_eq!(u64::from(x.to_f32().to_bits()), wide.unwrap_or(0x7fff_ffff), "{bits:#x}");
            let back = if soft::F16.is_nan(u64::from(bits)) { 0x7fff } else { bits };
            assert_eq!(F16::nearest(x.to_f32()).0, back, "{bits:#x}");
        }
    }

    #[test]
    fn the_nearest_half_agrees_with_integer_arithmetic() {
        // Around every boundary between neighbouring halves, and a stride through everything else.
        let near = (0..0x7c00u32).flat_map(|h| {
            let (low, high) = (F16(h as u16), F16(h as u16 + 1));
            let mid = u32::midpoint(low.to_f32().to_bits(), high.to_f32().to_bits());
            [mid - 1, mid, mid + 1, mid | 0x8000_0000]
        });
        for bits in near.chain((0..u32::MAX).step_by(4_099)) {
            let want = soft::convert(soft::F32, soft::F16, Round::Nearest, u64::from(bits)).unwrap_or(0x7fff);
            assert_eq!(u64::from(F16::nearest(f32::from_bits(bits)).0), want, "{bits:#x}");
            let want = soft::convert(soft::F32, soft::BF16, Round::Nearest, u64::from(bits)).unwrap_or(0x7fff);
            assert_eq!(u64::from(Bf16::nearest(f32::from_bits(bits)).0), want, "{bits:#x}");
        }
    }

    #[test]
    fn extremes_order_zeros_and_drop_nan() {
        let f = soft::F16;
        assert_eq!(extreme(f, 0, 0x8000, 0), 0x8000);
        assert_eq!(extreme(f, LARGER, 0x8000, 0), 0);
        assert_eq!(extreme(f, 0, 0x7e00, 0x3c00), 0x3c00);
        assert_eq!(extreme(f, PROPAGATE, 0x7e00, 0x3c00), NAN);
        assert_eq!(extreme(f, 0, 0xbc00, 0xc000), 0xc000);
        assert_eq!(extreme(f, LARGER | XORSIGN, 0xbc00, 0x4000), 0xc000);
    }

    #[test]
    fn tf32_rounds_half_away() {
        use crate::instr::alu::dispatch::Alu;
        for bits in (0..u32::MAX).step_by(4_093).chain([0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x3f80_1000, 1]) {
            let x = f32::from_bits(bits);
            if x.is_nan() {
                continue;
            }
            assert_eq!(Tf32Away::eval(x, (), (), (), 0), Tf32::eval(x, (), (), (), 4), "{bits:#x}");
        }
    }

    #[test]
    fn relu_and_sat() {
        assert_eq!(finish(soft::F16, -2.0, RELU), 0);
        assert_eq!(finish(soft::F16, f64::NAN, RELU), NAN);
        assert_eq!(finish(soft::F16, f64::NAN, SAT), 0);
        assert_eq!(finish(soft::F16, 2.0, SAT), 0x3c00);
        assert_eq!(finish(soft::F16, -0.0, SAT), 0);
        assert_eq!(pack::<F16>(1.0, f32::INFINITY, FINITE), 0x3c00_7bff);
    }
}
