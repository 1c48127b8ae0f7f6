//! The arithmetic of a linear filter: weights in 256ths, and the sums of texels.
//!
//! These rules were found by comparing sums with those of an H200, bit by bit. A weight of whole 256ths is split in two
//! by a fraction, again in 256ths, whose product is rounded: first between levels, then slices, then along a row, and
//! then between the rows. Floating-point texels are truncated some bits below the leading bit of the largest texel of
//! their square; the products are exact and their sum is rounded once to the format, ties away from zero. Colours from
//! the sRGB space are treated the same way, with 16 bits. Integers of 8 and 16 bits are weighted as 16-bit numbers,
//! ties upwards.

use super::format::{ChannelKind, Format};
use super::sampler::ONE;
use super::srgb;
use crate::lane::F16;

/// Returns the product of two numbers of 256ths, in 256ths.
fn product(a: i32, b: i32) -> i32 {
    (a * b + 128) >> 8
}

/// Returns the weights of the four texels of a square, as 256ths that sum to `all`: those of the lower row first. The
/// second texel of each pair gets `a` of 256 parts in a row, and `b` along columns.
pub fn square([a, b]: [u32; 2], all: u32) -> [i32; 4] {
    let [a, b, all] = [a, b, all].map(|part| part as i32);
    let right = product(a, all);
    let left = all - right;
    // Ties go to the texels of the main diagonal.
    let (lower_left, upper_right) = (product(left, ONE as i32 - b), product(right, b));
    [lower_left, right - upper_right, left - lower_left, upper_right]
}

/// Returns the weights of a square that lacks the texel in one corner, as at the corners of a cube map: its neighbours
/// each get a third of its weight, rounded to nearest, and the texel diagonally opposite gets the rest.
pub fn without(corner: usize, mut weights: [i32; 4]) -> [i32; 4] {
    let gone = std::mem::take(&mut weights[corner]);
    let third = (gone + 1) / 3;
    for (at, more) in [(corner ^ 1, third), (corner ^ 2, third), (corner ^ 3, gone - 2 * third)] {
        weights[at] += more;
    }
    weights
}

/// Returns the weights of the eight texels of a cube, as 256ths that sum to `all`: those of the lower slice first.
pub fn cube([a, b, c]: [u32; 3], all: u32) -> [i32; 8] {
    let upper = product(c as i32, all as i32) as u32;
    let slices = [square([a, b], all - upper), square([a, b], upper)];
    std::array::from_fn(|i| slices[i / 4][i % 4])
}

/// A texel and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Weighed {
    /// The result of an unfiltered fetch of it.
    pub word: u32,
    /// The weight in 256ths.
    pub weight: i32,
    /// The number of its square: a slice of a level.
    pub square: usize,
}

/// Returns the sum of texels of a format as the bits of a floating-point number. Texels of a square are adjacent.
/// `color`: the texels come from the sRGB space.
pub fn sum(format: Format, color: bool, texels: &[Weighed]) -> u32 {
    let plain: f64 = texels.iter().map(|texel| flushed(texel.word) * f64::from(texel.weight) / f64::from(ONE)).sum();
    let half = format.bits == 16 && format.kind == ChannelKind::Float;
    if plain.is_nan() {
        return if half { 0x7fff_e000 } else { 0x7fff_ffff };
    }
    if !plain.is_finite() {
        return (plain as f32).to_bits();
    }
    if plain == 0.0 && texels.iter().all(|texel| flushed(texel.word).is_sign_negative()) {
        return (-0f32).to_bits();
    }
    match format.kind {
        _ if color => to_f16(cut(texels, srgb::FRACTION, srgb::exponent)).to_bits(),
        ChannelKind::Float if half => to_f16(cut(texels, 14, exponent)).to_bits(),
        ChannelKind::Float => to_f32(cut(texels, 27, exponent)).to_bits(),
        ChannelKind::Signed if format.bits == 8 => signed_bytes(texels),
        ChannelKind::Unsigned => fraction(texels, 65_535.0),
        ChannelKind::Signed => fraction(texels, 32_767.0),
    }
}

/// Returns the sum of texels that are truncated `kept` bits below the largest exponent of their square.
fn cut(texels: &[Weighed], kept: i32, exponent: impl Fn(f64) -> i32) -> f64 {
    let squares = texels.chunk_by(|one, next| one.square == next.square).map(|square| {
        let values = || square.iter().map(|texel| (flushed(texel.word), texel.weight));
        let highest = values().filter(|(value, _)| *value != 0.0).map(|(value, _)| exponent(value)).max();
        let unit = 2f64.powi(highest.unwrap_or(0) - kept);
        values().map(|(value, weight)| (value / unit).trunc() * f64::from(weight)).sum::<f64>() * unit
    });
    squares.sum::<f64>() / f64::from(ONE)
}

