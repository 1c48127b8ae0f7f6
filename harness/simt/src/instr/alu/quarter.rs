//! The 8-bit floating-point formats `e4m3` and `e5m2`, two numbers in a 16-bit register: conversions to and from them.
//!
//! They are storage formats: all arithmetic except matrix products is done in wider formats. `e4m3` has no infinity;
//! with all exponent bits set, only the all-ones mantissa is NaN, so its largest number is 448. Conversions to both
//! formats clamp larger values to the largest number (`.satfinite`, which they must have).

use super::convert::RELU;
use super::dispatch::op;
use super::table::FormTable;
use crate::lane::{F16, F16x2};

/// An 8-bit format.
trait Quarter {
    /// Bits of its mantissa.
    const MANTISSA: i32;
    /// Its exponent bias.
    const BIAS: i32;
    /// The bits of its largest number; larger values are infinity or NaN.
    const LARGEST: u8;
}

/// Four bits of exponent and three of mantissa.
struct E4m3;
impl Quarter for E4m3 {
    const MANTISSA: i32 = 3;
    const BIAS: i32 = 7;
    const LARGEST: u8 = 0x7e;
}

/// Five bits of exponent and two of mantissa: the upper half of an f16.
struct E5m2;
impl Quarter for E5m2 {
    const MANTISSA: i32 = 2;
    const BIAS: i32 = 15;
    const LARGEST: u8 = 0x7b;
}

/// The NaN of both formats.
const NAN: u8 = 0x7f;
/// The NaN of f16.
const WIDE_NAN: u16 = 0x7fff;

