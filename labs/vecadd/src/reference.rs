//! The sweep of the reference machine, which the program contains: what the modes take on a GPU that is not here.
use harness::{CrossoverTable, Verdict};
use serde::Deserialize;
use serde_json::Value;

use crate::sweep::{Times, fastest, times};

/// The rows of the run.
const ROWS: &str = include_str!("../../../reports/h200/sweep/vecadd.csv");

/// The run's device and date.
const SESSION: &str = include_str!("../../../reports/h200/sweep/session.json");

/// The columns that are read.
#[derive(Deserialize)]
struct Row {
    variant: String,
    n: Option<u64>,
    time_median_ms: Option<f64>,
    verdict: Verdict,
}

/// Returns the fastest modes of the reference machine.
pub(crate) fn crossovers() -> CrossoverTable {
    CrossoverTable { heading: heading(), rows: fastest(&reference_times()) }
}

/// Returns the times of the reference machine.
///
/// # Panics
/// When the program contains another file than the CSV of a run.
pub fn reference_times() -> Times {
    let rows: Result<Vec<Row>, csv::Error> = csv::Reader::from_reader(ROWS.as_bytes()).deserialize().collect();
    let rows = rows.expect("the rows of the reference run are a CSV");
    let passed = rows.iter().filter(|row| row.verdict == Verdict::Pass);
    times(passed.filter_map(|row| Some((row.variant.as_str(), row.n?, row.time_median_ms?))))
}

/// Returns the reference machine's GPU, and the day on which it was measured.
fn heading() -> String {
    let session: Value = serde_json::from_str(SESSION).expect("the session of the reference run is JSON");
    let run = &session["sessions"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (device, started) = (text(&run["device"]["name"]), text(&run["started"]));
    let day = started.split('T').next().unwrap_or_default();
    format!("{device}, measured on {day} (reports/h200/sweep)")
}
