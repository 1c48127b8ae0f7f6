//! Statistics over the samples of a case.
use serde::{Deserialize, Serialize};

/// Times of one case in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Samples kept.
    pub samples: u32,
    /// Samples dropped because the GPU ran at a throttled clock.
    pub throttled: u32,
    /// Shortest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the samples (n - 1).
    pub stdev: f64,
}

/// Returns min, median, mean and sample standard deviation of `samples` (milliseconds). `None` if there are no samples.
pub fn times(samples: &[f64], throttled: u32) -> Option<Times> {
    if samples.is_empty() {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let median = if n % 2 == 1 { sorted[n / 2] } else { f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]) };
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|s| (s - mean).powi(2)).sum();
    let stdev = if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 };
    Some(Times { samples: n as u32, throttled, min: sorted[0], median, mean, stdev })
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn the_textbook_figures() {
        let t = times(&[5.0, 1.0, 3.0, 7.0], 2).unwrap();
        assert_eq!((t.samples, t.throttled, t.min, t.median, t.mean), (4, 2, 1.0, 4.0, 4.0));
        assert!((t.stdev - (20.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(times(&[2.0], 0).unwrap().stdev, 0.0);
        assert!(times(&[], 0).is_none());
    }
}
