//! The summary of a lab's rows: the one that the run wrote or, for rows of a GPU without one, the lab's story of them.
use harness::{Lab, StorySummary};
use record::LabRows;

/// Returns the summary; `None` for an unknown lab, and for emulated rows without a summary of their own, because their
/// times are not those of a GPU.
pub fn summary(rows: &LabRows, lab: Option<&'static Lab>) -> Option<StorySummary> {
    rows.story.clone().or_else(|| {
        let (lab, is_emulated) = (lab?, rows.rows.iter().any(|row| row.is_emulated()));
        let story = lab.story.as_ref().filter(|_| !is_emulated)?;
        Some(story.of_measured(lab.name, &lab.variants(), &rows.records()))
    })
}
