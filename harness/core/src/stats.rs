//! Statistics over the samples of a case.
use crate::record::Times;

/// Min, median, mean and sample standard deviation of `samples` (milliseconds); none of no samples.
pub fn times(samples: &[f64], throttled: u32) -> Option<Times> {
    if samples.is_empty() {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let median = if n % 2 == 1 {
        sorted[n / 2]
    } else {
        f64::midpoint(sorted[n / 2 - 1], sorted[n / 2])
    };
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|s| (s - mean).powi(2)).sum();
    let stdev = if n > 1 {
        (squares / (n - 1) as f64).sqrt()
    } else {
        0.0
    };
    Some(Times {
        samples: n as u32,
        throttled,
        min: sorted[0],
        median,
        mean,
        stdev,
    })
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn the_textbook_figures() {
        let t = times(&[5.0, 1.0, 3.0, 7.0], 2).unwrap();
        assert_eq!(
            (t.samples, t.throttled, t.min, t.median, t.mean),
            (4, 2, 1.0, 4.0, 4.0)
        );
        assert!((t.stdev - (20.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(times(&[2.0], 0).unwrap().stdev, 0.0);
        assert!(times(&[], 0).is_none());
    }
}
