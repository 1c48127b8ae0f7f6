//! The level of detail.
//!
//! That of a footprint was found in the fetches that are recorded of an H200: those between the ends of the levels
//! tell it to 1/256. Its length in texels has 8 bits behind the leading one, and a table of whole 256ths gives the
//! logarithm. A footprint whose sides are as long as each other and at right angles is as long as they are: so all 269
//! of these have the H200's level. The sides of the 341 others mirror each other in the diagonal. Of the ellipse that
//! has them as conjugate radii the longer and the shorter radius weigh two to one, the shorter one by at least 0.768 of
//! the longer: so 285 have the level, and the rest miss it by 1/256. What the device makes of sides of different
//! lengths, and of volumes, is not recorded; here the rule is the same, and a volume's footprint has the length of the
//! longer side.

use super::cube::{Face, face_of};
use super::image::Shape;
use super::objects::Texture;
use std::sync::LazyLock;

/// Which level a fetch asks for.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// The finest.
    Base,
    /// This one.
    Level(f32),
    /// That of a footprint with these sides, in the coordinates of the texture.
    Footprint([f32; 3], [f32; 3]),
}

/// A level, and its weight in 256ths.
pub type Weighed = (usize, u32);

impl Texture {
    /// The levels that a fetch reads, and their weights: those of the second is 0 unless there are two.
    pub(super) fn levels(&self, at: [f32; 3], detail: Detail) -> [Weighed; 2] {
        let last = self.image.levels.len() - 1;
        if last == 0 {
            return [(0, 256), (0, 0)];
        }
        // The level and the bias have 8 bits of fraction each, of which the rest is cut off.
        let cut = |level: f64| (level * 256.0).floor() / 256.0;
        let asked = match detail {
            Detail::Base => 0.0,
            Detail::Level(level) => cut(level.into()) + cut(self.sampler.bias.into()),
            Detail::Footprint(one, other) => self.footprint(at, one, other) + cut(self.sampler.bias.into()),
        };
        let (least, most) = (f64::from(self.sampler.least), f64::from(self.sampler.most));
        let asked = if asked.is_nan() { 0.0 } else { asked };
        let level = asked.min(most).max(least).clamp(0.0, last as f64);
        if !self.sampler.linear_levels {
            return [(((level + 0.5).floor() as usize).min(last), 256), (0, 0)];
        }
        let at = (level * 256.0).floor() as usize;
        let (first, weight) = ((at >> 8).min(last), (at & 255) as u32);
        [(first, 256 - weight), ((first + 1).min(last), weight)]
    }

    /// The level at which a footprint is as long as a texel.
    fn footprint(&self, at: [f32; 3], one: [f32; 3], other: [f32; 3]) -> f64 {
        let extents = self.image.extents(0);
        let sides = [one, other].map(|side| match self.image.shape {
            Shape::Cube { .. } => {
                let n = f64::from(extents[0]);
                let [s, t] = along(&face_of(at), side);
                [s * n, t * n, 0.0]
            }
            shape => std::array::from_fn(|d| {
                let scale = if self.sampler.normalized { f64::from(extents[d]) } else { 1.0 };
                if d < shape.dimensions() { f64::from(side[d]) * scale } else { 0.0 }
            }),
        });
        logarithm(match self.image.shape.dimensions() {
            2 => flat_length(sides),
            _ => sides.map(length).into_iter().fold(0.0, f64::max),
        })
    }
}

fn length(side: [f64; 3]) -> f64 {
    side.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// The length of a flat footprint with these sides.
fn flat_length([[a, b, _], [c, d, _]]: [[f64; 3]; 2]) -> f64 {
    // The squares of the ellipse's radii are the eigenvalues of the product of the sides' matrix with its transpose.
    let (one, other, dot) = (a * a + b * b, c * c + d * d, a * c + b * d);
    let apart = ((one - other) / 2.0).hypot(dot);
    let longer = (f64::midpoint(one, other) + apart).sqrt();
    if longer == 0.0 || !longer.is_finite() {
        return longer;
    }
    let shorter = (a * d - b * c).abs() / longer;
    (2.0 * longer + shorter.max(LEAST_SHORTER * longer)) / 3.0
}

/// The least part of the longer radius that the shorter one counts as.
const LEAST_SHORTER: f64 = 0.768;

/// The binary logarithm of a number from 1 to 2 by its first 8 bits, in 256ths: that in the middle of those whose next
/// 4 bits differ, and less than 256. Whole levels are exact: the first entry is not recorded, and is 0 here.
static LOGARITHMS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    std::array::from_fn(|at| match at {
        0 => 0,
        _ => (256.0 * (1.0 + (at as f64 + 15.0 / 32.0) / 256.0).log2()).round() as u8,
    })
});

/// The binary logarithm of a length, in whole 256ths.
fn logarithm(length: f64) -> f64 {
    if length == 0.0 || !length.is_finite() {
        return length.log2();
    }
    let bits = length.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    f64::from(exponent) + f64::from(LOGARITHMS[(bits >> 44 & 0xff) as usize]) / 256.0
}

/// How a face's coordinates change along a change of direction: the derivative of the quotient that they are.
fn along(face: &Face, change: [f32; 3]) -> [f64; 2] {
    let [s, t, m] = face.components(change);
    [(s, face.s), (t, face.t)].map(|(change, at)| (change * face.m - at * m) / (2.0 * face.m * face.m))
}

#[cfg(test)]
mod tests {
    use super::{flat_length, logarithm};

    /// Levels that an H200 gave, in 256ths.
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

    #[test]
    fn footprints_are_as_long_as_an_ellipse() {
        let square = [[0.3, 0.0, 0.0], [0.0, 0.3, 0.0]];
        assert!((flat_length(square) - 0.3).abs() < 1e-15);
        let turned = [[3.0, 4.0, 0.0], [-4.0, 3.0, 0.0]];
        assert!((flat_length(turned) - 5.0).abs() < 1e-15);
        // The radii are 5 and 4.5, then 5 and 0.
        assert!((flat_length([[4.75, 0.25, 0.0], [0.25, 4.75, 0.0]]) - 14.5 / 3.0).abs() < 1e-14);
        assert!((flat_length([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]) - 5.0 * 2.768 / 3.0).abs() < 1e-14);
        assert_eq!(flat_length([[0.0; 3]; 2]), 0.0);
    }
}
