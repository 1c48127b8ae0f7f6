//! What a row is predicted to take on a GPU, as columns of the CSV: of the launches of its first timed sample.
use predict::{Part, Prediction, Repeated, Subject};
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
    /// All launches of a sample together.
    pub in_all: Prediction,
    /// The launches, those that follow each other and differ in nothing together.
    pub launches: Vec<Repeated>,
}

impl Predicted {
    /// What these launches take together on this part; `None` if there are none, or their costs were not counted.
    pub(crate) fn of(launches: &[Launch], part: &Part) -> Option<Self> {
        let mut repeated: Vec<Repeated> = Vec::new();
        for launch in launches {
            let subject = Subject::of(launch).ok()?;
            match repeated.last_mut() {
                Some(last) if last.subject == subject => last.count += 1,
                _ => repeated.push(Repeated { count: 1, subject }),
            }
        }
        let in_all = predict::in_all(&repeated, part)?;
        Some(Self { part: part.full_name.clone(), in_all, launches: repeated })
    }
}

/// How a value comes from a prediction.
type Source = Sourced<fn(&Prediction) -> Value>;

/// The columns, in order.
#[rustfmt::skip]
const TABLE: &[Source] = &[
    Source { column: column("predicted_ms", "what the launches of a sample are predicted to take on the emulated part (`--predict`); nothing was measured"), source: |p| p.ms.into() },
    Source { column: column("predicted_low_ms", "of ten such times, about eight were measured to lie above this,"), source: |p| p.low_ms.into() },
    Source { column: column("predicted_high_ms", "and below this"), source: |p| p.high_ms.into() },
    Source { column: column("predicted_bound", "what is predicted to bound it"), source: |p| p.bound().to_string().into() },
];

/// The predictions' columns, which are the last in every CSV.
pub const PREDICTED: [Column; TABLE.len()] = columns_of(TABLE);

/// The values of [`PREDICTED`]; none where nothing was predicted.
pub(crate) fn values(record: &Record) -> Vec<Value> {
    let of = |predicted: &Predicted| TABLE.iter().map(|c| (c.source)(&predicted.in_all)).collect();
    record.predicted.as_ref().map_or_else(Vec::new, of)
}

#[cfg(test)]
pub(crate) mod tests {
    use wire::costs::{Costs, Pipes};

    use super::*;
    use crate::record::{counters::tests::launch, row::tests::record};

    /// What three launches of which two are alike are predicted to take.
    pub(crate) fn predicted() -> Predicted {
        let counted = |integer: u64| {
            let mut one = launch();
            let pipes = Pipes { integer, ..Pipes::default() };
            one.counters.costs = Some(Costs { pipes, ..Costs::default() });
            one
        };
        Predicted::of(&[counted(1 << 30), counted(1 << 30), counted(7)], &Part::find("h200").unwrap()).unwrap()
    }

    #[test]
    fn launches_that_are_alike_are_kept_once_and_all_are_predicted_together() {
        let predicted = predicted();
        assert_eq!(predicted.launches.iter().map(|l| l.count).collect::<Vec<_>>(), [2, 1]);
        let record = Record { predicted: Some(predicted.clone()), ..record() };
        let values = values(&record);
        assert_eq!(values.len(), PREDICTED.len());
        assert_eq!(values[0].number(), Some(predicted.in_all.ms));
        assert_eq!(values[3], Value::Text("integers".into()));
        assert!(values[1].number() < values[0].number() && values[0].number() < values[2].number());
    }

    #[test]
    fn nothing_is_predicted_of_a_launch_whose_costs_were_not_counted() {
        assert_eq!(Predicted::of(&[launch()], &Part::find("h200").unwrap()), None);
        assert_eq!(Predicted::of(&[], &Part::find("h200").unwrap()), None);
        assert!(super::values(&record()).is_empty());
    }
}
