//! Every method gives the exact answer for any n, any block and any grid, on the emulated device.
use std::sync::{Arc, OnceLock};

use cudarc::{
    driver::{CudaFunction, CudaModule, CudaStream, DriverError},
    nvrtc::Ptx,
};
use harness::{DeviceChoice, Inputs, Session};
use proptest::prelude::*;
use reduction::{Method, Op, Reducer, Shape};

/// The emulated device's stream and the lab's kernels, opened once.
fn device() -> &'static (Arc<CudaStream>, Arc<CudaModule>) {
    static DEVICE: OnceLock<(Arc<CudaStream>, Arc<CudaModule>)> = OnceLock::new();
    let device = DEVICE.get_or_init(|| {
        let session = Session::open(&DeviceChoice::Emulated("a100".into())).unwrap();
        let ptx = Ptx::from_src(reduction::LAB.kernels[0].ptx.to_string());
        (
            session.stream.clone(),
            session.context.load_module(ptx).unwrap(),
        )
    });
    // The tests' threads share the context.
    device.0.context().bind_to_thread().unwrap();
    device
}

fn load(_: &str, kernel: &str) -> Result<CudaFunction, DriverError> {
    device().1.load_function(kernel)
}

/// Sizes where loops end: any small one, and the neighbours of powers of two and of blocks; primes.
fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..3000usize,
        prop::sample::select(vec![0, 1, 2, 31, 32, 33, 127, 1021, 4093, 8191, 16381]),
        (0..14u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
    ]
}

fn blocks_of_threads() -> impl Strategy<Value = u32> {
    prop_oneof![
        1..=1024u32,
        prop::sample::select(vec![1, 31, 32, 33, 64, 255, 256, 1000, 1023, 1024])
    ]
}

/// Reduces small whole numbers, whose sums are exact in any order.
fn reduce(method: Method, op: Op, n: usize, threads: u32, blocks: u32, seed: u64) -> (f64, f64) {
    let stream = &device().0;
    let whole = |label| -> Vec<f32> {
        let numbers = Inputs::new(seed, label).i32(n, -8..9);
        numbers.iter().map(|v| *v as f32).collect()
    };
    let (x, y) = (whole("x"), whole("y"));
    let expected = match op {
        Op::Sum => x.iter().map(|v| f64::from(*v)).sum(),
        Op::Max => x
            .iter()
            .fold(f64::NEG_INFINITY, |m, v| m.max(f64::from(*v))),
        Op::Dot => x.iter().zip(&y).map(|(a, b)| f64::from(a * b)).sum(),
    };
    let shape = Shape::of(method, n, threads, blocks).unwrap();
    let reducer = Reducer::new(stream, method, op, n, shape, load).unwrap();
    let upload = |v: &[f32]| {
        stream
            .clone_htod(if v.is_empty() { &[0.0][..] } else { v })
            .unwrap()
    };
    let (dx, dy) = (upload(&x), upload(&y));
    let mut buffers = reducer.buffers().unwrap();
    reducer.poison(&mut buffers).unwrap();
    reducer.launch(&dx, &dy, &mut buffers).unwrap();
    (reducer.result(&buffers).unwrap(), expected)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_n_any_block_any_grid(
        method in prop::sample::select(Method::ANY_N.to_vec()),
        op in prop::sample::select(Op::ALL.to_vec()),
        n in sizes(),
        threads in blocks_of_threads(),
        blocks in 1..=9u32,
        seed: u64,
    ) {
        let (actual, expected) = reduce(method, op, n, threads, blocks, seed);
        prop_assert_eq!(actual, expected);
    }

    #[test]
    fn a_dot_product_in_one_block(n in 1..=1024u32, k in 0..=10u32, seed: u64) {
        let (actual, expected) = reduce(Method::Dot1024, Op::Dot, n as usize, n, 1, seed);
        prop_assert_eq!(actual, expected);
        let (actual, expected) = reduce(Method::DotPow2, Op::Dot, 1 << k, 1 << k, 1, seed);
        prop_assert_eq!(actual, expected);
    }
}

#[test]
fn every_method_at_the_edges() {
    for method in Method::ANY_N {
        for op in Op::ALL {
            for n in [0, 1, 2, 255, 256, 257, 511, 512, 513, 8191, 8192, 8193] {
                let (actual, expected) = reduce(method, op, n, 256, 2, 1);
                assert_eq!(
                    actual,
                    expected,
                    "{} of {n} by {}",
                    op.name(),
                    method.name()
                );
            }
        }
    }
}

#[test]
fn a_maximum_of_negative_numbers_is_negative() {
    let stream = &device().0;
    let x: Vec<f32> = (0..1000).map(|i| -1.0 - i as f32).collect();
    let dx = stream.clone_htod(&x).unwrap();
    for method in Method::ANY_N {
        let shape = Shape::of(method, x.len(), 64, 3).unwrap();
        let reducer = Reducer::new(stream, method, Op::Max, x.len(), shape, load).unwrap();
        let mut buffers = reducer.buffers().unwrap();
        reducer.poison(&mut buffers).unwrap();
        reducer.launch(&dx, &dx, &mut buffers).unwrap();
        assert_eq!(reducer.result(&buffers).unwrap(), -1.0, "{}", method.name());
    }
}

#[test]
fn a_second_launch_gives_the_same_again() {
    // The ticket counter and the totals must be as they were.
    let stream = &device().0;
    let dx = stream.clone_htod(&vec![1.0f32; 5000]).unwrap();
    for method in Method::ANY_N {
        let shape = Shape::of(method, 5000, 128, 5).unwrap();
        let reducer = Reducer::new(stream, method, Op::Sum, 5000, shape, load).unwrap();
        let mut buffers = reducer.buffers().unwrap();
        for _ in 0..3 {
            reducer.poison(&mut buffers).unwrap();
            reducer.launch(&dx, &dx, &mut buffers).unwrap();
            assert_eq!(
                reducer.result(&buffers).unwrap(),
                5000.0,
                "{}",
                method.name()
            );
        }
    }
}
