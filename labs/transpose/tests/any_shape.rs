//! Every transpose at any shape, on the emulated device.
use cudarc::driver::PushKernelArg;
use harness::Row;
use proptest::prelude::*;
use transpose::{LAB, Shape, TRANSPOSES, Turning, reference};

/// The right transposes that this device runs.
fn right() -> impl Iterator<Item = &'static Row<Turning>> {
    let right = TRANSPOSES.iter().filter(|row| row.variant.expect == harness::Expect::Right);
    right.filter(|row| !matches!(row.with, Turning::Bulk(..)))
}

/// Skips rows for which the device is too old.
fn check(row: &Row<Turning>, shape: Shape, group: u32) {
    let (kernels, stream) = labtest::kernels(&LAB);
    let (file, name) = row.with.kernel();
    let Some(kernel) = labtest::unless_skipped(kernels, kernels.function(file, name)) else { return };
    let floats = shape.m * shape.n;
    let matrix: Vec<f32> = (0..floats).map(|i| i as f32).collect();
    let there = stream.clone_htod(&matrix).unwrap();
    // One float more, which must not be written.
    let mut out = stream.clone_htod(&vec![f32::NAN; floats + 1]).unwrap();
    let (m, n) = (shape.m as u32, shape.n as u32);
    let mut builder = stream.launch_builder(&kernel);
    builder.arg(&there).arg(&mut out).arg(&m).arg(&n);
    if let Turning::Grouped(..) = row.with {
        builder.arg(&group);
    }
    // SAFETY: these are the kernels' parameters, and both matrices have m n floats.
    unsafe { builder.launch(row.with.launch(shape).unwrap()) }.unwrap();
    let mut out = stream.clone_dtoh(&out).unwrap();
    assert!(out.pop().is_some_and(f32::is_nan), "{} wrote beyond {shape}", row.name());
    assert!(out == reference::transpose(&matrix, shape.n), "{} at {shape}", row.name());
}

/// Sides: 1, primes, and sizes around the tiles.
fn side() -> impl Strategy<Value = usize> {
    let sides = vec![1, 2, 3, 4, 5, 8, 31, 32, 33, 36, 61, 63, 64, 65, 67, 68, 96, 127, 128, 129, 132];
    prop_oneof![prop::sample::select(sides), 1..200usize]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_transpose_at_any_shape(m in side(), n in side(), group in 1u32..5) {
        for row in right() {
            check(row, Shape { m, n }, group);
        }
    }
}

#[test]
fn long_and_thin() {
    for row in right() {
        check(row, Shape { m: 1, n: 5000 }, 1);
        check(row, Shape { m: 5001, n: 1 }, 16);
        check(row, Shape { m: 3, n: 4097 }, 1);
    }
}

/// If rows of the result do not begin at a sector boundary, the tall tiles begin up to 7 floats earlier: the first ones
/// have nothing above, and the last ones take the rest, which may be more than a tile has.
#[test]
fn tall_tiles_that_begin_early() {
    let rows = ["grouped-tall", "grouped-wide"].map(|name| TRANSPOSES.iter().find(|row| row.name() == name).unwrap());
    for m in [1, 7, 9, 121, 127, 129, 135, 249, 255, 257, 263, 380, 383, 511] {
        for n in [1, 9, 31, 32, 36, 65] {
            for row in rows {
                check(row, Shape { m, n }, 2);
            }
        }
    }
}

/// A grid has at most 65535 rows of blocks, which does not limit a kernel with a single row of blocks.
#[test]
fn only_the_last_kernel_takes_more_rows_than_a_grid_has() {
    let tall = Shape { m: 65536 * 32, n: 1 };
    let blocks = |name| {
        let row = TRANSPOSES.iter().find(|row| row.name() == name).unwrap();
        row.with.launch(tall).unwrap().grid_dim
    };
    assert_eq!(blocks("padded"), (1, 65536, 1));
    assert_eq!(blocks("vectorized"), (32768, 1, 1));
}
