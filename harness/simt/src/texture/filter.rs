//! The arithmetic of a linear filter: weights in 256ths, and the sums of texels.
//!
//! What stands here was found by comparing sums with an H200's, bit by bit: each product of two fractions is rounded to
//! 8 bits, so that the weights are whole 256ths whose sum is 1. Sums are exact and are rounded once, ties away from
//! zero: to 16 bits of the fraction for integers of 8 and 16 bits, to the format for floating-point numbers.

use super::format::{ChannelKind, Format};
use super::sampler::ONE;
use crate::lane::F16;

/// A product of two numbers of 256ths, in 256ths.
fn product(a: i32, b: i32) -> i32 {
    (a * b + 128) >> 8
}

/// The weights of the four texels of a square, in 256ths of which there are `all`: those of the lower row first. The
/// second of each pair weighs `a` of 256 parts in a row, and `b` along columns.
pub fn square([a, b]: [u32; 2], all: u32) -> [i32; 4] {
    let [a, b, all] = [a, b, all].map(|part| part as i32);
    let (a, both) = (product(a, all), product(product(a, all), b));
    let b = product(b, all);
    [all - a - b + both, a - both, b - both, both]
}

/// The weights of the eight texels of a cube, in 256ths.
pub fn cube([a, b, c]: [u32; 3]) -> [i32; 8] {
    let [a, b, c] = [a, b, c].map(|part| part as i32);
    let (ab, ac, bc) = (product(a, b), product(a, c), product(b, c));
    let abc = (a * b * c + (1 << 15)) >> 16;
    let upper = [c - ac - bc + abc, ac - abc, bc - abc, abc];
    let all = [ONE as i32 - a - b + ab, a - ab, b - ab, ab];
    std::array::from_fn(|i| if i < 4 { all[i] - upper[i] } else { upper[i - 4] })
}

/// The sum of texels of a format, each a word as a fetch without a filter gives it, with its weight in 256ths; as the
/// bits of a floating-point number. `color`: the texels come from the sRGB space.
pub fn sum(format: Format, color: bool, texels: &[(u32, i32)]) -> u32 {
    let values = || texels.iter().map(|&(word, weight)| (flushed(word), f64::from(weight) / f64::from(ONE)));
    let plain: f64 = values().map(|(value, weight)| value * weight).sum();
    if plain.is_nan() {
        return 0x7fff_ffff;
    }
    if !plain.is_finite() {
        return (plain as f32).to_bits();
    }
    match format.kind {
        ChannelKind::Float if format.bits == 32 => to_f32(plain).to_bits(),
        _ if color => to_f16(plain).to_bits(),
        ChannelKind::Float => {
            // Products are cut off below the largest texel's leading bit, by so many bits.
            const KEPT: i32 = 16;
            let highest = values().map(|(value, _)| exponent(value)).max().unwrap_or(0);
            // No number of 16 bits is smaller than 2^-24, but for zero.
            let unit = 2f64.powi(highest.max(-24) - KEPT);
            to_f16(values().map(|(value, weight)| (value * weight / unit).trunc() * unit).sum()).to_bits()
        }
        ChannelKind::Unsigned => ((plain * 65_535.0).round() as f32 / 65_535.0).to_bits(),
        ChannelKind::Signed => ((plain * 32_767.0).round() as f32 / 32_767.0).to_bits(),
    }
}

/// The number that these bits are; zero if it is subnormal.
fn flushed(word: u32) -> f64 {
    let value = f32::from_bits(word);
    if value.is_subnormal() { 0.0 } else { f64::from(value) }
}

fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// The nearest number of 32 bits, ties away from zero.
fn to_f32(value: f64) -> f32 {
    let bits = value.to_bits();
    let tie = bits & 0x1fff_ffff == 0x1000_0000;
    f64::from_bits(bits + u64::from(tie)) as f32
}

/// The nearest number of 16 bits, ties away from zero.
fn to_f16(value: f64) -> f32 {
    // Sums have no more bits than an f32 but by a little, and a tie is known by its bits.
    let bits = value.to_bits();
    let tie = bits & ((1 << 42) - 1) == 1 << 41;
    let up = f64::from_bits(bits + (u64::from(tie) << 30));
    F16::nearest(up as f32).to_f32()
}

#[cfg(test)]
mod tests {
    use super::{cube, square, sum};
    use crate::texture::format::{ChannelKind, Format};

    #[test]
    fn weights_add_up() {
        for a in (0..256).step_by(5) {
            for b in 0..256 {
                assert_eq!(square([a, b], 256).iter().sum::<i32>(), 256);
                assert_eq!(square([a, b], 100).iter().sum::<i32>(), 100);
                assert_eq!(cube([a, b, 77]).iter().sum::<i32>(), 256);
            }
        }
        // 1/256 of 138/256 is more than half of 1/256.
        assert_eq!(square([1, 138], 256), [118, 0, 137, 1]);
        assert_eq!(square([2, 10], 256), [244, 2, 10, 0]);
        assert_eq!(cube([128, 128, 128]), [32; 8]);
    }

    #[test]
    fn sums_are_rounded_to_their_format() {
        let byte = Format { kind: ChannelKind::Unsigned, bits: 8, channels: 1 };
        let fraction = |value: f32| (value / 255.0).to_bits();
        // 113 * 257 * 192 / 256 + 249 * 257 * 64 / 256 is 37,779.
        assert_eq!(
            f32::from_bits(sum(byte, false, &[(fraction(113.0), 192), (fraction(249.0), 64)])),
            37_779.0 / 65_535.0
        );
        let float = Format { kind: ChannelKind::Float, bits: 32, channels: 1 };
        let ulp = f32::from_bits(1f32.to_bits() + 1);
        assert_eq!(sum(float, false, &[(1f32.to_bits(), 128), (ulp.to_bits(), 128)]), ulp.to_bits());
        assert_eq!(sum(float, false, &[(1, 256)]), 0, "a subnormal number");
        assert_eq!(sum(float, false, &[(0x7fc1_2345, 256)]), 0x7fff_ffff);
    }
}
