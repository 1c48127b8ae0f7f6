//! Divergence by arithmetic: how many warps of a launch split at a branch, without running anything.
//!
//! A (warp, branch) pair has diverged when the lanes that are live at the branch do not all go the same
//! way. Warps are cut from a block's threads in linear order, x fastest, and never reach into the next
//! block.

/// A launch: blocks of the grid and threads of a block, each x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

impl Launch {
    /// In one dimension.
    pub const fn line(blocks: u32, threads: u32) -> Self {
        Self {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
        }
    }

    /// As many blocks of `block` as cover `size`, dimension by dimension.
    pub fn covering(size: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            grid: std::array::from_fn(|d| size[d].div_ceil(block[d])),
            block,
        }
    }

    /// Threads of a block.
    pub fn threads(self) -> u64 {
        product(self.block)
    }

    /// Blocks.
    pub fn blocks(self) -> u64 {
        product(self.grid)
    }

    /// Warps of `warp` lanes in the whole grid.
    pub fn warps(self, warp: u32) -> u64 {
        self.blocks() * self.threads().div_ceil(warp.into())
    }
}

fn product(dim: [u32; 3]) -> u64 {
    dim.iter().map(|&d| u64::from(d)).product()
}

/// Where a thread stands.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// Within its block: `threadIdx`.
    pub thread: [i64; 3],
    /// In the grid: `blockIdx * blockDim + threadIdx`.
    pub global: [i64; 3],
}

/// What came of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Warps of the launch.
    pub warps: u64,
    /// Those with a lane that came to the branch.
    pub reached: u64,
    /// Those whose live lanes disagreed there.
    pub diverged: u64,
}

/// Counts over a launch, with warps of `warp` lanes. `way` says which way a thread goes at the branch
/// (for an `if` 0 or 1, for a loop the number of its trips), or `None` if the thread never comes there.
pub fn count(launch: Launch, warp: u32, way: impl Fn(At) -> Option<i64>) -> Count {
    let mut count = Count {
        warps: launch.warps(warp),
        reached: 0,
        diverged: 0,
    };
    let [width, height, _] = launch.block.map(u64::from);
    for block in 0..launch.blocks() {
        let [bx, by, _] = launch.grid.map(u64::from);
        let block = [block % bx, block / bx % by, block / bx / by];
        for first in (0..launch.threads()).step_by(warp as usize) {
            let (mut reached, mut diverged, mut the_way) = (false, false, 0);
            for t in first..(first + u64::from(warp)).min(launch.threads()) {
                let thread = [t % width, t / width % height, t / width / height];
                let global = std::array::from_fn(|d| {
                    (block[d] * u64::from(launch.block[d]) + thread[d]) as i64
                });
                let at = At {
                    thread: thread.map(|i| i as i64),
                    global,
                };
                if let Some(way) = way(at) {
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

/// `if (i < n)`: one element a thread.
pub fn bound(n: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| Some(i64::from(at.global[0] < n)))
}

/// `if (col < width && row < height)`: one pixel or matrix element a thread.
pub fn bounds(width: i64, height: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from(at.global[0] < width && at.global[1] < height))
    })
}

/// `if (i % 2 == 0)` among the threads below n.
pub fn parity(n: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        let i = at.global[0];
        (i < n).then_some(i % 2)
    })
}

/// `if (2 * i + offset < n)`: every second element a thread, from `offset`.
pub fn strided_bound(n: i64, offset: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from(2 * at.global[0] + offset < n))
    })
}

/// `if (data < threshold)` among the odd elements below n when thread i has element i; element i is i.
pub fn data_test(n: i64, threshold: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        let i = at.global[0];
        (i < n && i % 2 == 1).then_some(i64::from(i < threshold))
    })
}

/// As [`data_test`], when thread i has element 2 i + 1.
pub fn data_test_strided(n: i64, threshold: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        let i = 2 * at.global[0] + 1;
        (i < n).then_some(i64::from(i < threshold))
    })
}

/// `for (j = i; j < min(i + 16, n); j++)` along `axis` (0: x), among threads below n along it: the warp
/// splits where trips differ.
pub fn next_16(n: i64, axis: usize, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        let i = at.global[axis];
        (i < n).then_some((n - i).min(16))
    })
}

/// `if (t < halo)`: the threads that fetch the left halo.
pub fn halo_left(halo: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| Some(i64::from(at.thread[0] < halo)))
}

/// `if (t >= blockDim.x - halo)`: the threads that fetch the right halo.
pub fn halo_right(halo: i64, launch: Launch, warp: u32) -> Count {
    let first = i64::from(launch.block[0]) - halo;
    count(launch, warp, |at| Some(i64::from(at.thread[0] >= first)))
}

/// `if (t % stride == 0)`: the interleaved reduction's step.
pub fn interleaved(stride: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from(at.thread[0] % stride == 0))
    })
}

/// `if (t < stride)`: the sequential reduction's step.
pub fn sequential(stride: i64, launch: Launch, warp: u32) -> Count {
    halo_left(stride, launch, warp)
}

/// `if ((t + 1) * 2 * stride - 1 < elements)`: Brent and Kung's up-sweep.
pub fn brent_kung(stride: i64, elements: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from((at.thread[0] + 1) * 2 * stride - 1 < elements))
    })
}

/// `if (t >= stride)`: Kogge and Stone's step.
pub fn kogge_stone(stride: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| Some(i64::from(at.thread[0] >= stride)))
}

/// A loop of one length in even threads and another in odd ones.
pub fn loop_parity(launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| Some(at.global[0] % 2))
}

/// `if (row < width && phase * tile + tx < width)`: the loads of M in a phase of the tiled product.
pub fn tile_m(width: i64, tile: i64, phase: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from(
            at.global[1] < width && phase * tile + at.thread[0] < width,
        ))
    })
}

/// `if (phase * tile + ty < width && col < width)`: the loads of N.
pub fn tile_n(width: i64, tile: i64, phase: i64, launch: Launch, warp: u32) -> Count {
    count(launch, warp, |at| {
        Some(i64::from(
            phase * tile + at.thread[1] < width && at.global[0] < width,
        ))
    })
}