/// Returns the sum of integers given as fractions of `all`, the largest 16-bit number, as the bits of such a fraction.
fn fraction(texels: &[Weighed], all: f64) -> u32 {
    let sum: f64 = texels.iter().map(|texel| whole(texel.word, all) * f64::from(texel.weight)).sum();
    (((sum / f64::from(ONE) + 0.5).floor() / all) as f32).to_bits()
}

/// Returns the sum of signed 8-bit integers. It has 8 bits of fraction, and is extended to 16 bits by repeating its own
/// upper bits: 127 becomes 32,767.
fn signed_bytes(texels: &[Weighed]) -> u32 {
    let sum: i64 = texels.iter().map(|texel| whole(texel.word, 127.0) as i64 * i64::from(texel.weight)).sum();
    // Extended to 11 bits below the 16: the sum, its upper 12 bits shifted down by 3 more, and again by 8 more.
    let upper = sum >> 4;
    let repeated = (sum << 11) + (upper << 8) + upper;
    ((((repeated + (1 << 10)) >> 11) as f64 / 32_767.0) as f32).to_bits()
}

/// Returns the integer that a word represents as a fraction of `all`: a word is the nearest 32-bit number, so the
/// integer is unambiguous.
fn whole(word: u32, all: f64) -> f64 {
    (flushed(word) * all).round()
}

/// Returns the number with these bits; zero of the same sign if it is subnormal.
fn flushed(word: u32) -> f64 {
    let value = f32::from_bits(word);
    f64::from(if value.is_subnormal() { 0f32.copysign(value) } else { value })
}

fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Rounds to the nearest 32-bit number, ties away from zero.
fn to_f32(value: f64) -> f32 {
    let bits = value.to_bits();
    let tie = bits & 0x1fff_ffff == 0x1000_0000;
    f64::from_bits(bits + u64::from(tie)) as f32
}

/// Rounds to the nearest 16-bit number, ties away from zero.
fn to_f16(value: f64) -> f32 {
    // Sums have only slightly more bits than an f32, so a tie shows in the bits.
    let bits = value.to_bits();
    let tie = bits & ((1 << 42) - 1) == 1 << 41;
    let up = f64::from_bits(bits + (u64::from(tie) << 30));
    F16::nearest(up as f32).to_f32()
}

#[cfg(test)]
mod tests {
    use super::{Weighed, cube, square, sum, without};
    use crate::texture::format::{ChannelKind, Format};

    /// Returns the sum of texels of one square.
    fn weighed_sum(format: Format, texels: &[(f32, i32)]) -> f32 {
        let weighed = |&(value, weight): &(f32, i32)| Weighed { word: value.to_bits(), weight, square: 0 };
        f32::from_bits(sum(format, false, &texels.iter().map(weighed).collect::<Vec<_>>()))
    }

    #[test]
    fn weights_add_up() {
        for a in (0..256).step_by(5) {
            for b in 0..256 {
                assert_eq!(square([a, b], 256).iter().sum::<i32>(), 256);
                assert_eq!(square([a, b], 100).iter().sum::<i32>(), 100);
                assert_eq!(cube([a, b, 77], 256).iter().sum::<i32>(), 256);
                assert_eq!(cube([a, b, 77], 31).iter().sum::<i32>(), 31);
            }
        }
        // 1/256 of 138/256 is more than half of 1/256.
        assert_eq!(square([1, 138], 256), [118, 0, 137, 1]);
        assert_eq!(square([2, 10], 256), [244, 2, 10, 0]);
        assert_eq!(cube([128, 128, 128], 256), [32; 8]);
    }

    #[test]
    fn weights_are_split_between_slices_first_and_rows_last() {
        // The weights of an H200, derived from its recorded sums.
        assert_eq!(cube([128, 21, 252], 256), [2, 2, 0, 0, 116, 116, 10, 10]);
        assert_eq!(cube([128, 8, 93], 256), [78, 79, 3, 3, 45, 46, 1, 1]);
        assert_eq!(cube([128, 185, 179], 256), [11, 11, 27, 28, 25, 25, 64, 65]);
        // A tie of the left texels, and one of the right ones.
        assert_eq!(cube([61, 128, 128], 256), [49, 15, 48, 16, 49, 15, 48, 16]);
        assert_eq!(cube([118, 128, 128], 256), [35, 29, 34, 30, 35, 29, 34, 30]);
    }

