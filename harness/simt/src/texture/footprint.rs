//! The length of a footprint, and the level of detail that follows.
//!
//! The rules were derived from the fetches recorded on an H200, whose texels reveal the level to 1/256. The parts of
//! the sides are truncated to 9 bits behind the leading one. The length of a side is its larger part plus 0.34384 of
//! its smaller one: slightly more than 11/32. The length of a footprint is that of its longest side, or 11/16 of its
//! longer diagonal, which is the sum or the difference of the sides. Parts of a diagonal are also truncated to 9 bits,
//! before and after that product, which is rounded in between. The length has 8 bits behind the leading one, and a
//! table of whole 256ths gives the logarithm. Of the 1,536 recorded footprints whose texels reveal a level that is not
//! anisotropic, 4 are off by one step of the table.
//!
//! For an anisotropic texture, the footprint's length is its area divided by its length, but at least its length
//! divided by the maximum number of samples. The fraction of the level is moved away from one half: by 7/4 for at most
//! 4 samples and by 2 for 16 (this is the trilinear optimization, which a texture may disable). Numbers of samples
//! between those, and 2 samples, are not recorded: here the factor grows by 1/8 with each doubling. Also not recorded
//! are whether explicitly requested levels are moved (here they are not), and where the samples lie (here there is one
//! in the middle). Of the 512 recorded anisotropic footprints 75 have a different level, most of them by one step
//! before it is moved.

use std::sync::LazyLock;

/// A side of a flat footprint, in texels.
pub(super) type Side = [f64; 2];

/// Returns the length of a footprint with these sides.
pub(super) fn length(sides: [Side; 2]) -> f64 {
    let [[a, b], [c, d]] = sides.map(|side| side.map(|part| cut(part, 9)));
    let diagonal = |parts: Side| parts.map(|part| of_diagonal(cut(part, 9)));
    [[a, b], [c, d], diagonal([a + c, b + d]), diagonal([a - c, b - d])].map(of_parts).into_iter().fold(0.0, f64::max)
}

/// Returns the length of a side with these parts.
fn of_parts([x, y]: Side) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    x.max(y) + SMALLER * x.min(y)
}

/// Returns the contribution of a part of a diagonal: 11/16 of it, rounded to a unit of 10 bits behind its leading one.
fn of_diagonal(part: f64) -> f64 {
    let half = if part == 0.0 { 0.0 } else { 2f64.powi(exponent(part) - 11) };
    cut(cut_to(11.0 / 16.0 * part.abs() + half, 2.0 * half), 9)
}

/// The fraction of a side's smaller part that is added to its length. Of all multiples of 1/32,768, this one matches
/// the most recorded levels.
const SMALLER: f64 = 11_267.0 / 32_768.0;

/// Truncates a number to `bits` bits behind its leading one.
fn cut(number: f64, bits: i32) -> f64 {
    if number == 0.0 { 0.0 } else { cut_to(number, 2f64.powi(exponent(number) - bits)) }
}

/// Truncates a number to a multiple of a unit, toward zero.
fn cut_to(number: f64, unit: f64) -> f64 {
    if unit == 0.0 || !number.is_finite() { number } else { (number / unit).trunc() * unit }
}

/// Returns the level of detail of a footprint for a texture that takes at most `samples` samples.
pub(super) fn level(sides: [Side; 2], samples: u32, optimized: bool) -> f64 {
    let longest = length(sides);
    if samples <= 1 || longest == 0.0 || !longest.is_finite() {
        return logarithm(longest);
    }
    let [[a, b], [c, d]] = sides;
    let across = (a * d - b * c).abs() / longest;
    let level = logarithm(across.max(longest / f64::from(samples)));
    if optimized { moved(level, samples) } else { level }
}

/// Moves the fraction of a level in whole 256ths away from one half.
fn moved(level: f64, samples: u32) -> f64 {
    let eighths = f64::from(12 + samples.min(16).ilog2());
    let first = (128.0 - 1024.0 / eighths).floor();
    let fraction = (level - level.floor()) * 256.0;
    level.floor() + ((fraction - first) * eighths / 8.0).floor().clamp(0.0, 256.0) / 256.0
}

