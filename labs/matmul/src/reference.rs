//! The product on the CPU in f64, and the error bound of a float product.
use harness::parallel_chunks;

use crate::{Arithmetic, Shape};

/// C = A B in f64, row by row, over all cores.
///
/// Rows are processed up to 32 at a time, so that a row of B is read only once for all of them.
///
/// # Panics
/// When `a` is not m x k or `b` not k x n.
pub fn multiply(a: &[f32], b: &[f32], shape: Shape) -> Vec<f64> {
    let Shape { m, k, n } = shape;
    assert_eq!((a.len(), b.len()), (m * k, k * n), "the matrices are not {shape}");
    let mut c = vec![0.0; m * n];
    if m * n == 0 || k == 0 {
        return c;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (add, rows) = (adder(), (m / (4 * cores)).clamp(8, 32));
    parallel_chunks(&mut c, rows * n, |group, c| {
        // SAFETY: this processor supports the function's instructions.
        unsafe { add(&a[group * rows * k..], b, (k, n), c) };
    });
    c
}

/// Adds the product of some rows of A with B to the same rows of C, whose widths are k and n.
type Add = unsafe fn(&[f32], &[f32], (usize, usize), &mut [f64]);

/// The fastest version for this processor. All of them add the same products in the same order, each rounded.
fn adder() -> Add {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return add_by_eights;
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return add_by_fours;
        }
    }
    add_rows
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f")]
fn add_by_eights(a: &[f32], b: &[f32], widths: (usize, usize), c: &mut [f64]) {
    add_rows(a, b, widths, c);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_by_fours(a: &[f32], b: &[f32], widths: (usize, usize), c: &mut [f64]) {
    add_rows(a, b, widths, c);
}

/// Works in blocks of [`DEPTH`] rows and [`COLUMNS`] columns of B, which stay in the first-level cache for all rows of
/// C.
#[inline(always)]
fn add_rows(a: &[f32], b: &[f32], (k, n): (usize, usize), c: &mut [f64]) {
    let mut block = [[0.0; COLUMNS]; DEPTH];
    for first in (0..n).step_by(COLUMNS) {
        let here = first..(first + COLUMNS).min(n);
        for q in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - q);
            for (d, row) in block[..depth].iter_mut().enumerate() {
                row.iter_mut().zip(&b[(q + d) * n..][here.clone()]).for_each(|(to, from)| *to = f64::from(*from));
            }
            for (r, c) in c.chunks_exact_mut(n).enumerate() {
                let factors = &a[r * k + q..][..depth];
                match factors.try_into() {
                    Ok(factors) => add_block(&mut c[here.clone()], factors, &block),
                    Err(_) => factors.iter().zip(&block).for_each(|(factor, row)| {
                        c[here.clone()].iter_mut().zip(row).for_each(|(c, b)| *c += f64::from(*factor) * b);
                    }),
                }
            }
        }
    }
}

/// The number of columns, and of rows, of B that are multiplied at a time.
const COLUMNS: usize = 256;
const DEPTH: usize = 8;

#[inline(always)]
fn add_block(c: &mut [f64], factors: &[f32; DEPTH], block: &[[f64; COLUMNS]; DEPTH]) {
    let factors = factors.map(f64::from);
    assert!(c.len() <= COLUMNS, "a block of C is at most as wide as one of B");
    for (j, c) in c.iter_mut().enumerate() {
        let mut sum = *c;
        for d in 0..DEPTH {
            sum += factors[d] * block[d][j];
        }
        *c = sum;
    }
}

/// The product of a matrix of `x.len()` columns with the vector `x`, in f64.
pub fn times_vector(matrix: &[f32], x: &[f64]) -> Vec<f64> {
    let row = |row: &[f32]| row.iter().zip(x).map(|(m, x)| f64::from(*m) * x).sum();
    matrix.chunks_exact(x.len()).map(row).collect()
}

