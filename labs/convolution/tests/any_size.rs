//! Every kernel at any size, block and radius, on the emulated device.
use convolution::{
    Arguments, IMAGES, LAB, LAYERS, LINES, LayerSize, MaskPlace, launch, launch_layer, masks, reference,
};
use cudarc::driver::{CudaModule, LaunchConfig, PushKernelArg};
use harness::{Check, Inputs};
use masks::Mask;
use proptest::prelude::*;

/// Writes the beginning of a `__constant__` array.
fn set(module: &std::sync::Arc<CudaModule>, name: &str, values: &[f32]) {
    let (_, stream) = labtest::kernels(&LAB);
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let mut there = module.get_global(name, stream).unwrap();
    stream.memcpy_htod(&bytes, &mut there.slice_mut(..bytes.len())).unwrap();
}

/// The kernels' constant memory is the same for all threads of the test.
static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn near(actual: &[f32], expected: &[f64], magnitude: f64) -> bool {
    let bound = 300.0 * f64::from(f32::EPSILON) * magnitude;
    actual.len() == expected.len() && actual.iter().zip(expected).all(|(a, e)| (f64::from(*a) - e).abs() <= bound)
}

fn check_line(n: usize, threads: u32, radius: u32, seed: u64) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (kernels, stream) = labtest::kernels(&LAB);
    let mask = masks::factors(&mut Inputs::new(seed, "mask"), 2 * radius as usize + 1);
    let x = Inputs::new(seed, "x").f32(n, -1.0..1.0);
    let expected = reference::line(&x, &mask);
    // At least one float: an empty buffer has no address.
    let from = stream.clone_htod(&[&x[..], &[f32::NAN]].concat()).unwrap();
    let there = stream.clone_htod(&mask).unwrap();
    for row in LINES {
        let kernel = kernels.function(row.file, (row.kernel)(radius)).unwrap();
        if row.mask != MaskPlace::Global {
            set(&kernels.module(row.file).unwrap(), "mask", &row.laid_out(&mask));
        }
        let mut y = stream.clone_htod(&vec![f32::NAN; n + 1]).unwrap();
        let (length, reach) = (n as u64, radius as i32);
        let mut builder = stream.launch_builder(&kernel);
        builder.arg(&from);
        if row.mask == MaskPlace::Global {
            builder.arg(&there);
        }
        builder.arg(&mut y).arg(&length);
        if row.mask != MaskPlace::Padded {
            builder.arg(&reach);
        }
        let blocks = (n.div_ceil(row.each) as u32).div_ceil(threads).max(1);
        let floats = if row.is_tiled { threads + 2 * radius } else { 0 };
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 4 * floats };
        // SAFETY: these are the kernels' parameters, and both vectors hold n floats.
        unsafe { builder.launch(config) }.unwrap();
        let mut y = stream.clone_dtoh(&y).unwrap();
        assert!(y.pop().is_some_and(f32::is_nan), "{} wrote beyond {n}", row.name());
        let magnitude = masks::magnitude(&mask);
        assert!(near(&y, &expected, magnitude), "{} of {n}, radius {radius}, {threads} threads", row.name());
    }
}

