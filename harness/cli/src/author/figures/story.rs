//! The summaries of the labs' rows in the reference run.
use std::path::Path;

use harness::{Lab, Record, Story, StorySummary, story_text};
use record::Run;

use super::fault::Fault;
use crate::labs::LABS;

/// The width of a summary in a page.
const WIDTH: usize = 90;

/// Returns the summary of the lab that `marker` names as it was printed, or for `all` the sentences of
/// all labs but those that a folder of their own has.
pub(super) fn text(marker: &str, reports: &Path) -> Result<String, Fault> {
    let run = Run::read(reports).map_err(|error| Fault::Marker(error.to_string()))?;
    if marker == "all" {
        let sentences: Result<Vec<String>, Fault> = LABS
            .iter()
            .filter(|lab| !reports.join(lab.name).is_dir())
            .filter_map(|lab| Some((*lab, lab.story.as_ref()?)))
            .map(|(lab, story)| {
                let (told, _) = told(lab, story, &run)?;
                Ok(format!("- **{}**: {} {}", told.lab, told.question, told.sentence))
            })
            .collect();
        return Ok(sentences?.join("\n"));
    }
    let lab = LABS.iter().find(|lab| lab.name == marker);
    let (lab, story) = lab
        .and_then(|lab| Some((*lab, lab.story.as_ref()?)))
        .ok_or_else(|| Fault::Marker(format!("no lab {marker} with a summary")))?;
    let (told, rows) = told(lab, story, &run)?;
    Ok(format!("```console\n$ warplab run {marker}\n{}\n```", story_text(&told, &rows, WIDTH)))
}

fn told(lab: &Lab, story: &Story, run: &Run) -> Result<(StorySummary, Vec<Record>), Fault> {
    let rows = run.labs.iter().find(|rows| rows.lab == lab.name);
    let rows = rows.ok_or_else(|| Fault::Marker(format!("{}: the reference run lacks it", lab.name)))?.records();
    Ok((story.of_measured(lab.name, &lab.variants(), &rows), rows))
}
