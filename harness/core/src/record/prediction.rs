//! The predicted time of a row on a GPU, as columns of the CSV: for the launches of its first timed sample.
use predict::{GpuModel, LaunchProfile, NotPredicted, Prediction, Repeated, transfer::Transfer};
use serde::{Deserialize, Serialize};
use wire::Launch;

use crate::record::{
    column::{Column, Sourced, column, columns_of},
    row::{Record, Value},
};

/// What a row is predicted to take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
pub(crate) struct Beside {
    /// Fills of memory.
    pub(crate) fills: u64,
    /// What it moves between host and device, if that is a part of its time.
    pub(crate) transfer: Option<Transfer>,
    /// The L2 cache is flushed before.
    pub(crate) flushed: bool,
}

impl Predicted {
    /// Predicts the total time of these launches on this part, or returns why it cannot; `None` if there are no
    /// launches, or their costs were not counted. With a transfer, fills are part of the transfer.
    pub(crate) fn from_launches<'l>(
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
            Err(waits @ NotPredicted::Waits { .. }) => (None, Some(waits.to_string())),
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

    fn time(&self, of: impl Fn(&Prediction) -> f64) -> Value {
        self.in_all.as_ref().map(of).into()
    }
}

/// The function from a prediction to a value.
type Source = Sourced<fn(&Predicted) -> Value>;

/// The columns, in order.
#[rustfmt::skip]
const TABLE: &[Source] = &[
    Source { column: column("predicted_ms", "what the launches of a sample are predicted to take on the emulated part (`--predict`); nothing was measured"), source: |p| p.time(|t| t.ms) },
    Source { column: column("predicted_low_ms", "of ten such times, about eight were measured to lie above this,"), source: |p| p.time(|t| t.low_ms) },
    Source { column: column("predicted_high_ms", "and below this"), source: |p| p.time(|t| t.high_ms) },
    Source { column: column("predicted_bound", "what is predicted to bound it, or why nothing is predicted"), source: |p| p.bound().into() },
];

/// The predictions' columns, which are the last in every CSV.
pub const PREDICTED: [Column; TABLE.len()] = columns_of(TABLE);

/// Returns the values of [`PREDICTED`]; empty if nothing was predicted.
pub(crate) fn values(record: &Record) -> Vec<Value> {
    let of = |predicted: &Predicted| TABLE.iter().map(|c| (c.source)(predicted)).collect();
    record.predicted.as_ref().map_or_else(Vec::new, of)
}

#[cfg(test)]
pub(crate) mod tests {
    use predict::transfer::{Moved, Way};
    use wire::costs::{Chain, Costs, Footprint, Pipes};

    use super::*;
    use crate::record::{counters::tests::launch, row::tests::record};

    /// Returns the prediction for three launches, two of which are equal.
    pub(crate) fn predicted() -> Predicted {
        let counted = |integer: u64| {
            let mut one = launch();
            let pipes = Pipes { integer, ..Pipes::default() };
            one.counters.costs = Some(Costs { pipes, ..Costs::default() });
            one
        };
        Predicted::from_launches(
            &[counted(1 << 30), counted(1 << 30), counted(7)],
            Beside::default(),
            &GpuModel::find("h200").unwrap(),
        )
        .unwrap()
    }

    #[test]
    fn launches_that_are_alike_are_kept_once_and_all_are_predicted_together() {
        let predicted = predicted();
        assert_eq!(predicted.launches.iter().map(|l| l.count).collect::<Vec<_>>(), [2, 1]);
        let record = Record { predicted: Some(predicted.clone()), ..record() };
        let values = values(&record);
        assert_eq!(values.len(), PREDICTED.len());
        assert_eq!(values[0].number(), predicted.in_all.as_ref().map(|all| all.ms));
        assert_eq!(values[3], Value::Text("integers".into()));
        assert!(values[1].number() < values[0].number() && values[0].number() < values[2].number());
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
        let values = values(&Record { predicted, ..record() });
        assert_eq!(values[..3], [Value::Empty, Value::Empty, Value::Empty]);
        assert_eq!(values[3], Value::Text("not predicted: waits for other threads".into()));
    }

    #[test]
    fn nothing_is_predicted_of_a_launch_whose_costs_were_not_counted() {
        assert_eq!(Predicted::from_launches(&[launch()], Beside::default(), &GpuModel::find("h200").unwrap()), None);
        assert_eq!(
            Predicted::from_launches(&[], Beside { fills: 1, ..Beside::default() }, &GpuModel::find("h200").unwrap()),
            None
        );
        assert!(super::values(&record()).is_empty());
    }
}
