//! Properties of a reduction known before it runs: its launches, and how its roundings accumulate.
use cudarc::driver::LaunchConfig;
use harness::{Row, launch_1d};
use reduction::{METHODS, Op, Reducing, waves};

fn row(name: &str) -> &'static Row<Reducing> {
    METHODS.iter().find(|row| row.name() == name).unwrap()
}

fn config(blocks: u32, threads: u32) -> LaunchConfig {
    launch_1d(blocks, threads)
}

#[test]
fn launches_shrink_to_one_block() {
    assert_eq!(row("sequential").launches(config(1 << 19, 1024)), [1 << 19, 256, 1]);
    assert_eq!(row("sequential").launches(config(1, 1024)), [1]);
}

#[test]
fn chains_are_logarithms_for_trees_and_lengths_for_strides() {
    let n = 1 << 20;
    // 11 in the first launch (one load, ten rounds), 11 in the second over 512 partial sums.
    assert_eq!(row("sequential").longest_chain(Op::Sum, n, config(512, 1024)), 22);
    let one = config(1, 1024);
    assert_eq!(row("one-block").longest_chain(Op::Sum, n, one), 1024 + 10);
    assert_eq!(row("one-block").longest_chain(Op::Dot, n, one), 1024 + 11);
    assert_eq!(row("one-block").longest_chain(Op::Max, n, one), 0);
}

#[test]
fn the_vectorized_chain_covers_every_element() {
    // 132 x 8 blocks of 256: 2^30 floats are 2^15 tiles of 8192 words x 4.
    let chain = row("vectorized").longest_chain(Op::Sum, 1 << 30, config(1056, 256));
    assert_eq!(chain, 4 * 125 + 8 + 10 + 5 + 10);
}

#[test]
fn waves_count_the_partial_one() {
    assert_eq!(waves(128, 16, 8), 1.0);
    assert_eq!(waves(129, 16, 8), 129.0 / 128.0);
    assert_eq!(waves(1, 16, 0), 1.0 / 16.0);
}
