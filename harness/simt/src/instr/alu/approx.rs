//! The fast approximations: within NVIDIA's documented error, not bit-identical to a particular GPU.
//!
//! Each is computed in f64 by a short polynomial (or the host's division and square root) and rounded to f32, so the
//! error is little over half a unit in the last place, where the PTX manual allows one to several, or an absolute error
//! of about 2^-20 to 2^-22. The code has no branches: whole warps are computed in vectors.

use super::directed::narrow;
use super::dispatch::op;
use super::float::{Float, NAN32, flush};
use super::soft::Round;
use super::table::FormTable;

/// 1.5 * 2^52: added to a number below 2^51 in magnitude, the sum has the nearest integer in its low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// `sum of c[i] * x^i`.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut sum = c[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum.mul_add(x, c[i]);
    }
    sum
}

#[inline(always)]
fn single(x: f64) -> f32 {
    narrow(Round::Nearest, x)
}

/// 2^x for |x| up to 1000.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    let shifted = x + MAGIC;
    let rest = x - (shifted - MAGIC);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    // (ln 2)^i / i!
    let c = [
        1.0,
        std::f64::consts::LN_2,
        0.240_226_506_959_100_72,
        0.055_504_108_664_821_58,
        0.009_618_129_107_628_477,
        0.001_333_355_814_642_844_3,
        1.540_353_039_338_161e-4,
        1.525_273_380_405_984e-5,
        1.321_548_679_014_431e-6,
    ];
    polynomial(rest, c) * power
}

/// 2^x.
#[inline(always)]
pub fn ex2(x: f32) -> f32 {
    let x64 = f64::from(x);
    let low = if x64 > -200.0 { x64 } else { -200.0 };
    let held = if low < 200.0 { low } else { 200.0 };
    let r = single(exp2(held));
    if x.is_nan() { NAN32 } else { r }
}

/// Logarithm to base 2.
#[inline(always)]
pub fn lg2(x: f32) -> f32 {
    /// The bits of the root of one half.
    const LOW: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = f64::from(x).to_bits();
    let exponent = bits.wrapping_add((1023 << 52) - LOW) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(exponent.wrapping_sub(1023) << 52));
    let e = f64::from_bits((exponent & 0xfff) | 0x4330_0000_0000_0000) - f64::from_bits(1023 | 0x4330_0000_0000_0000);
    // ln m = 2 artanh((m - 1) / (m + 1)); the argument of artanh is within 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let odd = polynomial(s * s, [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0]);
    let r = single((2.0 * std::f64::consts::LOG2_E * s).mul_add(odd, e));
    let special = if x == 0.0 { f32::NEG_INFINITY } else { NAN32 };
    let positive = if x == f32::INFINITY { x } else { r };
    if x > 0.0 { positive } else { special }
}

/// sin(2 pi t) for finite t.
#[inline(always)]
fn sin_of_turns(t: f64) -> f64 {
    let r = t - t.round_ties_even();
    let half = 0.5f64.copysign(r);
    let quarter = if r.abs() > 0.25 { half - r } else { r };
    let y = quarter * std::f64::consts::TAU;
    // (-1)^i / (2i + 1)!
    let c = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5_040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
    ];
    y * polynomial(y * y, c)
}

/// Sine of an angle in radians.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let r = single(sin_of_turns(f64::from(x) * (0.5 * std::f64::consts::FRAC_1_PI)));
    if x == 0.0 { x } else { r.canon() }
}

/// Cosine of an angle in radians.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let t = f64::from(x) * (0.5 * std::f64::consts::FRAC_1_PI);
    // The angle is reduced first: a quarter turn added to a large angle would be lost.
    let r = t - t.round_ties_even();
    single(sin_of_turns(r + 0.25)).canon()
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let y = f64::from(x.abs());
    let held = if y < 20.0 { y } else { 20.0 };
    let e = exp2(held * (-2.0 * std::f64::consts::LOG2_E));
    let r = single((1.0 - e) / (1.0 + e)).copysign(x);
    let finite = if x.abs() < 2.0f32.powi(-12) { x } else { r };
    if x.is_nan() { NAN32 } else { finite }
}

/// Reciprocal square root.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    let r = single(1.0 / f64::from(x).sqrt());
    // The root of minus zero is minus zero, so its reciprocal is minus infinity, as PTX has it.
    r.canon()
}

