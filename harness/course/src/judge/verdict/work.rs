//! The work of the lab's own kernels in a case: the baseline for whether the threads of another kernel share the work.
use harness::{Counter, Record};

/// The work of the lab's own kernels in a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Instructions of the warp that executes the most.
    pub longest_warp: f64,
    /// Instructions of all warps.
    pub instructions: f64,
    /// Whether loops wait for other threads: then the instruction count varies with the order of threads.
    pub waits: bool,
}

impl Work {
    /// The most work of any of these rows; `None` if it is not counted.
    pub(super) fn of_rows(own: &[&Record]) -> Option<Self> {
        let most = |counter| own.iter().filter_map(|row| row.counters.get(counter)).reduce(f64::max);
        Some(Self {
            longest_warp: most(Counter::LongestWarpInstructions)?,
            instructions: most(Counter::Instructions)?,
            waits: most(Counter::WaitingLoops).is_some_and(|loops| loops > 0.0),
        })
    }
}

/// The rows of `own` that belong to the case, or all of them if none does.
pub(super) fn comparable(own: &[Record], is_of_case: impl Fn(&Record) -> bool) -> Vec<&Record> {
    let same: Vec<&Record> = own.iter().filter(|own| is_of_case(own)).collect();
    if same.is_empty() { own.iter().collect() } else { same }
}

#[cfg(test)]
mod tests {
    use harness::Verdict;

    use super::{
        super::sample::{counted, record},
        *,
    };

    fn row(case: &str, longest: u64, loops: u64) -> Record {
        let counters =
            [("longest_warp_instructions", longest), ("instructions", 2 * longest), ("waiting_loops", loops)];
        counted(Record { case: case.into(), ..record(Verdict::Pass) }, &counters)
    }

    #[test]
    fn the_case_that_takes_the_most_is_the_measure() {
        let own = [row("c", 20, 0), row("c", 30, 1), row("d", 90, 0)];
        let of = |case: &str| Work::of_rows(&comparable(&own, |row| row.case == case));
        let work = |longest_warp, waits| Some(Work { longest_warp, instructions: 2.0 * longest_warp, waits });
        assert_eq!(of("c"), work(30.0, true));
        assert_eq!(of("d"), work(90.0, false));
        // The name of a case may depend on the kernel.
        assert_eq!(of("e"), work(90.0, true));
        assert_eq!(Work::of_rows(&[&record(Verdict::Pass)]), None);
    }
}