    /// The weights of an H200 at the corners of a cube map.
    #[test]
    fn a_missing_texel_is_shared() {
        assert_eq!(without(0, [64; 4]), [0, 85, 85, 86]);
        assert_eq!(without(2, [64; 4]), [85, 86, 0, 85]);
        assert_eq!(without(1, [40, 32, 103, 81]), [51, 0, 113, 92]);
        assert_eq!(without(3, [147, 31, 64, 14]), [151, 36, 69, 0]);
        assert_eq!(without(1, [20, 13, 135, 88]), [24, 0, 140, 92]);
        assert_eq!(without(1, [16, 0, 235, 5]), [16, 0, 235, 5]);
    }

    #[test]
    fn signed_bytes_repeat_their_upper_bits() {
        let byte = Format { kind: ChannelKind::Signed, bits: 8, channels: 1 };
        let pair = |one: i32, other: i32, weight: i32| {
            let part = |value: i32| value as f32 / 127.0;
            (weighed_sum(byte, &[(part(one), weight), (part(other), 256 - weight)]) * 32_767.0).round()
        };
        assert_eq!([pair(127, 127, 128), pair(-127, -127, 128), pair(0, 0, 1)], [32_767.0, -32_767.0, 0.0]);
        // Results of an H200; the exact sums are closer to the next number.
        assert_eq!([pair(71, 34, 70), pair(-97, -55, 252), pair(-97, -55, 246)], [11_382.0, -24_858.0, -24_603.0]);
    }

    #[test]
    fn a_negative_zero_stays_one_alone() {
        let float = Format { kind: ChannelKind::Float, bits: 32, channels: 1 };
        let tiny = f32::from_bits(0x807f_ffff);
        assert_eq!(weighed_sum(float, &[(tiny, 256)]).to_bits(), 0x8000_0000);
        assert_eq!(weighed_sum(float, &[(tiny, 128), (0.0, 128)]).to_bits(), 0);
    }

    /// Sums returned by an H200.
    #[test]
    fn small_texels_beside_a_large_one_are_cut_off() {
        let float = Format { kind: ChannelKind::Float, bits: 32, channels: 1 };
        let border = 0.3f32;
        let row = [(border, 125), (border, 3), (border, 125), (-95.919_464, 3)];
        assert_eq!(weighed_sum(float, &row), -0.827_572_1);
        let half = Format { bits: 16, ..float };
        assert_eq!(weighed_sum(half, &[(44.718_75, 126), (44.718_75, 126), (22_480.0, 2), (22_480.0, 2)]), 394.5);
        // A large texel in another slice does not truncate any.
        let apart = [(1.0, 0), (2f32.powi(-30), 1)].map(|(value, square): (f32, _)| Weighed {
            word: value.to_bits(),
            weight: 128,
            square,
        });
        assert_eq!(f32::from_bits(sum(float, false, &apart)), 0.5, "too small for the format");
        let apart = apart.map(|texel| if texel.square == 0 { Weighed { weight: 1, ..texel } } else { texel });
        assert_eq!(f32::from_bits(sum(float, false, &apart)), 2f32.powi(-8) + 2f32.powi(-31));
    }

    #[test]
    fn sums_are_rounded_to_their_format() {
        let byte = Format { kind: ChannelKind::Unsigned, bits: 8, channels: 1 };
        // 113 * 257 * 192 / 256 + 249 * 257 * 64 / 256 is 37,779.
        assert_eq!(weighed_sum(byte, &[(113.0 / 255.0, 192), (249.0 / 255.0, 64)]), 37_779.0 / 65_535.0);
        // Half of a unit rounds up, even below zero.
        let short = Format { kind: ChannelKind::Signed, bits: 16, channels: 1 };
        assert_eq!(
            weighed_sum(short, &[(-18_087.0 / 32_767.0, 128), (-31_106.0 / 32_767.0, 128)]),
            -24_596.0 / 32_767.0
        );
        let float = Format { kind: ChannelKind::Float, bits: 32, channels: 1 };
        let ulp = f32::from_bits(1f32.to_bits() + 1);
        assert_eq!(weighed_sum(float, &[(1.0, 128), (ulp, 128)]), ulp);
        assert_eq!(weighed_sum(float, &[(f32::from_bits(1), 256)]), 0.0, "a subnormal number");
        assert_eq!(weighed_sum(float, &[(f32::from_bits(0x7fc1_2345), 256)]).to_bits(), 0x7fff_ffff);
        assert_eq!(weighed_sum(Format { bits: 16, ..float }, &[(f32::NAN, 256)]).to_bits(), 0x7fff_e000);
    }
}
