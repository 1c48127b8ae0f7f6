//! The level of detail that a fetch requests, and the levels that it reads.

use super::cube::{Face, face_of};
use super::footprint;
use super::image::Shape;
use super::objects::Texture;
use super::sampler::Sampler;

/// The level of detail that a fetch requests.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// The finest level.
    Base,
    /// An explicit level.
    Level(f32),
    /// The level of a footprint with these sides, in the coordinates of the texture.
    Footprint([f32; 3], [f32; 3]),
}

/// A level, and its weight in 256ths.
pub type Weighed = (usize, u32);

impl Texture {
    /// Returns the level of detail of a fetch: the finest is 0, where texels are magnified.
    pub(super) fn level(&self, at: [f32; 3], detail: Detail) -> f64 {
        let last = self.image.levels.len() - 1;
        if last == 0 {
            return 0.0;
        }
        // The level and the bias are each truncated to 8 bits of fraction.
        let cut = |level: f64| (level * 256.0).floor() / 256.0;
        let asked = match detail {
            Detail::Base => 0.0,
            Detail::Level(level) => cut(level.into()) + cut(self.sampler.bias.into()),
            Detail::Footprint(one, other) => self.footprint(at, one, other) + cut(self.sampler.bias.into()),
        };
        let (least, most) = (f64::from(self.sampler.least), f64::from(self.sampler.most));
        let asked = if asked.is_nan() { 0.0 } else { asked };
        asked.min(most).max(least).clamp(0.0, last as f64)
    }

    /// Returns the levels that a fetch with this level of detail reads, and their weights: the weight of the second is
    /// 0 unless two levels are read.
    pub(super) fn levels(&self, level: f64) -> [Weighed; 2] {
        let last = self.image.levels.len() - 1;
        if !self.sampler.linear_levels {
            return [(((level + 0.5).floor() as usize).min(last), 256), (0, 0)];
        }
        let at = (level * 256.0).floor() as usize;
        let (first, weight) = ((at >> 8).min(last), (at & 255) as u32);
        [(first, 256 - weight), ((first + 1).min(last), weight)]
    }

    /// Returns the level at which a footprint is as long as a texel.
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
        match self.image.shape.dimensions() {
            2 => {
                let Sampler { samples, optimized, .. } = self.sampler;
                footprint::level(sides.map(|[x, y, _]| [x, y]), samples, optimized)
            }
            // Rows and volumes are not recorded: the length of the longer side is used.
            _ => footprint::logarithm(sides.map(length).into_iter().fold(0.0, f64::max)),
        }
    }
}

fn length(side: [f64; 3]) -> f64 {
    side.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// Returns the change of a face's coordinates along a change of direction: the derivative of their quotient.
fn along(face: &Face, change: [f32; 3]) -> [f64; 2] {
    let [s, t, m] = face.components(change);
    [(s, face.s), (t, face.t)].map(|(change, at)| (change * face.m - at * m) / (2.0 * face.m * face.m))
}
