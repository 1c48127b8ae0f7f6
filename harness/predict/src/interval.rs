//! The interval around a predicted time: how wide it is depends on what bounds the launch, and on whether launches like
//! it were measured.
//!
//! `reports/prediction/intervals.py fit` writes `widths.json`: for each kind of launch the factor of its interval, from
//! how many rows of how many programs it is, and for each share of a launch's time the largest one that was measured.
//! The README says how they are fitted, and how many rows of programs that were left out lie inside.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    gpu_model::GpuModel,
    launch_profile::Repeated,
    placement::{Hits, Spread},
    prediction::{Bound, Term},
    resources::{chains, passed_on},
};

/// By how much the largest measured share of a launch's time may be exceeded by a launch that counts as similar.
const SIMILAR: f64 = 0.1;

/// What a prediction has in common with the measured launches from which its interval comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchKind {
    /// Bound by the launch overhead or by starting blocks.
    Start,
    /// Bound by device memory or the L2 cache.
    Memory,
    /// Bound by a unit of the SMs.
    Sm,
    /// Bound by dependent instructions and waits.
    Latency,
    /// Bound by atomics.
    Atomics,
    /// With transfers between host and device.
    Transfers,
    /// A share of its time is larger than any that was measured.
    #[default]
    Unlike,
}

impl LaunchKind {
    /// Returns the kind of launches with this bound.
    fn of_bound(bound: Bound) -> LaunchKind {
        match bound {
            Bound::Launch | Bound::Blocks => LaunchKind::Start,
            Bound::Dram | Bound::L2 => LaunchKind::Memory,
            Bound::Latency => LaunchKind::Latency,
            Bound::Atomics => LaunchKind::Atomics,
            Bound::Link => LaunchKind::Transfers,
            Bound::L1
            | Bound::SharedMemory
            | Bound::Issue
            | Bound::SinglePipe
            | Bound::IntegerPipe
            | Bound::DoublePipe
            | Bound::SpecialPipe
            | Bound::TensorPipe
            | Bound::ExchangePipe => LaunchKind::Sm,
        }
    }
}

/// The shares of a predicted time by what they are spent on: each resource, each kind of instruction and wait in the
/// chains of the blocks, and blocks that look back for each other.
pub type Shares = BTreeMap<String, f64>;

/// How far measured times were from predicted ones.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Width {
    /// The upper end of the interval is the predicted time multiplied by this, and the lower end is divided by it.
    factor: f64,
}

/// The file of the widths.
#[derive(Debug, Deserialize)]
struct Widths {
    kinds: BTreeMap<LaunchKind, Width>,
    /// The largest share that was measured.
    seen: Shares,
}

static WIDTHS: LazyLock<Widths> =
    LazyLock::new(|| serde_json::from_str(include_str!("../widths.json")).expect("the committed file is valid"));

impl LaunchKind {
    /// Returns the kind of a prediction with this bottleneck and these shares.
    pub(crate) fn of(bound: Bound, shares: &Shares) -> LaunchKind {
        let is_seen =
            |(name, share): (&String, &f64)| *share <= WIDTHS.seen.get(name).copied().unwrap_or(0.0) + SIMILAR;
        if shares.iter().all(is_seen) { LaunchKind::of_bound(bound) } else { LaunchKind::Unlike }
    }

    /// Returns the ends of the interval around a time that events would measure. A profiler does not see the first
    /// `unseen` milliseconds of it.
    pub(crate) fn interval(self, ms: f64, unseen: f64) -> (f64, f64) {
        let Width { factor } = WIDTHS.kinds[&self];
        ((ms - unseen) / factor, ms * factor)
    }
}

