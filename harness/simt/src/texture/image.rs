//! Where the texels of an image lie, and the rules by which a surface is accessed.

use super::format::Format;

/// The first number of the sectors of arrays.
const SQUARES: u64 = 1 << 58;

/// What an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Texels in linear memory, read by their index.
    Linear,
    /// One dimension, or a row of layers of one dimension.
    D1 {
        /// Its slices are layers.
        layered: bool,
    },
    /// Two dimensions, or layers of two.
    D2 {
        /// Its slices are layers.
        layered: bool,
    },
    /// Three dimensions.
    D3,
    /// The faces of cubes, six slices each.
    Cube {
        /// There may be several cubes.
        layered: bool,
    },
}

impl Shape {
    /// Coordinates of a texel in its slice, or in the volume.
    pub fn dimensions(self) -> usize {
        match self {
            Shape::Linear | Shape::D1 { .. } => 1,
            Shape::D2 { .. } | Shape::Cube { .. } => 2,
            Shape::D3 => 3,
        }
    }
}

/// How texels lie in 32-byte sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row by row, as their addresses say.
    Rows,
    /// In squares of 16 bytes by two rows, as in the arrays of a device. Addresses here are row by row all the same.
    Squares,
}

/// One level of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Device address of the first texel.
    pub base: u64,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice, at least 1.
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
    /// What it is.
    pub shape: Shape,
    /// How its texels lie in sectors.
    pub layout: Layout,
    /// What a texel's bytes mean.
    pub format: Format,
    /// Its levels, the finest first; at least one.
    pub levels: Vec<Level>,
}

/// What happens to accesses outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// They stop the kernel.
    Trap,
    /// They go to the nearest place inside.
    Clamp,
    /// They read zero, and write nothing.
    Zero,
}

/// Where an access to a surface leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// To the bytes that begin at this one of a row, in this row of this slice.
    At([u32; 3]),
    /// Nowhere: it reads zero and writes nothing.
    Nowhere,
    /// Outside, which stops the kernel.
    Outside,
}

impl Level {
    /// The address of a texel of so many bytes, which must be inside.
    pub fn address(&self, bytes: u32, [x, y, z]: [u32; 3]) -> u64 {
        self.base + u64::from(z) * self.slice + u64::from(y) * self.pitch + u64::from(x) * u64::from(bytes)
    }
}

impl Image {
    /// The extents of a level's slice, or of the volume: as many as it has dimensions, the others are 1.
    pub fn extents(&self, level: usize) -> [u32; 3] {
        let Level { width, height, depth, .. } = self.levels[level];
        match self.shape.dimensions() {
            1 => [width, 1, 1],
            2 => [width, height, 1],
            _ => [width, height, depth],
        }
    }

    /// The number of slices that are layers or faces.
    pub fn slices(&self) -> u32 {
        if self.shape == Shape::D3 { 1 } else { self.levels[0].depth }
    }

    /// Where an access of `size` bytes to a surface leads: `x` counts bytes, and `z` slices.
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
                // The last place in a row where an access of this size fits.
                let last = row.saturating_sub(size.into()) / u64::from(size) * u64::from(size);
                let clamp = |at: i32, most: u64| (at.max(0) as u64).min(most) as u32;
                [clamp(x, last), clamp(y, u64::from(level.height) - 1), clamp(z, u64::from(level.depth) - 1)]
            }
        };
        Placed::At(at)
    }

    /// The number of the sector that holds the bytes of a level which begin at `x` of a row, in a row of a slice. The
    /// sectors of arrays have numbers that no address has.
    pub fn sector(&self, level: usize, at: [u32; 3]) -> u64 {
        let level = &self.levels[level];
        if self.layout == Layout::Rows {
            return level.address(1, at) >> 5;
        }
        let [x, y, z] = at.map(u64::from);
        let columns = u64::from(level.width * self.format.bytes()).div_ceil(16);
        let rows = u64::from(level.height).div_ceil(2);
        // There are no more sectors than bytes, so that the arrays' numbers do not meet.
        SQUARES + level.base + (z * rows + y / 2) * columns + x / 16
    }
}
