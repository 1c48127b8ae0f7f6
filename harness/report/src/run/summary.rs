//! The summary of a lab's rows: the one that the run wrote or, for rows of a GPU without one, the lab's story of them.
use harness::{Lab, Predicted, Record, StorySummary, Times};
use predict::Prediction;
use serde::Deserialize;

use crate::run::{folder::LabRows, row::Row};

/// Parses the file of a summary.
///
/// # Errors
/// A sentence, when the text is no summary, or has a version that this program does not read.
pub fn read(text: &str) -> Result<StorySummary, String> {
    let Version { schema } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if schema > StorySummary::SCHEMA {
        return Err(format!("it has version {schema}, newer than {}, which this warplab reads", StorySummary::SCHEMA));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The version alone, so that a newer file is recognised.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

impl LabRows {
    /// Returns the summary; `None` for an unknown lab, and for emulated rows without a summary of their own, because
    /// their times are not those of a GPU.
    pub fn summary(&self, lab: Option<&'static Lab>) -> Option<StorySummary> {
        self.story.clone().or_else(|| {
            let (lab, is_emulated) = (lab?, self.rows.iter().any(Row::is_emulated));
            let story = lab.story.as_ref().filter(|_| !is_emulated)?;
            Some(story.of_measured(lab.name, &lab.variants(), &self.records()))
        })
    }

    /// Returns the rows with the columns that a summary needs.
    pub fn records(&self) -> Vec<Record> {
        self.rows.iter().map(record).collect()
    }
}

fn record(row: &Row) -> Record {
    let times = |ms| Times { samples: 1, throttled: 0, min: ms, median: ms, mean: ms, stdev: 0.0 };
    let note = row.text("note");
    Record {
        lab: row.text("lab").into(),
        variant: row.variant().into(),
        case: row.case().into(),
        n: row.text("n").parse().ok(),
        times: row.ms().map(times),
        predicted: predicted(row),
        percent_of_ceiling: row.number("percent_of_ceiling"),
        verdict: row.verdict,
        // What was wrong with a row that is wrong on purpose is in its note.
        wrong: row.is_wrong_on_purpose().then(|| note.into()),
        note: note.into(),
        ..Record::default()
    }
}

/// Returns the predicted time of a measured row, without its part and what bounds it.
fn predicted(row: &Row) -> Option<Predicted> {
    let [ms, low_ms, high_ms] = ["predicted_ms", "predicted_low_ms", "predicted_high_ms"].map(|name| row.number(name));
    let in_all = Prediction { ms: ms?, low_ms: low_ms?, high_ms: high_ms?, terms: Vec::new() };
    Some(Predicted {
        part: String::new(),
        in_all: Some(in_all),
        not_predicted: None,
        transfer: None,
        launches: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::row::tests::row;

    #[test]
    fn a_measured_row_keeps_its_prediction() {
        let cells = [("variant", "a"), ("n", "8"), ("time_median_ms", "2"), ("predicted_ms", "3")];
        let whole = [&cells[..], &[("predicted_low_ms", "2.5"), ("predicted_high_ms", "3.5")]].concat();
        let lab = LabRows { lab: "x".into(), rows: vec![row(&whole), row(&cells)], ..LabRows::default() };
        let records = lab.records();
        let interval = |record: &Record| {
            let all = record.predicted.as_ref()?.in_all.as_ref()?;
            Some([all.low_ms, all.ms, all.high_ms])
        };
        assert_eq!(records.iter().map(interval).collect::<Vec<_>>(), [Some([2.5, 3.0, 3.5]), None]);
        assert_eq!(records[0].times.map(|times| times.median), Some(2.0));
    }
}
