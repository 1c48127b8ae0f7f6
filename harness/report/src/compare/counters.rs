//! Judges cases by the embedded machine's counters. These are exact, because they are the same in every run, except for
//! loops that wait for other threads.
use record::Counter;

use super::comparison::{Change, CounterChange};

/// Counters for which neither direction is better: they describe the launch or the data, or are derived from others.
const NEUTRAL: [Counter; 6] = [
    Counter::GlobalLoadIdealSectors,
    Counter::GlobalStoreIdealSectors,
    Counter::WarpExecutionEfficiencyPercent,
    Counter::RegistersEstimated,
    Counter::SharedBytesPerBlock,
    // It shows that the others vary: loops that wait for other threads.
    Counter::WaitingLoops,
];

/// Returns the counters that differ, and the resulting change of the case. Each counter has a value for each run of a
/// side. If the runs of a side disagree, the counter varies, and it differs only if no value of one side lies between
/// those of the other.
pub fn judge(base: &[Vec<f64>], new: &[Vec<f64>]) -> (Change, Vec<CounterChange>) {
    let changes: Vec<CounterChange> = Counter::ALL
        .iter()
        .zip(base.iter().zip(new))
        .filter_map(|(counter, (base, new))| {
            let (base, new) = apart(base, new)?;
            let costs_more = match counter {
                counter if NEUTRAL.contains(counter) => None,
                Counter::TheoreticalOccupancyPercent => Some(new < base),
                _ => Some(new > base),
            };
            let factor = (base != 0.0).then(|| new / base);
            Some(CounterChange { name: counter.name().into(), base, new, factor, costs_more })
        })
        .collect();
    let has = |which: bool| changes.iter().any(|change| change.costs_more == Some(which));
    let change = match (has(true), has(false)) {
        (true, false) => Change::Slower,
        (false, true) => Change::Faster,
        (true, true) => Change::Unclear,
        (false, false) => Change::Same,
    };
    (change, changes)
}

/// Whether a kernel of the case has loops that wait for other threads, so that its counters vary from run to run.
pub fn waits(counters: &[Vec<f64>]) -> bool {
    counters.get(Counter::WaitingLoops as usize).is_some_and(|values| values.iter().any(|n| *n > 0.0))
}

/// Returns the closest values of the two sides; `None` if the sides overlap, or one has none.
fn apart(base: &[f64], new: &[f64]) -> Option<(f64, f64)> {
    let ends = |values: &[f64]| {
        let low = values.iter().copied().reduce(f64::min)?;
        Some((low, values.iter().copied().fold(low, f64::max)))
    };
    // A counter that only one side has is compared with 0.
    let (base, new) = match (ends(base), ends(new)) {
        (None, None) => return None,
        (base, new) => (base.unwrap_or_default(), new.unwrap_or_default()),
    };
    match () {
        () if base.1 < new.0 => Some((base.1, new.0)),
        () if new.1 < base.0 => Some((base.0, new.1)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(values: &[(&str, &[f64])]) -> Vec<Vec<f64>> {
        let of = |name: &str| values.iter().find(|v| v.0 == name).map_or(Vec::new(), |v| v.1.to_vec());
        Counter::ALL.iter().map(|counter| of(counter.name())).collect()
    }

    #[test]
    fn counters_are_compared_exactly_by_name_and_factor() {
        let base = counted(&[("instructions", &[100.0]), ("global_load_sectors", &[8.0]), ("barriers", &[0.0])]);
        let more = counted(&[("instructions", &[101.0]), ("global_load_sectors", &[8.0]), ("barriers", &[2.0])]);
        let (change, changes) = judge(&base, &more);
        assert_eq!(change, Change::Slower);
        let told: Vec<_> = changes.iter().map(|c| (c.name.as_str(), c.factor)).collect();
        assert_eq!(told, [("instructions", Some(1.01)), ("barriers", None)]);
        assert_eq!(judge(&more, &base).0, Change::Faster);
        assert_eq!(judge(&base, &base), (Change::Same, Vec::new()));
    }

    #[test]
    fn more_of_one_and_less_of_another_is_unclear_and_a_description_is_no_cost() {
        let base =
            counted(&[("instructions", &[100.0]), ("global_load_sectors", &[8.0]), ("registers_estimated", &[8.0])]);
        let mixed =
            counted(&[("instructions", &[90.0]), ("global_load_sectors", &[9.0]), ("registers_estimated", &[8.0])]);
        assert_eq!(judge(&base, &mixed).0, Change::Unclear);
        let registers =
            counted(&[("instructions", &[100.0]), ("global_load_sectors", &[8.0]), ("registers_estimated", &[9.0])]);
        let (change, changes) = judge(&base, &registers);
        assert_eq!((change, changes.len(), changes[0].costs_more), (Change::Same, 1, None));
        let occupancy = |percent: f64| counted(&[("theoretical_occupancy_percent", &[percent])]);
        assert_eq!(judge(&occupancy(50.0), &occupancy(25.0)).0, Change::Slower);
    }

    #[test]
    fn a_counter_that_varies_between_the_runs_of_a_side_must_leave_their_range() {
        let base = counted(&[("instructions", &[100.0, 110.0])]);
        assert_eq!(judge(&base, &counted(&[("instructions", &[105.0])])).0, Change::Same);
        let (change, changes) = judge(&base, &counted(&[("instructions", &[121.0, 130.0])]));
        assert_eq!((change, changes[0].base, changes[0].new), (Change::Slower, 110.0, 121.0));
        assert_eq!(judge(&counted(&[]), &base).0, Change::Slower);
    }
}
