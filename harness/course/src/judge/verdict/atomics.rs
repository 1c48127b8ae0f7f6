//! Atomics beyond those of the lab's own kernels. They read and write memory too, but the counters of loads and stores
//! do not include them: a kernel that reads by adding 0 would meet any goal about loads.
use harness::{Counter, Record};

use super::work::comparable;

/// The number of a row's atomics beyond those of the lab's own kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Atomics {
    /// Warp instructions on global memory.
    pub global_requests: f64,
    /// Threads that took part in them; at worst each touches a different sector.
    pub global_lanes: f64,
    /// Warp instructions on shared memory.
    pub shared_requests: f64,
}

impl Atomics {
    /// The atomics of `row` beyond the most of any row of `own` that `is_of_case`, or of any row at all if there is no
    /// such row.
    pub(super) fn beyond(row: &Record, own: &[Record], is_of_case: impl Fn(&Record) -> bool) -> Self {
        let own = comparable(own, is_of_case);
        let more = |counter| {
            let of = |row: &Record| row.counters.get(counter).unwrap_or(0.0);
            let allowed = own.iter().map(|own| of(own)).fold(0.0, f64::max);
            (of(row) - allowed).max(0.0)
        };
        Self {
            global_requests: more(Counter::GlobalAtomicRequests),
            global_lanes: more(Counter::GlobalAtomicLanes),
            shared_requests: more(Counter::SharedAtomicRequests),
        }
    }

    /// The number of these atomics to add to `counter`, a counter of loads, stores or banks, if there are more than
    /// `free`: one atomic per warp is allowed, to draw a ticket or to add up the warp's results.
    pub fn counted_as(&self, counter: &str, free: f64) -> f64 {
        let is_of = |kinds: &[&str]| kinds.iter().any(|kind| counter.starts_with(kind));
        let atomics = if is_of(&["global_load_", "global_store_"]) {
            if counter.ends_with("_sectors") { self.global_lanes } else { self.global_requests }
        } else if is_of(&["shared_load_", "shared_store_", "shared_bank_"]) {
            self.shared_requests
        } else {
            0.0
        };
        if atomics > free { atomics } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use harness::Verdict;

    use super::{
        super::sample::{counted, record},
        *,
    };

    fn row(global: u64, shared: u64) -> Record {
        let counters = [
            ("global_atomic_requests", global),
            ("global_atomic_lanes", 32 * global),
            ("shared_atomic_requests", shared),
        ];
        counted(record(Verdict::Pass), &counters)
    }

    #[test]
    fn what_the_labs_own_kernel_has_is_not_counted() {
        let beyond = |own: &[Record]| Atomics::beyond(&row(10, 5), own, |own| own.case == "c");
        let of = |requests, shared| Atomics {
            global_requests: requests,
            global_lanes: 32.0 * requests,
            shared_requests: shared,
        };
        assert_eq!(beyond(&[row(0, 0)]), of(10.0, 5.0));
        assert_eq!(beyond(&[row(4, 9)]), of(6.0, 0.0));
        let other = Record { case: "d".into(), ..row(10, 5) };
        assert_eq!(beyond(&[row(0, 0), other.clone()]), of(10.0, 5.0));
        assert_eq!(beyond(&[other]), of(0.0, 0.0));
    }

    #[test]
    fn they_count_as_what_they_stand_in_for() {
        let atomics = Atomics { global_requests: 2.0, global_lanes: 64.0, shared_requests: 3.0 };
        let counted = |counter| atomics.counted_as(counter, 1.0);
        assert_eq!([counted("global_load_sectors"), counted("global_store_requests")], [64.0, 2.0]);
        assert_eq!([counted("shared_load_requests"), counted("shared_bank_conflicts")], [3.0, 3.0]);
        for other in ["instructions", "global_atomic_lanes", "shared_atomic_collisions", "shared_bytes_per_block"] {
            assert_eq!(counted(other), 0.0, "{other}");
        }
        assert_eq!(atomics.counted_as("shared_store_requests", 3.0), 0.0);
    }
}
