//! `float-even-hopper`: the tile, and the number of slices of the depth, for a shape.
use crate::{Arithmetic, Cut, Given, Hopper, Shape};

/// Depth of a step: see `float_even.cu` and `float_hopper.cu`.
const DEPTH: u32 = 32;

/// One of the tiles for which there are kernels.
struct Size {
    /// Kernel file.
    file: &'static str,
    /// Rows and columns.
    tile: (u32, u32),
    threads: u32,
    /// Steps in shared memory.
    stages: u32,
    /// Resident blocks of a multiprocessor.
    held: u32,
    /// The kernels, each with the number of slices into which its cluster cuts the depth. The first of several has no
    /// clusters.
    kernels: &'static [(u32, &'static str)],
    /// The throughput of a multiprocessor full of such blocks, as a percentage of 128 multiplications per cycle:
    /// measured on an H200 at 4096 and 8192 cubed.
    share: f64,
}

#[rustfmt::skip]
const LARGE: Size = Size {
    file: "float_even.cu", tile: (128, 128), threads: 128, stages: 3, held: 2, share: 78.0,
    kernels: &[(1, "float_even")],
};
#[rustfmt::skip]
const MEDIUM: Size = Size {
    file: "float_hopper.cu", tile: (64, 128), threads: 128, stages: 3, held: 3, share: 74.0,
    kernels: &[(2, "float_medium_2")],
};
#[rustfmt::skip]
const SMALL: Size = Size {
    file: "float_hopper.cu", tile: (64, 64), threads: 64, stages: 2, held: 6, share: 71.5,
    kernels: &[(1, "float_small"), (2, "float_small_2"), (4, "float_small_4")],
};

/// The loss of a multiprocessor with a single block, in tiles: no other block hides that one's waits.
const ALONE: f64 = 0.3;
/// Cycles of a block besides multiplying: its first loads and its last stores.
const START: f64 = 6000.0;
/// Cycles that the blocks of a cluster need to add up.
const CLUSTER: f64 = 5000.0;
/// The same if blocks add to C, which must be cleared before: about 15 microseconds on an H200.
const ATOMICS: f64 = 30000.0;