/// Returns the shares of the time of these launches, `ms` in all, whose resources need the time of `terms`.
pub(crate) fn shares(launches: &[Repeated], terms: &[Term], ms: f64, part: &GpuModel) -> Shares {
    let mut shares: Shares = terms.iter().map(|term| (name(term.bound), term.ms / ms)).collect();
    for Repeated { count, profile } in launches.iter().filter(|launch| launch.profile.fills == 0.0) {
        let spread = Spread::from_profile(profile, part);
        let hits = Hits::from_profile(profile, part, &spread);
        let blocks = spread.rounds / profile.blocks.max(1.0) / spread.clocks_per_ms;
        for (kind, cycles) in chains(profile, part, &spread, &hits) {
            *shares.entry(format!("chain_{kind}")).or_default() += cycles * blocks * *count as f64 / ms;
        }
        let flags = passed_on(profile, part, &spread) * *count as f64 / ms;
        *shares.entry("flags".into()).or_default() += flags;
    }
    shares
}

/// The name of a bound in the files.
fn name(bound: Bound) -> String {
    serde_json::to_value(bound).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{launch_profile::LaunchProfile, model::predict, prediction::Prediction};

    fn predicted(profile: &LaunchProfile) -> Prediction {
        predict(profile, &GpuModel::find("h200").unwrap()).unwrap()
    }

    /// Blocks of 256 threads, as many as are resident, that execute `single` instructions of single precision in all.
    fn computes(single: f64) -> LaunchProfile {
        let integer = 0.6 * single;
        LaunchProfile { blocks: 1056.0, threads: 256.0, resident: 8.0, single, integer, ..LaunchProfile::default() }
    }

    #[test]
    fn every_kind_has_a_factor_and_what_is_unlike_the_measured_launches_has_the_widest_of_kernels() {
        let factor = |kind: LaunchKind| WIDTHS.kinds[&kind].factor;
        let kinds = [LaunchKind::Start, LaunchKind::Memory, LaunchKind::Sm, LaunchKind::Latency, LaunchKind::Atomics];
        assert!(kinds.iter().all(|kind| (1.0..=factor(LaunchKind::Unlike)).contains(&factor(*kind))));
        assert!(factor(LaunchKind::Transfers) > 1.0);
    }

    #[test]
    fn an_interval_holds_the_time_by_events_and_that_of_a_profiler() {
        let part = GpuModel::find("h200").unwrap();
        let (short, long) = (predicted(&computes(0.0)), predicted(&computes(1e8)));
        assert_eq!((short.kind, long.kind), (LaunchKind::Start, LaunchKind::Sm));
        for one in [&short, &long] {
            let factor = WIDTHS.kinds[&one.kind].factor;
            assert!((one.high_ms / one.ms - factor).abs() < 1e-9);
            assert!(((one.ms - part.profiler_us() * 1e-3) / one.low_ms - factor).abs() < 1e-9);
        }
        // A profiler's time is much shorter only if the launch is short.
        assert!(short.ms / short.low_ms > 1.3 && long.ms / long.low_ms < 1.01 * long.high_ms / long.ms);
    }

    #[test]
    fn a_launch_unlike_those_that_were_measured_has_a_wider_interval() {
        let width = |one: &Prediction| one.high_ms / one.low_ms;
        let known = predicted(&computes(1e8));
        let double = LaunchProfile { double: 1e8, chain_double: 1e6, ..computes(1e8) };
        let local = LaunchProfile { chain_local: 1e7, ..computes(1e8) };
        for unlike in [predicted(&double), predicted(&local)] {
            assert_eq!(unlike.kind, LaunchKind::Unlike, "{unlike:?}");
            assert!(width(&unlike) > 1.2 * width(&known), "{} {}", width(&unlike), width(&known));
        }
    }

    #[test]
    fn shares_are_parts_of_the_predicted_time() {
        let part = GpuModel::find("h200").unwrap();
        let launches = [Repeated { count: 3, profile: LaunchProfile { chain_double: 1e6, ..computes(1e8) } }];
        let shares = crate::shares(&launches, &part).unwrap();
        let (chain, latency) = (shares["chain_double"], shares["latency"]);
        assert!(chain > 0.01 && chain < latency && latency < 1.0, "{shares:?}");
        assert!(shares.values().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    }
}
