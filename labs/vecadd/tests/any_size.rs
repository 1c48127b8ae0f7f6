//! Both kernels add any n in any launch on the emulated device.
use cudarc::driver::PushKernelArg;
use harness::{Inputs, launch_1d};
use proptest::prelude::*;

/// Adds n random pairs. The sum must be IEEE 754's to the last bit, and the memory beyond it must be untouched.
fn add(kernel: &str, n: usize, blocks: u32, threads: u32, seed: u64) {
    const BEYOND: usize = 3;
    let (kernels, stream) = labtest::kernels(&vecadd::LAB);
    let [x, y] = ["x", "y"].map(|label| Inputs::new(seed, label).f32(n + BEYOND, -1e3..1e3));
    let (dx, dy) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(&y).unwrap());
    let mut dz = stream.clone_htod(&vec![f32::NAN; n + BEYOND]).unwrap();
    let function = kernels.function("vecadd.cu", kernel).unwrap();
    let count = n as u64;
    let mut builder = stream.launch_builder(&function);
    builder.arg(&dx).arg(&dy).arg(&mut dz).arg(&count);
    // SAFETY: these are the kernels' parameters, and each vector holds more than n floats.
    unsafe { builder.launch(launch_1d(blocks, threads)) }.unwrap();
    let z = stream.clone_dtoh(&dz).unwrap();
    for i in 0..n {
        assert_eq!(z[i].to_bits(), (x[i] + y[i]).to_bits(), "{kernel}: z[{i}]");
    }
    assert!(z[n..].iter().all(|z| z.is_nan()), "{kernel} wrote beyond n");
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..3000usize,
        prop::sample::select(vec![0, 1, 2, 31, 32, 33, 997, 1021, 4093, 8191]),
        (0..14u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
    ]
}

fn blocks_of_threads() -> impl Strategy<Value = u32> {
    prop_oneof![1..=1024u32, prop::sample::select(vec![1, 31, 32, 33, 255, 256, 1000, 1024])]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_element_a_thread(n in sizes(), threads in blocks_of_threads(), more in 0..3u32, seed: u64) {
        let blocks = (n as u32).div_ceil(threads).max(1) + more; // Surplus blocks do nothing.
        add("vecadd", n, blocks, threads, seed);
    }

    #[test]
    fn four_elements_a_thread(n in sizes(), threads in blocks_of_threads(), more in 0..3u32, seed: u64) {
        let blocks = (n as u32).div_ceil(4 * threads).max(1) + more;
        add("vecadd_wide", n, blocks, threads, seed);
    }

    #[test]
    fn striding_over_any_grid(n in sizes(), threads in blocks_of_threads(), blocks in 1..9u32, seed: u64) {
        add("vecadd_stride", n, blocks, threads, seed);
    }
}

#[test]
fn around_the_block() {
    for threads in [32u32, 96, 256] {
        for n in [threads - 1, threads, threads + 1, 3 * threads, 3 * threads + 1] {
            add("vecadd", n as usize, n.div_ceil(threads), threads, 1);
            add("vecadd_stride", n as usize, 2, threads, 1);
            add("vecadd_wide", n as usize, n.div_ceil(4 * threads), threads, 1);
        }
    }
}
