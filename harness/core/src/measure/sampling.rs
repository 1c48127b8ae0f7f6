//! The number of samples of a case.
use std::time::Duration;

/// The conditions for sampling to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampling {
    pub(crate) warmups: usize,
    least: usize,
    most: usize,
    time: Duration,
}

impl Sampling {
    /// The relative error of the mean, estimated from the samples' spread, below which more samples are useless.
    /// nvbench requires this of the spread itself, which never becomes that small for launches of microseconds: each
    /// such case would take all of its time. With 0.005 and ten samples, comparisons of two runs missed six of fifteen
    /// slowdowns of 3 %.
    const NOISE: f64 = 0.002;

    /// The minimum number of samples, however long they take: a median of fewer is meaningless.
    const FEWEST: usize = 3;

    /// The number of samples that a comparison with another run needs: half as much again as the usual time is spent on
    /// them.
    const ENOUGH: usize = 8;

    /// The number of throttled samples that are dropped before throttled samples are kept, since this GPU will not cool
    /// down soon.
    pub(crate) const MOST_THROTTLED: usize = 50;

    /// Returns the sampling for `--samples`, `--quick` and the kind of device.
    pub(crate) fn new(samples: Option<u32>, quick: bool, is_emulated: bool) -> Self {
        let fixed = samples.map(|s| s as usize);
        match (fixed, is_emulated) {
            (Some(n), emulated) => Self { warmups: usize::from(!emulated), least: n, most: n, time: Duration::MAX },
            (None, true) => Self { warmups: 0, least: 1, most: 1, time: Duration::MAX },
            (None, false) if quick => Self { warmups: 1, least: 3, most: 3, time: Duration::MAX },
            (None, false) => Self { warmups: 1, least: 30, most: 1000, time: Duration::from_millis(300) },
        }
    }

    /// One launch, without a warm-up on the same input.
    pub(crate) fn one() -> Self {
        Self { warmups: 0, least: 1, most: 1, time: Duration::MAX }
    }

    /// Limits it to `most` samples, unless their number is already fixed.
    pub(crate) fn at_most(self, most: usize) -> Self {
        if self.least == self.most { self } else { Self { least: self.least.min(most), most, ..self } }
    }

    /// Whether launches of `ms` milliseconds are so long that the first one counts as a sample instead of a warm-up:
    /// its extra time, a few milliseconds at most, is small compared to half of the case's time.
    pub(crate) fn is_long(&self, ms: f64) -> bool {
        self.least != self.most && ms >= self.time.as_secs_f64() * 1e3 / 2.0
    }

    /// Whether these samples, taken in this time, are enough.
    pub(crate) fn done(&self, samples: &[f64], elapsed: Duration) -> bool {
        let n = samples.len();
        if self.most == self.least {
            return n >= self.most;
        }
        let error = |t: record::Times| t.stdev / (n as f64).sqrt();
        let quiet = record::times(samples, 0).is_some_and(|t| error(t) < Self::NOISE * t.mean);
        // If launches are long, a few consistent samples are enough.
        let least = if elapsed >= self.time / 3 { Self::ENOUGH.min(self.least) } else { self.least };
        n >= self.most
            || (n >= least && quiet)
            || (n >= Self::ENOUGH && elapsed >= self.time)
            || (n >= Self::FEWEST && elapsed >= self.time * 3 / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Sampling = Sampling { warmups: 1, least: 10, most: 1000, time: Duration::from_secs(2) };

    #[test]
    fn a_plan_may_be_cut_short_but_not_a_fixed_number() {
        let (short, soon) = (GPU.at_most(5), Duration::from_millis(1));
        assert!(!short.done(&[0.0, 9.0, 1.0, 8.0], soon) && short.done(&[0.0, 9.0, 1.0, 8.0, 2.0], soon));
        let fixed = Sampling::new(Some(7), false, false).at_most(5);
        assert!(!fixed.done(&[1.0; 6], soon) && fixed.done(&[1.0; 7], soon));
    }

    #[test]
    fn sampling_ends_when_it_is_quiet_or_late_and_not_before() {
        let (quiet, noisy): (Vec<f64>, Vec<f64>) = (vec![1.0; 10], (0..10).map(f64::from).collect());
        let soon = Duration::from_millis(1);
        assert!(!GPU.done(&quiet[..9], soon));
        assert!(GPU.done(&quiet, soon));
        let (late, over, long) = (GPU.time / 2, GPU.time, GPU.time * 3 / 2);
        assert!(GPU.done(&quiet[..8], late) && !GPU.done(&quiet[..7], late) && !GPU.done(&noisy[..8], late));
        // A comparison needs at least eight samples, unless they last too long.
        assert!(GPU.done(&noisy[..8], over) && !GPU.done(&quiet[..7], over));
        assert!(GPU.done(&noisy[..3], long) && !GPU.done(&quiet[..2], long));
        assert!(!GPU.done(&noisy, soon));
        // The spread stays the same, but the error of the mean shrinks.
        let spread = [0.96, 1.04].repeat(5);
        assert!(!GPU.done(&spread, soon) && GPU.done(&spread.repeat(60), soon));
        assert!(!GPU.done(&noisy[..2], Duration::from_secs(9)));
        assert!(GPU.done(&noisy[..3], Duration::from_secs(9)));
        assert!(GPU.done(&noisy.repeat(100), soon));
    }

    #[test]
    fn the_first_launch_is_a_warm_up_unless_it_fills_half_of_the_time() {
        assert!(!GPU.is_long(999.0) && GPU.is_long(1000.0));
        assert!(!Sampling::new(Some(7), false, false).is_long(1e9) && !Sampling::one().is_long(1e9));
    }

    #[test]
    fn a_number_of_samples_that_is_asked_for_is_taken() {
        let four = Sampling { least: 4, most: 4, time: Duration::MAX, ..GPU };
        assert!(!four.done(&[1.0; 3], Duration::from_secs(99)));
        assert!(four.done(&[1.0; 4], Duration::ZERO));
        let one = Sampling::one().at_most(5);
        assert!(one.warmups == 0 && !one.done(&[], Duration::from_secs(99)) && one.done(&[1.0], Duration::ZERO));
    }
}