/// The binary logarithm of a number from 1 to 2 by its first 8 bits, in 256ths: the middle one of those whose next 4
/// bits differ, and less than 256. Whole levels are exact.
static LOGARITHMS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    std::array::from_fn(|at| match at {
        0 => 0,
        _ => (256.0 * (1.0 + (at as f64 + 15.0 / 32.0) / 256.0).log2()).round() as u8,
    })
});

/// Returns the exponent of a number that is not 0, infinite or subnormal.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Returns the binary logarithm of a length, in whole 256ths.
pub(super) fn logarithm(length: f64) -> f64 {
    if length == 0.0 || !length.is_finite() {
        return length.log2();
    }
    let first = (length.to_bits() >> 44 & 0xff) as usize;
    f64::from(exponent(length)) + f64::from(LOGARITHMS[first]) / 256.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of an H200, in 256ths.
    #[test]
    fn lengths_have_an_h200s_logarithms() {
        for (length, level) in [
            (1.072_406_5, 26),
            (1.434_418_3, 133),
            (1.438_962_1, 135),
            (1.998_465_5, 255),
            (2.874_647_4, 389),
            (2.0 * 1.024_805_7, 265),
            (9.936_836_2, 847),
        ] {
            assert_eq!(logarithm(length) * 256.0, f64::from(level), "{length}");
        }
        assert_eq!([0.5, 1.0, 2.0, 16.0].map(logarithm), [-1.0, 0.0, 1.0, 4.0]);
        assert_eq!(logarithm(0.0), f64::NEG_INFINITY);
        assert_eq!(logarithm(f64::INFINITY), f64::INFINITY);
    }

    /// Sides in texels, the maximum number of samples, and the level of an H200, in 256ths.
    #[test]
    fn footprints_have_an_h200s_levels() {
        let seen: [([Side; 2], u32, u32); 13] = [
            // Sides at right angles: of equal length, and of different lengths.
            ([[1.1445, 0.2461], [-0.2461, 1.1445]], 1, 76),
            ([[1.011_72, 0.681_69], [-0.681_69, 1.011_72]], 1, 82),
            ([[2.085_94, 0.0], [0.0, 1.203_07]], 1, 272),
            ([[2.085_94, 0.0], [0.0, 0.0]], 1, 272),
            // One side twice as long as the other, in the same direction.
            ([[2.0234, 0.1938], [1.0117, 0.0969]], 1, 283),
            ([[2.8125, 0.696_57], [1.406_25, 0.348_29]], 1, 424),
            // Sides of equal length.
            ([[2.070_31, 0.0], [-2.070_31, -0.000_57]], 1, 385),
            ([[2.632_81, 0.0], [-2.631_63, 0.078_83]], 1, 476),
            ([[3.0625, 0.364_67], [-7.064_85, -2.319_18]], 1, 761),
            ([[2.0234, 1.6583], [0.044, 3.291]], 4, 246),
            ([[3.0859, 1.5246], [3.9176, 0.1221]], 4, 75),
            ([[2.6875, 1.4664], [3.4393, -0.4037]], 16, 106),
            ([[2.9531, 1.8547], [-0.0298, -13.5018]], 16, 414),
        ];
        for (sides, samples, wanted) in seen {
            assert_eq!(level(sides, samples, true) * 256.0, f64::from(wanted), "{sides:?} {samples}");
        }
    }

    #[test]
    fn long_footprints_are_as_fine_as_their_samples_allow() {
        let long = [[8.0, 0.0], [0.0, 0.5]];
        assert_eq!([1, 2, 4, 16].map(|samples| level(long, samples, true)), [3.0, 2.0, 1.0, -1.0]);
        // Fractions are moved unless the texture disables that.
        let wide = [[8.0, 0.0], [0.0, 2.2]];
        assert_eq!([true, false].map(|optimized| level(wide, 16, optimized)), [1.0, 1.0 + 35.0 / 256.0]);
        assert_eq!(level([[0.0; 2]; 2], 16, true), f64::NEG_INFINITY);
        assert_eq!(level([[f64::INFINITY, 0.0], [0.0, 1.0]], 4, true), f64::INFINITY);
    }
}
