//! Holm's step-down correction: for many tests together, the probability of any false alarm stays below the error rate,
//! however the tests depend on each other (Holm, Scandinavian Journal of Statistics 6, 1979).

/// Returns the corrected p-values, in the order of `p`: those at or below the error rate are significant.
pub fn corrected(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::corrected;

    #[test]
    fn the_smallest_counts_for_all_and_the_order_is_kept() {
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(&corrected(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]));
        // A p-value is never above 1, nor below that of a smaller one.
        assert!(close(&corrected(&[0.9, 0.001, 0.8]), &[1.0, 0.003, 1.0]));
        assert!(corrected(&[]).is_empty());
    }
}
