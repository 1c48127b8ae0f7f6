//! The difference of a case's time between two sides, and its uncertainty.
//!
//! All values are natural logarithms of times: a difference of 0.02 is 2 %. The samples of one run are not independent:
//! all of them share the run's clocks, its place in memory, the state of its host. Two runs of one program differ by
//! about as much as the samples of either, however many there are, so a standard error, which decreases with the number
//! of samples, would be far too small. A run's median counts as *one* measurement, and its noise consists of
//! - the spread of the run's samples, undivided: between the 10th and the 90th percentile, so that a second mode counts
//!   and a few outliers do not (for fewer than twenty samples, their standard deviation);
//! - [`FLOOR`] and [`JITTER_MS`], by which the medians of even quiet runs differ, or [`HOST`].
//!
//! If a side has several runs, the spread of their medians counts instead, if that is larger. The test is Welch's
//! t-test with these noises; the degrees of freedom are half of those of the samples, because they are not independent.
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::robust::{median, quantile};

/// The minimum difference of the medians of two runs, as a fraction: 0.15 % was the 90th percentile over 33 cases of 1
/// ms to 400 ms, of two runs on an H200.
pub const FLOOR: f64 = 0.0015;

/// The variation of a short time from run to run, in ms: 1 us was the standard deviation over eight runs of 300 kernels
/// of 5 us to 15 us on an H200.
pub const JITTER_MS: f64 = 0.001;

/// The variation, as a fraction, of a time that the host limits: chains of small launches differed by 10 % to 17 % on
/// an H200, though the samples of each run lay within 1 %.
pub const HOST: f64 = 0.1;

/// The minimum number of samples of a side for estimating its noise: with three, all are equal by chance too often.
pub const FEWEST: usize = 8;

/// The number of samples from which quantiles measure their spread.
const FOR_QUANTILES: usize = 20;

/// The times of a case in one run: from its samples, or only from the row's summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// Their median, in ms.
    pub median_ms: f64,
    /// Their spread as a fraction of the median.
    pub spread: f64,
    /// Their number.
    pub samples: usize,
    /// Whether the host limits the time: nothing is launched, or so little that the GPU is mostly idle.
    pub is_host_paced: bool,
}

impl Timed {
    /// Computes it from samples in ms; `None` if there are none above 0.
    pub fn from_samples(samples_ms: &[f64]) -> Option<Self> {
        let logs: Vec<f64> = samples_ms.iter().filter(|ms| **ms > 0.0).map(|ms| ms.ln()).collect();
        let middle = median(&logs)?;
        let spread = if logs.len() < FOR_QUANTILES {
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            (logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (logs.len() - 1).max(1) as f64).sqrt()
        } else {
            // In a normal distribution, these quantiles are 2.563 standard deviations apart.
            (quantile(&logs, 0.9)? - quantile(&logs, 0.1)?) / 2.563
        };
        Some(Self { median_ms: middle.exp(), spread, samples: logs.len(), is_host_paced: false })
    }
}

/// A case's time on one side, in all its runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The logarithm of the time in ms: the mean over the runs' medians.
    pub log_ms: f64,
    /// The variance of `log_ms`.
    variance: f64,
    /// The degrees of freedom of the measured part of the variance, and that part.
    freedom: f64,
    measured: f64,
    /// The number of samples in all runs.
    pub samples: usize,
}

impl Level {
    /// Computes the level of these runs; `None` if there are none.
    pub fn from_runs(runs: &[Timed]) -> Option<Self> {
        let count = runs.len() as f64;
        let logs: Vec<f64> = runs.iter().map(|run| run.median_ms.ln()).collect();
        let samples: usize = runs.iter().map(|run| run.samples).sum();
        if samples == 0 {
            return None;
        }
        let log_ms = logs.iter().sum::<f64>() / count;
        let within = runs.iter().map(|run| run.spread.powi(2)).sum::<f64>() / count;
        let share = if runs.iter().any(|run| run.is_host_paced) { HOST } else { FLOOR };
        let floor = share.powi(2) + (JITTER_MS / log_ms.exp()).powi(2);
        let between = logs.iter().map(|log| (log - log_ms).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let (measured, freedom) = if between > within + floor {
            (between / count, count - 1.0)
        } else {
            (within / count, ((samples - runs.len()) as f64 / 2.0).max(1.0))
        };
        let variance = measured.max((within + floor) / count);
        Some(Self { log_ms, variance, freedom, measured, samples })
    }
}

/// The difference of two levels, new minus base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The difference.
    pub log: f64,
    /// Its standard error.
    pub error: f64,
    freedom: f64,
    /// Whether both sides have enough samples for a judgement.
    pub is_enough: bool,
}

