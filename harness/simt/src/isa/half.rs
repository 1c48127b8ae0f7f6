//! Half precision and bfloat16.

use crate::lane::{Bf16, F16};

impl F16 {
    /// The same number in single precision; NaN becomes 0x7fffffff.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let magnitude = u32::from(self.0 & 0x7fff);
        // As if f16 had f32's exponents: right but for the bias, which the factor 2^112 puts right, subnormal numbers included.
        let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
        let finite = scaled.to_bits() | (u32::from(self.0 & 0x8000) << 16);
        let infinite = 0x7f80_0000 | (u32::from(self.0 & 0x8000) << 16);
        f32::from_bits(match magnitude {
            0x7c00 => infinite,
            0x7c01.. => 0x7fff_ffff,
            _ => finite,
        })
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
        let subnormal = (f32::from_bits(magnitude) + 0.5)
            .to_bits()
            .wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 {
            subnormal
        } else {
            normal
        };
        // 65520 is the least that rounds to infinity.
        let large = if magnitude < 0x477f_f000 {
            finite
        } else {
            0x7c00
        };
        let sign = (bits >> 16) & 0x8000;
        F16(if magnitude > 0x7f80_0000 {
            0x7fff
        } else {
            (large | sign) as u16
        })
    }

    /// Subnormal numbers to zero of the same sign.
    #[inline(always)]
    pub fn flushed(self) -> F16 {
        F16(if self.0 & 0x7c00 == 0 {
            self.0 & 0x8000
        } else {
            self.0
        })
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
