//! The prediction without the bottleneck: the possible gain, and how to get it.

use serde::{Deserialize, Serialize};

use crate::{
    gpu_model::GpuModel,
    launch_profile::{LaunchProfile, Repeated},
    model::with_bottleneck_relieved,
    prediction::{Bound, NotPredicted, Prediction},
};

/// Why a resource is busier than the launch's data require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// Lanes of a warp access the same bank of shared memory (bank conflicts).
    Conflicts,
    /// Lanes of a warp touch more sectors than their bytes would fill.
    Sectors,
    /// Contention between atomics on global memory.
    Contention,
    /// Contention between atomics on shared memory.
    SharedContention,
    /// None of these: the bottleneck is the work itself.
    Work,
}

/// The possible gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remedy {
    /// The bottleneck of the launches, apart from launch overhead.
    pub bound: Bound,
    /// Why it is so busy.
    pub excess: Excess,
    /// Predicted milliseconds now.
    pub ms: f64,
    /// Predicted milliseconds without the excess; if the excess is the work itself, with the bottleneck reduced to the
    /// next resource.
    pub ms_without: f64,
    /// The launch overhead in both, in milliseconds.
    pub launch_ms: f64,
    /// The bottleneck without the excess.
    pub next: Bound,
}

impl Remedy {
    /// The speedup without the excess.
    pub fn times(&self) -> f64 {
        self.ms / self.ms_without
    }

    /// The speedup without launch overhead, as for data so large that the overhead is negligible.
    pub fn times_beside_launch(&self) -> f64 {
        (self.ms - self.launch_ms) / (self.ms_without - self.launch_ms).max(f64::MIN_POSITIVE)
    }

    /// Whether most of the time is launch overhead.
    pub fn is_mostly_launch(&self) -> bool {
        self.launch_ms > 0.5 * self.ms
    }
}

/// Returns the bottleneck of these launches, and their time without it.
///
/// # Errors
/// As [`crate::sequence_time`].
///
/// ```
/// use predict::{Bound, Excess, GpuModel, Repeated, LaunchProfile, remedy};
/// let transpose = LaunchProfile {
///     blocks: 1e5, threads: 256.0, resident: 8.0, shared_passes: 3.3e7, shared_conflicts: 3.1e7,
///     ..LaunchProfile::default()
/// };
/// let found = remedy(&[Repeated { count: 1, profile: transpose }], &GpuModel::find("h200").unwrap()).unwrap();
/// assert_eq!((found.bound, found.excess), (Bound::SharedMemory, Excess::Conflicts));
/// assert!(found.times() > 1.2);
/// ```
pub fn remedy(launches: &[Repeated], part: &GpuModel) -> Result<Remedy, NotPredicted> {
    let whole = with_bottleneck_relieved(launches, part, None)?;
    let bound = beside_launch(&whole);
    let mended = |excess: Excess| {
        let mended = |one: &Repeated| Repeated { count: one.count, profile: without(&one.profile, excess) };
        launches.iter().map(mended).collect::<Vec<_>>()
    };
    // Takes the excess whose removal leaves the least time.
    let mut best = (Excess::Work, with_bottleneck_relieved(launches, part, Some(bound))?);
    let mut least = whole.ms;
    for excess in causes(bound) {
        let after = with_bottleneck_relieved(&mended(*excess), part, None)?;
        if after.ms < 0.99 * least {
            least = after.ms;
            best = (*excess, after);
        }
    }
    let launch_ms = whole.terms.iter().find(|term| term.bound == Bound::Launch).map_or(0.0, |term| term.ms);
    let next = match best.0 {
        // Both resources then need the same time, and `next` is the other one.
        Excess::Work => others(&whole, bound),
        _ => beside_launch(&best.1),
    };
    Ok(Remedy { bound, excess: best.0, ms: whole.ms, ms_without: best.1.ms, launch_ms, next })
}

/// Returns the resource that takes the longest, apart from launch overhead.
fn beside_launch(prediction: &Prediction) -> Bound {
    others(prediction, Bound::Launch)
}

/// Returns the resource that takes the longest, apart from `but` and launch overhead.
fn others(prediction: &Prediction, but: Bound) -> Bound {
    let other = prediction.terms.iter().find(|term| term.bound != but && term.bound != Bound::Launch && term.ms > 0.0);
    other.map_or(Bound::Launch, |term| term.bound)
}

/// Returns the possible reasons why this resource is busier than the data require.
fn causes(bound: Bound) -> &'static [Excess] {
    match bound {
        Bound::SharedMemory => &[Excess::Conflicts, Excess::SharedContention],
        Bound::L1 | Bound::L2 | Bound::Dram => &[Excess::Sectors],
        Bound::Atomics => &[Excess::Contention],
        _ => &[],
    }
}

