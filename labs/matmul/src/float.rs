//! `float-hopper`: which tile, and how many slices of the depth, a shape needs.
use crate::{Arithmetic, Cut, Given, Hopper, Shape};

/// Depth of a step, and steps in shared memory: see `float_hopper.cu`.
const DEPTH: u32 = 32;
const STAGES: u32 = 3;

/// One of the tiles that there are kernels for.
struct Size {
    /// Rows, and columns.
    side: u32,
    threads: u32,
    /// Blocks that a multiprocessor holds.
    held: u32,
    /// The kernels: for single blocks, and for clusters of two.
    kernels: [&'static str; 2],
    /// Of 100 instructions in the loop so many are multiply-adds.
    share: f64,
}

const LARGE: Size = Size { side: 128, threads: 128, held: 2, kernels: ["float_large", "float_large_2"], share: 95.0 };
const SMALL: Size = Size { side: 64, threads: 64, held: 4, kernels: ["float_small", "float_small_2"], share: 92.0 };

/// Cycles that a block takes besides multiplying: its first tiles come, its results go.
const START: f64 = 3000.0;
/// The same where two blocks of a cluster add up.
const PAIR: f64 = 6000.0;
/// The same where blocks add to C, which has to be cleared before: some 15 microseconds on an H200.
const ATOMICS: f64 = 30000.0;

impl Size {
    /// The rung with this tile and so many slices. Two slices are a cluster. Larger clusters do not fill the device:
    /// all blocks of one must find room in the same group of multiprocessors. (With clusters of 4, 256 blocks took two
    /// waves on an H200 that holds 264.) So more slices than two are added by atomics.
    const fn rung(&self, slices: u32) -> Hopper {
        let blocks = if slices == 2 { 2 } else { 1 };
        Hopper {
            file: "float_hopper.cu",
            kernel: self.kernels[blocks as usize - 1],
            tile: (self.side, self.side),
            threads: self.threads,
            cut: Cut::Depth { blocks, slices },
            shared_bytes: STAGES * 2 * self.side * DEPTH * 4 + STAGES * 8,
            given: Given::Whole,
            boxes: [(DEPTH, self.side), (self.side, DEPTH)],
            arithmetic: Arithmetic::Float,
        }
    }

    /// The cycles that a product takes with so many slices. The blocks come in waves; in each, a multiprocessor
    /// multiplies `held` slices of a tile, 128 elements a cycle.
    fn cycles(&self, rung: &Hopper, shape: Shape, slices: u32, multiprocessors: u32) -> f64 {
        let blocks = rung.tiles(shape) * u64::from(slices);
        let waves = blocks.div_ceil(u64::from(self.held * multiprocessors.max(1)));
        let depth = (shape.k as u32).div_ceil(DEPTH).div_ceil(slices) * DEPTH;
        let products = f64::from(self.held * self.side * self.side) * f64::from(depth);
        let sums = match slices {
            1 => START,
            2 => PAIR,
            _ => ATOMICS,
        };
        waves as f64 * (products / 128.0 / (self.share / 100.0) + sums)
    }
}

/// The rung as it is listed.
pub(crate) const FLOAT: Hopper = LARGE.rung(1);

/// The rung that should take the least time for `shape`.
pub(crate) fn fitting(shape: Shape, multiprocessors: u32) -> Hopper {
    let steps = (shape.k as u32).div_ceil(DEPTH).max(1);
    let (mut best, mut least) = (FLOAT, f64::INFINITY);
    for size in [LARGE, SMALL] {
        for slices in 1..=steps.min(size.held * multiprocessors.max(1)) {
            let rung = size.rung(slices);
            let cycles = size.cycles(&rung, shape, slices, multiprocessors);
            if cycles < least {
                (best, least) = (rung, cycles);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(m: usize, k: usize, n: usize) -> (u32, Cut) {
        let rung = fitting(Shape { m, k, n }, 132);
        (rung.tile.0, rung.cut)
    }

    #[test]
    fn only_small_results_have_their_depth_cut() {
        assert_eq!(chosen(4096, 4096, 4096), (128, Cut::Depth { blocks: 1, slices: 1 }));
        let pair = Cut::Depth { blocks: 2, slices: 2 };
        for [m, k, n] in [[8192, 8192, 128], [1023, 1021, 1019], [1000, 500, 700]] {
            assert_eq!(chosen(m, k, n), (64, pair), "{m}x{k}x{n}");
        }
        assert_eq!(chosen(64, 65536, 64), (64, Cut::Depth { blocks: 1, slices: 512 }));
        // 4 full waves, where tiles of 128 would need 3 for little more than 2.
        assert_eq!(chosen(4095, 4097, 2049), (64, Cut::Depth { blocks: 1, slices: 1 }));
    }

    #[test]
    fn no_slice_is_empty() {
        for k in [1, 9, 41, 100, 257] {
            let Cut::Depth { slices, .. } = fitting(Shape { m: 3, k, n: 5 }, 132).cut else { panic!() };
            assert!(slices as usize <= k.div_ceil(32), "{k}: {slices}");
        }
    }
}
