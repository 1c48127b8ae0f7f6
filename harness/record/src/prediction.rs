//! The predicted time of a row on a GPU: for the launches of its first timed sample.
use predict::{GpuModel, LaunchProfile, NotPredicted, Prediction, Repeated, transfer::Transfer};
use serde::{Deserialize, Serialize};
use wire::Launch;

/// What a row is predicted to take.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// What the GPU is called.
    pub part: String,
    /// All launches of a sample together, if a time can be predicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_all: Option<Prediction>,
    /// Why not, if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_predicted: Option<String>,
    /// What a sample moves between host and device, and how, if that is a part of its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Transfer>,
    /// The launches, those that follow each other and differ in nothing together. Fills of memory are among them.
    pub launches: Vec<Repeated>,
}

/// What a sample has besides its launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    /// Fills of memory.
    pub fills: u64,
    /// What it moves between host and device, if that is a part of its time.
    pub transfer: Option<Transfer>,
    /// The L2 cache is flushed before.
    pub flushed: bool,
}

impl Predicted {
    /// Predicts the total time of these launches on this part, or returns why it cannot; `None` if there are no
    /// launches, or their costs were not counted. With a transfer, fills are part of the transfer.
    pub fn from_launches<'l>(
        launches: impl IntoIterator<Item = &'l Launch>,
        beside: Beside,
        part: &GpuModel,
    ) -> Option<Self> {
        let Beside { fills, transfer, flushed } = beside;
        let mut launches = launches.into_iter().peekable();
        let mut repeated: Vec<Repeated> = Vec::new();
        if fills > 0 && transfer.is_none() && launches.peek().is_some() {
            repeated.push(Repeated { count: fills, profile: LaunchProfile::fill() });
        }
        for launch in launches {
            let profile = LaunchProfile { flushed: f64::from(flushed), ..LaunchProfile::from_launch(launch).ok()? };
            match repeated.last_mut() {
                Some(last) if last.profile == profile => last.count += 1,
                _ => repeated.push(Repeated { count: 1, profile }),
            }
        }
        let (in_all, not_predicted) = match predict::sequence_time(&repeated, part) {
            Ok(in_all) => match transfer {
                Some(transfer) => (Some(predict::transfer::with(&in_all, transfer, part)), None),
                None => (Some(in_all), None),
            },
            Err(NotPredicted::NoLaunch) => return None,
            Err(not @ NotPredicted::Measure { .. }) => (None, Some(not.to_string())),
        };
        Some(Self { part: part.full_name.clone(), in_all, not_predicted, transfer, launches: repeated })
    }
}

impl Predicted {
    /// Returns the bottleneck, or why nothing is predicted.
    pub fn bound(&self) -> String {
        let not = || self.not_predicted.clone().unwrap_or_default();
        self.in_all.as_ref().map_or_else(not, |all| all.bound().to_string())
    }
}

#[cfg(test)]
mod tests {
    use predict::transfer::{Moved, Way};
    use wire::costs::{Chain, Costs, Footprint};

    use super::*;
    use crate::{
        columns::{PREDICTED, known_column},
        fixtures::{launch, predicted, record},
        record::Record,
    };

    fn cells(predicted: Option<Predicted>) -> Vec<String> {
        let record = Record { predicted, ..record() };
        PREDICTED.iter().map(|column| (known_column(column.name).unwrap().write)(&record).text()).collect()
    }

    #[test]
    fn launches_that_are_alike_are_kept_once_and_all_are_predicted_together() {
        let predicted = predicted();
        assert_eq!(predicted.launches.iter().map(|l| l.count).collect::<Vec<_>>(), [2, 1]);
        let all = predicted.in_all.clone().unwrap();
        assert_eq!(
            cells(Some(predicted)),
            [all.ms, all.low_ms, all.high_ms]
                .map(|ms| ms.to_string())
                .into_iter()
                .chain(["integers".into()])
                .collect::<Vec<_>>()
        );
        assert!(all.low_ms < all.ms && all.ms < all.high_ms);
    }

    #[test]
    fn what_a_sample_moves_is_a_part_of_its_time() {
        let mut counted = launch();
        counted.counters.costs = Some(Costs::default());
        let moved = Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
        let of = |transfer| {
            let beside = Beside { transfer, ..Beside::default() };
            Predicted::from_launches([&counted], beside, &GpuModel::find("h200").unwrap())
        };
        let (alone, moves) = (of(None).unwrap(), of(Some(Transfer { way: Way::Pageable, moved })).unwrap());
        assert_eq!((alone.bound().as_str(), moves.bound().as_str()), ("launch", "transfers"));
        assert!(moves.in_all.unwrap().ms > alone.in_all.unwrap().ms + 20.0);
    }

    #[test]
    fn a_fill_is_one_more_launch_of_nearly_nothing() {
        let mut counted = launch();
        counted.counters.costs = Some(Costs::default());
        let of = |fills, transfer| {
            let part = GpuModel::find("h200").unwrap();
            let beside = Beside { fills, transfer, ..Beside::default() };
            Predicted::from_launches([&counted], beside, &part).unwrap().in_all.unwrap().ms
        };
        let fill = of(1, None) - of(0, None);
        assert!(fill > 1e-3 && fill < 4e-3 && (of(2, None) - of(0, None) - 2.0 * fill).abs() < 1e-4, "{fill}");
        let moves = Some(Transfer { way: Way::Pageable, moved: Moved { copies: 1.0, to_device: 1e6, to_host: 1e6 } });
        assert_eq!(of(1, moves), of(0, moves));
    }

    #[test]
    fn after_a_flush_of_the_cache_data_come_from_device_memory() {
        let mut counted = launch();
        let chain = Chain { global: 10, ..Chain::default() };
        let footprint = Footprint { block_read_sectors: 80, read_sectors: 80, sectors: 80, ..Footprint::default() };
        counted.counters.totals.global_loads.sectors = 80;
        counted.counters.costs = Some(Costs { chain, footprint, ..Costs::default() });
        let of = |flushed| {
            let beside = Beside { flushed, ..Beside::default() };
            let part = GpuModel::find("h200").unwrap();
            Predicted::from_launches([&counted], beside, &part).unwrap().in_all.unwrap().ms
        };
        assert!(of(true) > of(false) + 1e-3, "{} {}", of(true), of(false));
    }

    #[test]
    fn a_row_whose_kernel_takes_a_lock_says_so_and_has_no_time() {
        let mut locks = launch();
        (locks.locking_loops, locks.counters.costs) = (1, Some(Costs::default()));
        let predicted = Predicted::from_launches(&[locks], Beside::default(), &GpuModel::find("h200").unwrap());
        assert_eq!(cells(predicted), ["", "", "", "not predicted: takes a lock, so measure this one"]);
    }

    #[test]
    fn nothing_is_predicted_of_a_launch_whose_costs_were_not_counted() {
        assert_eq!(Predicted::from_launches(&[launch()], Beside::default(), &GpuModel::find("h200").unwrap()), None);
        assert_eq!(
            Predicted::from_launches(&[], Beside { fills: 1, ..Beside::default() }, &GpuModel::find("h200").unwrap()),
            None
        );
        assert_eq!(cells(None), ["", "", "", ""]);
    }
}
