//! How a texture is read, and which texels a coordinate selects.

/// What happens to coordinates outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The texture repeats.
    Wrap,
    /// The nearest texel.
    Clamp,
    /// The texture repeats, every other time mirrored.
    Mirror,
    /// The border's colour.
    Border,
}

/// How a texture is read.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// What happens outside, in each dimension.
    pub address: [Address; 3],
    /// Between texels, and not to the nearest one.
    pub linear: bool,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// Integers of 8 and 16 bits are read as fractions.
    pub promoted: bool,
    /// Colours of 8 bits are in the sRGB space.
    pub srgb: bool,
    /// The border's colour as a fetch gives it.
    pub border: [u32; 4],
    /// Between levels, and not at the nearest one.
    pub linear_levels: bool,
    /// The most samples that an anisotropic filter takes, from 1 to 16.
    pub samples: u32,
    /// An anisotropic filter takes more of the nearer level than its weight.
    pub optimized: bool,
    /// Added to levels of detail.
    pub bias: f32,
    /// The finest level of detail.
    pub least: f32,
    /// The coarsest one.
    pub most: f32,
    /// A linear filter of a cube goes across its edges.
    pub seamless: bool,
}

/// The fraction of 8 bits by which filters weigh.
pub const ONE: u32 = 256;

/// A texel in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// Its index; that of the nearest texel for what lies outside.
    pub at: u32,
    /// It is the border.
    pub border: bool,
}

impl Texel {
    /// The texel with this index.
    pub fn inside(at: u32) -> Texel {
        Texel { at, border: false }
    }
}

/// A texel in one dimension, and its weight in parts of [`ONE`].
pub type Tap = (Texel, u32);

/// The number of parts of a coordinate, `u` texels from the first texel's edge, as a whole number of 256ths from the
/// first texel's centre.
fn fixed(u: f64) -> i64 {
    ((u - 0.5) * f64::from(ONE) + 0.5).floor() as i64
}

impl Sampler {
    /// Coordinates in texels: those that are normalised are cut off to 20 bits of fraction, and multiplied by the
    /// extent.
    pub fn unnormalized(&self, coordinate: f32, extent: u32) -> f64 {
        // No number of this size has a fraction, and all are far outside.
        let far = 2f64.powi(48);
        let u = f64::from(coordinate);
        // 1 / 7 is less than a seventh thereafter, although the f32 is more.
        let part = 2f64.powi(20);
        let u = if self.normalized { (u * part).floor() / part * f64::from(extent) } else { u };
        if u.is_nan() { 0.0 } else { u.clamp(-far, far) }
    }

    /// The texel at the index `i` in a dimension of this extent.
    pub fn texel(&self, i: i64, extent: u32, dimension: usize) -> Texel {
        let n = i64::from(extent);
        if (0..n).contains(&i) {
            return Texel::inside(i as u32);
        }
        let nearest = i.clamp(0, n - 1) as u32;
        match self.address[dimension] {
            Address::Border => Texel { at: nearest, border: true },
            Address::Wrap if self.normalized => Texel::inside(i.rem_euclid(n) as u32),
            Address::Mirror if self.normalized => {
                let at = i.rem_euclid(2 * n);
                Texel::inside(if at < n { at } else { 2 * n - 1 - at } as u32)
            }
            // Coordinates that are not normalised are clamped in these modes.
            Address::Clamp | Address::Wrap | Address::Mirror => Texel::inside(nearest),
        }
    }

    /// The indices of the two texels that a linear filter weighs at a place, and the weight of the second one.
    pub fn pair(u: f64) -> ([i64; 2], u32) {
        let at = fixed(u);
        let first = at >> 8;
        ([first, first + 1], (at & 255) as u32)
    }

    /// The texels that a coordinate selects in a dimension, and their weights.
    pub fn taps(&self, coordinate: f32, extent: u32, dimension: usize) -> [Tap; 2] {
        let u = self.unnormalized(coordinate, extent);
        if !self.linear {
            return [(self.texel(u.floor() as i64, extent, dimension), ONE), (Texel::inside(0), 0)];
        }
        let ([first, second], weight) = Self::pair(u);
        let texel = |i| self.texel(i, extent, dimension);
        // A clamped coordinate is that of the texel's centre.
        let clamps = match self.address[dimension] {
            Address::Clamp => true,
            Address::Wrap | Address::Mirror => !self.normalized,
            Address::Border => false,
        };
        let weight = if clamps && texel(first) == texel(second) { 0 } else { weight };
        [(texel(first), ONE - weight), (texel(second), weight)]
    }
}
