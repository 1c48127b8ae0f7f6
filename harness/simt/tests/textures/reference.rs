//! The results of a fetch, by the formulas of the programming guide and with an H200's rounding of the weights: one
//! texel and one weight at a time.

use simt::texture::Address;

/// A texture of floating-point numbers.
pub struct Plain {
    pub extents: [usize; 3],
    pub address: Address,
    pub linear: bool,
    pub normalized: bool,
    pub border: f64,
    /// The texels, row by row, slice by slice.
    pub texels: Vec<f64>,
}

impl Plain {
    /// `T[i]` in one dimension: the index of the texel that `i` addresses.
    fn index(&self, mut i: i64, n: usize) -> Option<usize> {
        let n = n as i64;
        match self.address {
            Address::Wrap if self.normalized => {
                while i < 0 {
                    i += n;
                }
                Some((i % n) as usize)
            }
            // One step after another, reversed at each end.
            Address::Mirror if self.normalized => {
                let mut index = if i < 0 { -1 - i } else { i };
                while index >= n {
                    index = if index < 2 * n { 2 * n - 1 - index } else { index - 2 * n };
                }
                Some(index as usize)
            }
            Address::Border if i < 0 || i >= n => None,
            _ => Some(i.max(0).min(n - 1) as usize),
        }
    }

    fn texel(&self, at: [i64; 3]) -> f64 {
        let mut index = [0; 3];
        for d in 0..3 {
            if self.extents[d] == 1 && !(d == 1 && at[d] < 0) {
                continue;
            }
            match self.index(at[d], self.extents[d]) {
                Some(i) => index[d] = i,
                None => return self.border,
            }
        }
        self.texels[(index[2] * self.extents[1] + index[1]) * self.extents[0] + index[0]]
    }

    /// `tex(x, y, z)`.
    pub fn fetch(&self, coordinates: [f32; 3]) -> f32 {
        let mut whole = [0i64; 3];
        let mut fraction = [0f64; 3];
        for d in 0..3 {
            let n = self.extents[d];
            if n == 1 {
                // A linear filter reads a row at the edge of a texture of one row: half of it is border.
                if d == 1 && self.linear && matches!(self.address, Address::Border) {
                    (whole[d], fraction[d]) = (-1, 0.5);
                }
                continue;
            }
            let x = f64::from(coordinates[d]);
            // A normalised coordinate has 20 bits of fraction.
            let cut = (x * 1_048_576.0).floor() / 1_048_576.0;
            let x = if self.normalized { cut * n as f64 } else { x };
            if self.linear {
                let below = x - 0.5;
                // A fraction of 8 bits, which may be 1.
                let rounded = ((below - below.floor()) * 256.0 + 0.5).floor() / 256.0;
                // Clamped coordinates are those of the first or last texel's centre.
                let wraps = self.normalized && matches!(self.address, Address::Wrap | Address::Mirror);
                let clamped = !wraps && self.address != Address::Border && !(0.0..(n - 1) as f64).contains(&below);
                (whole[d], fraction[d]) = (below.floor() as i64, if clamped { 0.0 } else { rounded });
            } else {
                whole[d] = x.floor() as i64;
            }
        }
        if !self.linear {
            return self.texel(whole) as f32;
        }
        let [a, b, c] = fraction;
        let [i, j, k] = whole;
        // A weight is split in two between slices, then columns, then rows; each part also has 8 bits, and if both are
        // equally near, the one on the diagonal gets more.
        let eight = |part: f64| (part * 256.0 + 0.5).floor() / 256.0;
        let mut weights = Vec::new();
        for (z, slice) in [(0, 1.0 - eight(c)), (1, eight(c))] {
            let right = eight(slice * a);
            let (below, above) = (eight((slice - right) * (1.0 - b)), eight(right * b));
            weights.extend([([0, 0, z], below), ([0, 1, z], slice - right - below)]);
            weights.extend([([1, 0, z], right - above), ([1, 1, z], above)]);
        }
        let sum: f64 = weights.iter().map(|([x, y, z], weight)| weight * self.texel([i + x, j + y, k + z])).sum();
        // The nearest number; of two, the one that is farther from zero.
        let near = sum as f32;
        let away = f32::from_bits(near.to_bits() + 1);
        if (f64::from(away) - sum).abs() == (sum - f64::from(near)).abs() { away } else { near }
    }
}

/// Returns coordinates: some where the behaviour changes, and some arbitrary ones.
pub fn coordinates(count: usize, extent: usize, normalized: bool, seed: u64) -> Vec<f32> {
    let n = extent as f32;
    let scale = if normalized { 1.0 / n } else { 1.0 };
    let edges = [0.0, 0.5, 1.0, 1.5, n - 1.0, n - 0.5, n, n + 0.5, -0.5, -1.0, 2.0 * n, -n, 3.0 * n - 0.25];
    let mut state = seed;
    (0..count)
        .map(|i| {
            let anywhere = (next(&mut state) as f32 / u32::MAX as f32 * 3.0 - 1.0) * n;
            edges.get(i).copied().unwrap_or(anywhere) * scale
        })
        .collect()
}

/// Returns numbers without a pattern.
pub fn next(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) as u32
}
