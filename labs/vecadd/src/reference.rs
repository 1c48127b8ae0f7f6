//! The sweep of the reference machine, which the program contains: what the modes take on a GPU that is not here.
use harness::{CrossoverTable, LabRows, Verdict, read_sessions};

use crate::sweep::{Times, fastest, times};

/// The rows of the run.
const ROWS: &str = include_str!("../../../reports/h200/sweep/vecadd.csv");

/// The run's device and date.
const SESSION: &str = include_str!("../../../reports/h200/sweep/session.json");

/// Returns the fastest modes of the reference machine.
pub(crate) fn crossovers() -> CrossoverTable {
    CrossoverTable { heading: heading(), rows: fastest(&reference_times()) }
}

/// Returns the times of the reference machine.
///
/// # Panics
/// When the program contains another file than the CSV of a run.
pub fn reference_times() -> Times {
    let lab = LabRows::from_text("vecadd", ROWS).expect("the rows of the reference run are a CSV");
    let passed = lab.rows.iter().filter(|row| row.verdict == Verdict::Pass);
    times(passed.filter_map(|row| Some((row.variant(), row.n?, row.ms()?))))
}

/// Returns the reference machine's GPU, and the day on which it was measured.
fn heading() -> String {
    let sessions = read_sessions(SESSION).expect("the session of the reference run is JSON");
    let (device, started) = (&sessions[0].device.name, &sessions[0].started);
    let day = started.split('T').next().unwrap_or_default();
    format!("{device}, measured on {day} (reports/h200/sweep)")
}
