//! The ways to reduce, as data: kernel names, grids, and how far roundings can pile up in each.

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The sum of x.
    Sum,
    /// The largest of x; of nothing, minus infinity.
    Max,
    /// The sum of x times y.
    Dot,
}

impl Op {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Max, Self::Dot];

    /// The word in kernel names and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Dot => "dot",
        }
    }

    /// What joins partial results: those of a dot product are summed.
    #[must_use]
    pub const fn join(self) -> Self {
        match self {
            Self::Dot => Self::Sum,
            other => other,
        }
    }

    /// Arrays read: 2 for a dot product.
    pub const fn arrays(self) -> usize {
        match self {
            Self::Dot => 2,
            _ => 1,
        }
    }

    /// Floating-point operations over `n` elements: additions, products and comparisons.
    pub const fn flop(self, n: usize) -> u64 {
        let joins = n.saturating_sub(1) as u64;
        match self {
            Self::Dot => joins + n as u64,
            _ => joins,
        }
    }
}

/// A way to reduce: one variant of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each is the variant of its name; reduction.cu describes them.
pub enum Method {
    Interleaved,
    Sequential,
    Shuffle,
    OneBlock,
    TwoPass,
    AtomicFinish,
    CasLoop,
    Vectorized,
    DotPow2,
    Dot1024,
    StrideBlockdim,
    NoBarrier,
}

/// How a method's grid comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// Two elements a thread; launched again over its own results until one is left.
    TwoPerThread,
    /// One block.
    One,
    /// Any grid will do: threads stride over it.
    Stride,
    /// One block of n threads, n at most 1024.
    NThreads,
}

impl Method {
    /// The methods that reduce any n, in the handout's order.
    pub const ANY_N: [Self; 8] = [
        Self::Interleaved,
        Self::Sequential,
        Self::Shuffle,
        Self::OneBlock,
        Self::TwoPass,
        Self::AtomicFinish,
        Self::CasLoop,
        Self::Vectorized,
    ];

    /// The variant's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interleaved => "interleaved",
            Self::Sequential => "sequential",
            Self::Shuffle => "shuffle",
            Self::OneBlock => "one-block",
            Self::TwoPass => "two-pass",
            Self::AtomicFinish => "atomic-finish",
            Self::CasLoop => "cas-loop",
            Self::Vectorized => "vectorized",
            Self::DotPow2 => "dot-pow2",
            Self::Dot1024 => "dot-1024",
            Self::StrideBlockdim => "stride-blockdim",
            Self::NoBarrier => "no-barrier",
        }
    }

    /// The kernel file, and the kernel's name in it.
    pub fn kernel(self, op: Op) -> (&'static str, String) {
        let stem = match self {
            Self::OneBlock | Self::TwoPass => "strided",
            Self::DotPow2 => return ("reduction.cu", "dot_pow2".into()),
            Self::Dot1024 => return ("reduction.cu", "dot_1024".into()),
            Self::StrideBlockdim => return ("wrong.cu", "stride_blockdim".into()),
            Self::NoBarrier => return ("wrong.cu", "no_barrier".into()),
            other => other.name(),
        };
        let name = format!("{}_{}", stem.replace('-', "_"), op.name());
        ("reduction.cu", name)
    }

    /// How its grid comes about.
    pub const fn grid(self) -> Grid {
        match self {
            Self::OneBlock => Grid::One,
            Self::TwoPass | Self::AtomicFinish | Self::CasLoop | Self::Vectorized => Grid::Stride,
            Self::DotPow2 | Self::Dot1024 => Grid::NThreads,
            _ => Grid::TwoPerThread,
        }
    }

    /// Dynamic shared memory of a block, in bytes.
    pub const fn shared_bytes(self, threads: u32) -> u32 {
        match self {
            Self::Interleaved | Self::Sequential | Self::StrideBlockdim | Self::NoBarrier => {
                threads * size_of::<f32>() as u32
            }
            _ => 0,
        }
    }

    /// Whether it adds in double: `cas-loop`, for sums.
    pub fn in_double(self, op: Op) -> bool {
        self == Self::CasLoop && op != Op::Max
    }

    /// Blocks of each launch over `n` elements, first to last; the last is always one block but for
    /// grids that join by themselves.
    pub fn launches(self, n: usize, shape: Shape) -> Vec<u32> {
        let mut launches = vec![shape.blocks];
        match self.grid() {
            Grid::TwoPerThread => {
                let mut left = shape.blocks;
                while left > 1 {
                    left = left.div_ceil(2 * shape.threads);
                    launches.push(left);
                }
            }
            Grid::Stride if self == Self::TwoPass => launches.push(1),
            _ => {}
        }
        debug_assert!(n == 0 || shape.threads > 0);
        launches
    }

    /// The most roundings that any element goes through on its way to the result: the k of the bound
    /// |error| <= k u / (1 - k u) * sum |x| (Higham, *Accuracy and Stability of Numerical Algorithms*,
    /// section 4.2), u being half the machine epsilon. A serial sum has n - 1, a tree log2 n. 0 for a maximum.
    pub fn longest_chain(self, op: Op, n: usize, shape: Shape) -> usize {
        if op == Op::Max || n == 0 {
            return 0;
        }
        let (threads, blocks) = (shape.threads as usize, shape.blocks as usize);
        let product = usize::from(op == Op::Dot);
        let tree = |threads: usize| threads.next_power_of_two().ilog2() as usize;
        let block = 2 * 5; // two warp trees
        let stride = n.div_ceil(threads * blocks);
        product
            + match self {
                Self::Interleaved | Self::Sequential | Self::StrideBlockdim | Self::NoBarrier => {
                    self.launches(n, shape).len() * (1 + tree(threads))
                }
                Self::Shuffle => self.launches(n, shape).len() * (1 + block),
                Self::OneBlock => stride + block,
                Self::TwoPass => stride + block + blocks.div_ceil(threads) + block,
                Self::AtomicFinish | Self::CasLoop => stride + block + blocks,
                Self::Vectorized => {
                    let words = VECTORIZED_WORDS / op.arrays();
                    let tiles = n / 4 / (words * threads);
                    let rest = n - tiles * words * threads * 4;
                    4 * tiles.div_ceil(blocks)
                        + rest.div_ceil(threads * blocks)
                        + words
                        + block
                        + blocks.div_ceil(threads)
                        + block
                }
                Self::DotPow2 | Self::Dot1024 => tree(threads),
            }
    }
}

