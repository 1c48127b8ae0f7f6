//! A method of scanning: its kernels, its tiles, its additions, and how its roundings accumulate.

/// How a scan goes over its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// One block scans as many elements as it holds, and no more.
    OneBlock,
    /// Sums of tiles, then their scan, then the scan of each tile.
    Three,
    /// One pass, in which a tile looks back at the previous ones.
    LookBack,
    /// One pass by persistent blocks, each of which takes tile after tile.
    Ahead,
}

/// A method of scanning.
#[derive(Debug, Clone, Copy)]
pub struct Scanning {
    /// The file of its kernels.
    pub file: &'static str,
    /// Its kernels, in the order of their launches, without `_f32` and `_u32`.
    pub kernels: &'static [&'static str],
    /// How it goes over its input.
    pub passes: Passes,
    /// Elements of a thread.
    pub items: u32,
    /// The default number of threads of a block that scan; [`Passes::Ahead`] allows no other number.
    pub threads: u32,
    /// Threads of a block with another role.
    pub others: u32,
    /// Dynamic shared memory of a block of [`Passes::Ahead`], in bytes.
    pub ring_bytes: u32,
    /// The types that it scans.
    pub elements: &'static [&'static str],
    /// The most roundings between an element and any prefix that it is part of: the k of the reduction lab's bound.
    pub chain: fn(Extent) -> usize,
    /// The number of additions of the whole block for a section of n elements, if the algorithm fixes it. A serial scan
    /// has n - 1.
    pub additions: Option<fn(usize) -> u64>,
}

/// Eight warps that scan tiles of 12 KiB in a ring of eight stages, and one that looks back: see `ahead.cu`. The
/// roundings of a tile's total are those of a thread's sum, of a warp and of the warps. The sums of a round of tiles
/// make another total, to which one round after the other is added (as many rounds as tiles if there is one block).
/// Then come the previous warps, the previous lanes, and a thread's own elements.
pub(crate) const AHEAD: Scanning = Scanning {
    file: "ahead.cu",
    kernels: &["ahead"],
    passes: Passes::Ahead,
    items: 12,
    threads: 256,
    others: 32,
    ring_bytes: 8 * (12 << 10) + 8 * 8 * 4 + 16,
    elements: &["f32", "u32"],
    chain: |e| (3 + 2 + 5 + 5) + (1 + 5 + e.tiles()) + (8 + 1 + 12),
    additions: None,
};

/// One block, one element per thread: `kogge-stone`.
pub(crate) const ONE_BLOCK: Scanning = Scanning {
    file: "scan.cu",
    kernels: &["kogge_stone"],
    passes: Passes::OneBlock,
    items: 1,
    threads: 1024,
    others: 0,
    ring_bytes: 0,
    elements: &["f32", "u32"],
    chain: |e| tree(e.threads),
    additions: Some(kogge_stone),
};

/// Rounds of a tree over `n` numbers.
pub(crate) fn tree(n: usize) -> usize {
    n.next_power_of_two().ilog2() as usize
}

/// The extent of a scan.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    n: usize,
    pub(crate) threads: usize,
    items: usize,
}

impl Extent {
    /// The number of tiles of n elements, each as large as a block holds; at least one.
    pub(crate) fn tiles(self) -> usize {
        self.n.div_ceil(self.threads * self.items).max(1)
    }

    /// Roundings within a tile: four in a vector, then the warp, its vectors and the block's warps, then the prefix on
    /// the way back.
    pub(crate) fn tile(self) -> usize {
        3 + 5 + self.items / 4 + 5 + 2 + 4
    }
}

impl Scanning {
    fn extent(&self, n: usize, threads: u32) -> Extent {
        Extent { n, threads: threads as usize, items: self.items as usize }
    }

    /// The kernels that it launches over elements of type `element` ("f32" or "u32"), in order.
    pub fn kernels(&self, element: &str) -> Vec<String> {
        let name = |stem: &&str| format!("{}_{element}", stem.replace("{items}", &self.items.to_string()));
        self.kernels.iter().map(name).collect()
    }

    /// The most elements that blocks of `threads` can scan.
    pub fn capacity(&self, threads: u32) -> usize {
        if self.passes == Passes::OneBlock { threads as usize * self.items as usize } else { usize::MAX }
    }

    /// Dynamic shared memory of a block, in bytes: one word per element if the elements of a block are in shared
    /// memory.
    pub fn shared_bytes(&self, threads: u32) -> u32 {
        if self.passes == Passes::OneBlock { threads * self.items * size_of::<u32>() as u32 } else { self.ring_bytes }
    }

    /// The number of tiles of `n` elements, each as large as one block holds; at least one. For a huge n their number
    /// exceeds 32 bits.
    pub fn tiles(&self, n: usize, threads: u32) -> usize {
        self.extent(n, threads).tiles()
    }

    /// The most roundings between an element and a prefix: see [`Scanning::chain`].
    pub fn longest_chain(&self, n: usize, threads: u32) -> usize {
        (self.chain)(self.extent(n, threads))
    }
}

/// The strides 1, 2, 4, ... below n.
fn strides(n: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS - 1).map(|k| 1 << k).take_while(move |s| *s < n)
}

/// The number of threads of a Kogge-Stone scan of `n` elements that have nothing to add in the round with `stride`:
/// those without an element at this distance to their left.
///
/// ```
/// assert_eq!([1, 2, 4, 512].map(|stride| scan::idle_threads(1024, stride)), [1, 2, 4, 512]);
/// ```
pub fn idle_threads(n: usize, stride: usize) -> usize {
    (0..n).filter(|thread| *thread < stride).count()
}

/// The number of additions of Kogge and Stone's scan: n log2 n - (n - 1) for a power of two.
pub(crate) fn kogge_stone(n: usize) -> u64 {
    strides(n).map(|s| (n - s) as u64).sum()
}

/// The number of additions of Brent and Kung's scan: 2 n - 2 - log2 n for a power of two. On the way up the tree, sums
/// gather in elements 2s - 1, 4s - 1, ...; on the way down, each of these is added to the element at distance s.
pub(crate) fn brent_kung(n: usize) -> u64 {
    strides(n).map(|s| (n / (2 * s) + n.saturating_sub(s) / (2 * s)) as u64).sum()
}
