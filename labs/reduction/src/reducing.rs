//! A method of reduction: its kernels, its launch, how its blocks' results are combined, and how its roundings
//! accumulate.
use cudarc::driver::LaunchConfig;
use harness::Launch;

/// The computed quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The sum of x.
    Sum,
    /// The largest element of x; minus infinity if there are no elements.
    Max,
    /// The sum of x times y.
    Dot,
}

impl Op {
    /// All operations.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Max, Self::Dot];

    /// The name in kernel names and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Dot => "dot",
        }
    }

    /// The operation that joins partial results: those of a dot product are summed.
    #[must_use]
    pub const fn join(self) -> Self {
        match self {
            Self::Dot => Self::Sum,
            other => other,
        }
    }

    /// The number of arrays read: 2 for a dot product.
    pub const fn arrays(self) -> usize {
        if matches!(self, Self::Dot) { 2 } else { 1 }
    }

    /// Floating-point operations over `n` elements: additions, products and comparisons.
    pub const fn flop(self, n: usize) -> u64 {
        let products = if matches!(self, Self::Dot) { n as u64 } else { 0 };
        n.saturating_sub(1) as u64 + products
    }
}

/// How the results of the blocks are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The kernel is launched again over its own results, until one is left.
    Passes,
    /// One more launch, of one block.
    SecondPass,
    /// Each block adds its result to the total.
    Atomic,
    /// Each block adds its result to a total in double; a maximum stays a float.
    AtomicInDouble,
    /// The block that takes the last ticket combines them.
    Tickets,
    /// Each block adds its result to the total under a lock.
    Lock,
}

/// A method of reduction.
#[derive(Debug, Clone, Copy)]
pub struct Reducing {
    /// The file of its kernels.
    pub file: &'static str,
    /// The kernels' names without `_sum`, `_max` and `_dot`. `{size}` stands for one of [`PADDED_SIZES`].
    pub kernels: &'static str,
    /// Whether there is a kernel for each operation; otherwise there is only one, of exactly this name.
    pub has_all_ops: bool,
    /// The first launch.
    pub launch: Launch,
    /// How the results of the blocks are combined.
    pub finish: Finish,
    /// Whether it can reduce n elements.
    pub takes: fn(usize) -> bool,
    /// The sizes that it takes, in words.
    pub taken: &'static str,
    /// The most roundings that any element undergoes on its way to the sum: the k of the bound |error| <= k u / (1 - k
    /// u) * sum |x| (Higham, *Accuracy and Stability of Numerical Algorithms*, section 4.2), where u is half the
    /// machine epsilon. A serial sum has n - 1, a tree log2 n.
    pub chain: fn(Extent) -> usize,
}

/// A tree in shared memory with two elements per thread: `sequential`.
pub(crate) const TREE: Reducing = Reducing {
    file: "reduction.cu",
    kernels: "sequential",
    has_all_ops: true,
    launch: Launch::covering(1024).each(2).shared_by_threads(|threads| threads * size_of::<f32>() as u32),
    finish: Finish::Passes,
    takes: |_| true,
    taken: "any n",
    chain: |e| e.launches() * (1 + tree(e.threads)),
};

/// The numbers of values for which `padded` is compiled.
pub const PADDED_SIZES: [u32; 3] = [64, 256, 1024];

/// Threads that stride over a grid of one wave, and a tree of warps: `two-pass`.
pub(crate) const STRIDED: Reducing = Reducing {
    kernels: "strided",
    launch: Launch::one_wave(256),
    finish: Finish::SecondPass,
    chain: |e| e.strides() + WARPS + e.blocks.div_ceil(e.threads) + WARPS,
    ..TREE
};

/// Like [`STRIDED`], but blocks combine their results with atomics: `atomic-finish`.
pub(crate) const ATOMIC: Reducing =
    Reducing { kernels: "atomic_finish", finish: Finish::Atomic, chain: |e| e.strides() + WARPS + e.blocks, ..STRIDED };

/// A dot product in one block.
pub(crate) const DOT: Reducing =
    Reducing { has_all_ops: false, launch: Launch::one_block(1024), chain: |e| tree(e.threads), ..TREE };

