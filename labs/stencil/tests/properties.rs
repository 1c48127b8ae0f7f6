//! Every kernel at any size, block and seed.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::Session;
use proptest::prelude::*;
use stencil::{march_launch, reference};

fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(|| Session::open(&"emulated".parse().unwrap()).unwrap())
}

/// A kernel of one of the lab's files, which are loaded only once.
fn function(file: &'static str, name: &str) -> CudaFunction {
    static LOADED: Mutex<BTreeMap<&str, Arc<CudaModule>>> = Mutex::new(BTreeMap::new());
    // The tests' threads share the context.
    session().context.bind_to_thread().unwrap();
    let mut loaded = LOADED.lock().unwrap();
    let load = || {
        let mut kernels = stencil::LAB.kernels.iter();
        let source = kernels.find(|k| k.name == file).unwrap();
        let ptx = kernels::committed_for(source, session().device.compute_capability).unwrap();
        session().context.load_module(Ptx::from_src(ptx.ptx)).unwrap()
    };
    let module = loaded.entry(file).or_insert_with(load);
    module.load_function(name).unwrap()
}

fn floats(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

fn near(actual: &[f32], expected: &[f64]) -> bool {
    actual.len() == expected.len() && actual.iter().zip(expected).all(|(a, e)| (f64::from(*a) - e).abs() <= 1e-6)
}

/// Sizes: 0, 1, primes, and sizes around powers of two and around the block.
fn size(block: u32) -> impl Strategy<Value = usize> {
    let b = block as usize;
    prop_oneof![
        0usize..=1,
        prop::sample::select(vec![2, 3, 5, 31, 32, 33, 127, 128, 129, 997, 1023, 1024, 1025]),
        prop::sample::select(vec![b.max(2) - 1, b, b + 1, 3 * b + 1]),
        1usize..3000,
    ]
}

fn any_block() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1), Just(32), Just(33), Just(1024), 1u32..=1024]
}

fn line(kernel: &str, x: &[f32], launch: LaunchConfig) -> Vec<f32> {
    let stream = &session().stream;
    let function = function("line.cu", kernel);
    // At least one float: an empty buffer has no address.
    let dx = stream.clone_htod(&[x, &[f32::NAN]].concat()).unwrap();
    let mut dy = stream.clone_htod(&vec![f32::NAN; x.len() + 1]).unwrap();
    let n = x.len() as u64;
    let mut builder = stream.launch_builder(&function);
    builder.arg(&dx).arg(&mut dy).arg(&n);
    // SAFETY: these are the kernels' parameters, and both vectors hold n floats.
    unsafe { builder.launch(launch) }.unwrap();
    let mut y = stream.clone_dtoh(&dy).unwrap();
    assert!(y.pop().is_some_and(f32::is_nan), "{kernel} wrote beyond n");
    y
}

/// Like [`line`], with doubles.
fn line_of_doubles(kernel: &str, x: &[f32], launch: LaunchConfig) -> Vec<f64> {
    let stream = &session().stream;
    let function = function("line.cu", kernel);
    let x: Vec<f64> = x.iter().copied().chain([f32::NAN]).map(f64::from).collect();
    let dx = stream.clone_htod(&x).unwrap();
    let mut dy = stream.clone_htod(&vec![f64::NAN; x.len()]).unwrap();
    let n = x.len() as u64 - 1;
    let mut builder = stream.launch_builder(&function);
    builder.arg(&dx).arg(&mut dy).arg(&n);
    // SAFETY: these are the kernels' parameters, and both vectors hold n doubles.
    unsafe { builder.launch(launch) }.unwrap();
    let mut y = stream.clone_dtoh(&dy).unwrap();
    assert!(y.pop().is_some_and(f64::is_nan), "{kernel} wrote beyond n");
    y
}

fn one_dimensional(n: usize, block: u32, shared_floats: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: ((n as u32).div_ceil(block).max(1), 1, 1),
        block_dim: (block, 1, 1),
        shared_mem_bytes: shared_floats * 4,
    }
}

