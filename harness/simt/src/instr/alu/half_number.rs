//! Half precision and bfloat16 as numbers: conversions to and from wider formats, and arithmetic with one rounding. The
//! code has no branches, so that the compiler can vectorize it.

use super::directed::odd_sum;
use super::soft::{self, Format};
use crate::lane::{Bf16, F16, Lane};

impl F16 {
    /// The same number in single precision; NaN becomes 0x7fffffff.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let magnitude = u32::from(self.0 & 0x7fff);
        // The bits are read as an f32, which is wrong only by the exponent's bias. The factor 2^112 corrects that, even
        // for subnormal numbers.
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
        // Normal results: add half a unit less one, and the unit's own bit for ties. Carries propagate into the
        // exponent.
        let rebiased = magnitude.wrapping_sub(112 << 23);
        let normal = rebiased.wrapping_add(0xfff + ((magnitude >> 13) & 1)) >> 13;
        // Subnormal results: adding 0.5 rounds, because it brings the unit 2^-24 to the last bit.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        // 65520 is the smallest magnitude that rounds to infinity.
        let large = if magnitude < 0x477f_f000 { finite } else { 0x7c00 };
        let sign = (bits >> 16) & 0x8000;
        F16(if magnitude > 0x7f80_0000 { 0x7fff } else { (large | sign) as u16 })
    }

    /// The nearest half-precision number, ties to even; NaN becomes 0x7fff. Steps as for [`F16::nearest`].
    #[inline(always)]
    pub fn nearest_of_double(x: f64) -> F16 {
        let bits = x.to_bits();
        let magnitude = bits & (u64::MAX >> 1);
        let rebiased = magnitude.wrapping_sub(1008 << 52);
        let normal = rebiased.wrapping_add((1 << 41) - 1 + ((magnitude >> 42) & 1)) >> 42;
        // 2^28 brings the unit 2^-24 to the last bit.
        let offset = 268_435_456f64;
        let subnormal = (f64::from_bits(magnitude) + offset).to_bits().wrapping_sub(offset.to_bits());
        let finite = if (magnitude as i64) < 1009 << 52 { subnormal } else { normal };
        let large = if (magnitude as i64) < 65520f64.to_bits() as i64 { finite } else { 0x7c00 };
        let sign = (bits >> 48) & 0x8000;
        F16(if magnitude as i64 > 0x7ff << 52 { 0x7fff } else { (large | sign) as u16 })
    }

    /// Flushes subnormal numbers to zero of the same sign.
    #[inline(always)]
    pub fn flushed(self) -> F16 {
        F16(if self.0 & 0x7c00 == 0 { self.0 & 0x8000 } else { self.0 })
    }
}

impl Bf16 {
    /// The same number in single precision; NaN is not changed.
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

    /// The nearest bfloat16 number, ties to even; NaN becomes 0x7fff. Steps as for [`F16::nearest`].
    #[inline(always)]
    pub fn nearest_of_double(x: f64) -> Bf16 {
        let bits = x.to_bits();
        let magnitude = bits & (u64::MAX >> 1);
        let rebiased = magnitude.wrapping_sub(896 << 52);
        let normal = rebiased.wrapping_add((1 << 44) - 1 + ((magnitude >> 45) & 1)) >> 45;
        // 2^-81 brings the unit 2^-133 to the last bit.
        let offset = f64::from_bits((1023 - 81) << 52);
        let subnormal = (f64::from_bits(magnitude) + offset).to_bits().wrapping_sub(offset.to_bits());
        let finite = if (magnitude as i64) < 897 << 52 { subnormal } else { normal };
        // Half a unit above the largest number, and everything larger, rounds to infinity.
        let large = if (magnitude as i64) < (1150 << 52) | (0xff << 44) { finite } else { 0x7f80 };
        let sign = (bits >> 48) & 0x8000;
        Bf16(if magnitude as i64 > 0x7ff << 52 { 0x7fff } else { (large | sign) as u16 })
    }
}

/// A 16-bit number.
pub trait Half: Lane {
    /// Its format.
    const FORMAT: Format;
    /// Creates it from bits.
    fn with_bits(bits: u16) -> Self;
    /// Its bits.
    fn bits(self) -> u16;
    /// The same number in single precision.
    fn single(self) -> f32;
    /// The nearest number, ties to even.
    fn nearest(x: f32) -> Self;
    /// The nearest number, ties to even.
    fn nearest_of_double(x: f64) -> Self;
    /// The product, rounded once.
    fn product(self, b: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;

    /// The sum, rounded once. Computed in single precision, which has at least twice the bits plus two, so a second
    /// rounding does no harm; sums as small as the narrow format's subnormal numbers are exact.
    #[inline(always)]
    fn sum(self, b: Self) -> Self {
        Self::nearest(self.single() + b.single())
    }
    /// The same number in double precision.
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self.single())
    }
}
macro_rules! half {
    ($($t:ident $format:ident |$a:ident, $b:ident| $product:expr, |$x:ident, $y:ident, $z:ident| $fused:expr;)*) => {$(
        impl Half for $t {
            const FORMAT: Format = soft::$format;
            #[inline(always)]
            fn with_bits(bits: u16) -> $t { $t(bits) }
            #[inline(always)]
            fn bits(self) -> u16 { self.0 }
            #[inline(always)]
            fn single(self) -> f32 { self.to_f32() }
            #[inline(always)]
            fn nearest(x: f32) -> $t { $t::nearest(x) }
            #[inline(always)]
            fn nearest_of_double(x: f64) -> $t { $t::nearest_of_double(x) }
            #[inline(always)]
            fn product(self, $b: $t) -> $t { let $a = self; $product }
            #[inline(always)]
            fn fused(self, $y: $t, $z: $t) -> $t { let $x = self; $fused }
        }
    )*};
}
half! {
    // The product is exact in single precision. The fused sum is not always exact in double precision, but then it is
    // so far from the midpoint of two half-precision numbers that it does not matter. Proof: let the sum be inexact
    // with a finite result. It is a multiple of 2^-48, thus at least 2^5, and all f16 near it are multiples of 2^-6. If
    // it is within the rounding error, 2^-38, of a midpoint m but not equal to it, the product p differs from q = m - c
    // by that much, where q is a multiple of 2^-6. If q is zero, c is a midpoint, which no f16 of this size is.
    // Otherwise
    // |p| >= 2^-7, so its last bit is at least 2^-28, and so is the distance.
    F16 F16 |a, b| Self::nearest(a.to_f32() * b.to_f32()),
        |x, y, z| Self::nearest_of_double(f64::from(x.to_f32() * y.to_f32()) + f64::from(z.to_f32()));
    // bfloat16 has the exponent range of single precision: products are exact only in double precision, and a sum is
    // rounded to odd, so that its last bit preserves what was lost.
    Bf16 BF16 |a, b| Self::nearest_of_double(a.double() * b.double()),
        |x, y, z| Self::nearest_of_double(odd_sum(x.double() * y.double(), z.double()));
}
