//! Averages and spreads that are robust to outliers.

/// Returns the median; `None` for an empty slice.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns the `q` quantile, interpolated linearly; `None` for an empty slice.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = q * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(below + (above - below) * at.fract())
}

/// Returns the median distance from `middle`, scaled to equal the standard deviation for a normal distribution.
pub fn spread(values: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    1.4826 * median(&distances).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_spreads_of_a_few_numbers() {
        let values = [5.0, 1.0, 3.0, 1000.0];
        assert_eq!(median(&values), Some(4.0));
        assert_eq!((quantile(&values, 0.0), quantile(&values, 1.0)), (Some(1.0), Some(1000.0)));
        assert!((quantile(&[0.0, 1.0], 0.25).unwrap() - 0.25).abs() < 1e-12);
        assert_eq!(median(&[]), None);
        // A distant outlier does not count more than another value.
        assert!((spread(&values, 4.0) - 1.4826 * 2.0).abs() < 1e-9);
        assert_eq!(spread(&[], 1.0), 0.0);
    }
}
