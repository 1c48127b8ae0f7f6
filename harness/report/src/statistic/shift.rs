//! The common effects in all cases of a comparison: a drift of the whole run, and noise that is larger than the cases'
//! own estimates.
use super::{difference::Difference, robust};

/// The minimum number of cases for estimating their common effects.
const FEWEST: usize = 8;

/// The common effects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Common {
    /// Whether there are enough cases to estimate them.
    pub is_known: bool,
    /// The median of all differences: by how much the whole of `new` is slower.
    pub shift: f64,
    /// The part of the shift that is attributed to drift.
    pub drift: f64,
    /// The factor by which the noise of every case is underestimated; at least 1.
    pub noise: f64,
}

impl Common {
    /// Estimates them from the differences with enough samples. A shift of up to `most` counts as drift, for example of
    /// a GPU that is a few degrees warmer; the rest stays in the cases. The noise is scaled so that the interquartile
    /// range of the cases has its expected width: a machine that is noisier than the constants of [`super::difference`]
    /// then causes no false alarm.
    pub fn from_differences(differences: &[Difference], most: f64) -> Self {
        let all: Vec<&Difference> = differences.iter().filter(|d| d.is_enough).collect();
        if all.len() < FEWEST {
            return Self { is_known: false, shift: 0.0, drift: 0.0, noise: 1.0 };
        }
        // Noisy cases contribute little to the estimate of a drift. They are left out, if enough others remain.
        let error = robust::median(&all.iter().map(|d| d.error).collect::<Vec<_>>()).unwrap_or_default();
        let quiet: Vec<f64> = all.iter().filter(|d| d.error <= error).map(|d| d.log).collect();
        let logs = if quiet.len() < FEWEST { all.iter().map(|d| d.log).collect() } else { quiet };
        let shift = robust::median(&logs).unwrap_or_default();
        let drift = shift.clamp(-most, most);
        let scaled: Vec<f64> = all.iter().map(|d| (d.log - drift) / d.error).collect();
        let middle = robust::median(&scaled).unwrap_or_default();
        Self { is_known: true, shift, drift, noise: robust::spread(&scaled, middle).max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistic::difference::{Level, Timed};

    fn difference(log: f64) -> Difference {
        let timed = |ms: f64| Timed { median_ms: ms, spread: 0.001, samples: 20, is_host_paced: false };
        let level = |ms: f64| Level::from_runs(&[timed(ms)]).unwrap();
        Difference::between(&level(2.0), &level(2.0 * log.exp()))
    }

    #[test]
    fn what_all_share_is_drift_up_to_a_limit_and_one_that_differs_does_not_move_it() {
        let mut all: Vec<Difference> = (0..20).map(|i| difference(0.006 + f64::from(i % 5) * 1e-4)).collect();
        all[3] = difference(0.5);
        let common = Common::from_differences(&all, 0.01);
        assert!((common.shift - 0.0062).abs() < 2e-4 && common.drift == common.shift, "{common:?}");
        assert!((common.noise - 1.0).abs() < f64::EPSILON, "{common:?}");
        assert!((Common::from_differences(&all, 0.004).drift - 0.004).abs() < 1e-12);
        assert_eq!(
            Common::from_differences(&all[..7], 0.01),
            Common { is_known: false, shift: 0.0, drift: 0.0, noise: 1.0 }
        );
    }

    #[test]
    fn noise_that_no_case_shows_is_seen_by_all_of_them() {
        let all: Vec<Difference> = (0..21).map(|i| difference(0.01 * (f64::from(i) - 10.0))).collect();
        let common = Common::from_differences(&all, 0.01);
        assert!(common.noise > 10.0, "{common:?}");
    }
}
