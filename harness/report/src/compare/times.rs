//! Judges cases by their times on a GPU.
use super::comparison::{Change, TimesChange};
use crate::statistic::{
    difference::{Difference, FEWEST, Level},
    holm,
    shift::Common,
};

/// A case's levels on both sides.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The base.
    pub base: Level,
    /// The new side.
    pub new: Level,
}

/// The judgement of one case.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// Its change.
    pub change: Change,
    /// Why the change is unclear.
    pub why: String,
    /// The numbers.
    pub times: TimesChange,
}

/// Judges all cases together. A case is slower or faster if its difference is significant at `error_rate` among all
/// cases and is at least `threshold`; it is the same if the 95 % confidence interval lies within the threshold.
pub fn judge(pairs: &[Pair], threshold: f64, error_rate: f64) -> (Vec<Judgement>, Common) {
    let raw: Vec<Difference> = pairs.iter().map(|pair| Difference::between(&pair.base, &pair.new)).collect();
    let limit = (1.0 + threshold).ln();
    let common = Common::from_differences(&raw, limit / 2.0);
    let differences: Vec<Difference> = raw.iter().map(|d| d.beyond(common.drift, common.noise)).collect();
    let enough: Vec<usize> = (0..raw.len()).filter(|i| differences[*i].is_enough).collect();
    let corrected = holm::corrected(&enough.iter().map(|i| differences[*i].p()).collect::<Vec<_>>());
    let mut p = vec![1.0; raw.len()];
    for (i, corrected) in enough.iter().zip(corrected) {
        p[*i] = corrected;
    }
    let judgements = pairs.iter().zip(&differences).zip(p).map(|((pair, difference), p)| {
        let (log, reach) = (difference.log, difference.reach());
        let (change, why) = match () {
            () if !difference.is_enough => {
                let fewest = pair.base.samples.min(pair.new.samples);
                (Change::Unclear, format!("{fewest} samples are too few to decide; take {FEWEST} or more (--samples)"))
            }
            () if p <= error_rate && log >= limit => (Change::Slower, String::new()),
            () if p <= error_rate && log <= -limit => (Change::Faster, String::new()),
            () if log.abs() + reach <= limit => (Change::Same, String::new()),
            // The interval explains it.
            () => (Change::Unclear, String::new()),
        };
        let percent = |log: f64| 100.0 * log.exp_m1();
        let times = TimesChange {
            base_ms: pair.base.log_ms.exp(),
            new_ms: pair.new.log_ms.exp(),
            base_samples: pair.base.samples,
            new_samples: pair.new.samples,
            percent: percent(log),
            low_percent: percent(log - reach),
            // Limits an interval that would overflow.
            high_percent: percent((log + reach).min(20.0)),
            p,
        };
        Judgement { change, why, times }
    });
    (judgements.collect(), common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistic::difference::Timed;

    fn level(ms: f64, spread: f64, samples: usize) -> Level {
        Level::from_runs(&[Timed { median_ms: ms, spread, samples, is_host_paced: false }]).unwrap()
    }

    fn changes(pairs: &[Pair]) -> Vec<Change> {
        judge(pairs, 0.02, 0.01).0.iter().map(|j| j.change).collect()
    }

    #[test]
    fn the_interval_and_the_threshold_decide() {
        let pair =
            |ms: f64, spread, samples| Pair { base: level(2.0, spread, samples), new: level(ms, spread, samples) };
        let pairs = [
            pair(2.001, 0.001, 20),
            pair(2.1, 0.001, 20),
            pair(1.9, 0.001, 20),
            // A significant difference, but below the threshold.
            pair(2.03, 0.0002, 200),
            pair(2.001, 0.1, 20),
            pair(4.0, 0.001, 3),
        ];
        use Change::{Faster, Same, Slower, Unclear};
        assert_eq!(changes(&pairs), [Same, Slower, Faster, Same, Unclear, Unclear]);
        let judged = judge(&pairs, 0.02, 0.01).0;
        assert!(judged[5].why.starts_with("3 samples are too few"), "{}", judged[5].why);
        assert!((judged[1].times.percent - 5.0).abs() < 1e-9 && judged[1].times.low_percent > 4.0);
    }

    #[test]
    fn what_is_unclear_alone_is_unclear_among_many() {
        let pair = |ms: f64| Pair { base: level(2.0, 0.004, 10), new: level(ms, 0.004, 10) };
        assert_eq!(changes(&[pair(2.06)]), [Change::Slower]);
        let mut many = vec![pair(2.0); 400];
        many[7] = pair(2.06);
        assert_eq!(changes(&many)[7], Change::Unclear);
    }
}
