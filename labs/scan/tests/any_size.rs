//! Every method scans any n in any block, on the emulated device.
use std::sync::{Arc, OnceLock};

use cudarc::{
    driver::{CudaFunction, CudaModule, CudaStream, DriverError},
    nvrtc::Ptx,
};
use harness::{Check, DeviceChoice, Session};
use proptest::prelude::*;
use scan::{Element, Expected, Method, Scanner, config, random};

/// The emulated device's stream and the lab's kernels, opened once.
fn device() -> &'static (Arc<CudaStream>, Arc<CudaModule>) {
    static DEVICE: OnceLock<(Arc<CudaStream>, Arc<CudaModule>)> = OnceLock::new();
    let device = DEVICE.get_or_init(|| {
        let session = Session::open(&DeviceChoice::Emulated("a100".into())).unwrap();
        let ptx = Ptx::from_src(scan::LAB.kernels[0].ptx.to_string());
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

const METHODS: [Method; 5] = [
    Method::KoggeStone,
    Method::BrentKung,
    Method::ThreeKernel,
    Method::SinglePass { items: 16 },
    Method::SinglePass { items: 32 },
];

/// Scans `n` random elements, or what one block holds; twice with the same scanner, whose state must
/// begin anew each time.
fn scan<T: Element>(method: Method, n: usize, threads: u32, inclusive: bool, seed: u64) -> Check {
    let stream = &device().0;
    let most = threads as usize * method.items() as usize;
    let n = if method.one_block() { n.min(most) } else { n };
    let x: Vec<T> = random(seed, n);
    let config = config(method, n, threads).unwrap();
    let mut scanner = Scanner::<T>::new(stream, method, n, config, load).unwrap();
    let dx = if n == 0 {
        stream.alloc_zeros(1)
    } else {
        stream.clone_htod(&x)
    }
    .unwrap();
    let mut check = Check::default();
    for _ in 0..2 {
        let mut out = stream.alloc_zeros::<T>(n.max(1)).unwrap();
        scanner.launch(&dx, &mut out, inclusive).unwrap();
        let out = stream.clone_dtoh(&out).unwrap();
        let roundings = method.longest_chain(n, threads);
        check.merge(Expected::of(&x).check(&out[..n], inclusive, roundings));
    }
    check
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_n_any_block(
        method in prop::sample::select(METHODS.to_vec()),
        n in prop_oneof![
            0..3000usize,
            prop::sample::select(vec![0, 1, 2, 31, 32, 33, 1021, 4093, 16381, 40009]),
            (0..15u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
        ],
        threads in prop_oneof![1..=1024u32, prop::sample::select(vec![1, 2, 31, 32, 33, 64, 256, 1000, 1024])],
        inclusive: bool,
        seed: u64,
    ) {
        let integers = scan::<u32>(method, n, threads, inclusive, seed);
        prop_assert!(integers.passed(), "u32: {}", integers.summary());
        let floats = scan::<f32>(method, n, threads, inclusive, seed);
        prop_assert!(floats.passed(), "f32: {}", floats.summary());
    }
}

#[test]
fn many_tiles_look_back_past_the_window() {
    // 300 tiles of 32 x 32: each lane watches four predecessors, 128 at once.
    for method in &METHODS[3..] {
        let n = 300 * 32 * method.items() as usize + 1;
        let check = scan::<u32>(*method, n, 32, true, 1);
        assert!(check.passed(), "{}", check.summary());
    }
}

#[test]
fn three_kernels_carry_over_many_sums() {
    let check = scan::<u32>(Method::ThreeKernel, 16 * 32 * 300 + 5, 32, false, 1);
    assert!(check.passed(), "{}", check.summary());
}
