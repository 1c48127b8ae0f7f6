//! A rung of the ladder: its kernel, the size of its tile, and its launch for a shape.
use cudarc::driver::LaunchConfig;
use harness::Peak;

use crate::Shape;

/// A kernel of the ladder and its fixed choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// Kernel file.
    pub file: &'static str,
    /// Kernel.
    pub kernel: &'static str,
    /// Rows and columns of C that a block computes.
    pub tile: (u32, u32),
    /// Threads of a block, (x, y, z).
    pub block: (u32, u32, u32),
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// Whether the kernel adds into C, which must hold zeros; its last argument is the slice of the depth.
    pub adds: bool,
    /// Stream-K: persistent blocks per multiprocessor, among which the work is cut into equal shares; 0 for one tile
    /// per block.
    pub stream: u32,
    /// Whether each element of a block's tiles is loaded once for the block, not once for each thread.
    pub shares: bool,
    /// The rounding of its inputs and sums.
    pub arithmetic: Arithmetic,
}

/// The precision in which a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// IEEE float: each product is fused with its sum, 24 bits.
    Float,
    /// Inputs rounded to TF32 (11 bits), sums in float without correct rounding.
    Tf32,
    /// Like [`Arithmetic::Tf32`], but the elements of A are truncated instead of rounded.
    Tf32Cut,
    /// Inputs split into two TF32 numbers each.
    Tf32Split,
    /// Inputs are bfloat16; products are exact, sums in float without correct rounding.
    Bf16,
}

impl Arithmetic {
    /// Bytes of an element of A and B.
    pub const fn element_bytes(self) -> usize {
        if matches!(self, Self::Bf16) { 2 } else { 4 }
    }

    /// The peak of the units with this precision.
    pub const fn peak(self) -> Peak {
        match self {
            Self::Float => Peak::Single,
            Self::Tf32 | Self::Tf32Cut => Peak::Tf32,
            Self::Tf32Split => Peak::SplitTf32,
            Self::Bf16 => Peak::Bf16,
        }
    }

    /// The precision of the cuBLAS baseline: with the same inputs, and no larger error.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Float | Self::Tf32Split => Self::Float,
            Self::Tf32 | Self::Tf32Cut => Self::Tf32,
            Self::Bf16 => Self::Bf16,
        }
    }
}

/// A kernel with a launch that does not fit it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Misfit {
    /// The kernel.
    pub(crate) rung: Rung,
    /// Grid and block for a shape, as written in the text.
    pub(crate) launch: fn(Shape) -> [(u32, u32, u32); 2],
}

/// 16 x 16 results, computed by 16 x 16 threads.
pub(crate) const PLAIN: Rung = Rung {
    file: "matmul.cu",
    kernel: "",
    tile: (16, 16),
    block: (16, 16, 1),
    shared_bytes: 0,
    adds: false,
    stream: 0,
    shares: true,
    arithmetic: Arithmetic::Float,
};

/// The depth cut into slices.
pub(crate) const DEEP: Rung = Rung { kernel: "depth_parallel", adds: true, ..PLAIN };

/// The shape of a block of the last rungs: 128 x 128 results, mostly by 256 threads.
pub(crate) const LARGE: Rung = Rung { file: "ladder.cu", tile: (128, 128), block: (256, 1, 1), ..PLAIN };

/// Tensor cores: four stages of padded tiles in shared memory (see tensor.cu).
pub(crate) const TENSOR: Rung = Rung {
    file: "tensor.cu",
    kernel: "tf32",
    shared_bytes: 4 * (128 * 20 + 16 * 136) * 4,
    arithmetic: Arithmetic::Tf32,
    ..LARGE
};

/// Four steps along the depth per read: STAGES stages of depth 16 in shared memory (see stream.cu).
pub(crate) const FOUR_DEEP: Rung =
    Rung { file: "stream.cu", kernel: "four_deep", tile: (256, 128), shared_bytes: 4 * 16 * (256 + 128) * 4, ..LARGE };

/// Equal shares of the work, in tiles of 64 x 64.
pub(crate) const STREAM_K_SMALL: Rung = Rung {
    kernel: "stream_k_small",
    tile: (64, 64),
    block: (64, 1, 1),
    shared_bytes: 4 * 16 * (64 + 64) * 4,
    stream: 6,
    ..FOUR_DEEP
};

/// Tensor cores for bfloat16: four stages of padded tiles in shared memory (see bf16.cu).
pub(crate) const BF16: Rung = Rung {
    file: "bf16.cu",
    kernel: "bf16_mma",
    shared_bytes: 4 * (128 * 40 + 32 * 136) * 2,
    arithmetic: Arithmetic::Bf16,
    ..LARGE
};

