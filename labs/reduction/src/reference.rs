//! The right answer: sums in f64, and the orders in which a host can sum floats.
use crate::Op;

/// Elements that one reference task takes.
const CHUNK: usize = 1 << 20;

/// The reference answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// The sum, maximum or dot product, in f64.
    pub value: f64,
    /// The sum of the terms' magnitudes, relative to which a sum's error is measured. 0 for a maximum.
    pub magnitude: f64,
    /// The most roundings in f64 of the reference itself.
    pub roundings: usize,
}

/// Reduces `x` (and `y`, for a dot product, of the same length) in f64, in parallel.
pub fn reference(op: Op, x: &[f32], y: &[f32]) -> Reference {
    let parts = harness::parallel(x.len().div_ceil(CHUNK), |i| {
        let range = i * CHUNK..((i + 1) * CHUNK).min(x.len());
        let xs = x[range.clone()].iter().map(|&v| f64::from(v));
        match op {
            Op::Max => (xs.fold(f64::NEG_INFINITY, f64::max), 0.0),
            Op::Sum => sum(xs),
            // The product of two floats is exact in f64.
            Op::Dot => sum(xs.zip(&y[range]).map(|(a, &b)| a * f64::from(b))),
        }
    });
    match op {
        Op::Max => Reference {
            value: parts.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max),
            magnitude: 0.0,
            roundings: 0,
        },
        Op::Sum | Op::Dot => Reference {
            value: parts.iter().map(|p| p.0).sum(),
            magnitude: parts.iter().map(|p| p.1).sum(),
            roundings: CHUNK.min(x.len()) + parts.len(),
        },
    }
}

/// The sum and the sum of magnitudes.
fn sum(terms: impl Iterator<Item = f64>) -> (f64, f64) {
    terms.fold((0.0, 0.0), |(s, m), v| (s + v, m + v.abs()))
}

/// Sums in float, one after another: n - 1 roundings in a row. The sum stops growing at 2^24 times the size of an
/// element.
pub fn serial(x: &[f32]) -> f32 {
    x.iter().fold(0.0, |s, v| s + v)
}

/// Sums in float by halves: log2 n roundings in a row.
pub fn pairwise(x: &[f32]) -> f32 {
    match x {
        [] => 0.0,
        [v] => *v,
        _ => {
            let (low, high) = x.split_at(x.len() / 2);
            pairwise(low) + pairwise(high)
        }
    }
}

/// Sums in float with Kahan's compensation: about two roundings for any n that is well below 2^24 (Kahan, "Further
/// remarks on reducing truncation errors", 1965).
pub fn kahan(x: &[f32]) -> f32 {
    let (mut sum, mut lost) = (0.0f32, 0.0f32);
    for v in x {
        let term = v - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sum
}
