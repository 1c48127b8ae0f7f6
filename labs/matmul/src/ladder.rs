//! The rungs: which kernel, how large its tile is, and the launch that a shape needs.
use cudarc::driver::LaunchConfig;

/// The sizes of a product: A is m x k, B is k x n, C is m x n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of A, rows of B: the depth of the sums.
    pub k: usize,
    /// Columns of B and C.
    pub n: usize,
}

impl Shape {
    /// A square one.
    pub const fn square(n: usize) -> Self {
        Self { m: n, k: n, n }
    }

    /// Multiplications, each with its addition.
    pub fn products(self) -> u128 {
        self.m as u128 * self.k as u128 * self.n as u128
    }

    /// Floating-point operations: a multiplication and an addition for each product.
    pub fn flop(self) -> u64 {
        u64::try_from(2 * self.products()).unwrap_or(u64::MAX)
    }

    /// Bytes of the three matrices in float; what a kernel that loads each element once would move.
    pub fn bytes(self) -> Option<usize> {
        let elements = [(self.m, self.k), (self.k, self.n), (self.m, self.n)]
            .into_iter()
            .try_fold(0usize, |sum, (r, c)| sum.checked_add(r.checked_mul(c)?))?;
        elements.checked_mul(size_of::<f32>())
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.m, self.k, self.n)
    }
}

/// A kernel of the ladder and its fixed choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The variant's name.
    pub name: &'static str,
    /// Kernel file.
    pub file: &'static str,
    /// Kernel.
    pub kernel: &'static str,
    /// Rows of C a block computes.
    pub tile_m: u32,
    /// Columns of C a block computes.
    pub tile_n: u32,
    /// Threads of a block, (x, y).
    pub block: (u32, u32),
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// The kernel adds into C, which must hold zeros; its last argument is the slice of the depth.
    pub adds: bool,
    /// Each element of a block's tiles is loaded once for the block, not once for each thread.
    pub shares: bool,
    /// How its inputs and sums are rounded.
    pub arithmetic: Arithmetic,
}

/// What a kernel computes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// IEEE float: each product is fused with its sum, 24 bits.
    Float,
    /// Inputs rounded to TF32 (11 bits), sums in float without correct rounding.
    Tf32,
    /// Inputs split in two TF32 numbers each.
    Tf32Split,
}

const PLAIN: Rung = Rung {
    name: "",
    file: "matmul.cu",
    kernel: "",
    tile_m: 16,
    tile_n: 16,
    block: (16, 16),
    shared_bytes: 0,
    adds: false,
    shares: true,
    arithmetic: Arithmetic::Float,
};

/// What a block of the last rungs has: 128 x 128 results, mostly by 256 threads.
const LARGE: Rung = Rung {
    file: "ladder.cu",
    tile_m: 128,
    tile_n: 128,
    block: (256, 1),
    ..PLAIN
};

/// Dynamic shared memory of the tensor-core kernels: four stages of padded tiles (see tensor.cu).
const TENSOR_SHARED: u32 = 4 * (128 * 20 + 16 * 136) * 4;

/// Every kernel of the ladder, from the first to the last, the `rectangular` one with its tile of 10.
pub const RUNGS: [Rung; 14] = [
    Rung {
        name: "naive",
        kernel: "naive",
        shares: false,
        ..PLAIN
    },
    Rung {
        name: "tiled16",
        kernel: "tiled16",
        ..PLAIN
    },
    Rung {
        name: "tiled32",
        kernel: "tiled32",
        tile_m: 32,
        tile_n: 32,
        block: (32, 32),
        ..PLAIN
    },
    rectangular(10),
    Rung {
        name: "depth-parallel",
        kernel: "depth_parallel",
        adds: true,
        ..PLAIN
    },
    Rung {
        name: "register-1d",
        kernel: "register_1d",
        tile_m: 64,
        tile_n: 64,
        block: (512, 1),
        ..LARGE
    },
    Rung {
        name: "register-2d",
        kernel: "register_2d",
        ..LARGE
    },
    Rung {
        name: "vectorized",
        kernel: "vectorized",
        ..LARGE
    },
    Rung {
        name: "warp-tile",
        kernel: "warp_tile",
        ..LARGE
    },
    Rung {
        name: "double-buffered",
        kernel: "double_buffered",
        ..LARGE
    },
    Rung {
        name: "async-copy",
        file: "async.cu",
        kernel: "async_copy",
        ..LARGE
    },
    Rung {
        name: "async-wide",
        file: "async.cu",
        kernel: "async_wide",
        block: (128, 1),
        ..LARGE
    },
    Rung {
        name: "tf32",
        file: "tensor.cu",
        kernel: "tf32",
        shared_bytes: TENSOR_SHARED,
        arithmetic: Arithmetic::Tf32,
        ..LARGE
    },
    Rung {
        name: "tf32x3",
        file: "tensor.cu",
        kernel: "tf32x3",
        shared_bytes: TENSOR_SHARED,
        arithmetic: Arithmetic::Tf32Split,
        ..LARGE
    },
];

/// The `rectangular` rung with square tiles of `tile` x `tile`, of at most 32.
pub const fn rectangular(tile: u32) -> Rung {
    Rung {
        name: "rectangular",
        kernel: "rectangular",
        tile_m: tile,
        tile_n: tile,
        block: (tile, tile),
        shared_bytes: 2 * tile * tile * 4,
        ..PLAIN
    }
}

/// The rung called `name`.
pub fn rung(name: &str) -> Option<Rung> {
    RUNGS.into_iter().find(|r| r.name == name)
}