fn two_to(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Returns the value of a finite number without its sign.
fn magnitude<Q: Quarter>(bits: u8) -> f64 {
    let (biased, mantissa) = (i32::from(bits >> Q::MANTISSA), f64::from(bits & ((1 << Q::MANTISSA) - 1)));
    let unit = two_to(biased.max(1) - Q::BIAS - Q::MANTISSA);
    if biased == 0 { mantissa * unit } else { (mantissa + two_to(Q::MANTISSA)) * unit }
}

/// Returns the nearest number, ties to even; larger values become the largest number. `relu` turns negative numbers
/// into 0.
fn narrow<Q: Quarter>(x: f64, relu: bool) -> u8 {
    if x.is_nan() {
        return NAN;
    }
    if relu && x.is_sign_negative() {
        return 0;
    }
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let largest = magnitude::<Q>(Q::LARGEST);
    let x = x.abs().min(largest);
    // All f32 and f16 except zero are normal numbers in f64.
    let exponent = ((x.to_bits() >> 52) as i32 - 1023).max(1 - Q::BIAS);
    let units = (x / two_to(exponent - Q::MANTISSA)).round_ties_even() as i32;
    // This is a sum, so that rounding up to a power of two carries into the exponent; a subnormal number has exponent
    // 0.
    let bits = ((exponent + Q::BIAS - 1) << Q::MANTISSA) + units;
    sign | bits.min(i32::from(Q::LARGEST)) as u8
}

/// Converts to f16, which contains every number of both formats.
fn widen<Q: Quarter>(bits: u8, relu: bool) -> u16 {
    let (plain, negative) = (bits & 0x7f, bits & 0x80 != 0);
    let above = plain > Q::LARGEST;
    // `e5m2` has an infinity, the value after its largest number.
    let infinite = above && Q::BIAS == E5m2::BIAS && plain == Q::LARGEST + 1;
    if above && !infinite {
        return WIDE_NAN;
    }
    if relu && negative {
        return 0;
    }
    let sign = u16::from(negative) << 15;
    sign | if infinite { 0x7c00 } else { F16::nearest_of_double(magnitude::<Q>(plain)).0 }
}

/// Converts an `e4m3` to f16.
pub(crate) fn half_of_e4m3(bits: u8) -> u16 {
    widen::<E4m3>(bits, false)
}

/// Converts an `e5m2` to f16.
pub(crate) fn half_of_e5m2(bits: u8) -> u16 {
    widen::<E5m2>(bits, false)
}

fn narrow_both<Q: Quarter>(high: f64, low: f64, code: u64) -> u16 {
    let relu = code & RELU != 0;
    u16::from_be_bytes([narrow::<Q>(high, relu), narrow::<Q>(low, relu)])
}

fn of_f16<Q: Quarter>(pair: F16x2, code: u64) -> u16 {
    let value = |bits: u32| f64::from(F16(bits as u16).to_f32());
    narrow_both::<Q>(value(pair.0 >> 16), value(pair.0), code)
}

fn to_f16<Q: Quarter>(pair: u16, code: u64) -> F16x2 {
    let [high, low] = pair.to_be_bytes().map(|bits| u32::from(widen::<Q>(bits, code & RELU != 0)));
    F16x2(high << 16 | low)
}

op! {
    /// Two f32 to two `e4m3`, the first in the high half.
    E4m3OfF32(a: f32, b: f32) [code] -> u16 { narrow_both::<E4m3>(a.into(), b.into(), code) }
    /// Two f32 to two `e5m2`, the first in the high half.
    E5m2OfF32(a: f32, b: f32) [code] -> u16 { narrow_both::<E5m2>(a.into(), b.into(), code) }
    /// Two f16 to two `e4m3`.
    E4m3OfF16(a: F16x2) [code] -> u16 { of_f16::<E4m3>(a, code) }
    /// Two f16 to two `e5m2`.
    E5m2OfF16(a: F16x2) [code] -> u16 { of_f16::<E5m2>(a, code) }
    /// Two `e4m3` to two f16.
    F16OfE4m3(a: u16) [code] -> F16x2 { to_f16::<E4m3>(a, code) }
    /// Two `e5m2` to two f16.
    F16OfE5m2(a: u16) [code] -> F16x2 { to_f16::<E5m2>(a, code) }
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    for (relu, code) in [("", 0), (".relu", RELU)] {
        t.cold_preset::<E4m3OfF32>(format!("cvt.rn.satfinite{relu}.e4m3x2.f32"), code);
        t.cold_preset::<E5m2OfF32>(format!("cvt.rn.satfinite{relu}.e5m2x2.f32"), code);
        t.cold_preset::<E4m3OfF16>(format!("cvt.rn.satfinite{relu}.e4m3x2.f16x2"), code);
        t.cold_preset::<E5m2OfF16>(format!("cvt.rn.satfinite{relu}.e5m2x2.f16x2"), code);
        t.cold_preset::<F16OfE4m3>(format!("cvt.rn{relu}.f16x2.e4m3x2"), code);
        t.cold_preset::<F16OfE5m2>(format!("cvt.rn{relu}.f16x2.e5m2x2"), code);
    }
}

#[cfg(test)]
mod tests {
    use super::{E4m3, E5m2, Quarter, magnitude, narrow, widen};
    use crate::lane::F16;

    /// Returns the nearest number, ties to even, by a search over all numbers.
    fn searched<Q: Quarter>(x: f64) -> u8 {
        let distance = |bits: u8| (magnitude::<Q>(bits) - x.abs()).abs();
        let nearest = (0..=Q::LARGEST).min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a % 2).cmp(&(b % 2))));
        nearest.unwrap() | if x.is_sign_negative() { 0x80 } else { 0 }
    }

    fn every_f16_goes_to_the_nearest<Q: Quarter>() {
        for bits in 0..=u16::MAX {
            let x = f64::from(F16(bits).to_f32());
            let wanted = if x.is_nan() { 0x7f } else { searched::<Q>(x.clamp(-1e6, 1e6)) };
            assert_eq!(narrow::<Q>(x, false), wanted, "{x}");
            let without_negative = if x.is_sign_negative() && !x.is_nan() { 0 } else { wanted };
            assert_eq!(narrow::<Q>(x, true), without_negative, "{x}");
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        every_f16_goes_to_the_nearest::<E4m3>();
        every_f16_goes_to_the_nearest::<E5m2>();
        assert_eq!([1.0, 448.0, 1e30, f64::INFINITY].map(|x| narrow::<E4m3>(x, false)), [0x38, 0x7e, 0x7e, 0x7e]);
        assert_eq!([1.0, -57344.0, -1e30, 1e-30].map(|x| narrow::<E5m2>(x, false)), [0x3c, 0xfb, 0xfb, 0]);
        // A little more than half of the smallest number, which f16 cannot represent.
        assert_eq!([2f64.powi(-10), 2f64.powi(-10) * 1.001].map(|x| narrow::<E4m3>(x, false)), [0, 1]);
    }

    #[test]
    fn numbers_are_widened_without_a_change() {
        for bits in 0..=u8::MAX {
            // `e5m2` is the upper half of an f16.
            let upper = u16::from(bits) << 8;
            assert_eq!(widen::<E5m2>(bits, false), if bits & 0x7f > 0x7c { 0x7fff } else { upper }, "{bits:#x}");
            let wide = f64::from(F16(widen::<E4m3>(bits, false)).to_f32());
            if bits & 0x7f == 0x7f {
                assert!(wide.is_nan());
            } else {
                assert_eq!(narrow::<E4m3>(wide, false), bits);
            }
        }
        assert_eq!(
            [0x38, 0x7e, 0x01, 0xb8].map(|bits| F16(widen::<E4m3>(bits, false)).to_f32()),
            [1.0, 448.0, 1.0 / 512.0, -1.0]
        );
        assert_eq!([0x80, 0xb8, 0x38].map(|bits| widen::<E4m3>(bits, true)), [0, 0, 0x3c00]);
        assert_eq!([0xfc, 0x7c, 0xff].map(|bits| widen::<E5m2>(bits, true)), [0, 0x7c00, 0x7fff]);
    }
}
