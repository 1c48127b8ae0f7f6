//! Texture fetches, and the gather of four texels.

use super::cube::{across, face_of};
use super::filter;
use super::format::Reading;
use super::image::Shape;
use super::level::Detail;
use super::objects::Texture;
use super::sampler::{Address, ONE, Sampler, Tap, Texel};
use smallvec::SmallVec;

/// The position of a fetch.
#[derive(Clone, Copy, Debug)]
pub enum Coordinates {
    /// Coordinates of the texture; for a cube, a direction.
    Real([f32; 3]),
    /// The indices of a texel.
    Whole([i32; 3]),
}

/// Reads the bytes of texels.
pub trait Texels {
    /// Returns the `bytes` bytes at a device address; `None` if the access is not allowed, which ends the fetch.
    fn read(&mut self, address: u64, bytes: u32) -> Option<[u8; 16]>;

    /// Records the sector of a texel that a fetch needs; for the border, the sector of the nearest texel.
    fn need(&mut self, sector: impl FnOnce() -> u64);

    /// Records that the fetch magnifies texels.
    fn magnify(&mut self);
}

/// A texel of a level and its weight.
struct Sample {
    level: usize,
    texel: [u32; 3],
    /// Whether the border replaces the texel.
    border: bool,
    /// The weight in 256ths.
    weight: i32,
    /// The slice of the level that it belongs to.
    square: usize,
}

type Samples = SmallVec<[Sample; 16]>;

impl Texture {
    /// Returns the four words of a fetch; `None` if a texel could not be read. `layer` counts layers, or cubes.
    pub fn fetch(&self, at: Coordinates, layer: u32, detail: Detail, texels: &mut impl Texels) -> Option<[u32; 4]> {
        let mut samples = Samples::new();
        match at {
            Coordinates::Real(at) if self.image.shape == Shape::Linear => {
                return self.element(at[0].floor() as i64, texels);
            }
            Coordinates::Whole([i, ..]) if self.image.shape == Shape::Linear => return self.element(i.into(), texels),
            Coordinates::Whole(at) => {
                let level = match detail {
                    Detail::Level(level) => (level as usize).min(self.image.levels.len() - 1),
                    Detail::Base | Detail::Footprint(..) => 0,
                };
                let extents = self.image.extents(level);
                let tap = |d: usize| self.sampler.texel(at[d].into(), extents[d], d);
                let [x, y, z] = [tap(0), tap(1), tap(2)];
                let (texel, border) = ([x.at, y.at, self.slice(layer, z.at)], x.border | y.border | z.border);
                samples.push(Sample { level, texel, border, weight: ONE as i32, square: 0 });
            }
            Coordinates::Real(at) => {
                let level = self.level(at, detail);
                if level == 0.0 {
                    texels.magnify();
                }
                for (level, weight) in self.levels(level) {
                    if weight > 0 {
                        self.sample(level, at, layer, weight, &mut samples);
                    }
                }
            }
        }
        self.weigh(&samples, texels)
    }

