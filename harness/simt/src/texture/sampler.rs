//! The reading modes of a texture, and the texels that a coordinate selects.

/// The treatment of coordinates outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The texture repeats.
    Wrap,
    /// The nearest texel is used.
    Clamp,
    /// The texture repeats, mirrored every other time.
    Mirror,
    /// The border's colour is used.
    Border,
}

/// The reading mode of a texture.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The treatment of coordinates outside, in each dimension.
    pub address: [Address; 3],
    /// Whether to interpolate between texels instead of taking the nearest one.
    pub linear: bool,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// Whether integers of 8 and 16 bits are read as fractions.
    pub promoted: bool,
    /// Whether 8-bit colours are in the sRGB space.
    pub srgb: bool,
    /// The border's colour as the result of a fetch.
    pub border: [u32; 4],
    /// Whether to interpolate between levels instead of taking the nearest one.
    pub linear_levels: bool,
    /// The maximum number of samples of an anisotropic filter, from 1 to 16.
    pub samples: u32,
    /// Whether an anisotropic filter takes more of the nearer level than its weight.
    pub optimized: bool,
    /// The bias added to levels of detail.
    pub bias: f32,
    /// The finest level of detail.
    pub least: f32,
    /// The coarsest level of detail.
    pub most: f32,
    /// Whether a linear filter of a cube crosses its edges.
    pub seamless: bool,
}

/// The fraction of 8 bits that filters use for weights.
pub const ONE: u32 = 256;

/// A texel in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// Its index; outside of the texture, the index of the nearest texel.
    pub at: u32,
    /// Whether it is the border.
    pub border: bool,
}

impl Texel {
    /// Returns the texel with this index.
    pub fn inside(at: u32) -> Texel {
        Texel { at, border: false }
    }
}

/// A texel in one dimension, and its weight in parts of [`ONE`].
pub type Tap = (Texel, u32);

/// Converts a coordinate, `u` texels from the first texel's edge, to a whole number of 256ths from the first texel's
/// centre.
fn fixed(u: f64) -> i64 {
    ((u - 0.5) * f64::from(ONE) + 0.5).floor() as i64
}

impl Sampler {
    /// Converts a coordinate to texels: a normalised one is truncated to 20 bits of fraction, and multiplied by the
    /// extent.
    pub fn unnormalized(&self, coordinate: f32, extent: u32) -> f64 {
        // Numbers of this size have no fraction, and are all far outside.
        let far = 2f64.powi(48);
        let u = f64::from(coordinate);
        // After truncation, 1 / 7 is less than a seventh, although the f32 is more.
        let part = 2f64.powi(20);
        let u = if self.normalized { (u * part).floor() / part * f64::from(extent) } else { u };
        if u.is_nan() { 0.0 } else { u.clamp(-far, far) }
    }

    /// Returns the texel at the index `i` in a dimension of this extent.
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

    /// Returns the indices of the two texels that a linear filter weights at a position, and the weight of the second
    /// one.
    pub fn pair(u: f64) -> ([i64; 2], u32) {
        let at = fixed(u);
        let first = at >> 8;
        ([first, first + 1], (at & 255) as u32)
    }

    /// Returns the texels that a coordinate selects in a dimension, and their weights.
    pub fn taps(&self, coordinate: f32, extent: u32, dimension: usize) -> [Tap; 2] {
        let u = self.unnormalized(coordinate, extent);
        if !self.linear {
            return [(self.texel(u.floor() as i64, extent, dimension), ONE), (Texel::inside(0), 0)];
        }
        let ([first, second], weight) = Self::pair(u);
        let texel = |i| self.texel(i, extent, dimension);
        // A clamped coordinate becomes that of the texel's centre.
        let clamps = match self.address[dimension] {
            Address::Clamp => true,
            Address::Wrap | Address::Mirror => !self.normalized,
            Address::Border => false,
        };
        let weight = if clamps && texel(first) == texel(second) { 0 } else { weight };
        [(texel(first), ONE - weight), (texel(second), weight)]
    }
}
