//! The locations of an image's texels, and the access rules of surfaces.

use super::format::Format;

/// The first sector number of arrays.
const SQUARES: u64 = 1 << 58;

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Texels in linear memory, read by their index.
    Linear,
    /// One dimension, or an array of one-dimensional layers.
    D1 {
        /// Whether its slices are layers.
        layered: bool,
    },
    /// Two dimensions, or an array of two-dimensional layers.
    D2 {
        /// Whether its slices are layers.
        layered: bool,
    },
    /// Three dimensions.
    D3,
    /// The faces of cubes, with six slices per cube.
    Cube {
        /// Whether there may be several cubes.
        layered: bool,
    },
}

impl Shape {
    /// Returns the number of coordinates of a texel in its slice, or in the volume.
    pub fn dimensions(self) -> usize {
        match self {
            Shape::Linear | Shape::D1 { .. } => 1,
            Shape::D2 { .. } | Shape::Cube { .. } => 2,
            Shape::D3 => 3,
        }
    }
}

/// The arrangement of texels in 32-byte sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row by row, according to their addresses.
    Rows,
    /// In squares of 16 bytes by two rows, as in the arrays of a device. Addresses here are nevertheless row by row.
    Squares,
}

/// One level of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Device address of the first texel.
    pub base: u64,
    /// Texels per row.
    pub width: u32,
    /// Rows per slice, at least 1.
    pub height: u32,
    /// Slices, at least 1: layers, faces, or the third dimension.
    pub depth: u32,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

/// The texels of an array, or of memory that is used as one.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its shape.
    pub shape: Shape,
    /// The arrangement of its texels in sectors.
    pub layout: Layout,
    /// The format of a texel.
    pub format: Format,
    /// Its levels, the finest first; at least one.
    pub levels: Vec<Level>,
}

/// The treatment of accesses outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The access stops the kernel.
    Trap,
    /// The access goes to the nearest position inside.
    Clamp,
    /// Reads return zero, and writes do nothing.
    Zero,
}

/// The target of a surface access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The bytes from this offset in a row, in this row of this slice.
    At([u32; 3]),
    /// No target: a read returns zero and a write does nothing.
    Nowhere,
    /// Outside of the surface, which stops the kernel.
    Outside,
}

impl Level {
    /// Returns the address of a texel of `bytes` bytes, which must be inside.
    pub fn address(&self, bytes: u32, [x, y, z]: [u32; 3]) -> u64 {
        self.base + u64::from(z) * self.slice + u64::from(y) * self.pitch + u64::from(x) * u64::from(bytes)
    }
}

impl Image {
    /// Returns the extents of a level's slice, or of the volume. Unused dimensions have an extent of 1.
    pub fn extents(&self, level: usize) -> [u32; 3] {
        let Level { width, height, depth, .. } = self.levels[level];
        match self.shape.dimensions() {
            1 => [width, 1, 1],
            2 => [width, height, 1],
            _ => [width, height, depth],
        }
    }

    /// Returns the number of slices that are layers or faces.
    pub fn slices(&self) -> u32 {
        if self.shape == Shape::D3 { 1 } else { self.levels[0].depth }
    }

    /// Returns the target of a surface access of `size` bytes: `x` counts bytes, and `z` slices.
    pub fn place(&self, [x, y, z]: [i32; 3], size: u32, boundary: Boundary) -> Placed {
        let level = &self.levels[0];
        let row = u64::from(level.width) * u64::from(self.format.bytes());
        let inside = |at: i32, extent: u64| at >= 0 && (at as u64) < extent;
        let fits = inside(x, row) && x as u64 + u64::from(size) <= row;
        let is_inside = fits && inside(y, level.height.into()) && inside(z, level.depth.into());
        let at = match boundary {
            _ if is_inside => [x as u32, y as u32, z as u32],
            Boundary::Trap => return Placed::Outside,
            Boundary::Zero => return Placed::Nowhere,
            Boundary::Clamp => {
                // The last offset in a row at which an access of this size fits.
                let last = row.saturating_sub(size.into()) / u64::from(size) * u64::from(size);
                let clamp = |at: i32, most: u64| (at.max(0) as u64).min(most) as u32;
                [clamp(x, last), clamp(y, u64::from(level.height) - 1), clamp(z, u64::from(level.depth) - 1)]
            }
        };
        Placed::At(at)
    }

    /// Returns the number of the sector that holds the bytes of a level from `x` in a row of a slice. The sector
    /// numbers of arrays differ from all addresses.
    pub fn sector(&self, level: usize, at: [u32; 3]) -> u64 {
        let level = &self.levels[level];
        if self.layout == Layout::Rows {
            return level.address(1, at) >> 5;
        }
        let [x, y, z] = at.map(u64::from);
        let columns = u64::from(level.width * self.format.bytes()).div_ceil(16);
        let rows = u64::from(level.height).div_ceil(2);
        // There are no more sectors than bytes, so the sector numbers of different arrays do not overlap.
        SQUARES + level.base + (z * rows + y / 2) * columns + x / 16
    }
}