    /// Returns one channel of each of the four texels that a linear filter would weight: those of the lower row from
    /// left to right, then those of the upper row from right to left.
    pub fn gather(&self, at: [f32; 3], layer: u32, channel: usize, texels: &mut impl Texels) -> Option<[u32; 4]> {
        let extents = self.image.extents(0);
        let (at, slice) = self.on_face(at, layer);
        let [(columns, _), (rows, _)] = [0, 1].map(|d| Sampler::pair(self.sampler.unnormalized(at[d], extents[d])));
        let mut words = [0; 4];
        for (word, (column, row)) in words.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let x = self.sampler.texel(columns[column], extents[0], 0);
            let y = self.sampler.texel(rows[row], extents[1], 1);
            *word = self.words(0, [x.at, y.at, slice], x.border | y.border, texels)?[channel];
        }
        Some(words)
    }

    /// Returns an element of linear memory, or zeros outside.
    fn element(&self, i: i64, texels: &mut impl Texels) -> Option<[u32; 4]> {
        if !(0..i64::from(self.image.levels[0].width)).contains(&i) {
            return Some([0; 4]);
        }
        self.words(0, [i as u32, 0, 0], false, texels)
    }

    /// Returns the slice of a layer; in a volume, the slice `z`.
    fn slice(&self, layer: u32, z: u32) -> u32 {
        if self.image.shape == Shape::D3 { z } else { layer.min(self.image.slices() - 1) }
    }

    /// Returns the coordinates in a slice, and the slice: for cubes, those of the face that the direction meets.
    fn on_face(&self, at: [f32; 3], layer: u32) -> ([f32; 3], u32) {
        if !matches!(self.image.shape, Shape::Cube { .. }) {
            return (at, self.slice(layer, 0));
        }
        let face = face_of(at);
        let [s, t] = face.coordinates();
        ([s as f32, t as f32, 0.0], self.cube(layer) * 6 + face.face)
    }

    /// Returns the cube with this number, or the last one.
    fn cube(&self, layer: u32) -> u32 {
        layer.min((self.image.slices() / 6).max(1) - 1)
    }

    /// Adds the texels of a level that a fetch weights; the level itself has a weight of `all` 256ths.
    fn sample(&self, level: usize, at: [f32; 3], layer: u32, all: u32, samples: &mut Samples) {
        let extents = self.image.extents(level);
        if matches!(self.image.shape, Shape::Cube { .. }) && self.sampler.seamless && self.sampler.linear {
            return self.sample_across(level, at, layer, all, samples);
        }
        let (at, slice) = self.on_face(at, layer);
        let row = Texel::inside(0);
        let whole: [Tap; 2] = [(row, ONE), (row, 0)];
        let mut taps = [whole; 3];
        for d in 0..self.image.shape.dimensions() {
            taps[d] = self.sampler.taps(at[d], extents[d], d);
        }
        if matches!(self.image.shape, Shape::D1 { .. })
            && self.sampler.linear
            && self.sampler.address[1] == Address::Border
        {
            // At the edge of a texture with a single row, that row is read, half of which is border.
            taps[1] = [(Texel { border: true, ..row }, ONE / 2), (row, ONE / 2)];
        }
        let [a, b, c] = taps.map(|taps| taps[1].1);
        let volume = self.image.shape == Shape::D3;
        let weights = filter::cube([a, b, c], all);
        for (at, weight) in weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0) {
            let [x, y, z] = [taps[0][at & 1].0, taps[1][at >> 1 & 1].0, taps[2][at >> 2].0];
            let (texel, border) = ([x.at, y.at, if volume { z.at } else { slice }], x.border | y.border | z.border);
            samples.push(Sample { level, texel, border, weight, square: 2 * level + (at >> 2) });
        }
    }

    /// Like [`Texture::sample`], for a linear filter across the edges of a cube.
    fn sample_across(&self, level: usize, at: [f32; 3], layer: u32, all: u32, samples: &mut Samples) {
        let n = self.image.extents(level)[0];
        let first = self.cube(layer) * 6;
        let face = face_of(at);
        let [(columns, of_column), (rows, of_row)] =
            face.coordinates().map(|part| Sampler::pair(self.sampler.unnormalized(part as f32, n)));
        let mut weights = filter::square([of_column, of_row], all);
        let texels: [_; 4] = std::array::from_fn(|at| across(face.face, [columns[at & 1], rows[at >> 1]], n));
        if let Some(corner) = texels.iter().position(Option::is_none) {
            weights = filter::without(corner, weights);
        }
        for (texel, weight) in texels.into_iter().zip(weights).filter(|(_, weight)| *weight != 0) {
            // A corner without a texel has no weight.
            let (face, [x, y]) = texel.unwrap_or_default();
            samples.push(Sample { level, texel: [x, y, first + face], border: texel.is_none(), weight, square: level });
        }
    }

    /// Returns the weighted sum of texels.
    fn weigh(&self, samples: &Samples, texels: &mut impl Texels) -> Option<[u32; 4]> {
        let format = self.image.format;
        let is_float = format.reads_float(self.sampler.promoted);
        if let [Sample { level, texel, border, .. }] = samples[..]
            && !(self.sampler.linear && is_float)
        {
            return self.words(level, texel, border, texels);
        }
        let mut columns: [SmallVec<[filter::Weighed; 16]>; 4] = Default::default();
        for &Sample { level, texel, border, weight, square } in samples {
            let words = self.words(level, texel, border, texels)?;
            if !is_float {
                // Integers are not weighted: the first texel stands for all, although the others are needed too.
                samples[1..].iter().for_each(|sample| self.need(sample.level, sample.texel, texels));
                return Some(words);
            }
            for (column, word) in columns.iter_mut().zip(words) {
                column.push(filter::Weighed { word, weight, square });
            }
        }
        let color = |at: usize| self.sampler.srgb && format.is_color(at);
        Some(std::array::from_fn(|at| filter::sum(format, color(at), &columns[at])))
    }

    /// Records that a texel is needed.
    fn need(&self, level: usize, [x, y, z]: [u32; 3], texels: &mut impl Texels) {
        texels.need(|| self.image.sector(level, [x * self.image.format.bytes(), y, z]));
    }

    /// Returns the words of a texel, or of the border in its place.
    fn words(&self, level: usize, at: [u32; 3], border: bool, texels: &mut impl Texels) -> Option<[u32; 4]> {
        let format = self.image.format;
        self.need(level, at, texels);
        if border {
            // Channels that the format lacks are zero in the border too.
            let channels = format.channels as usize;
            return Some(std::array::from_fn(|at| if at < channels { self.sampler.border[at] } else { 0 }));
        }
        let Sampler { promoted, srgb, .. } = self.sampler;
        let reading = if promoted { Reading::Float { srgb } } else { Reading::Integer };
        let address = self.image.levels[level].address(format.bytes(), at);
        Some(format.decode(&texels.read(address, format.bytes())?, reading))
    }
}
