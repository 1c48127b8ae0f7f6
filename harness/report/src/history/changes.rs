//! Finds the changes of a series of numbers by binary segmentation. Pettitt's statistic (Applied Statistics 28, 1979),
//! the largest rank sum of all splits, decides whether the series changes; it is robust to outliers. A change is
//! significant if the statistic is as large in less than [`ERROR_RATE`] of [`SHUFFLES`] shuffles of the same numbers.
//! Its position is the split with the smallest distance of the numbers from the medians before and after, because the
//! position of the largest rank sum is biased towards the middle. A split is kept if those medians differ by the
//! threshold, and both halves are then split recursively. At most [`ERROR_RATE`] of unchanged series show a first
//! split.
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::statistic::robust;

/// The fraction of unchanged series in which a change may be found.
pub const ERROR_RATE: f64 = 0.01;

/// The number of shuffles to which a split is compared.
const SHUFFLES: usize = 999;

/// The minimum count of numbers on either side of a change: fewer have no meaningful median.
const FEWEST: usize = 3;

/// A position at which a series changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The index of the first number after it.
    pub at: usize,
    /// The fraction of shuffles with an equal or larger statistic.
    pub p: f64,
}

/// Returns the changes of these numbers, in order.
pub fn find_splits(values: &[f64], threshold: f64) -> Vec<Split> {
    // The same series always gives the same changes.
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut found = Vec::new();
    split(values, 0, threshold, &mut random, &mut found);
    found.sort_by_key(|split| split.at);
    found
}

fn split(values: &[f64], offset: usize, threshold: f64, random: &mut ChaCha8Rng, found: &mut Vec<Split>) {
    let ranks = ranks(values);
    let (Some(statistic), Some(at)) = (largest(&ranks), place(values)) else {
        return;
    };
    let (before, after) = (middle(&values[..at]), middle(&values[at..]));
    if before <= 0.0 || after <= 0.0 || (after / before).ln().abs() < (1.0 + threshold).ln() {
        return;
    }
    let mut shuffled = ranks;
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        shuffled.shuffle(random);
        as_large += usize::from(largest(&shuffled).is_some_and(|other| other >= statistic));
        // Not significant, whatever the remaining shuffles give.
        if (as_large + 1) as f64 > ERROR_RATE * (SHUFFLES + 1) as f64 {
            return;
        }
    }
    found.push(Split { at: offset + at, p: (as_large + 1) as f64 / (SHUFFLES + 1) as f64 });
    split(&values[..at], offset, threshold, random, found);
    split(&values[at..], offset + at, threshold, random, found);
}

/// Returns twice the rank of each number, shifted so that the mean is 0; equal numbers share their rank.
fn ranks(values: &[f64]) -> Vec<i64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as i64;
    let above = |value: f64| values.iter().filter(|other| **other > value).count() as i64;
    values.iter().map(|value| below(*value) - above(*value)).collect()
}

/// Returns the positions at which `count` numbers can be split.
fn places(count: usize) -> std::ops::Range<usize> {
    FEWEST..(count + 1).saturating_sub(FEWEST)
}

/// Returns the largest rank sum of all splits; `None` for too few numbers.
fn largest(ranks: &[i64]) -> Option<i64> {
    let mut sum: i64 = ranks.iter().take(FEWEST - 1).sum();
    places(ranks.len())
        .map(|at| {
            sum += ranks[at - 1];
            sum.abs()
        })
        .max()
}

fn middle(values: &[f64]) -> f64 {
    robust::median(values).unwrap_or_default()
}

/// Returns the split with the smallest distance of the numbers from the medians of their sides; `None` for too few
/// numbers.
fn place(values: &[f64]) -> Option<usize> {
    let off = |side: &[f64]| {
        let middle = middle(side);
        side.iter().map(|value| (value - middle).abs()).sum::<f64>()
    };
    let off = |at: &usize| off(&values[..*at]) + off(&values[*at..]);
    places(values.len()).min_by(|a, b| off(a).total_cmp(&off(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn noisy(levels: &[(f64, usize)], noise: f64, seed: u64) -> Vec<f64> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut at = |level: f64| level * (1.0 + noise * (random.random::<f64>() - 0.5));
        levels.iter().flat_map(|(level, count)| vec![*level; *count]).map(&mut at).collect()
    }

    #[test]
    fn planted_changes_are_found_where_they_are() {
        let splits = find_splits(&noisy(&[(1.0, 12), (1.05, 14), (0.9, 10)], 0.01, 7), 0.02);
        assert_eq!(splits.iter().map(|split| split.at).collect::<Vec<_>>(), [12, 26]);
        assert!(splits.iter().all(|split| split.p <= ERROR_RATE));
    }

    #[test]
    fn a_change_far_from_the_middle_is_found_where_it_is_however_the_numbers_before_it_lie() {
        for seed in 0..200 {
            let splits = find_splits(&noisy(&[(1.0, 20), (1.06, 10)], 0.02, seed), 0.02);
            assert_eq!(splits.iter().map(|split| split.at).collect::<Vec<_>>(), [20], "{seed}");
        }
    }

    #[test]
    fn an_outlier_a_small_change_and_too_few_numbers_are_no_change() {
        let mut values = noisy(&[(1.0, 20)], 0.01, 3);
        values[9] = 5.0;
        assert_eq!(find_splits(&values, 0.02), []);
        assert_eq!(find_splits(&noisy(&[(1.0, 15), (1.01, 15)], 0.002, 3), 0.02), []);
        assert_eq!(find_splits(&noisy(&[(1.0, 15), (1.01, 15)], 0.002, 3), 0.005).len(), 1);
        assert_eq!(find_splits(&[1.0, 1.0, 2.0, 2.0], 0.02), []);
        assert_eq!(find_splits(&[], 0.02), []);
    }

    #[test]
    fn of_a_thousand_series_that_do_not_change_no_more_than_the_error_rate_says_show_a_change() {
        // Without a threshold, so that only the test decides.
        let found = (0..1000).filter(|seed| !find_splits(&noisy(&[(1.0, 24)], 0.2, *seed), 0.0).is_empty()).count();
        assert!(found <= 15, "{found}");
        assert!(found > 0, "a test that never alarms tests nothing");
    }
}
