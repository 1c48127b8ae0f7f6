//! Divergence by arithmetic: the number of warps of a launch that split at a branch, without running anything.
//!
//! A (warp, branch) pair diverges when the lanes that are active at the branch do not all take the same way. Warps are
//! cut from a block's threads in linear order, x fastest, and never reach into the next block.

use cudarc::driver::LaunchConfig;

/// The number of blocks of `block` threads that cover `size`, in each dimension.
pub fn covering(size: [u32; 3], block: [u32; 3]) -> LaunchConfig {
    let [x, y, z] = std::array::from_fn(|d| size[d].div_ceil(block[d]));
    LaunchConfig { grid_dim: (x, y, z), block_dim: block.into(), shared_mem_bytes: 0 }
}

/// Warps of `warp` lanes in the whole grid.
pub fn warps(launch: LaunchConfig, warp: u32) -> u64 {
    product(launch.grid_dim.into()) * product(launch.block_dim.into()).div_ceil(warp.into())
}

fn product(dim: [u32; 3]) -> u64 {
    dim.iter().map(|&d| u64::from(d)).product()
}

/// The position of a thread.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// Within its block: `threadIdx`.
    pub thread: [i64; 3],
    /// In the grid: `blockIdx * blockDim + threadIdx`.
    pub global: [i64; 3],
}

/// The outcome of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Warps of the launch.
    pub warps: u64,
    /// Those with a lane that reached the branch.
    pub reached: u64,
    /// Those whose live lanes disagreed at the branch.
    pub diverged: u64,
}

/// Counts over a launch, with warps of `warp` lanes. `way` says which way a thread goes at the branch (for an `if` 0 or
/// 1, for a loop the number of its trips), or `None` if the thread never reaches it.
pub fn count(launch: LaunchConfig, warp: u32, way: impl Fn(At) -> Option<i64>) -> Count {
    let mut count = Count { warps: warps(launch, warp), reached: 0, diverged: 0 };
    let (grid, sides) = (<[u32; 3]>::from(launch.grid_dim), <[u32; 3]>::from(launch.block_dim));
    let threads = product(sides);
    for block in (0..product(grid)).map(|index| coordinates(index, grid)) {
        for first in (0..threads).step_by(warp as usize) {
            let (mut reached, mut diverged, mut the_way) = (false, false, 0);
            for thread in (first..(first + u64::from(warp)).min(threads)).map(|index| coordinates(index, sides)) {
                let global = std::array::from_fn(|d| block[d] * i64::from(sides[d]) + thread[d]);
                if let Some(way) = way(At { thread, global }) {
                    diverged |= reached && way != the_way;
                    (reached, the_way) = (true, way);
                }
            }
            count.reached += u64::from(reached);
            count.diverged += u64::from(diverged);
        }
    }
    count
}

/// The coordinates of `index` within `dim`, x fastest.
fn coordinates(index: u64, dim: [u32; 3]) -> [i64; 3] {
    let [width, height, _] = dim.map(u64::from);
    [index % width, index / width % height, index / width / height].map(|i| i as i64)
}

// The ways that threads take at the branches of the exercises.

/// `if (i < n)`: one element per thread.
pub fn bound(n: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.global[0] < n))
}

/// `if (col < width && row < height)`: one pixel or matrix element per thread.
pub fn bounds(width: i64, height: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.global[0] < width && at.global[1] < height))
}

/// `if (i % 2 == 0)` among the threads below n.
pub fn parity(n: i64) -> impl Fn(At) -> Option<i64> {
    move |at| (at.global[0] < n).then_some(at.global[0] % 2)
}

/// `if (2 * i + offset < n)`: every second element from `offset`, one per thread.
pub fn strided_bound(n: i64, offset: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(2 * at.global[0] + offset < n))
}

/// `if (data < threshold)` among the odd elements below n, where thread i has element i and the value of element i is
/// i.
pub fn data_test(n: i64, threshold: i64) -> impl Fn(At) -> Option<i64> {
    move |at| data(at.global[0], n, threshold)
}

/// Like [`data_test`], but thread i has element 2 i + 1.
pub fn data_test_strided(n: i64, threshold: i64) -> impl Fn(At) -> Option<i64> {
    move |at| data(2 * at.global[0] + 1, n, threshold)
}

/// The data test of element i, which only the odd elements below n reach.
fn data(i: i64, n: i64, threshold: i64) -> Option<i64> {
    (i < n && i % 2 == 1).then_some(i64::from(i < threshold))
}

/// `for (j = i; j < min(i + 16, n); j++)` along `axis` (0: x), among threads below n along it: the warp
/// splits where trips differ.
pub fn next_16(n: i64, axis: usize) -> impl Fn(At) -> Option<i64> {
    move |at| (at.global[axis] < n).then_some((n - at.global[axis]).min(16))
}

/// `if (t < halo)`: the threads that fetch the left halo.
pub fn halo_left(halo: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.thread[0] < halo))
}

/// `if (t >= blockDim.x - halo)`: the threads that fetch the right halo, in blocks of `threads`.
pub fn halo_right(halo: i64, threads: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.thread[0] >= threads - halo))
}

/// `if (t % stride == 0)`: the interleaved reduction's step.
pub fn interleaved(stride: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.thread[0] % stride == 0))
}

/// `if (t < stride)`: the sequential reduction's step.
pub fn sequential(stride: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.thread[0] < stride))
}

/// `if ((t + 1) * 2 * stride - 1 < elements)`: Brent and Kung's up-sweep.
pub fn brent_kung(stride: i64, elements: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from((at.thread[0] + 1) * 2 * stride - 1 < elements))
}

/// `if (t >= stride)`: Kogge and Stone's step.
pub fn kogge_stone(stride: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.thread[0] >= stride))
}

/// A loop of one length in even threads and another in odd ones.
pub fn loop_parity() -> impl Fn(At) -> Option<i64> {
    |at| Some(at.global[0] % 2)
}

/// `if (row < width && phase * tile + tx < width)`: the loads of M in a phase of the tiled product.
pub fn tile_m(width: i64, tile: i64, phase: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(at.global[1] < width && phase * tile + at.thread[0] < width))
}

/// `if (phase * tile + ty < width && col < width)`: the loads of N.
pub fn tile_n(width: i64, tile: i64, phase: i64) -> impl Fn(At) -> Option<i64> {
    move |at| Some(i64::from(phase * tile + at.thread[1] < width && at.global[0] < width))
}
