//! The rows of a reference run, as far as a lab's summary needs them.
use std::path::Path;

use harness::{Record, Times, Verdict};
use serde::Deserialize;

/// The columns that are read.
#[derive(Debug, Deserialize)]
struct Row {
    variant: String,
    case: String,
    n: Option<u64>,
    time_median_ms: Option<f64>,
    percent_of_ceiling: Option<f64>,
    verdict: Verdict,
    note: String,
}

/// Returns the rows of `lab` in the run of this folder.
///
/// # Errors
/// When its CSV cannot be read, or is not that of a run.
pub fn rows(run: &Path, lab: &str) -> Result<Vec<Record>, csv::Error> {
    let record = |row: Row| {
        let times = |ms| Times { samples: 1, throttled: 0, min: ms, median: ms, mean: ms, stdev: 0.0 };
        let Row { variant, case, n, time_median_ms, percent_of_ceiling, verdict, note } = row;
        // What was wrong with a row that is wrong on purpose is in its note.
        let wrong = note.starts_with("wrong on purpose").then(|| note.clone());
        let times = time_median_ms.map(times);
        Record {
            lab: lab.into(),
            variant,
            case,
            n,
            times,
            percent_of_ceiling,
            verdict,
            note,
            wrong,
            ..Record::default()
        }
    };
    csv::Reader::from_path(run.join(format!("{lab}.csv")))?.deserialize().map(|row| row.map(record)).collect()
}