/// How a rung is launched for a shape.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Grid and block.
    pub launch: LaunchConfig,
    /// Depth of the slice that a block of `depth-parallel` sums; k elsewhere.
    pub slice: u32,
}

/// The largest size of a side: kernels count rows and columns in 32 bits, and add a tile to them.
pub const LARGEST_SIDE: usize = (1 << 31) - 1;

impl Rung {
    /// The launch for `shape`; `slices` cuts the depth of `depth-parallel` and is 1 elsewhere.
    ///
    /// # Errors
    /// What about the shape cannot be, in words: a side of 0 or above [`LARGEST_SIDE`], or matrices
    /// whose bytes this computer cannot count.
    pub fn plan(&self, shape: Shape, slices: u32) -> Result<Plan, String> {
        for (side, value) in [("m", shape.m), ("k", shape.k), ("n", shape.n)] {
            if value == 0 || value > LARGEST_SIDE {
                return Err(format!(
                    "--{side} is {value}; a matrix has 1 to {LARGEST_SIDE} rows and columns here"
                ));
            }
        }
        if shape.bytes().is_none() {
            return Err(format!(
                "matrices of {shape} have more bytes than this computer can count; choose a smaller --n"
            ));
        }
        let k = shape.k as u32;
        let slice = if self.adds {
            k.div_ceil(slices.clamp(1, k))
        } else {
            k
        };
        Ok(Plan {
            launch: LaunchConfig {
                grid_dim: (
                    (shape.n as u32).div_ceil(self.tile_n),
                    (shape.m as u32).div_ceil(self.tile_m),
                    k.div_ceil(slice),
                ),
                block_dim: (self.block.0, self.block.1, 1),
                shared_mem_bytes: self.shared_bytes,
            },
            slice,
        })
    }

    /// Slices of the depth with which `depth-parallel` fills `multiprocessors` four times over, when C
    /// alone has too few tiles; never thinner than a tile.
    pub fn slices_for(&self, shape: Shape, multiprocessors: u32) -> u32 {
        let tiles = shape.n.div_ceil(self.tile_n as usize) * shape.m.div_ceil(self.tile_m as usize);
        let wanted = (4 * multiprocessors as usize * 2).div_ceil(tiles.max(1));
        wanted.clamp(1, shape.k.div_ceil(16).max(1)).min(65535) as u32
    }

    /// Floats that all threads together load from global memory: by arithmetic, not counted.
    ///
    /// A thread of `naive` reads 2 k of them for its element. A block with a tile of tm x tn reads k (tm + tn) for tm tn
    /// elements, so a tile of T x T cuts the loads T-fold; partial tiles at the edges load only what lies inside.
    pub fn loads(&self, shape: Shape) -> u128 {
        let (m, k, n) = (shape.m as u128, shape.k as u128, shape.n as u128);
        if self.shares {
            m * k * n.div_ceil(u128::from(self.tile_n))
                + k * n * m.div_ceil(u128::from(self.tile_m))
        } else {
            2 * m * k * n
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_cuts_the_loads_t_fold() {
        let shape = Shape::square(4096);
        let naive = rung("naive").unwrap().loads(shape);
        for (name, fold) in [
            ("tiled16", 16),
            ("tiled32", 32),
            ("register-1d", 64),
            ("async-copy", 128),
        ] {
            assert_eq!(naive / rung(name).unwrap().loads(shape), fold, "{name}");
        }
        // 70 tiles of 10 columns and 100 of 10 rows: every element of A 70 times, of B 100 times.
        let rect = Shape {
            m: 1000,
            k: 500,
            n: 700,
        };
        assert_eq!(
            rectangular(10).loads(rect),
            1000 * 500 * 70 + 500 * 700 * 100
        );
    }

    #[test]
    fn every_launch_covers_its_shape_and_no_more() {
        for rung in RUNGS {
            for shape in [
                Shape::square(1),
                Shape {
                    m: 129,
                    k: 17,
                    n: 31,
                },
                Shape {
                    m: 7,
                    k: 4096,
                    n: 4097,
                },
            ] {
                for slices in [1, 3, 5000] {
                    let plan = rung.plan(shape, slices).unwrap();
                    let (gx, gy, gz) = plan.launch.grid_dim;
                    assert!(
                        (gx * rung.tile_n) as usize >= shape.n
                            && ((gx - 1) * rung.tile_n) as usize <= shape.n
                    );
                    assert!(
                        (gy * rung.tile_m) as usize >= shape.m
                            && ((gy - 1) * rung.tile_m) as usize <= shape.m
                    );
                    // The slices cover the depth, and the last one is not empty.
                    assert!(
                        (gz * plan.slice) as usize >= shape.k
                            && ((gz - 1) * plan.slice) < shape.k as u32
                    );
                    assert!(rung.adds || gz == 1);
                }
            }
        }
    }

    #[test]
    fn impossible_shapes_are_refused_by_name() {
        let naive = rung("naive").unwrap();
        assert!(
            naive
                .plan(Shape { m: 1, k: 0, n: 1 }, 1)
                .unwrap_err()
                .contains("--k is 0")
        );
        assert!(
            naive
                .plan(
                    Shape {
                        m: 1 << 31,
                        k: 1,
                        n: 1
                    },
                    1
                )
                .unwrap_err()
                .contains("--m")
        );
        assert!(Shape::square(1 << 32).bytes().is_none());
        // More than 2^31 elements a matrix is no obstacle: the kernels index in 64 bits.
        assert!(
            naive
                .plan(
                    Shape {
                        m: 65536,
                        k: 65536,
                        n: 65536
                    },
                    1
                )
                .is_ok()
        );
    }
}
