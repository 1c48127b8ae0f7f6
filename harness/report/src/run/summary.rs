//! The summary of a lab's rows: the one that the run wrote or, for rows of a GPU without one, the lab's story of them.
use harness::{Lab, Record, StorySummary, Times};

use crate::run::{folder::LabRows, row::Row};

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
        percent_of_ceiling: row.number("percent_of_ceiling"),
        verdict: row.verdict,
        // What was wrong with a row that is wrong on purpose is in its note.
        wrong: row.is_wrong_on_purpose().then(|| note.into()),
        note: note.into(),
        ..Record::default()
    }
}
