//! `float-hopper`: which tile, and how many slices of the depth, a shape needs.
use crate::{Arithmetic, Cut, Given, Hopper, Shape};

/// Depth of a step: see `float_hopper.cu`.
const DEPTH: u32 = 32;

/// One of the tiles that there are kernels for.
struct Size {
    /// Rows and columns.
    tile: (u32, u32),
    threads: u32,
    /// Steps in shared memory.
    stages: u32,
    /// Blocks that a multiprocessor holds.
    held: u32,
    /// The kernels, and into how many slices a cluster of each cuts the depth. The first of several has no clusters.
    kernels: &'static [(u32, &'static str)],
    /// Of 100 cycles, a multiprocessor full of such blocks multiplies 128 elements in so many: those of an H200 at 4096
    /// and 8192 cubed.
    share: f64,
}

#[rustfmt::skip]
const LARGE: Size = Size {
    tile: (128, 128), threads: 128, stages: 3, held: 2, share: 78.0, kernels: &[(1, "float_large")],
};
#[rustfmt::skip]
const MEDIUM: Size = Size {
    tile: (64, 128), threads: 128, stages: 3, held: 3, share: 74.0, kernels: &[(2, "float_medium_2")],
};
#[rustfmt::skip]
const SMALL: Size = Size {
    tile: (64, 64), threads: 64, stages: 2, held: 6, share: 71.5,
    kernels: &[(1, "float_small"), (2, "float_small_2"), (4, "float_small_4")],
};

/// What a multiprocessor that lacks all of its blocks but one loses, in tiles: nobody hides that one's waits.
const ALONE: f64 = 0.3;
/// Cycles that a block takes besides multiplying: its first tiles come, its results go.
const START: f64 = 6000.0;
/// What the blocks of a cluster take to add up.
const CLUSTER: f64 = 5000.0;
/// The same where blocks add to C, which has to be cleared before: some 15 microseconds on an H200.
const ATOMICS: f64 = 30000.0;

impl Size {
    /// The rung whose clusters have `blocks` blocks, with so many slices of the depth.
    const fn rung(&self, (blocks, kernel): (u32, &'static str), slices: u32) -> Hopper {
        let (rows, columns) = self.tile;
        Hopper {
            file: "float_hopper.cu",
            kernel,
            tile: self.tile,
            threads: self.threads,
            cut: Cut::Depth { blocks, slices },
            shared_bytes: self.stages * ((rows + columns) * DEPTH * 4 + 8),
            given: Given::Whole,
            boxes: [(DEPTH, rows), (columns, DEPTH)],
            arithmetic: Arithmetic::Float,
        }
    }

    /// The rungs with this tile that a depth of `steps` allows. A cluster cuts the depth into as many slices as it has
    /// blocks. More are added by atomics, and only with the smallest tile: then C is so small that no cluster fills the
    /// device.
    fn rungs(&self, steps: u32, multiprocessors: u32) -> impl Iterator<Item = Hopper> {
        let largest = self.kernels[self.kernels.len() - 1].0;
        let most = if self.kernels.len() > 1 { self.held * multiprocessors } else { largest };
        let clusters = self.kernels.iter().map(|kernel| self.rung(*kernel, kernel.0));
        let atomics = (largest + 1..=most).map(|slices| self.rung(self.kernels[0], slices));
        clusters.chain(atomics).filter(move |rung| rung.slices() <= steps)
    }

    /// The cycles that `rung` takes. Its blocks come in waves; in each, a multiprocessor has `held` of them, and in
    /// the last one as many as are left for it.
    fn cycles(&self, rung: &Hopper, shape: Shape, multiprocessors: u32) -> f64 {
        let slices = rung.slices();
        let blocks = rung.tiles(shape) * u64::from(slices);
        let places = u64::from(self.held * multiprocessors);
        let (waves, rest) = (blocks / places, blocks % places);
        let depth = (shape.k as u32).div_ceil(DEPTH).div_ceil(slices) * DEPTH;
        let a_tile = f64::from(self.tile.0 * self.tile.1) * f64::from(depth) / 128.0 / (self.share / 100.0);
        let wave = |blocks: f64| a_tile * (blocks + ALONE * (1.0 - blocks / f64::from(self.held))) + START;
        let last = if rest > 0 { wave(rest.div_ceil(u64::from(multiprocessors)) as f64) } else { 0.0 };
        let sums = match rung.cut {
            _ if slices == 1 => 0.0,
            _ if rung.clears() => ATOMICS,
            _ => CLUSTER,
        };
        waves as f64 * wave(f64::from(self.held)) + last + sums
    }
}

/// The rung as it is listed.
pub(crate) const FLOAT: Hopper = LARGE.rung(LARGE.kernels[0], 1);

/// As [`FLOAT`], but one kernel copies A and B, where they have to be copied.
pub(crate) const FLOAT_TOGETHER: Hopper = Hopper { given: Given::Together, ..FLOAT };

/// The rung that should take the least time for `shape`.
pub(crate) fn fitting(shape: Shape, multiprocessors: u32) -> Hopper {
    let (steps, multiprocessors) = ((shape.k as u32).div_ceil(DEPTH).max(1), multiprocessors.max(1));
    let mut best = (FLOAT, f64::INFINITY);
    for size in [LARGE, MEDIUM, SMALL] {
        for rung in size.rungs(steps, multiprocessors) {
            let cycles = size.cycles(&rung, shape, multiprocessors);
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

    fn chosen(m: usize, k: usize, n: usize) -> (&'static str, u32) {
        let rung = fitting(Shape { m, k, n }, 132);
        (rung.kernel, rung.slices())
    }

    /// Each is the fastest of the three tiles, with these ways to cut the depth, that an H200 was seen to run.
    #[test]
    fn the_fastest_that_was_measured_is_chosen() {
        assert_eq!(chosen(4096, 4096, 4096), ("float_large", 1));
        assert_eq!(chosen(8192, 8192, 8192), ("float_large", 1));
        assert_eq!(chosen(4095, 4097, 2049), ("float_small", 1));
        assert_eq!(chosen(1023, 1021, 1019), ("float_medium_2", 2));
        assert_eq!(chosen(1000, 500, 700), ("float_small_4", 4));
        assert_eq!(chosen(64, 65536, 64), ("float_small", 512));
    }

    #[test]
    fn no_slice_is_empty() {
        for k in [1, 9, 41, 100, 257] {
            let slices = fitting(Shape { m: 3, k, n: 5 }, 132).slices();
            assert!(slices as usize <= k.div_ceil(DEPTH as usize), "{k}: {slices}");
        }
    }

    /// No more shared memory than the blocks of a multiprocessor may have.
    #[test]
    fn as_many_blocks_as_are_held_find_room() {
        for size in [LARGE, MEDIUM, SMALL] {
            let bytes = size.rung(size.kernels[0], 1).shared_bytes;
            assert!(size.held * (bytes + 1024) <= 228 * 1024, "{:?}: {bytes} bytes", size.tile);
        }
    }
}
