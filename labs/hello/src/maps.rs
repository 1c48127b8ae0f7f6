//! Which element a thread takes, and which warp and lane a thread belongs to: the index maps as pure functions.
//!
//! The kernels `index_maps` and `lane_zeros` compute the same on the device; the exercises compare them.

/// Lanes of a warp on every NVIDIA GPU so far.
pub const WARP: u32 = 32;

/// A grid's, a block's or a thread's three coordinates: x, y, z.
pub type Dim3 = [u32; 3];

/// Number of threads, or of blocks, in `dim`.
pub fn count(dim: Dim3) -> u64 {
    dim.iter().map(|&d| u64::from(d)).product()
}

/// Index of `at` within `dim` when x runs fastest, then y, then z.
pub fn linear(at: Dim3, dim: Dim3) -> u64 {
    let [x, y, z] = at.map(u64::from);
    let [width, height, _] = dim.map(u64::from);
    x + width * (y + height * z)
}

/// The inverse of [`linear`]: the coordinates of `index` within `dim`; `None` when it lies outside.
pub fn coordinates(index: u64, dim: Dim3) -> Option<Dim3> {
    if index >= count(dim) {
        return None;
    }
    let [width, height, _] = dim.map(u64::from);
    Some([(index % width) as u32, (index / width % height) as u32, (index / width / height) as u32])
}

/// Index of a thread in the whole grid: blocks in their linear order, threads in theirs.
pub fn global(block: Dim3, grid: Dim3, thread: Dim3, block_dim: Dim3) -> u64 {
    linear(block, grid) * count(block_dim) + linear(thread, block_dim)
}

/// Warp within the block, and lane within the warp, of a thread. Both count from 0.
pub fn warp_and_lane(thread: Dim3, block_dim: Dim3) -> (u64, u32) {
    let index = linear(thread, block_dim);
    (index / u64::from(WARP), (index % u64::from(WARP)) as u32)
}

/// Where a block's `warp` (counted from 0) begins: the thread that is its lane 0. `None` when the block has fewer
/// warps.
pub fn warp_start(warp: u64, block_dim: Dim3) -> Option<Dim3> {
    coordinates(warp.checked_mul(u64::from(WARP))?, block_dim)
}

/// Where a block's `warp` (counted from 0) begins and ends: its first thread and its last. `None` when the block has
/// fewer warps.
pub fn warp_ends(warp: u64, block_dim: Dim3) -> Option<[Dim3; 2]> {
    let last = (warp * u64::from(WARP) + u64::from(WARP)).min(count(block_dim)) - 1;
    Some([warp_start(warp, block_dim)?, coordinates(last, block_dim)?])
}

/// Warps that a block occupies; the last may have idle lanes.
pub fn warps_of_block(block_dim: Dim3) -> u64 {
    count(block_dim).div_ceil(u64::from(WARP))
}

/// The element of a thread that takes one element.
pub fn one_element(block: u64, block_dim: u64, thread: u64) -> u64 {
    block * block_dim + thread
}

/// The elements of a thread that takes two adjacent elements.
pub fn two_side_by_side(block: u64, block_dim: u64, thread: u64) -> [u64; 2] {
    let first = 2 * (block * block_dim + thread);
    [first, first + 1]
}

/// The elements of a thread that takes two elements, a block's width apart. A block covers `2 * block_dim` elements,
/// and neighbouring threads read neighbouring elements both times.
pub fn two_apart(block: u64, block_dim: u64, thread: u64) -> [u64; 2] {
    let first = 2 * block * block_dim + thread;
    [first, first + block_dim]
}

/// The number of threads launched for `n` elements, `per_thread` for each, in whole blocks of `block_dim` (not 0).
pub fn launched_threads(n: u64, per_thread: u64, block_dim: u64) -> u64 {
    n.div_ceil(per_thread).div_ceil(block_dim) * block_dim
}