impl Difference {
    /// Computes the difference of `new` from `base`.
    pub fn between(base: &Level, new: &Level) -> Self {
        let variance = base.variance + new.variance;
        // Welch-Satterthwaite; the constant part has no uncertainty.
        let uncertain = base.measured.powi(2) / base.freedom + new.measured.powi(2) / new.freedom;
        let freedom = if uncertain > 0.0 { (variance.powi(2) / uncertain).min(1e6) } else { 1e6 };
        let is_enough = base.samples.min(new.samples) >= FEWEST;
        Self { log: new.log_ms - base.log_ms, error: variance.sqrt(), freedom, is_enough }
    }

    /// Returns the difference beyond `drift`, with the noise multiplied by `times`.
    #[must_use]
    pub fn beyond(self, drift: f64, times: f64) -> Self {
        Self { log: self.log - drift, error: self.error * times, ..self }
    }

    /// Returns the probability of so large a difference by chance.
    pub fn p(&self) -> f64 {
        self.distribution().map_or(1.0, |t| 2.0 * t.sf((self.log / self.error).abs()))
    }

    /// Returns half of the width of the 95 % confidence interval.
    pub fn reach(&self) -> f64 {
        self.distribution().map_or(f64::INFINITY, |t| t.inverse_cdf(0.975) * self.error)
    }

    fn distribution(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(samples_ms: &[f64]) -> Level {
        Level::from_runs(&[Timed::from_samples(samples_ms).unwrap()]).unwrap()
    }

    fn around(ms: f64, percent: f64, count: usize) -> Vec<f64> {
        (0..count).map(|i| ms * (1.0 + percent / 100.0 * (2.0 * (i as f64 + 0.5) / count as f64 - 1.0))).collect()
    }

    #[test]
    fn many_samples_do_not_make_a_run_more_certain_than_it_is() {
        let of = |count| Difference::between(&level(&around(2.0, 1.0, count)), &level(&around(2.0, 1.0, count))).error;
        assert!((of(1000) / of(50) - 1.0).abs() < 0.1, "{} {}", of(1000), of(50));
        // Several runs reduce it.
        let run = Timed::from_samples(&around(2.0, 1.0, 50)).unwrap();
        let four = Level::from_runs(&vec![run; 4]).unwrap();
        assert!((Difference::between(&four, &four).error / of(50) - 0.5).abs() < 0.01);
    }

    #[test]
    fn runs_that_disagree_count_by_how_much_they_do() {
        let runs: Vec<Timed> =
            [2.0, 2.2].iter().map(|ms| Timed::from_samples(&around(*ms, 0.1, 50)).unwrap()).collect();
        let apart = Level::from_runs(&runs).unwrap();
        let difference = Difference::between(&apart, &apart);
        assert!(difference.error > 0.06 && difference.freedom < 3.0, "{difference:?}");
    }

    #[test]
    fn a_second_mode_is_noise_and_one_outlier_is_not() {
        let mut samples = around(1.0, 0.1, 40);
        let quiet = Timed::from_samples(&samples).unwrap().spread;
        samples[7] = 9.0;
        assert!(Timed::from_samples(&samples).unwrap().spread < 1.5 * quiet);
        for sample in samples.iter_mut().take(12) {
            *sample *= 1.2;
        }
        assert!(Timed::from_samples(&samples).unwrap().spread > 20.0 * quiet);
    }

    #[test]
    fn a_difference_of_three_per_cent_of_a_quiet_case_is_seen_and_that_of_a_short_one_is_not() {
        let p = |ms: f64, spread: f64| {
            let difference =
                Difference::between(&level(&around(ms, spread, 10)), &level(&around(1.03 * ms, spread, 10)));
            assert!((difference.log - 0.0296).abs() < 1e-3 && difference.is_enough);
            difference.p()
        };
        assert!(p(2.0, 0.2) < 1e-6, "{}", p(2.0, 0.2));
        assert!(p(0.008, 0.2) > 0.5);
        let paced = Timed { is_host_paced: true, ..Timed::from_samples(&around(2.0, 0.2, 10)).unwrap() };
        let paced = Level::from_runs(&[paced]).unwrap();
        assert!(Difference::between(&paced, &level(&around(2.2, 0.2, 10))).p() > 0.1);
        assert!(p(2.0, 10.0) > 0.1);
        assert!(!Difference::between(&level(&around(2.0, 0.1, 3)), &level(&around(3.0, 0.1, 30))).is_enough);
        assert!(Timed::from_samples(&[]).is_none() && Level::from_runs(&[]).is_none());
    }

    #[test]
    fn the_interval_of_a_normal_difference_is_the_textbook_s() {
        let difference = Difference { log: 1.96, error: 1.0, freedom: 1e6, is_enough: true };
        assert!((difference.p() - 0.05).abs() < 1e-3 && (difference.reach() - 1.96).abs() < 1e-2);
    }
}