fn check_image(width: u32, height: u32, radius: u32, seed: u64) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (kernels, stream) = labtest::kernels(&LAB);
    let mask = Mask::drawn(&mut Inputs::new(seed, "mask"), radius);
    let count = width as usize * height as usize;
    let points = Inputs::new(seed, "points").f32(count, -1.0..1.0);
    let expected = reference::image(&points, width as usize, &mask.column, &mask.row);
    let from = stream.clone_htod(&[&points[..], &[f32::NAN]].concat()).unwrap();
    let whole = stream.clone_htod(&mask.whole()).unwrap();
    for row in IMAGES {
        let Ok(names) = row.kernels(width, radius) else { continue };
        let functions: Vec<_> = names.iter().map(|name| kernels.function(row.file, name).unwrap()).collect();
        let module = kernels.module(row.file).unwrap();
        set(&module, "mask", &mask.whole());
        set(&module, "row_mask", &mask.row);
        set(&module, "column_mask", &mask.column);
        let mut outputs: Vec<_> =
            names.iter().map(|_| stream.clone_htod(&vec![f32::NAN; count + 1]).unwrap()).collect();
        let arguments = Arguments { points: &from, mask: &whole, width, height, radius };
        // SAFETY: all images have width x height floats, and the masks were set.
        unsafe { launch(stream, row.with, &functions, &arguments, &mut outputs) }.unwrap();
        let mut out = stream.clone_dtoh(outputs.last().unwrap()).unwrap();
        assert!(out.pop().is_some_and(f32::is_nan), "{} wrote beyond {width}x{height}", row.name());
        assert!(near(&out, &expected, mask.magnitude()), "{} of {width}x{height}, radius {radius}", row.name());
    }
}

/// Sizes: 0, 1, and those around the blocks.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..40, prop::sample::select(vec![127, 128, 129, 997, 1023, 1024, 1025]), 1usize..3000]
}

fn threads() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1), Just(5), Just(32), Just(33), Just(1024), 1u32..=1024]
}

fn side() -> impl Strategy<Value = u32> {
    prop_oneof![1u32..10, prop::sample::select(vec![28, 31, 32, 33, 64, 119, 120, 124, 128, 132, 240]), 1u32..150]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line(n in length(), threads in threads(), radius in 1u32..=8, seed: u64) {
        check_line(n, threads, radius, seed);
    }

    #[test]
    fn every_image(width in side(), height in side(), radius in prop_oneof![1u32..=3, 1u32..=8], seed: u64) {
        check_image(width, height, radius, seed);
        check_image(width.next_multiple_of(4), height, radius, seed);
    }
}

fn check_layer(size: LayerSize, seed: u64) {
    let (kernels, stream) = labtest::kernels(&LAB);
    let [of_images, of_weights, results] = size.floats();
    let images = Inputs::new(seed, "images").f32(of_images, -1.0..1.0);
    let weights = Inputs::new(seed, "weights").f32(of_weights, -1.0..1.0);
    let (expected, magnitude) = reference::layer(&images, &weights, size);
    let (images, weights) = (stream.clone_htod(&images).unwrap(), stream.clone_htod(&weights).unwrap());
    for row in LAYERS {
        let functions = row.kernels(size).into_iter().map(|(name, ..)| kernels.function(row.file(), name));
        let Some(functions) = labtest::unless_skipped(kernels, functions.collect::<harness::Result<Vec<_>>>()) else {
            continue;
        };
        let outputs = row.kernels(size).into_iter().map(|(_, _, floats)| vec![f32::NAN; floats + 1]);
        let mut outputs: Vec<_> = outputs.map(|nan| stream.clone_htod(&nan).unwrap()).collect();
        // SAFETY: all are of this size.
        unsafe { launch_layer(stream, row.with, &functions, (&images, &weights), size, &mut outputs) }.unwrap();
        for output in &outputs {
            assert!(stream.clone_dtoh(output).unwrap().pop().is_some_and(f32::is_nan), "{} wrote beyond", row.name());
        }
        let out = stream.clone_dtoh(outputs.last().unwrap()).unwrap();
        let check = Check::compare(&out[..results], &expected, row.tolerance(size, magnitude));
        assert!(check.passed(), "{} of {size}: {}", row.name(), check.summary());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_layer(
        images in 1u32..4,
        channels in prop_oneof![1u32..=4, prop::sample::select(vec![7, 8, 16, 21])],
        filters in prop_oneof![1u32..=20, prop::sample::select(vec![63, 64, 65, 130])],
        height in 1u32..20,
        width in prop_oneof![1u32..20, prop::sample::select(vec![31, 32, 33, 65])],
        seed: u64,
    ) {
        check_layer(LayerSize { images, channels, filters, height, width }, seed);
    }
}
