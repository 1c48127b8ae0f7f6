//! The counting functions: the course's table, row by row, and properties that hold for every launch.
use cudarc::driver::LaunchConfig;
use divergence::{
    counting::*,
    questions::{cut_windows, questions},
};
use harness::launch_1d;

fn pair(count: Count) -> (u64, u64) {
    (count.warps, count.diverged)
}

#[test]
fn pictures() {
    for (width, height, diverged) in [(800, 600, 0), (800, 599, 50), (799, 600, 300), (599, 800, 400), (600, 799, 437)]
    {
        let launch = covering([width, height, 1], [16, 16, 1]);
        let count = count(launch, 32, bounds(width.into(), height.into()));
        assert_eq!(pair(count), (15200, diverged), "{width}x{height}");
    }
}

#[test]
fn lines() {
    let four = launch_1d(4, 256);
    assert_eq!(pair(count(four, 32, bound(1000))), (32, 1));
    assert_eq!(pair(count(four, 32, parity(1000))), (32, 32));
    let sixteen = launch_1d(16, 32);
    assert_eq!(pair(count(sixteen, 32, strided_bound(1000, 0))), (16, 1));
    assert_eq!(pair(count(sixteen, 32, strided_bound(1000, 1))), (16, 1));
    assert_eq!(pair(count(sixteen, 32, data_test_strided(1000, 16))), (16, 1));
    assert_eq!(pair(count(four, 32, data_test(1000, 16))), (32, 1));
    assert_eq!(pair(count(four, 32, loop_parity())), (32, 32));
}

#[test]
fn neighbours() {
    assert_eq!(pair(count(launch_1d(4, 256), 32, next_16(1024, 0))), (32, 1));
    let cube = covering([64; 3], [32, 4, 4]);
    let by_axis = [0, 1, 2].map(|axis| pair(count(cube, 32, next_16(64, axis))));
    assert_eq!(by_axis, [(8192, 4096), (8192, 0), (8192, 0)]);
    // In a cube each row of warps splits like a single row, so the rows of a larger cube can be counted from one.
    let row = count(covering([64, 1, 1], [32, 1, 1]), 32, next_16(64, 0));
    assert_eq!((64 * 64 * row.warps, 64 * 64 * row.diverged), (8192, 4096));
    let line = launch_1d(16, 256);
    let (left, right) = (count(line, 32, halo_left(2)), count(line, 32, halo_right(2, 256)));
    assert_eq!(left.warps, 128);
    assert_eq!(left.diverged + right.diverged, 32);
}

#[test]
fn products() {
    let launch = covering([1000, 1000, 1], [16, 16, 1]);
    assert_eq!(pair(count(launch, 32, bounds(1000, 1000))), (31752, 500));
    assert_eq!(pair(count(launch, 64, bounds(1000, 1000))), (15876, 250));
    let launch = covering([100, 100, 1], [16, 16, 1]);
    for phase in 0..7 {
        let (m, n) = if phase < 6 { (0, 56) } else { (350, 14) };
        assert_eq!(pair(count(launch, 32, tile_m(100, 16, phase))), (392, m));
        assert_eq!(pair(count(launch, 32, tile_n(100, 16, phase))), (392, n));
    }
}

#[test]
fn trees() {
    let block = launch_1d(1, 1024);
    for (stride, diverged) in [(1, 0), (16, 32), (64, 16)] {
        assert_eq!(pair(count(block, 32, interleaved(stride))), (32, diverged));
    }
    for (stride, diverged) in [(64, 0), (16, 1)] {
        assert_eq!(pair(count(block, 32, sequential(stride))), (32, diverged));
    }
    assert_eq!(pair(count(block, 32, brent_kung(16, 2048))), (32, 0));
    assert_eq!(pair(count(block, 32, kogge_stone(16))), (32, 1));
    assert_eq!(pair(count(block, 32, kogge_stone(64))), (32, 0));
}

#[test]
fn nobody_there_is_no_divergence() {
    let count = count(launch_1d(3, 33), 32, |_| None);
    assert_eq!((count.warps, count.reached, count.diverged), (6, 0, 0));
}

/// For a 1-D bound there is a closed form: the warp that holds both n - 1 and n, if any.
#[test]
fn a_bound_splits_one_warp_at_most() {
    for threads in [1, 31, 32, 33, 64, 96, 1024] {
        let launch = launch_1d(3, threads);
        for n in 0..=3 * i64::from(threads) + 1 {
            let threads = i64::from(threads);
            let inside = n % threads;
            let splits = n < 3 * threads && inside % 32 != 0;
            let diverged = count(launch, 32, bound(n)).diverged;
            assert_eq!(diverged, u64::from(splits), "n {n}, blocks of {threads}");
        }
    }
}

/// A warp of one lane never splits, and no count exceeds the warps that reached the branch.
#[test]
fn bounds_of_counts() {
    for block in [[1, 1, 1], [7, 3, 2], [16, 16, 1], [32, 4, 4], [1024, 1, 1]] {
        let launch = LaunchConfig { grid_dim: (2, 3, 1), block_dim: block.into(), shared_mem_bytes: 0 };
        for warp in [1, 2, 32, 64] {
            let c = count(launch, warp, |at| (at.thread[0] % 3 > 0).then_some(at.global[1] * at.thread[0] % 5));
            assert!(c.diverged <= c.reached && c.reached <= c.warps);
            assert!(warp > 1 || c.diverged == 0);
        }
    }
}

#[test]
fn windows_are_cut_as_one_by_one() {
    let by_one = (0..40).flat_map(|z| (0..40).flat_map(move |y| (0..40).map(move |x| [x, y, z])));
    let cut = by_one.filter(|at| at.iter().any(|i| i + 16 > 40)).count() as u64;
    assert_eq!(cut_windows(40, 16, 3), cut);
}

#[test]
fn the_courses_answers() {
    for question in questions() {
        assert!(question.check().passed(), "{}: {}", question.case, question.obtained);
    }
}

/// The origin of a text's wrong count 2056448: the warps with any truncated window, in x, y or z, whether their lanes
/// differ or not, for windows of 16 that are assumed to be truncated from 1024 - 16 on.
#[test]
fn the_published_count_is_that_of_all_warps_at_the_boundary() {
    let (n, cut) = (1024_u64, 16);
    let in_a_row = n / 32;
    let whole_rows = n * n - (n - cut) * (n - cut);
    assert_eq!(whole_rows * in_a_row + (n * n - whole_rows), 2_056_448);
}
