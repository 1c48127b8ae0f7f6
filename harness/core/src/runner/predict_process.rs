//! `--predict` on a GPU. A prediction needs counters, which only an emulated run has. So the same command also runs
//! emulated, in a separate process, and its predictions are shown with the measured times. Cases whose emulation would
//! take too long are left out, with a note.
use record::{Predicted, Record, Verdict};
use std::{process::Stdio, time::Duration};

use crate::{
    error::{Error, Result},
    process::role::{Process, Role},
};
use predict::GpuModel;

/// The maximum duration of one case's emulation.
pub(crate) const LONGEST: Duration = Duration::from_secs(20);

/// The results of a companion run of a lab.
#[derive(Debug)]
pub(crate) struct EmulatedPredictions {
    part: String,
    /// Its rows, or why there are none.
    rows: std::result::Result<Vec<Record>, String>,
}

impl EmulatedPredictions {
    /// Returns the result of `run`: the rows of the same cases, emulated on this part.
    pub(crate) fn from_run(part: &GpuModel, run: impl FnOnce() -> Result<Vec<Record>>) -> Self {
        Self { part: part.full_name.clone(), rows: run().map_err(|error| error.to_string()) }
    }

    /// Returns the prediction for this row's case, or why there is none.
    pub(crate) fn predicted(&self, row: &Record) -> Predicted {
        let key = |row: &Record| (row.variant.clone(), row.case.clone(), row.n, row.grid.clone(), row.block.clone());
        let case = |row: &Record| (row.variant.clone(), row.case.clone(), row.n);
        let rows = match &self.rows {
            Ok(rows) => rows,
            Err(why) => return self.refused(&format!("the emulated run failed: {why}")),
        };
        if let Some(predicted) = rows.iter().filter(|other| key(other) == key(row)).find_map(|r| r.predicted.clone()) {
            return predicted;
        }
        match rows.iter().find(|other| case(other) == case(row)) {
            Some(other) if other.verdict == Verdict::Skip => self.refused(&other.note),
            Some(other) if key(other) != key(row) => self.refused("the emulated device launches another grid"),
            Some(_) => self.refused("nothing that it launches is timed"),
            None => self.refused("the emulated run has no such case"),
        }
    }

    fn refused(&self, why: &str) -> Predicted {
        let not_predicted = Some(format!("not predicted: {why}"));
        Predicted { part: self.part.clone(), in_all: None, not_predicted, transfer: None, launches: Vec::new() }
    }
}

/// Returns the rows of this same command for `lab`, emulated on `part`.
///
/// # Errors
/// [`Error::CannotRun`] with the process's output if it left no rows, or when it cannot be started.
pub(crate) fn run(process: &Process, lab: &str, part: &GpuModel) -> Result<Vec<Record>> {
    let role = Role::Prediction { lab: lab.into(), part: part.name.clone() };
    let (mut command, left) = process.piece(role)?;
    command.stdout(Stdio::null());
    let ended = command.output().map_err(|source| {
        let path = command.get_program().into();
        Error::Io { action: "start", path, source }
    })?;
    let rows = left.read()?;
    let words = String::from_utf8_lossy(&ended.stderr);
    let last = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
    if rows.is_empty() { Err(Error::CannotRun(last.trim().into())) } else { Ok(rows) }
}

/// Returns the reason for leaving a case out of a companion run, if its emulation would take too long.
pub(crate) fn too_long(time: Option<Duration>) -> Option<Error> {
    let time = time.filter(|time| *time > LONGEST)?;
    let words = humantime::format_duration(Duration::from_secs(time.as_secs()));
    Some(Error::skip(format!("its emulation would take {words}; choose a smaller n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::{predicted, record};

    fn part() -> GpuModel {
        GpuModel::find("h200").unwrap()
    }

    fn row(variant: &str) -> Record {
        Record { variant: variant.into(), verdict: Verdict::Pass, ..record() }
    }

    fn why(emulated: &EmulatedPredictions, row: &Record) -> String {
        let predicted = emulated.predicted(row);
        assert!(predicted.in_all.is_none() && predicted.part == "NVIDIA H200", "{predicted:?}");
        predicted.not_predicted.unwrap()
    }

    #[test]
    fn a_measured_row_gets_what_the_same_case_is_predicted_to_take() {
        let emulated = Record { device: "emulated".into(), predicted: Some(predicted()), ..row("a") };
        let emulated = EmulatedPredictions::from_run(&part(), || Ok(vec![emulated]));
        assert_eq!(emulated.predicted(&row("a")), predicted());
        // Another size is another case, and another grid another launch.
        assert!(why(&emulated, &Record { n: Some(7), ..row("a") }).ends_with("no such case"));
        assert!(why(&emulated, &Record { grid: Some("5".into()), ..row("a") }).ends_with("another grid"));
    }

    #[test]
    fn what_is_not_predicted_says_why() {
        assert!(too_long(Some(LONGEST)).is_none() && too_long(None).is_none());
        let Some(Error::Skip(note)) = too_long(Some(Duration::from_secs(7200))) else { panic!() };
        let large = Record { verdict: Verdict::Skip, note: note.to_string(), ..row("large") };
        let emulated = EmulatedPredictions::from_run(&part(), || Ok(vec![large, row("host")]));
        let long = "not predicted: its emulation would take 2h; choose a smaller n";
        assert_eq!(why(&emulated, &row("large")), long);
        assert!(why(&emulated, &row("host")).ends_with("is timed"));
        let failed = EmulatedPredictions::from_run(&part(), || Err(Error::CannotRun("no memory".into())));
        assert_eq!(why(&failed, &row("a")), "not predicted: the emulated run failed: no memory");
    }
}