/// The `rectangular` rung with square tiles of `tile` x `tile`, of at most 32.
pub const fn rectangular(tile: u32) -> Rung {
    let block = (tile, tile, 1);
    Rung { kernel: "rectangular", tile: (tile, tile), block, shared_bytes: 2 * tile * tile * 4, ..PLAIN }
}

/// The depth divided among `layers` threads for each of a block's 16 x 16 elements.
pub const fn depth_in_block(layers: u32) -> Rung {
    let block = (16, 16, layers);
    Rung { kernel: "depth_in_block", block, shared_bytes: 16 * 16 * layers * 4, shares: false, ..PLAIN }
}

/// The launch of a rung for a shape.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Grid and block.
    pub launch: LaunchConfig,
    /// Depth of the slice that a block of `depth-parallel` sums; k for other rungs.
    pub slice: u32,
    /// Whether the kernel adds to C, or to a part of it, which must hold zeros.
    pub clears: bool,
}

impl Rung {
    /// The launch for `shape`; `slices` cuts the depth of `depth-parallel`, and the work of `stream-k-small`.
    ///
    /// # Errors
    /// Those of [`Shape::check`].
    pub fn plan(&self, shape: Shape, slices: u32) -> Result<Plan, String> {
        shape.check()?;
        let k = shape.k as u32;
        // Slices of whole tiles: each begins at a sector if a row does.
        let slice = if self.adds { k.div_ceil(slices.clamp(1, k)).next_multiple_of(16) } else { k };
        let (rows, columns) = self.tile;
        let mut grid_dim = ((shape.n as u32).div_ceil(columns), (shape.m as u32).div_ceil(rows), k.div_ceil(slice));
        let mut clears = self.adds;
        if self.stream > 0 {
            let tiles = u64::from(grid_dim.0) * u64::from(grid_dim.1);
            let shares = u64::from(slices.max(1)).min(tiles.saturating_mul(u64::from(k.div_ceil(16))));
            // If every share has the same number of tiles, none is cut.
            clears = !tiles.is_multiple_of(shares);
            grid_dim = (shares as u32, 1, 1);
        }
        let launch = LaunchConfig { grid_dim, block_dim: self.block, shared_mem_bytes: self.shared_bytes };
        Ok(Plan { launch, slice, clears })
    }

    /// The number of slices of the depth with which `depth-parallel` fills `multiprocessors` four times over, when C
    /// alone has too few tiles. A slice is never thinner than a tile. For `stream-k-small`, the number of shares.
    pub fn slices_for(&self, shape: Shape, multiprocessors: u32) -> u32 {
        if self.stream > 0 {
            return multiprocessors * self.stream;
        }
        let tiles = shape.n.div_ceil(self.tile.1 as usize) * shape.m.div_ceil(self.tile.0 as usize);
        let wanted = (4 * multiprocessors as usize * 2).div_ceil(tiles.max(1));
        wanted.clamp(1, shape.k.div_ceil(16).max(1)).min(65535) as u32
    }

    /// The number of elements (floats, or bfloat16) that all threads together load from global memory, by arithmetic.
    ///
    /// A thread of `naive` reads 2 k floats for its element. A block with a tile of tm x tn reads k (tm + tn) floats
    /// for tm tn elements, so a tile of T x T cuts the loads by a factor of T. Partial tiles at the edges load only
    /// what lies inside.
    pub fn loads(&self, shape: Shape) -> u128 {
        let (m, k, n) = (shape.m as u128, shape.k as u128, shape.n as u128);
        if self.shares {
            m * k * n.div_ceil(u128::from(self.tile.1)) + k * n * m.div_ceil(u128::from(self.tile.0))
        } else {
            2 * m * k * n
        }
    }

    /// The number of 32-byte sectors that all warps together ask the caches for, by arithmetic. `None` if rows or tiles
    /// do not end at a sector boundary: then only the counter is used.
    ///
    /// A warp of `naive` holds 2 x 16 elements. For each step along the depth it asks for 2 sectors of A, one for each
    /// of its rows, because 16 lanes that read the same float need it once; and for 2 of B, 16 adjacent floats. That is
    /// 4 sectors for 64 loads. Tiles are loaded in whole sectors, 8 floats or 16 elements of bfloat16 each.
    pub fn sectors(&self, shape: Shape) -> Option<u128> {
        let fits = |side: usize, tile: usize| side.is_multiple_of(tile);
        if self.shares {
            let each = 32 / self.arithmetic.element_bytes();
            let whole = fits(self.tile.1 as usize, each) && fits(shape.k, each) && fits(shape.n, each);
            whole.then(|| self.loads(shape) / each as u128)
        } else {
            (fits(shape.m, 16) && fits(shape.n, 16)).then(|| self.loads(shape) / 16)
        }
    }
}