/// Returns the launch without this excess.
fn without(profile: &LaunchProfile, excess: Excess) -> LaunchProfile {
    let mut left = profile.clone();
    match excess {
        Excess::Conflicts => {
            left.shared_passes -= left.shared_conflicts;
            left.shared_conflicts = 0.0;
        }
        Excess::Sectors => {
            // If the ideal was not recorded, the excess is unknown.
            let ideal = |sectors: f64, ideal: f64| if ideal > 0.0 { ideal.min(sectors) } else { sectors };
            left.global_load_sectors = ideal(left.global_load_sectors, left.global_load_ideal_sectors);
            left.global_store_sectors = ideal(left.global_store_sectors, left.global_store_ideal_sectors);
            left.block_read_sectors = left.block_read_sectors.min(left.global_load_sectors);
        }
        Excess::Contention => {
            (left.atomic_longest, left.atomic_longest_float, left.atomic_retried) = (0.0, 0.0, 0.0);
        }
        Excess::SharedContention => {
            left.shared_atomic_steps = left.shared_atomic_steps.min(2.0 * left.shared_atomic_requests);
        }
        Excess::Work => {}
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy_for(profile: LaunchProfile) -> Remedy {
        let filled = LaunchProfile { blocks: 132_000.0, threads: 256.0, resident: 8.0, ..profile };
        remedy(&[Repeated { count: 2, profile: filled }], &GpuModel::find("h200").unwrap()).unwrap()
    }

    #[test]
    fn what_the_excess_costs_is_gained_as_far_as_the_next_resource_lets() {
        let conflicts = |integer: f64| {
            let passes = 3.2e8;
            remedy_for(LaunchProfile {
                shared_passes: passes,
                shared_conflicts: passes * 31.0 / 32.0,
                integer,
                ..LaunchProfile::default()
            })
        };
        let (alone, beside) = (conflicts(1e6), conflicts(2e8));
        assert_eq!((alone.bound, alone.excess), (Bound::SharedMemory, Excess::Conflicts));
        assert!(alone.times() > 8.0, "{alone:?}");
        assert_eq!(beside.next, Bound::IntegerPipe);
        assert!((2.0..4.0).contains(&beside.times()), "{beside:?}");
        assert!(beside.times_beside_launch() > beside.times() && !beside.is_mostly_launch());
    }

    #[test]
    fn each_excess_is_found_where_it_costs_and_the_work_itself_where_there_is_none() {
        let sectors = 1e9;
        let far = LaunchProfile {
            global_load_sectors: sectors,
            global_load_ideal_sectors: sectors / 8.0,
            global_load_requests: sectors / 32.0,
            block_read_sectors: sectors,
            read_sectors: sectors / 8.0,
            touched_sectors: sectors / 8.0,
            ..LaunchProfile::default()
        };
        let near = LaunchProfile { global_load_ideal_sectors: sectors, ..far.clone() };
        for (profile, bound, excess) in [
            (far, Bound::L2, Excess::Sectors),
            (near, Bound::L2, Excess::Work),
            (LaunchProfile { atomic_longest: 1e7, ..LaunchProfile::default() }, Bound::Atomics, Excess::Contention),
            (
                LaunchProfile { shared_atomic_steps: 1e9, shared_atomic_requests: 1e8, ..LaunchProfile::default() },
                Bound::SharedMemory,
                Excess::SharedContention,
            ),
            (LaunchProfile { special: 1e9, single: 1e8, ..LaunchProfile::default() }, Bound::SpecialPipe, Excess::Work),
            (LaunchProfile { chain_arithmetic: 1e11, ..LaunchProfile::default() }, Bound::Latency, Excess::Work),
        ] {
            let found = remedy_for(profile);
            assert_eq!((found.bound, found.excess), (bound, excess), "{found:?}");
            assert!(found.times() >= 1.0, "{found:?}");
        }
    }

    #[test]
    fn of_a_chain_that_waits_as_much_is_left_as_the_next_resource_needs() {
        let chain = remedy_for(LaunchProfile {
            chain_global: 1e9,
            chain_barriers: 1.0,
            single: 1e9,
            ..LaunchProfile::default()
        });
        assert_eq!((chain.bound, chain.next), (Bound::Latency, Bound::Issue));
        assert!(chain.times() > 2.0, "{chain:?}");
    }

    #[test]
    fn a_launch_of_hardly_any_work_is_mostly_a_launch_and_a_lock_is_refused() {
        let part = GpuModel::find("h200").unwrap();
        let small =
            LaunchProfile { blocks: 1.0, threads: 32.0, resident: 1.0, integer: 9.0, ..LaunchProfile::default() };
        let of = |profile: LaunchProfile| remedy(&[Repeated { count: 1, profile }], &part);
        assert!(of(small.clone()).unwrap().is_mostly_launch());
        assert!(of(LaunchProfile { locking_loops: 1.0, ..small }).is_err());
    }
}
