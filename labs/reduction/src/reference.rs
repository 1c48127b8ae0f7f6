//! What the answer is: sums in f64, and the orders in which a host can sum floats.
use crate::Op;

/// Elements that one reference task takes.
const CHUNK: usize = 1 << 20;

/// The reference answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// The sum, maximum or dot product, in f64.
    pub value: f64,
    /// Sum of the terms' magnitudes: what a sum's error is measured by. 0 for a maximum.
    pub magnitude: f64,
    /// Roundings in f64 that the reference itself may have gone through.
    pub roundings: usize,
}

/// Reduces `x` (and `y`, for a dot product, of the same length) in f64, in parallel.
pub fn reference(op: Op, x: &[f32], y: &[f32]) -> Reference {
    let part = |i: usize| {
        let range = i * CHUNK..((i + 1) * CHUNK).min(x.len());
        let xs = &x[range.clone()];
        let mut part = (f64::NEG_INFINITY, 0.0);
        match op {
            Op::Max => part.0 = xs.iter().fold(part.0, |m, &v| m.max(f64::from(v))),
            Op::Sum => part = sum(xs.iter().map(|&v| f64::from(v))),
            // The product of two floats is exact in f64.
            Op::Dot => {
                let terms = xs.iter().zip(&y[range]);
                part = sum(terms.map(|(&a, &b)| f64::from(a) * f64::from(b)));
            }
        }
        part
    };
    let parts = harness::parallel(x.len().div_ceil(CHUNK), part);
    match op {
        Op::Max => Reference {
            value: parts.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p.0)),
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

/// Sums in float, one after another: n - 1 roundings in a row. Past 2^24 times the size of an
/// element it stands still.
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

/// Sums in float with Kahan's compensation: about two roundings, whatever n is, as long as n is well
/// below 2^24 (Kahan, "Further remarks on reducing truncation errors", 1965).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_little() {
        assert_eq!(reference(Op::Sum, &[], &[]).value, 0.0);
        assert_eq!(reference(Op::Max, &[], &[]).value, f64::NEG_INFINITY);
        let dot = reference(Op::Dot, &[1.0, -2.0], &[3.0, 4.0]);
        assert_eq!((dot.value, dot.magnitude), (-5.0, 11.0));
        assert_eq!(reference(Op::Max, &[-3.0, -2.0], &[]).value, -2.0);
    }

    #[test]
    fn parallel_parts_add_up() {
        let x = vec![1.0f32; 2 * CHUNK + 3];
        assert_eq!(reference(Op::Sum, &x, &[]).value, (2 * CHUNK + 3) as f64);
    }

    #[test]
    fn a_serial_float_sum_stands_still_and_the_others_do_not() {
        let x = vec![1.0f32; (1 << 24) + 1000];
        assert_eq!(serial(&x), 16_777_216.0);
        assert_eq!(pairwise(&x), x.len() as f32);
        assert_eq!(kahan(&x), x.len() as f32);
    }
}