fn plane(
    file: &'static str,
    kernel: &str,
    input: &[f32],
    (width, height): (u32, u32),
    launch: LaunchConfig,
    last: Option<u32>,
) -> Vec<f32> {
    let stream = &session().stream;
    let function = function(file, kernel);
    let from = stream.clone_htod(input).unwrap();
    let mut to: CudaSlice<f32> = stream.clone_htod(&vec![f32::NAN; input.len()]).unwrap();
    let mut builder = stream.launch_builder(&function);
    builder.arg(&from).arg(&mut to).arg(&width).arg(&height);
    if let Some(last) = &last {
        builder.arg(last);
    }
    // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
    unsafe { builder.launch(launch) }.unwrap();
    stream.clone_dtoh(&to).unwrap()
}

fn points(width: u32, height: u32, (x, y): (u32, u32), shared_floats: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (width.div_ceil(x), height.div_ceil(y), 1),
        block_dim: (x, y, 1),
        shared_mem_bytes: shared_floats * 4,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn blurs_and_averages((block, n) in any_block().prop_flat_map(|b| (Just(b), size(b))), seed: u64) {
        let x = floats(n, seed);
        let blurred = reference::blur(&x);
        prop_assert!(near(&line("blur_naive", &x, one_dimensional(n, block, 0)), &blurred));
        prop_assert!(near(&line("blur_shared", &x, one_dimensional(n, block, block + 2)), &blurred));
        // Sums of quarters and halves of floats are exact in double.
        prop_assert_eq!(&line_of_doubles("blur_naive_double", &x, one_dimensional(n, block, 0)), &blurred);
        prop_assert_eq!(&line_of_doubles("blur_shared_double", &x, one_dimensional(n, block, 2 * block + 4)), &blurred);
        let whole = block.next_multiple_of(32);
        prop_assert!(near(&line("blur_wide", &x, one_dimensional(n.div_ceil(4), whole, 0)), &blurred));
        let twice = reference::blur(&blurred);
        prop_assert!(near(&line("blur_twice", &x, one_dimensional(n, block, 2 * block + 6)), &twice));
        prop_assert!(near(&line("average5", &x, one_dimensional(n, block, block + 4)), &reference::average5(&x)));
    }

    #[test]
    fn reversed((block, n) in any_block().prop_flat_map(|b| (Just(b), size(b))), seed: u64, extra in 0u32..3) {
        let stream = &session().stream;
        let text: Vec<u8> = floats(n, seed).iter().map(|x| (x * 100.0) as i8 as u8).collect();
        let mut there = stream.clone_htod(&[&text[..], &[7]].concat()).unwrap();
        let mut launch = one_dimensional(n / 2, block, 0);
        launch.shared_mem_bytes = 2 * block;
        launch.grid_dim.0 += extra; // Surplus blocks do nothing.
        let function = function("line.cu", "reverse");
        let length = n as u64;
        let mut builder = stream.launch_builder(&function);
        builder.arg(&mut there).arg(&length);
        // SAFETY: these are the kernel's parameters, and the text holds n bytes.
        unsafe { builder.launch(launch) }.unwrap();
        let mut turned: Vec<u8> = text.into_iter().rev().collect();
        turned.push(7); // Memory beyond the text stays unchanged.
        prop_assert_eq!(stream.clone_dtoh(&there).unwrap(), turned);
    }

    #[test]
    fn means_and_sweeps(
        width in 1u32..160,
        height in 1u32..50,
        x in 1u32..=32,
        y in 1u32..=32,
        rows in 1u32..20,
        seed: u64,
    ) {
        let input = floats((width * height) as usize, seed);
        let expected = reference::mean(&input, width as usize);
        let size = (width, height);
        let got = plane("plane.cu", "mean_naive", &input, size, points(width, height, (x, y), 0), None);
        prop_assert!(near(&got, &expected));
        let shared = points(width, height, (x, y), (x + 2) * (y + 2));
        prop_assert!(near(&plane("plane.cu", "mean_shared", &input, size, shared, None), &expected));
        let own = points(width, height, (x, y), x * y);
        prop_assert!(near(&plane("plane.cu", "mean_halo_global", &input, size, own, None), &expected));
        let march = march_launch(width, height, Some(rows), 1);
        let mut single = march.launch;
        single.grid_dim.0 = width.div_ceil(single.block_dim.0);
        prop_assert!(near(&plane("plane.cu", "mean_marching", &input, size, single, Some(march.rows)), &expected));
        let step = reference::jacobi(input.clone(), width as usize, 1, 0, 0.0).u;
        prop_assert_eq!(&plane("jacobi.cu", "sweep", &input, size, points(width, height, (x, y), 0), None), &step);
        if march.columns == 4 {
            prop_assert!(near(&plane("plane.cu", "mean_marching4", &input, size, march.launch, Some(march.rows)), &expected));
            prop_assert_eq!(&plane("jacobi.cu", "sweep_marching", &input, size, march.launch, Some(march.rows)), &step);
        }
    }

    #[test]
    fn several_steps_at_once(width in 1u32..100, height in 1u32..60, steps in 1u32..=15, seed: u64) {
        let input = floats((width * height) as usize, seed);
        let core = 32 - 2 * steps;
        let launch = LaunchConfig {
            grid_dim: (width.div_ceil(core), height.div_ceil(core), 1),
            block_dim: (32, 32, 1),
            shared_mem_bytes: 0,
        };
        let expected = reference::jacobi(input.clone(), width as usize, steps, 0, 0.0).u;
        prop_assert_eq!(plane("jacobi.cu", "several", &input, (width, height), launch, Some(steps)), expected);
    }

    #[test]
    fn one_cooperative_launch(
        width in 1u32..60,
        height in 1u32..40,
        gx in 1u32..3,
        gy in 1u32..6,
        limit in 0u32..20,
        every in 0u32..4,
        seed: u64,
    ) {
        let stream = &session().stream;
        let input = floats((width * height) as usize, seed);
        let tolerance = 0.2_f32;
        let expected = reference::jacobi(input.clone(), width as usize, limit, every, tolerance);
        let u = stream.clone_htod(&input).unwrap();
        let v = stream.clone_htod(&vec![f32::NAN; input.len()]).unwrap();
        let control = stream.alloc_zeros::<u32>(4).unwrap();
        let function = function("jacobi.cu", "persistent");
        let launch = LaunchConfig { grid_dim: (gx, gy, 1), block_dim: (32, 4, 1), shared_mem_bytes: 0 };
        let mut builder = stream.launch_builder(&function);
        builder.arg(&u).arg(&v).arg(&width).arg(&height).arg(&limit).arg(&every).arg(&tolerance).arg(&control);
        // SAFETY: these are the kernel's parameters; the grid is small enough to be resident.
        unsafe { builder.launch_cooperative(launch) }.unwrap();
        let steps = stream.clone_dtoh(&control).unwrap()[1];
        prop_assert_eq!(steps, expected.steps);
        let result = stream.clone_dtoh(if steps % 2 == 0 { &u } else { &v }).unwrap();
        prop_assert_eq!(&result, &expected.u);
        // On one plane, with a thread for each point.
        let (u, control) = (stream.clone_htod(&input).unwrap(), stream.alloc_zeros::<u32>(4).unwrap());
        let function = self::function("jacobi.cu", "in_place");
        let mut builder = stream.launch_builder(&function);
        builder.arg(&u).arg(&width).arg(&height).arg(&limit).arg(&every).arg(&tolerance).arg(&control);
        // SAFETY: as before.
        unsafe { builder.launch_cooperative(points(width, height, (32, 4), 0)) }.unwrap();
        prop_assert_eq!(stream.clone_dtoh(&control).unwrap()[1], expected.steps);
        prop_assert_eq!(stream.clone_dtoh(&u).unwrap(), expected.u);
    }
}