/// Quotient by way of the reciprocal, which is zero for divisors above 2^126.
#[inline(always)]
pub fn div(a: f32, b: f32) -> f32 {
    let huge = (b.abs() > f32::from_bits(0x7e80_0000)) & (b.abs() < f32::INFINITY);
    let zero = 0.0f32.copysign(b);
    let r = if huge { a * zero } else { a / b };
    r.canon()
}

/// Rounds an f64 to its high word; the low word becomes zero.
fn high_word(x: f64) -> f64 {
    if x.is_nan() {
        return f64::from_bits(0x7fff_ffff_0000_0000);
    }
    if x.is_infinite() {
        return x;
    }
    if x.is_subnormal() {
        return 0.0f64.copysign(x);
    }
    f64::from_bits(x.to_bits().wrapping_add(0x8000_0000) & !0xffff_ffff)
}

/// Truncates an operand to its high word; subnormal operands become zero.
fn truncated(x: f64) -> f64 {
    // A NaN whose high word is that of infinity counts as infinite.
    let high = f64::from_bits(x.to_bits() & !0xffff_ffff);
    if x.is_subnormal() { 0.0f64.copysign(x) } else { high }
}

op! {
    /// 2^x.
    Ex2(a: f32) -> f32 { ex2(a) }
    /// 2^x, subnormal numbers as zero.
    Ex2Ftz(a: f32) -> f32 { flush(ex2(flush(a))) }
    /// Logarithm to base 2.
    Lg2(a: f32) -> f32 { lg2(a) }
    /// Logarithm to base 2, subnormal numbers as zero.
    Lg2Ftz(a: f32) -> f32 { lg2(flush(a)) }
    /// Sine.
    Sin(a: f32) -> f32 { sin(a) }
    /// Sine, subnormal numbers as zero.
    SinFtz(a: f32) -> f32 { flush(sin(flush(a))) }
    /// Cosine.
    Cos(a: f32) -> f32 { cos(a) }
    /// Hyperbolic tangent.
    Tanh(a: f32) -> f32 { tanh(a) }
    /// Reciprocal.
    Rcp(a: f32) -> f32 { (1.0 / a).canon() }
    /// Reciprocal, subnormal numbers as zero.
    RcpFtz(a: f32) -> f32 { flush(1.0 / flush(a)).canon() }
    /// Square root.
    Sqrt(a: f32) -> f32 { a.sqrt().canon() }
    /// Square root, subnormal numbers as zero.
    SqrtFtz(a: f32) -> f32 { flush(a).sqrt().canon() }
    /// Reciprocal square root.
    Rsqrt(a: f32) -> f32 { rsqrt(a) }
    /// Reciprocal square root, subnormal numbers as zero.
    RsqrtFtz(a: f32) -> f32 { rsqrt(flush(a)) }
    /// Quotient.
    DivApprox(a: f32, b: f32) -> f32 { div(a, b) }
    /// Quotient, subnormal numbers as zero.
    DivApproxFtz(a: f32, b: f32) -> f32 { flush(div(flush(a), flush(b))) }
    /// Quotient over the whole range.
    DivFull(a: f32, b: f32) -> f32 { (a / b).canon() }
    /// Quotient over the whole range, subnormal numbers as zero.
    DivFullFtz(a: f32, b: f32) -> f32 { flush(flush(a) / flush(b)).canon() }
    /// Gross reciprocal: computed from the high word of the operand into the high word of the result.
    RcpGross(a: f64) -> f64 { high_word(1.0 / truncated(a)) }
    /// Gross reciprocal square root: computed from the high word of the operand into the high word of the result.
    RsqrtGross(a: f64) -> f64 { high_word(1.0 / truncated(a).sqrt()) }
    /// Reciprocal square root.
    Rsqrt64(a: f64) -> f64 { 1.0 / a.sqrt() }
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    t.warm::<Ex2>("ex2.approx.f32");
    t.warm::<Ex2Ftz>("ex2.approx.ftz.f32");
    t.warm::<Lg2>("lg2.approx.f32");
    t.warm::<Lg2Ftz>("lg2.approx.ftz.f32");
    t.warm::<Sin>("sin.approx.f32");
    t.warm::<SinFtz>("sin.approx.ftz.f32");
    // No cosine is subnormal, and the cosine of a subnormal number is 1 whether it is flushed or not.
    t.warm::<Cos>(["cos.approx.f32", "cos.approx.ftz.f32"]);
    t.warm::<Tanh>("tanh.approx.f32");
    t.warm::<Rcp>("rcp.approx.f32");
    t.warm::<RcpFtz>("rcp.approx.ftz.f32");
    t.warm::<Sqrt>("sqrt.approx.f32");
    t.warm::<SqrtFtz>("sqrt.approx.ftz.f32");
    t.warm::<Rsqrt>("rsqrt.approx.f32");
    t.warm::<RsqrtFtz>("rsqrt.approx.ftz.f32");
    t.warm::<DivApprox>("div.approx.f32");
    t.warm::<DivApproxFtz>("div.approx.ftz.f32");
    t.warm::<DivFull>("div.full.f32");
    t.warm::<DivFullFtz>("div.full.ftz.f32");
    t.cold::<RcpGross>("rcp.approx.ftz.f64");
    t.cold::<RsqrtGross>("rsqrt.approx.ftz.f64");
    t.cold::<Rsqrt64>("rsqrt.approx.f64");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Distance from the exact value in units in the last place of f32.
    fn ulps(got: f32, exact: f64) -> f64 {
        let unit = f64::from(f32::from_bits((exact.abs() as f32).to_bits() + 1))
            - f64::from(f32::from_bits((exact.abs() as f32).to_bits()));
        (f64::from(got) - exact).abs() / unit
    }

    proptest! {
        #[test]
        fn errors_are_within_the_manuals(x in -120f32..120.0, y in 1e-38f32..1e38, angle in -6.2f32..6.2) {
            prop_assert!(ulps(ex2(x), f64::from(x).exp2()) <= 1.0);
            let log = f64::from(y).log2();
            prop_assert!((f64::from(lg2(y)) - log).abs() <= 2f64.powi(-22) * log.abs().max(1.0));
            prop_assert!((f64::from(sin(angle)) - f64::from(angle).sin()).abs() <= 2f64.powf(-20.5));
            prop_assert!((f64::from(cos(angle)) - f64::from(angle).cos()).abs() <= 2f64.powf(-20.5));
            prop_assert!(ulps(tanh(x / 16.0), f64::from(x / 16.0).tanh()) <= 2.0);
            prop_assert!(ulps(rsqrt(y), 1.0 / f64::from(y).sqrt()) <= 1.0);
        }
    }

    #[test]
    fn limits_of_the_exponential() {
        assert_eq!(ex2(0.0), 1.0);
        assert_eq!(ex2(f32::INFINITY), f32::INFINITY);
        assert_eq!(ex2(f32::NEG_INFINITY), 0.0);
        assert_eq!(ex2(10.0), 1024.0);
        assert_eq!(ex2(-149.0), f32::from_bits(1));
        assert_eq!(ex2(f32::NAN).to_bits(), 0x7fff_ffff);
    }

    #[test]
    fn limits_of_the_logarithm() {
        assert_eq!(lg2(0.0), f32::NEG_INFINITY);
        assert_eq!(lg2(-0.0), f32::NEG_INFINITY);
        assert_eq!(lg2(-1.0).to_bits(), 0x7fff_ffff);
        assert_eq!(lg2(f32::INFINITY), f32::INFINITY);
        assert_eq!(lg2(f32::from_bits(1)), -149.0);
        assert_eq!(lg2(8.0), 3.0);
        assert_eq!(lg2(f32::NAN).to_bits(), 0x7fff_ffff);
    }

    #[test]
    fn limits_of_the_circle_functions() {
        assert_eq!(sin(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(cos(0.0), 1.0);
        assert_eq!(sin(f32::INFINITY).to_bits(), 0x7fff_ffff);
        assert!(sin(1e30).abs() <= 1.0 && cos(-1e38).abs() <= 1.0);
    }

    #[test]
    fn limits_of_the_rest() {
        assert_eq!(rsqrt(-0.0), f32::NEG_INFINITY);
        assert_eq!(rsqrt(f32::INFINITY), 0.0);
        assert_eq!(rsqrt(-1.0).to_bits(), 0x7fff_ffff);
        assert_eq!(div(1.0, f32::from_bits(0x7e80_0001)), 0.0);
        assert_eq!(div(f32::INFINITY, f32::MAX).to_bits(), 0x7fff_ffff);
        assert_eq!(div(1.0, f32::INFINITY), 0.0);
        assert_eq!(tanh(100.0), 1.0);
        assert_eq!(tanh(-0.0).to_bits(), 0x8000_0000);
        let r = high_word(1.0 / truncated(3.0));
        assert!((r * 3.0 - 1.0).abs() < 2f64.powi(-20) && r.to_bits().trailing_zeros() >= 32);
        assert_eq!(high_word(1.0 / truncated(f64::from_bits(1))), f64::INFINITY);
        assert_eq!(high_word(1.0 / truncated(f64::MAX)), 0.0);
    }
}
