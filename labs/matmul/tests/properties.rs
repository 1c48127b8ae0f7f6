//! Every rung at any shape. The inputs are small integers, whose products and sums a float holds exactly, so the answer
//! is exact too.
use cudarc::driver::PushKernelArg;
use harness::launch_1d;
use matmul::{Bf16, Element, LAB, MATVEC, NARROW, RUNGS, Rung, Shape, launch, rectangular};
use proptest::prelude::*;

/// Integers from -4 to 4, which TF32 and bfloat16 hold as well.
fn matrix(elements: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 9
    };
    (0..elements).map(|_| next() as f32 - 4.0).collect()
}

fn check(rung: &Rung, shape: Shape, slices: u32, seed: u64) {
    match rung.arithmetic.element_bytes() {
        2 => check_with::<Bf16>(rung, shape, slices, seed),
        _ => check_with::<f32>(rung, shape, slices, seed),
    }
}

fn check_with<T: Element>(rung: &Rung, shape: Shape, slices: u32, seed: u64) {
    let (kernels, stream) = labtest::kernels(&LAB);
    let kernel = kernels.function_with_shared(rung.file, rung.kernel, rung.shared_bytes);
    let Some(kernel) = labtest::unless_skipped(kernels, kernel) else { return };
    let (a, b) = (matrix(shape.m * shape.k, seed), matrix(shape.k * shape.n, !seed));
    let expected = matmul::reference::multiply(&a, &b, shape);
    let of = |x: &[f32]| stream.clone_htod(&x.iter().map(|x| T::of(*x)).collect::<Vec<T>>()).unwrap();
    let (da, db) = (of(&a), of(&b));
    let plan = rung.plan(shape, slices).unwrap();
    let before = if plan.clears { 0.0 } else { f32::NAN };
    let mut dc = stream.clone_htod(&vec![before; shape.m * shape.n]).unwrap();
    // SAFETY: the matrices are of this shape.
    unsafe { launch(stream, &kernel, rung, plan, (&da, &db, &mut dc), shape) }.unwrap();
    let c = stream.clone_dtoh(&dc).unwrap();
    for (i, (c, e)) in c.iter().zip(&expected).enumerate() {
        assert_eq!(f64::from(*c), *e, "{} at {shape}: element {i}", rung.kernel);
    }
}

/// Sides: 1, primes, and sizes around powers of two and around the tiles.
fn side(most: usize) -> impl Strategy<Value = usize> {
    let sides: Vec<usize> = [1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 131]
        .into_iter()
        .filter(|s| *s <= most)
        .collect();
    prop_oneof![prop::sample::select(sides), 1..=most]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn every_rung_at_any_shape(m in side(140), k in side(40), n in side(140), slices in 1u32..9, seed: u64) {
        for rung in RUNGS.iter().chain(NARROW) {
            check(rung, Shape { m, k, n }, slices, seed);
        }
    }

    #[test]
    fn rectangular_with_any_tile(tile in 1u32..=32, m in side(70), k in side(70), n in side(70), seed: u64) {
        check(&rectangular(tile), Shape { m, k, n }, 1, seed);
    }

    #[test]
    fn matrix_vector(m in side(300), k in side(700), seed: u64) {
        let (kernels, stream) = labtest::kernels(&LAB);
        let (a, x) = (matrix(m * k, seed), matrix(k, !seed));
        let expected = matmul::reference::multiply(&a, &x, Shape { m, k, n: 1 });
        let (da, dx) = (stream.clone_htod(&a).unwrap(), stream.clone_htod(&x).unwrap());
        for row in MATVEC {
            let mut dy = stream.clone_htod(&vec![f32::NAN; m]).unwrap();
            let (name, rows_of_a_block) = row.with;
            let kernel = kernels.function("matvec.cu", name).unwrap();
            let launch = launch_1d(m.div_ceil(rows_of_a_block) as u32, 256);
            let (rows, depth) = (m as u32, k as u32);
            let mut builder = stream.launch_builder(&kernel);
            builder.arg(&da).arg(&dx).arg(&mut dy).arg(&rows).arg(&depth);
            // SAFETY: these are the kernels' parameters; A is m x k, x of k, y of m elements.
            unsafe { builder.launch(launch) }.unwrap();
            let y: Vec<f64> = stream.clone_dtoh(&dy).unwrap().into_iter().map(f64::from).collect();
            prop_assert_eq!(&y, &expected, "{} of {} x {}", name, m, k);
        }
    }
}

/// Deep sums go through every stage of the pipelines many times.
#[test]
fn a_deep_product() {
    for rung in RUNGS.iter().chain(NARROW) {
        check(rung, Shape { m: 3, k: 1000, n: 5 }, 7, 1);
        check(rung, Shape { m: 5, k: 1001, n: 4 }, 7, 2);
    }
}

/// The split recovers what TF32 loses from inputs of 24 bits.
#[test]
fn the_split_gives_float_accuracy() {
    let (kernels, stream) = labtest::kernels(&LAB);
    let shape = Shape { m: 16, k: 64, n: 16 };
    let a: Vec<f32> = matrix(16 * 64, 3).iter().map(|x| x / 3.0).collect();
    let b: Vec<f32> = matrix(64 * 16, 4).iter().map(|x| x / 7.0).collect();
    let expected = matmul::reference::multiply(&a, &b, shape);
    let mut errors = Vec::new();
    for name in ["tf32", "tf32x3"] {
        let rung = RUNGS.iter().find(|row| row.name() == name).unwrap();
        let (da, db) = (stream.clone_htod(&a).unwrap(), stream.clone_htod(&b).unwrap());
        let mut dc = stream.alloc_zeros::<f32>(256).unwrap();
        let kernel = kernels.function_with_shared(rung.file, rung.kernel, rung.shared_bytes);
        let Some(kernel) = labtest::unless_skipped(kernels, kernel) else { return };
        // SAFETY: the matrices are of this shape.
        unsafe { launch(stream, &kernel, rung, rung.plan(shape, 1).unwrap(), (&da, &db, &mut dc), shape) }.unwrap();
        let c = stream.clone_dtoh(&dc).unwrap();
        errors.push(c.iter().zip(&expected).map(|(c, e)| (f64::from(*c) - e).abs()).fold(0.0, f64::max));
    }
    assert!(errors[0] > 1e-4 && errors[1] < 1e-5, "{errors:?}");
}
