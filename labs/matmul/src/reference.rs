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

/// Rounding errors are assumed to stay within this many standard deviations. At a depth of 2^20, the probability that
/// one of 2^30 sums exceeds them is below 10^-6 (2 k exp(-lambda^2 / 2) for each sum).
const LAMBDA: f64 = 10.0;

/// How far an element of a product of depth `k` may lie from the exact one, as a fraction of |row of A| |column of B|
/// (two-norms; by Cauchy and Schwarz their product bounds the sum of the products' magnitudes).
///
/// Float: the smaller of the certain bound gamma_k = k u / (1 - k u), with u = epsilon / 2 (Higham, *Accuracy and
/// Stability of Numerical Algorithms*, section 3.1), and the probable one, lambda sqrt(k) u / (1 - lambda sqrt(k) u)
/// (Higham and Mary, *A New Approach to Probabilistic Rounding Error Analysis*, 2019). At a large depth the probable
/// bound is far closer to the errors observed, so it finds smaller mistakes.
///
/// TF32: each input is off by at most 2^-11 of itself, so each product is off by little more than 2^-10. The tensor
/// cores truncate their sums instead of rounding them, which the certain bound at a doubled u covers. When an input is
/// split in two parts, at most 2^-22 of it is lost; the product of the two small parts loses another 2^-22.
pub fn error_bound(k: usize, arithmetic: Arithmetic) -> f64 {
    let u = f64::from(f32::EPSILON) / 2.0;
    let gamma = |ku: f64| {
        if ku < 1.0 { ku / (1.0 - ku) } else { f64::INFINITY }
    };
    let k = k as f64;
    match arithmetic {
        Arithmetic::Float => gamma(k * u).min(gamma(LAMBDA * k.sqrt() * u)),
        Arithmetic::Tf32 => {
            let input = (2.0_f64).powi(-11);
            2.0 * input + input * input + gamma(2.0 * k * u)
        }
        Arithmetic::Tf32Split => 3.0 * (2.0_f64).powi(-22) + gamma(2.0 * 3.0 * k * u),
    }
}
