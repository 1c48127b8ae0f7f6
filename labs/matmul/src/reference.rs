//! The product on the CPU in f64, and how far a float product may lie from it.
use harness::parallel_chunks;

use crate::{Arithmetic, Shape};

/// C = A B in f64, row by row, over all cores.
///
/// Rows are taken eight at a time, so that a row of B is read once for eight rows of C.
///
/// # Panics
/// When `a` is not m x k or `b` not k x n.
pub fn multiply(a: &[f32], b: &[f32], shape: Shape) -> Vec<f64> {
    const ROWS: usize = 8;
    let Shape { m, k, n } = shape;
    assert_eq!((a.len(), b.len()), (m * k, k * n), "the matrices are not {shape}");
    let mut c = vec![0.0; m * n];
    if m * n == 0 || k == 0 {
        return c;
    }
    parallel_chunks(&mut c, ROWS * n, |group, c| {
        let a = &a[group * ROWS * k..];
        for (q, b) in b.chunks_exact(n).enumerate() {
            for (r, c) in c.chunks_exact_mut(n).enumerate() {
                let factor = f64::from(a[r * k + q]);
                for (c, b) in c.iter_mut().zip(b) {
                    *c += factor * f64::from(*b);
                }
            }
        }
    });
    c
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

/// Sums of independent errors are taken to stay within this many standard deviations. Each rounding counts with its
/// largest size, which is at least 1.7 of its deviations, so that this means ten true deviations.
const DEVIATIONS: f64 = 6.0;

/// Products that `tf32x3` adds on the tensor cores before it rounds as a float does: the depth of its tiles.
const SPLIT_TILE: f64 = 16.0;

/// How far an element of a product of depth `k` may lie from the exact one, as a fraction of |row of A| |column of B|
/// (two-norms; by Cauchy and Schwarz their product bounds the sum of the products' magnitudes).
///
/// For each cause of errors the smaller of two bounds is taken. The certain one holds for all inputs: gamma(k) =
/// k u / (1 - k u) for k additions, with u = epsilon / 2 (Higham, *Accuracy and Stability of Numerical Algorithms*,
/// section 3.1). The other one holds for inputs like this lab's, which are independent and have mean zero: partial sums
/// then grow like the square root of their length, and so do the errors (Higham and Mary, *Sharper Probabilistic
/// Backward Error Analysis for Basic Linear Algebra Kernels with Random Data*, 2020). Inputs are taken to be uniform in
/// [-1, 1), where a product has the deviation 1/3, so that the norms' product is about k / 3.
///
/// - Float: k additions, each rounded.
/// - TF32: each input is off by at most 2^-11 of itself. The tensor cores cut their sums off instead of rounding them.
/// - TF32, cut: of A, an input is off by up to twice as much.
/// - bfloat16: products are exact, and sums are those of the tensor cores.
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
    // Errors of independent products: the share `each` of them all, or the deviations of their sum.
    let products = |each: f64| each.min(DEVIATIONS * each / k.sqrt());
    // What is cut off a sum has the sign of the partial sum, so it adds up: a bound for k / 8 steps of 6.5 u.
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