/// The additions of a block's warps: two trees of 32.
pub(crate) const WARPS: usize = 2 * 5;

/// Rounds of a tree over `threads` numbers.
fn tree(threads: usize) -> usize {
    threads.next_power_of_two().ilog2() as usize
}

/// The extent of a reduction: its elements, its first launch, and the arrays that it reads.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    n: usize,
    blocks: usize,
    threads: usize,
    arrays: usize,
}

/// 16-byte words that a thread of `vectorized` loads at a time, over all arrays.
const VECTORIZED_WORDS: usize = 8;

impl Extent {
    /// Launches of a tree with two elements per thread, until one result is left.
    pub(crate) fn launches(self) -> usize {
        passes(self.blocks as u32, self.threads as u32).len()
    }

    /// The number of elements of a thread that strides over the grid.
    pub(crate) fn strides(self) -> usize {
        self.n.div_ceil(self.threads * self.blocks)
    }

    /// The roundings of `vectorized`: whole tiles, then the rest, then the words of a thread, then as in two passes.
    pub(crate) fn vectorized(self) -> usize {
        let words = VECTORIZED_WORDS / self.arrays;
        let tiles = self.n / 4 / (words * self.threads);
        let rest = (self.n - tiles * words * self.threads * 4).div_ceil(self.threads * self.blocks);
        4 * tiles.div_ceil(self.blocks) + rest + words + 2 * WARPS + self.blocks.div_ceil(self.threads)
    }
}

/// The number of blocks of each launch of a kernel that reduces two elements per thread, when the first launch has
/// `blocks` of `threads`.
fn passes(blocks: u32, threads: u32) -> Vec<u32> {
    let further = |left: &u32| (*left > 1).then(|| left.div_ceil(2 * threads));
    std::iter::successors(Some(blocks), further).collect()
}

impl Reducing {
    /// The kernel for `op` in blocks of `threads`.
    pub fn kernel(&self, op: Op, threads: u32) -> String {
        let size = PADDED_SIZES.into_iter().find(|size| *size >= threads).unwrap_or(PADDED_SIZES[2]);
        let stem = self.kernels.replace("{size}", &size.to_string());
        if self.has_all_ops { format!("{stem}_{}", op.name()) } else { stem }
    }

    /// Whether its threads stride over a grid of any size.
    pub fn strides(&self) -> bool {
        !matches!(self.finish, Finish::Passes)
    }

    /// Whether it adds in double.
    pub fn in_double(&self, op: Op) -> bool {
        self.finish == Finish::AtomicInDouble && op != Op::Max
    }

    /// Blocks of each launch, first to last. The last launch has one block, except in grids that combine their results
    /// themselves.
    pub fn launches(&self, first: LaunchConfig) -> Vec<u32> {
        let blocks = first.grid_dim.0;
        match self.finish {
            Finish::Passes => passes(blocks, first.block_dim.0),
            Finish::SecondPass => vec![blocks, 1],
            Finish::Atomic | Finish::AtomicInDouble | Finish::Tickets | Finish::Lock => vec![blocks],
        }
    }

    /// The most roundings between an element and the result: see [`Reducing::chain`]. A product adds one; a maximum has
    /// 0.
    pub fn longest_chain(&self, op: Op, n: usize, first: LaunchConfig) -> usize {
        if op == Op::Max || n == 0 {
            return 0;
        }
        let (blocks, threads) = (first.grid_dim.0 as usize, first.block_dim.0 as usize);
        let product = usize::from(op == Op::Dot);
        product + (self.chain)(Extent { n, blocks, threads, arrays: op.arrays() })
    }
}

/// The number of waves of `blocks` blocks on `multiprocessors` that hold `resident` blocks each. Below 1 the machine is
/// not full; above 1 the last wave is partial, unless the number is an integer.
pub fn waves(blocks: u32, multiprocessors: u32, resident: u32) -> f64 {
    f64::from(blocks) / (f64::from(multiprocessors) * f64::from(resident.max(1)))
}
