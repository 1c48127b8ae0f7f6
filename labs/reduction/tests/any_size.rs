//! Every method gives the exact answer for any n, any block and any grid on the emulated device.
use cudarc::driver::LaunchConfig;
use harness::{Inputs, launch_1d};
use proptest::prelude::*;
use reduction::{DOTS, Finish, LAB, METHODS, Op, Reducer, Reducing};

/// The first launch of `how` over `n` elements. A grid that strides has `blocks` blocks.
fn config(how: &Reducing, n: usize, threads: u32, blocks: u32) -> LaunchConfig {
    let covering = (n as u32).div_ceil(2 * threads).max(1);
    let blocks = match how.kernels {
        "strided" if how.finish == Finish::Passes => 1,
        "dot_pow2" | "dot_1024" => 1,
        _ if how.strides() => blocks,
        _ => covering,
    };
    let in_shared = matches!(how.kernels, "interleaved" | "sequential");
    LaunchConfig { shared_mem_bytes: if in_shared { 4 * threads } else { 0 }, ..launch_1d(blocks, threads) }
}

fn reducer(how: &Reducing, op: Op, n: usize, threads: u32, blocks: u32) -> Reducer {
    let (kernels, _) = labtest::kernels(&LAB);
    Reducer::new(kernels, *how, op, n, config(how, n, threads, blocks)).unwrap()
}

/// Sizes at which loops end: all small ones, primes, and the neighbours of powers of two and of block sizes.
fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..3000usize,
        prop::sample::select(vec![0, 1, 2, 31, 32, 33, 127, 1021, 4093, 8191, 16381]),
        (0..14u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
    ]
}

fn blocks_of_threads() -> impl Strategy<Value = u32> {
    prop_oneof![1..=1024u32, prop::sample::select(vec![1, 31, 32, 33, 64, 255, 256, 1000, 1023, 1024])]
}

/// Reduces small whole numbers, whose sums are exact in any order.
fn reduce(how: &Reducing, op: Op, n: usize, threads: u32, blocks: u32, seed: u64) -> (f64, f64) {
    let (_, stream) = labtest::kernels(&LAB);
    let whole = |label| -> Vec<f32> {
        let numbers = Inputs::new(seed, label).i32(n, -8..9);
        numbers.iter().map(|v| *v as f32).collect()
    };
    let (x, y) = (whole("x"), whole("y"));
    let expected = match op {
        Op::Sum => x.iter().map(|v| f64::from(*v)).sum(),
        Op::Max => x.iter().fold(f64::NEG_INFINITY, |m, v| m.max(f64::from(*v))),
        Op::Dot => x.iter().zip(&y).map(|(a, b)| f64::from(a * b)).sum(),
    };
    let mut reducer = reducer(how, op, n, threads, blocks);
    let upload = |v: &[f32]| stream.clone_htod(if v.is_empty() { &[0.0][..] } else { v }).unwrap();
    let (dx, dy) = (upload(&x), upload(&y));
    reducer.poison().unwrap();
    reducer.launch(&dx, &dy).unwrap();
    (reducer.result().unwrap(), expected)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_n_any_block_any_grid(
        how in prop::sample::select(METHODS.to_vec()),
        op in prop::sample::select(Op::ALL.to_vec()),
        n in sizes(),
        threads in blocks_of_threads(),
        blocks in 1..=9u32,
        seed: u64,
    ) {
        let (actual, expected) = reduce(&how, op, n, threads, blocks, seed);
        prop_assert_eq!(actual, expected);
    }

    #[test]
    fn a_dot_product_in_one_block(n in 1..=1024u32, k in 0..=10u32, seed: u64) {
        let (actual, expected) = reduce(&DOTS[1], Op::Dot, n as usize, n, 1, seed);
        prop_assert_eq!(actual, expected);
        let (actual, expected) = reduce(&DOTS[0], Op::Dot, 1 << k, 1 << k, 1, seed);
        prop_assert_eq!(actual, expected);
    }
}

#[test]
fn every_method_at_the_edges() {
    for row in METHODS {
        for op in Op::ALL {
            for n in [0, 1, 2, 255, 256, 257, 511, 512, 513, 8191, 8192, 8193] {
                let (actual, expected) = reduce(row, op, n, 256, 2, 1);
                assert_eq!(actual, expected, "{} of {n} by {}", op.name(), row.name());
            }
        }
    }
}

#[test]
fn a_maximum_of_negative_numbers_is_negative() {
    let (_, stream) = labtest::kernels(&LAB);
    let x: Vec<f32> = (0..1000).map(|i| -1.0 - i as f32).collect();
    let dx = stream.clone_htod(&x).unwrap();
    for row in METHODS {
        // With 40 threads `padded` has 24 words of padding, which must not win.
        for threads in [64, 40] {
            let mut reducer = reducer(row, Op::Max, x.len(), threads, 3);
            reducer.poison().unwrap();
            reducer.launch(&dx, &dx).unwrap();
            assert_eq!(reducer.result().unwrap(), -1.0, "{} in blocks of {threads}", row.name());
        }
    }
}

#[test]
fn a_second_launch_gives_the_same_again() {
    // The ticket counter and the totals must have their initial values again.
    let (_, stream) = labtest::kernels(&LAB);
    let dx = stream.clone_htod(&vec![1.0f32; 5000]).unwrap();
    for row in METHODS {
        let mut reducer = reducer(row, Op::Sum, 5000, 128, 5);
        for _ in 0..3 {
            reducer.poison().unwrap();
            reducer.launch(&dx, &dx).unwrap();
            assert_eq!(reducer.result().unwrap(), 5000.0, "{}", row.name());
        }
    }
}