impl Size {
    /// The rung whose clusters have `blocks` blocks, with `slices` slices of the depth.
    const fn rung(&self, (blocks, kernel): (u32, &'static str), slices: u32) -> Hopper {
        let (rows, columns) = self.tile;
        Hopper {
            file: self.file,
            kernel,
            tile: self.tile,
            threads: self.threads,
            cut: Cut::Depth { blocks, slices },
            shared_bytes: self.stages * ((rows + columns) * DEPTH * 4 + 8),
            given: Given::Together,
            boxes: [(DEPTH, rows), (columns, DEPTH)],
            arithmetic: Arithmetic::Float,
        }
    }

    /// The rungs with this tile that a depth of `steps` allows. A cluster cuts the depth into as many slices as it has
    /// blocks. Further slices are added by atomics, and only with the smallest tile: then C is so small that no cluster
    /// fills the device.
    fn rungs(&self, steps: u32, multiprocessors: u32) -> impl Iterator<Item = Hopper> {
        let largest = self.kernels[self.kernels.len() - 1].0;
        let most = if self.kernels.len() > 1 { self.held * multiprocessors } else { largest };
        let clusters = self.kernels.iter().map(|kernel| self.rung(*kernel, kernel.0));
        let atomics = (largest + 1..=most).map(|slices| self.rung(self.kernels[0], slices));
        clusters.chain(atomics).filter(move |rung| rung.slices() <= steps)
    }

    /// The cycles of a multiprocessor for a tile of this depth, while it is full of such blocks.
    fn tile_cycles(&self, depth: u32) -> f64 {
        f64::from(self.tile.0 * self.tile.1) * f64::from(depth) / 128.0 / (self.share / 100.0)
    }

    /// The predicted cycles of `rung`. Its blocks run in waves; in each full wave a multiprocessor has `held` of them,
    /// in the last one its share of the rest.
    fn cycles(&self, rung: &Hopper, shape: Shape, multiprocessors: u32) -> f64 {
        let slices = rung.slices();
        let blocks = rung.tiles(shape) * u64::from(slices);
        let places = u64::from(self.held * multiprocessors);
        let (waves, rest) = (blocks / places, blocks % places);
        let depth = (shape.k as u32).div_ceil(DEPTH).div_ceil(slices) * DEPTH;
        let a_tile = self.tile_cycles(depth);
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

/// The listed rung, with the largest tile.
pub(crate) const FLOAT_EVEN: Hopper = Hopper { cut: Cut::Even { shares: 0 }, ..LARGE.rung(LARGE.kernels[0], 1) };

/// Cycles for sharing out the last tiles: a block begins two tiles instead of one, and their parts must be combined.
/// With shares for all tiles, an H100 took 22 microseconds longer at 2048 cubed.
const MEETING: f64 = 40000.0;

/// A product of one tile with at most this many steps takes about as long as a launch, whatever the tile:
/// [`FLOAT_EVEN`] multiplies it with its own kernel, so that this can be tried at any size.
const FEW_STEPS: u32 = 4;

/// The predicted cycles of [`FLOAT_EVEN`] if it shares out the last tiles. There must be more tiles than a wave has, so
/// that a tile has few parts.
fn evened(shape: Shape, multiprocessors: u32) -> Option<f64> {
    let (tiles, places) = (FLOAT_EVEN.tiles(shape), u64::from(LARGE.held * multiprocessors));
    let depth = (shape.k as u32).div_ceil(DEPTH) * DEPTH;
    let cycles = LARGE.tile_cycles(depth) * tiles as f64 / f64::from(multiprocessors);
    (tiles > places && tiles % places > 0).then_some(cycles + tiles.div_ceil(places) as f64 * START + MEETING)
}

/// [`FLOAT_EVEN`] with `shares` shares, or with as many as there are steps, since no share may be empty.
pub(crate) fn even(shape: Shape, shares: u32) -> Hopper {
    let steps = (shape.k as u64).div_ceil(u64::from(DEPTH));
    let most = if steps > 1 { FLOAT_EVEN.tiles(shape).saturating_mul(steps) } else { 0 };
    Hopper { cut: Cut::Even { shares: most.min(u64::from(shares)) as u32 }, ..FLOAT_EVEN }
}

/// The number of tiles that are shared out: those of the partial wave, and one full wave more if the partial one is
/// small. Otherwise each tile would have many parts, and the block that arrives last would have much to add.
pub(crate) fn shared_out(tiles: u64, shares: u32) -> u64 {
    let wave = u64::from(shares);
    let rest = tiles.checked_rem(wave).unwrap_or(0);
    if 2 * rest < wave { tiles.min(wave + rest) } else { rest }
}

/// The rung with the least predicted time for `shape`.
pub(crate) fn fitting(shape: Shape, multiprocessors: u32) -> Hopper {
    let (steps, multiprocessors) = ((shape.k as u32).div_ceil(DEPTH).max(1), multiprocessors.max(1));
    if FLOAT_EVEN.tiles(shape) <= 1 && steps <= FEW_STEPS {
        return FLOAT_EVEN;
    }
    let mut best = (FLOAT_EVEN, f64::INFINITY);
    for size in [LARGE, MEDIUM, SMALL] {
        for rung in size.rungs(steps, multiprocessors) {
            let cycles = size.cycles(&rung, shape, multiprocessors);
            let rung = if rung.kernel == FLOAT_EVEN.kernel { FLOAT_EVEN } else { rung };
            if cycles < best.1 {
                best = (rung, cycles);
            }
        }
    }
    match evened(shape, multiprocessors) {
        Some(cycles) if cycles < best.1 => even(shape, LARGE.held * multiprocessors),
        _ => best.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is the fastest on an H200, of the measured combinations of three tiles and these ways to cut the depth.
    #[test]
    fn the_fastest_that_was_measured_is_chosen() {
        let chosen = |m, k, n| {
            let rung = fitting(Shape { m, k, n }, 132);
            (rung.file, rung.kernel, rung.slices())
        };
        assert_eq!(fitting(Shape { m: 2048, k: 2048, n: 2048 }, 132), FLOAT_EVEN);
        assert_eq!(chosen(1023, 1021, 1019), ("float_hopper.cu", "float_medium_2", 2));
        assert_eq!(chosen(1000, 500, 700), ("float_hopper.cu", "float_small_4", 4));
        assert_eq!(chosen(64, 65536, 64), ("float_hopper.cu", "float_small", 512));
    }

    #[test]
    fn the_last_tiles_are_shared_out_where_their_wave_leaves_much_idle() {
        let evened = |m, k, n| {
            let shape = Shape { m, k, n };
            let rung = fitting(shape, 132);
            let grid = rung.launch(shape, 132).unwrap().grid_dim.0;
            (rung.kernel, rung.slices(), grid)
        };
        assert_eq!(evened(4096, 4096, 4096), ("float_even", 264, 3 * 264 + 264));
        assert_eq!(evened(8192, 8192, 8192), ("float_even", 264, 15 * 264 + 264));
        assert_eq!(evened(4095, 4097, 2049), ("float_even", 264, 264 + 264), "16 tiles in the last wave");
        assert_eq!(evened(2048, 2048, 2048), ("float_even", 0, 256), "less than a wave");
        assert_eq!((evened(33, 33, 33), evened(1, 1, 1)), (("float_even", 0, 1), ("float_even", 0, 1)));
        assert_ne!(evened(129, 33, 33).0, "float_even");
        assert_eq!(even(Shape { m: 300, k: 32, n: 300 }, 5).slices(), 0, "one step a tile");
        assert_eq!(even(Shape { m: 257, k: 70, n: 129 }, 29).slices(), 18, "no share without a step");
        // 5 waves: no partial wave.
        assert_eq!(evened(128 * 33, 4096, 128 * 40), ("float_even", 0, 5 * 264));
    }

    #[test]
    fn no_slice_is_empty() {
        for k in [1, 9, 41, 100, 257] {
            let slices = fitting(Shape { m: 3, k, n: 5 }, 132).slices();
            assert!(slices as usize <= k.div_ceil(DEPTH as usize), "{k}: {slices}");
        }
    }

    /// The shared memory of the resident blocks fits into a multiprocessor's.
    #[test]
    fn as_many_blocks_as_are_held_find_room() {
        for size in [LARGE, MEDIUM, SMALL] {
            let bytes = size.rung(size.kernels[0], 1).shared_bytes;
            assert!(size.held * (bytes + 1024) <= 228 * 1024, "{:?}: {bytes} bytes", size.tile);
        }
    }
}