/// 16-byte words that a thread of `vectorized` asks for at once, over all arrays.
pub const VECTORIZED_WORDS: usize = 8;

/// Blocks, and threads in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the first launch.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Shape {
    /// The grid of `method` over `n` elements, in blocks of `threads`; `blocks` is what a striding
    /// grid gets. `None` when the grid would be too large for 32 bits.
    pub fn of(method: Method, n: usize, threads: u32, blocks: u32) -> Option<Self> {
        let blocks = match method.grid() {
            Grid::One | Grid::NThreads => 1,
            Grid::Stride => blocks,
            Grid::TwoPerThread => u32::try_from(n.div_ceil(2 * threads as usize).max(1)).ok()?,
        };
        Some(Self { blocks, threads })
    }
}

/// Waves that `blocks` blocks take on `multiprocessors` that hold `resident` blocks each: below 1 the
/// machine is not full; above, the last, partial wave takes as long as a full one.
pub fn waves(blocks: u32, multiprocessors: u32, resident: u32) -> f64 {
    f64::from(blocks) / (f64::from(multiprocessors) * f64::from(resident.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_shrink_to_one_block() {
        let shape = Shape::of(Method::Sequential, 1 << 30, 1024, 1).unwrap();
        assert_eq!(shape.blocks, 1 << 19);
        assert_eq!(
            Method::Sequential.launches(1 << 30, shape),
            [1 << 19, 256, 1]
        );
        let one = Shape::of(Method::Sequential, 0, 1024, 1).unwrap();
        assert_eq!(Method::Sequential.launches(0, one), [1]);
        assert_eq!(Shape::of(Method::Shuffle, usize::MAX, 32, 1), None);
    }

    #[test]
    fn chains_are_logarithms_for_trees_and_lengths_for_strides() {
        let shape = Shape {
            blocks: 512,
            threads: 1024,
        };
        let n = 1 << 20;
        // 11 in the first launch (one load, ten rounds), 11 in the second over 512 partial sums.
        assert_eq!(Method::Sequential.longest_chain(Op::Sum, n, shape), 22);
        let one = Shape {
            blocks: 1,
            threads: 1024,
        };
        assert_eq!(Method::OneBlock.longest_chain(Op::Sum, n, one), 1024 + 10);
        assert_eq!(Method::OneBlock.longest_chain(Op::Dot, n, one), 1024 + 11);
        assert_eq!(Method::OneBlock.longest_chain(Op::Max, n, one), 0);
    }

    #[test]
    fn the_vectorized_chain_covers_every_element() {
        // 132 x 8 blocks of 256: 2^30 floats are 2^15 tiles of 8192 words x 4.
        let shape = Shape {
            blocks: 1056,
            threads: 256,
        };
        assert_eq!(
            Method::Vectorized.longest_chain(Op::Sum, 1 << 30, shape),
            4 * 125 + 8 + 10 + 5 + 10
        );
    }

    #[test]
    fn waves_count_the_partial_one() {
        assert_eq!(waves(128, 16, 8), 1.0);
        assert_eq!(waves(129, 16, 8), 129.0 / 128.0);
        assert_eq!(waves(1, 16, 0), 1.0 / 16.0);
    }
}
