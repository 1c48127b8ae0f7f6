//! Launches that are counted only by arithmetic: because no device supports them, because they are too large to run, or
//! because many sizes show more than one.
use harness::{Case, Check, Result, Run, launch_1d};

use crate::{
    counting::{At, Count, bound, bounds, count, covering, halo_left, halo_right, next_16},
    exercises::{Published, WARP, says},
    measure::publish,
};

/// Such a launch, with the counted branch.
struct Launch {
    variant: &'static str,
    case: &'static str,
    count: fn() -> Count,
    published: Option<Published>,
    /// Warps, and those that diverge.
    expected: [u64; 2],
    why: &'static str,
}

const fn launch(
    variant: &'static str,
    case: &'static str,
    count: fn() -> Count,
    expected: [u64; 2],
    why: &'static str,
) -> Launch {
    Launch { variant, case, count, published: None, expected, why }
}

/// A square of `side` pixels, in blocks of 16x16.
fn square(side: u32) -> Count {
    count(covering([side, side, 1], [16, 16, 1]), WARP, bounds(side.into(), side.into()))
}

/// A cube of `side` elements, in blocks of 8x8x8.
fn cube(side: u32) -> Count {
    let inside = |at: At| Some(i64::from(at.global.iter().all(|&i| i < i64::from(side))));
    count(covering([side; 3], [8, 8, 8]), WARP, inside)
}

/// The windows of 16 elements ahead in x of a cube of 1024, with 32 threads in x: each row of warps is like the first.
fn rows_of_a_cube() -> Count {
    let row = count(covering([1024, 1, 1], [32, 1, 1]), WARP, next_16(1024, 0));
    let rows = 1024 * 1024;
    Count { warps: rows * row.warps, reached: rows * row.reached, diverged: rows * row.diverged }
}

/// A block of the mean of five.
fn both_halos() -> Count {
    let block = launch_1d(1, 256);
    let [left, right] = [count(block, WARP, halo_left(2)), count(block, WARP, halo_right(2, 256))];
    Count { diverged: left.diverged + right.diverged, ..left }
}

/// The windows of 16 along an axis of a cube of 64, in blocks of 4x4x32.
fn turned(axis: usize) -> Count {
    count(covering([64; 3], [4, 4, 32]), WARP, next_16(64, axis))
}

const GROWTH: &str = "one warp on a line, as many as its side on a square, as the side's square on a cube";

#[rustfmt::skip]
const LAUNCHES: [Launch; 17] = [
    Launch {
        published: Some(says("PoliMi, exercise 9, Q1", 15876, 250)),
        ..launch("matmul", "1000x1000, 16x16: bounds, were a warp 64 wide",
            || count(covering([1000, 1000, 1], [16, 16, 1]), 64, bounds(1000, 1000)),
            [15876, 250], "a warp is 4 rows of 16: the last column of blocks cuts 250 of them")
    },
    Launch {
        published: Some(says("PoliMi, exercise 7", 33_554_432, 2_056_448)),
        ..launch("max-next-3d", "n=1024, rows of 32: the cube of 16 ahead", rows_of_a_cube,
            [33_554_432, 1_048_576], "y and z are the same in a whole warp, so that only the last warp of each of the \
                1024 x 1024 rows splits; the text counts every warp with a window that is cut")
    },
    Launch {
        published: Some(says("PoliMi, exercise 8", 8, 2)),
        ..launch("average", "a block of 256: both halos", both_halos, [8, 2], "the first and the last")
    },
    launch("picture", "799x600, 32x8: bounds", || count(covering([799, 600, 1], [32, 8, 1]), WARP, bounds(799, 600)),
        [15000, 600], "a warp is one row of 32: the last column cuts one for each row"),
    launch("picture", "799x600, 8x32: bounds", || count(covering([799, 600, 1], [8, 32, 1]), WARP, bounds(799, 600)),
        [15200, 150], "a warp is 4 rows of 8: the last column cuts one for each 4 rows"),
    launch("max-next-3d", "n=64, 4x4x32: along x", || turned(0), [8192, 2048], "a warp is 4x4x2: a quarter has x from 48 on"),
    launch("max-next-3d", "n=64, 4x4x32: along y", || turned(1), [8192, 2048], "a warp is 4x4x2: a quarter has y from 48 on"),
    launch("max-next-3d", "n=64, 4x4x32: along z", || turned(2), [8192, 2048], "a warp is 4x4x2: a quarter has z from 48 on"),
    launch("vecadd", "n=28, blocks of 32: bound", || count(launch_1d(1, 32), WARP, bound(28)), [1, 1], GROWTH),
    launch("vecadd", "n=60, blocks of 32: bound", || count(launch_1d(2, 32), WARP, bound(60)), [2, 1], GROWTH),
    launch("vecadd", "n=124, blocks of 32: bound", || count(launch_1d(4, 32), WARP, bound(124)), [4, 1], GROWTH),
    launch("picture", "28x28, 16x16: bounds", || square(28), [32, 14], GROWTH),
    launch("picture", "60x60, 16x16: bounds", || square(60), [128, 30], GROWTH),
    launch("picture", "124x124, 16x16: bounds", || square(124), [512, 62], GROWTH),
    launch("max-next-3d", "28x28x28, 8x8x8: bounds", || cube(28), [1024, 196], GROWTH),
    launch("max-next-3d", "60x60x60, 8x8x8: bounds", || cube(60), [8192, 900], GROWTH),
    launch("max-next-3d", "124x124x124, 8x8x8: bounds", || cube(124), [65536, 3844], GROWTH),
];

/// A row for each launch.
pub(crate) fn run(run: &Run) -> Result<()> {
    for launch in &LAUNCHES {
        run.case(Case::new(launch.variant).label(launch.case), |case| {
            let count = (launch.count)();
            case.set("branch", "by arithmetic alone");
            case.set("warps", count.warps);
            case.set("diverged_function", count.diverged);
            if let Some(published) = launch.published {
                publish(case, published, count, launch.why);
            }
            case.set("why", launch.why);
            case.check(Check::equal(&[count.warps, count.diverged], &launch.expected));
            Ok(())
        })?;
    }
    Ok(())
}
