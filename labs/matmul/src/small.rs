//! `bf16-small-hopper` and `tf32-small-hopper`: the tile, and the number of slices of the depth, for a shape.
use crate::{
    Arithmetic, Cut, Given, Hopper, Shape,
    hopper::{BF16_WGMMA, TF32_WGMMA},
};

/// Blocks of a cluster, and the kernel.
type Kernel = (u32, &'static str);

/// The kernels for a type of elements: see `bf16_small.cu` and `tf32_small.cu`.
struct Kernels {
    /// The kernels with tiles of 64 x 64, and those of 128 x 128.
    small: &'static [Kernel],
    medium: &'static [Kernel],
    /// Cycles of a step: the larger of `step` and of `shared` per running block, since all blocks share the
    /// second-level cache.
    step: f64,
    shared: f64,
}

// These figures and those below are fitted: they make the choice agree with the fastest measured on an H100 (see the
// tests).
const BF16: Kernels = Kernels {
    small: &[(8, "bf16_small_8")],
    medium: &[(1, "bf16_medium_1"), (2, "bf16_medium_2"), (8, "bf16_medium_8")],
    step: 700.0,
    shared: 6.5,
};
const TF32: Kernels = Kernels {
    small: &[(8, "tf32_small_8")],
    medium: &[(1, "tf32_medium_1"), (2, "tf32_medium_2"), (8, "tf32_medium_8")],
    step: 850.0,
    shared: 9.0,
};

/// Bytes of a step in shared memory, the same for all kernels.
const STEP_BYTES: u32 = 32 * 1024;
const STAGES: u32 = 6;

/// Cycles of a wave of blocks besides its steps: its start, its first loads, its last stores.
const START: f64 = 4000.0;
/// Cycles that the blocks of a cluster need to add up.
const CLUSTER: f64 = 3000.0;
/// Cycles in which clusters wait until their partial sums are visible, and the last of them reads them.
const MEETING: f64 = 4000.0;
/// Cycles per cluster that combines its sums: of 64 x 64 sums, and of 128 x 128.
const SMALL_SUMS: f64 = 400.0;
const MEDIUM_SUMS: f64 = 1600.0;

/// The listed rung for bfloat16.
pub(crate) const BF16_SMALL: Hopper = rung(BF16_WGMMA, "bf16_small.cu", 64, BF16.small[0], 8);

/// The listed rung for TF32.
pub(crate) const TF32_SMALL: Hopper = rung(TF32_WGMMA, "tf32_small.cu", 64, TF32.small[0], 8);

/// A rung with square tiles of `side`, otherwise like `like`, whose depth is cut into `slices`.
const fn rung(like: Hopper, file: &'static str, side: u32, (blocks, kernel): Kernel, slices: u32) -> Hopper {
    // A row of a box has 128 bytes.
    let wide = like.boxes[1].0;
    Hopper {
        file,
        kernel,
        tile: (side, side),
        // Two warpgroups that multiply, and a warp that loads tiles.
        threads: 2 * 128 + 32,
        cut: Cut::Meeting { blocks, slices },
        // The barriers, two for each stage, and a flag whether a block is the last to arrive.
        shared_bytes: STAGES * (STEP_BYTES + 2 * 8) + 8,
        given: Given::Together,
        boxes: [(wide, side), (wide, wide)],
        ..like
    }
}

/// The number of blocks that a device runs simultaneously, in clusters of `blocks`. The multiprocessors come in groups
/// of 16 or 18, and a cluster lies in one of them: an H100 runs 15 clusters of 8 simultaneously, not 16.
fn places(blocks: u32, multiprocessors: u32) -> u32 {
    let fit = if blocks > 2 { multiprocessors * 15 / 16 } else { multiprocessors };
    (fit / blocks).max(1) * blocks
}

/// The effective number of blocks that share the cache, of `blocks` that run simultaneously. A group of multiprocessors
/// has room for two large clusters. Once a group has two, its blocks are as slow as if all groups had two.
fn sharing(blocks: u64, cluster: u32, multiprocessors: u32) -> u64 {
    let all = u64::from(multiprocessors);
    if cluster > 2 && blocks > all / 2 { all } else { blocks }
}

/// The rung with the least predicted time for `shape`, over the tiles, the clusters, and as many slices of the depth as
/// run simultaneously.
pub(crate) fn fitting(like: Hopper, shape: Shape, multiprocessors: u32) -> Hopper {
    let kernels = if like.arithmetic == Arithmetic::Bf16 { BF16 } else { TF32 };
    let small = kernels.small.iter().map(|kernel| (64, *kernel, SMALL_SUMS));
    let medium = kernels.medium.iter().map(|kernel| (128, *kernel, MEDIUM_SUMS));
    let mut best = (like, f64::INFINITY);
    for (side, kernel, sums) in small.chain(medium) {
        let places = u64::from(places(kernel.0, multiprocessors));
        // The smaller tile gets two boxes along the depth.
        let depth = u64::from(like.boxes[1].0 * 128 / side);
        let steps = (shape.k as u64).div_ceil(depth);
        for clusters in 1.. {
            let rung = rung(like, like.file, side, kernel, clusters * kernel.0);
            let (slices, tiles) = (u64::from(rung.slices()), rung.tiles(shape));
            if clusters > 1 && (tiles * slices > places || slices > steps) {
                break;
            }
            let busy = sharing((tiles * slices).min(places), kernel.0, multiprocessors);
            let step = kernels.step.max(kernels.shared * busy as f64);
            let cluster = if kernel.0 > 1 { CLUSTER } else { 0.0 };
            let meeting = if clusters > 1 { MEETING + sums * f64::from(clusters) } else { 0.0 };
            let wave = START + step * steps.div_ceil(slices) as f64 + cluster;
            let cycles = (tiles * slices).div_ceil(places) as f64 * wave + meeting;
            if cycles < best.1 {
                best = (rung, cycles);
            }
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is the fastest measured on an H100, or within 2 % of it.
    #[test]
    fn the_fastest_that_was_measured_is_chosen() {
        let chosen = |like, m, k, n| {
            let rung = fitting(like, Shape { m, k, n }, 132);
            (rung.kernel, rung.slices())
        };
        for (m, k, n, bf16, tf32) in [
            (64, 65536, 64, ("bf16_small_8", 64), ("tf32_small_8", 120)),
            (128, 32768, 256, ("bf16_medium_8", 32), ("tf32_medium_8", 32)),
            (256, 16384, 512, ("bf16_medium_8", 8), ("tf32_medium_2", 12)),
            (1024, 4096, 1024, ("bf16_medium_2", 2), ("tf32_medium_2", 2)),
            (2048, 8192, 1024, ("bf16_medium_1", 1), ("tf32_medium_1", 1)),
            (1024, 1024, 1024, ("bf16_medium_2", 2), ("tf32_medium_2", 2)),
            (1000, 500, 700, ("bf16_medium_1", 1), ("tf32_medium_2", 2)),
        ] {
            assert_eq!(chosen(BF16_SMALL, m, k, n), bf16, "{m}x{k}x{n}");
            assert_eq!(chosen(TF32_SMALL, m, k, n), tf32, "{m}x{k}x{n}");
        }
    }

    /// A device without room for a cluster of 8 still gets a rung: the driver refuses what it cannot run.
    #[test]
    fn any_shape_and_device_has_a_rung() {
        for multiprocessors in [1, 7, 132] {
            for (m, k, n) in [(1, 1, 1), (64, 100_000, 64), (5000, 3, 7000)] {
                let rung = fitting(TF32_SMALL, Shape { m, k, n }, multiprocessors);
                assert!(rung.launch(Shape { m, k, n }, multiprocessors).is_ok(), "{m}x{k}x{n} on {multiprocessors}");
            }
        }
    }
}