/// The largest two-norm of any row of a matrix of `cols` columns.
pub fn largest_row_norm(matrix: &[f32], cols: usize) -> f64 {
    matrix
        .chunks_exact(cols)
        .map(|row| row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt())
        .fold(0.0, f64::max)
}

/// The largest two-norm of any column of a matrix of `cols` columns.
pub fn largest_column_norm(matrix: &[f32], cols: usize) -> f64 {
    let mut sums = vec![0.0; cols];
    for row in matrix.chunks_exact(cols) {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum += f64::from(*x).powi(2);
        }
    }
    sums.into_iter().fold(0.0, f64::max).sqrt()
}

/// Sums of independent errors are assumed to stay within this many standard deviations. Each rounding counts with its
/// largest size, which is at least 1.7 of its deviations, so this means ten true deviations.
const DEVIATIONS: f64 = 6.0;

/// The number of products that `tf32x3` adds on the tensor cores before it rounds like a float: the depth of its tiles.
const SPLIT_TILE: f64 = 16.0;

/// The error bound of an element of a product of depth `k`, as a fraction of |row of A| |column of B| (two-norms; by
/// Cauchy and Schwarz their product bounds the sum of the products' magnitudes).
///
/// For each cause of errors the smaller of two bounds is taken. The deterministic one holds for all inputs: gamma(k) =
/// k u / (1 - k u) for k additions, with u = epsilon / 2 (Higham, *Accuracy and Stability of Numerical Algorithms*,
/// section 3.1). The probabilistic one holds for inputs like this lab's, which are independent and have mean zero:
/// partial sums then grow like the square root of their length, and so do the errors (Higham and Mary, *Sharper
/// Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with Random Data*, 2020). Inputs are assumed
/// to be uniform in [-1, 1), where a product has the deviation 1/3, so that the norms' product is about k / 3.
///
/// - Float: k additions, each rounded.
/// - TF32: each input has a relative error of at most 2^-11. The tensor cores truncate their sums instead of rounding
///   them.
/// - TF32, truncated: the error of an input of A is up to twice as large.
/// - bfloat16: products are exact, and sums are truncated by the tensor cores.
/// - TF32 in two parts: at most 3 x 2^-22 of a product is lost. The tensor cores add the products of a tile of depth
///   16, in 6 steps that lose at most 6.5 u each; the tiles are added as floats.
pub fn error_bound(k: usize, arithmetic: Arithmetic) -> f64 {
    let u = f64::from(f32::EPSILON) / 2.0;
    let k = k as f64;
    let gamma = |ku: f64| if ku < 1.0 { ku / (1.0 - ku) } else { f64::INFINITY };
    // Partial sums of j products stay below DEVIATIONS sqrt(j) / 3; a rounding for each `group` of them.
    let additions = |group: f64| {
        let random = DEVIATIONS * DEVIATIONS / (2.0 * group).sqrt();
        gamma((k / group).ceil().min(random) * u)
    };
    // Errors of independent products: the full share `each`, or the deviation of their sum.
    let products = |each: f64| each.min(DEVIATIONS * each / k.sqrt());
    // Truncation errors have the sign of the partial sum, so they add up: a bound for k / 8 steps of 6.5 u.
    let cut = gamma((2.0 * k).min(10.0 * k.sqrt()) * u);
    match arithmetic {
        Arithmetic::Float => additions(1.0),
        Arithmetic::Bf16 => cut,
        Arithmetic::Tf32 => products(2.0_f64.powi(-10) + 2.0_f64.powi(-22)) + cut,
        Arithmetic::Tf32Cut => products(1.5 * 2.0_f64.powi(-10) + 2.0_f64.powi(-21)) + cut,
        Arithmetic::Tf32Split => {
            let tiles = (k / SPLIT_TILE).max(1.0);
            // The magnitudes of a tile's products are 3/4 of a deviation each.
            let cut = 6.0 * 6.5 * u;
            let in_tiles = cut.min(DEVIATIONS * 0.75 * cut / tiles.sqrt());
            products(3.0 * 2.0_f64.powi(-22)) + in_tiles + additions(SPLIT_TILE)
        }
    }
}
