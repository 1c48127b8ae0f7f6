//! The counting functions: the course's table, row by row, and what must hold for every launch.
use divergence::counting::*;

fn pair(count: Count) -> (u64, u64) {
    (count.warps, count.diverged)
}

#[test]
fn pictures() {
    for (width, height, diverged) in [(800, 600, 0), (800, 599, 50), (799, 600, 300)] {
        let launch = Launch::covering([width, height, 1], [16, 16, 1]);
        let count = bounds(width.into(), height.into(), launch, 32);
        assert_eq!(pair(count), (15200, diverged), "{width}x{height}");
    }
}

#[test]
fn lines() {
    let four = Launch::line(4, 256);
    assert_eq!(pair(bound(1000, four, 32)), (32, 1));
    assert_eq!(pair(parity(1000, four, 32)), (32, 32));
    let sixteen = Launch::line(16, 32);
    assert_eq!(pair(strided_bound(1000, 0, sixteen, 32)), (16, 1));
    assert_eq!(pair(strided_bound(1000, 1, sixteen, 32)), (16, 1));
    assert_eq!(pair(data_test_strided(1000, 16, sixteen, 32)), (16, 1));
    assert_eq!(pair(data_test(1000, 16, four, 32)), (32, 1));
    assert_eq!(pair(loop_parity(four, 32)), (32, 32));
}

#[test]
fn neighbours() {
    assert_eq!(pair(next_16(1024, 0, Launch::line(4, 256), 32)), (32, 1));
    let cube = Launch::covering([64; 3], [32, 4, 4]);
    let by_axis = [0, 1, 2].map(|axis| pair(next_16(64, axis, cube, 32)));
    assert_eq!(by_axis, [(8192, 4096), (8192, 0), (8192, 0)]);
    let line = Launch::line(16, 256);
    let (left, right) = (halo_left(2, line, 32), halo_right(2, line, 32));
    assert_eq!(left.warps, 128);
    assert_eq!(left.diverged + right.diverged, 32);
}

#[test]
fn products() {
    let launch = Launch::covering([1000, 1000, 1], [16, 16, 1]);
    assert_eq!(pair(bounds(1000, 1000, launch, 32)), (31752, 500));
    assert_eq!(pair(bounds(1000, 1000, launch, 64)), (15876, 250));
    let launch = Launch::covering([100, 100, 1], [16, 16, 1]);
    for phase in 0..7 {
        let (m, n) = if phase < 6 { (0, 56) } else { (350, 14) };
        assert_eq!(pair(tile_m(100, 16, phase, launch, 32)), (392, m));
        assert_eq!(pair(tile_n(100, 16, phase, launch, 32)), (392, n));
    }
}

#[test]
fn trees() {
    let block = Launch::line(1, 1024);
    for (stride, diverged) in [(1, 0), (16, 32), (64, 16)] {
        assert_eq!(pair(interleaved(stride, block, 32)), (32, diverged));
    }
    for (stride, diverged) in [(64, 0), (16, 1)] {
        assert_eq!(pair(sequential(stride, block, 32)), (32, diverged));
    }
    assert_eq!(pair(brent_kung(16, 2048, block, 32)), (32, 0));
    assert_eq!(pair(kogge_stone(16, block, 32)), (32, 1));
    assert_eq!(pair(kogge_stone(64, block, 32)), (32, 0));
}

#[test]
fn nobody_there_is_no_divergence() {
    let count = count(Launch::line(3, 33), 32, |_| None);
    assert_eq!((count.warps, count.reached, count.diverged), (6, 0, 0));
}

/// For a 1-D bound there is a closed form: the warp that holds both n - 1 and n, if any.
#[test]
fn a_bound_splits_one_warp_at_most() {
    for threads in [1, 31, 32, 33, 64, 96, 1024] {
        let launch = Launch::line(3, threads);
        for n in 0..=3 * i64::from(threads) + 1 {
            let threads = i64::from(threads);
            let inside = n % threads;
            let splits = n < 3 * threads && inside % 32 != 0;
            let diverged = bound(n, launch, 32).diverged;
            assert_eq!(diverged, u64::from(splits), "n {n}, blocks of {threads}");
        }
    }
}

/// A warp of one lane never splits, and no count exceeds the warps that reached the branch.
#[test]
fn bounds_of_counts() {
    for block in [[1, 1, 1], [7, 3, 2], [16, 16, 1], [32, 4, 4], [1024, 1, 1]] {
        let launch = Launch {
            grid: [2, 3, 1],
            block,
        };
        for warp in [1, 2, 32, 64] {
            let c = count(launch, warp, |at| {
                (at.thread[0] % 3 > 0).then_some(at.global[1] * at.thread[0] % 5)
            });
            assert!(c.diverged <= c.reached && c.reached <= c.warps);
            assert!(warp > 1 || c.diverged == 0);
        }
    }
}
