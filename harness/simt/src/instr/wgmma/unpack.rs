//! Unpacks many floating-point numbers at a time, for sums in fixed point.

use crate::instr::alu::soft::Format;

/// The exponent of zero: below that of any product.
pub(super) const NOTHING: i32 = -20_000;

/// Returns the significand of a number, with its sign and its leading one at the position of the format's implicit one,
/// and the exponent of that leading one. Zero has no significand. A number that is not finite is treated like zero
/// here.
///
/// Subnormal 8-bit numbers are not normalised: they have the exponent of the smallest normal number, and their leading
/// one is lower. The truncation of terms depends on that.
#[inline(always)]
pub(super) fn taken_apart(format: Format, bits: u32) -> (i32, i32) {
    let m = format.mantissa;
    let bias = (1 << (format.exponent - 1)) - 1;
    let mantissa = bits & ((1 << m) - 1);
    let biased = (bits >> m) & ((1 << format.exponent) - 1);
    // The position of the leading one of a subnormal number, found by a conversion. All of this is vectorized.
    let leading = ((mantissa as f32).to_bits() >> 23) as i32 - 127;
    let shift = if m + format.exponent < 8 { 0 } else { (m as i32 - leading) & 31 };
    let subnormal = biased == 0;
    let zero = subnormal && mantissa == 0;
    let sig = if subnormal { mantissa << shift } else { mantissa | (1 << m) } as i32;
    let top = if subnormal { 1 - bias - shift } else { biased as i32 - bias };
    let negative = (bits >> (m + format.exponent)) & 1 != 0;
    let sig = if negative { -sig } else { sig };
    if zero || !is_finite(format, bits) { (0, NOTHING) } else { (sig, top) }
}

/// Whether it is finite. The type `e4m3` has no infinity, and one NaN apart from the sign.
#[inline(always)]
pub(super) fn is_finite(format: Format, bits: u32) -> bool {
    let magnitude = bits & ((1 << (format.mantissa + format.exponent)) - 1);
    let infinity = ((1u32 << format.exponent) - 1) << format.mantissa;
    if is_e4m3(format) { magnitude != 0x7f } else { magnitude < infinity }
}

/// Whether it is NaN.
pub(super) fn is_nan(format: Format, bits: u32) -> bool {
    let magnitude = bits & ((1 << (format.mantissa + format.exponent)) - 1);
    let infinity = ((1u32 << format.exponent) - 1) << format.mantissa;
    if is_e4m3(format) { magnitude == 0x7f } else { magnitude > infinity }
}

fn is_e4m3(format: Format) -> bool {
    (format.mantissa, format.exponent) == (3, 4)
}

#[cfg(test)]
mod tests {
    use super::{NOTHING, is_finite, is_nan, taken_apart};
    use crate::instr::wgmma::form::Element;

    /// Returns the value by the definition of the formats.
    fn value(element: Element, bits: u32) -> f64 {
        let format = element.format();
        let mantissa = f64::from(bits & ((1 << format.mantissa) - 1)) / f64::from(1u32 << format.mantissa);
        let biased = ((bits >> format.mantissa) & ((1 << format.exponent) - 1)) as i32;
        let bias = (1 << (format.exponent - 1)) - 1;
        let sign = if bits >> (format.mantissa + format.exponent) & 1 == 1 { -1.0 } else { 1.0 };
        sign * if biased == 0 { mantissa * 2f64.powi(1 - bias) } else { (1.0 + mantissa) * 2f64.powi(biased - bias) }
    }

    #[test]
    fn every_number_is_its_significand_and_exponent() {
        for (element, bits) in [(Element::F16, 16), (Element::Bf16, 16), (Element::E4m3, 8), (Element::E5m2, 8)] {
            let format = element.format();
            let mut finite = 0u32;
            for number in 0..1u32 << bits {
                let (sig, top) = taken_apart(format, number);
                if !is_finite(format, number) {
                    assert_eq!((sig, top), (0, NOTHING));
                    continue;
                }
                finite += 1;
                let wanted = value(element, number);
                assert!(!is_nan(format, number));
                if wanted == 0.0 {
                    assert_eq!((sig, top), (0, NOTHING), "{element:?} {number:#x}");
                } else {
                    let biased = (number >> format.mantissa) & ((1 << format.exponent) - 1);
                    let leading = bits > 8 || biased != 0;
                    assert_eq!(sig.unsigned_abs() >> format.mantissa, u32::from(leading), "{element:?} {number:#x}");
                    let found = f64::from(sig) * 2f64.powi(top - format.mantissa as i32);
                    assert_eq!(found, wanted, "{element:?} {number:#x}");
                }
            }
            let not = (1 << bits) - finite;
            let wanted = match element {
                Element::E4m3 => 2,
                Element::E5m2 => 8,
                Element::F16 => 2048,
                _ => 256,
            };
            assert_eq!(not, wanted, "{element:?}");
        }
        assert_eq!(value(Element::E4m3, 0x7e), 448.0);
    }
}
