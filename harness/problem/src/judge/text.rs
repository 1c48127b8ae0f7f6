//! The verdicts as text.
use harness::significant;
use wire::printable::quoted;

use super::verdict::{FileVerdict, PredictedOrMeasured, Verdicts};

/// The most reasons and findings that are shown of a file.
const SHOWN: usize = 4;

impl Verdicts {
    /// The verdicts as text.
    pub fn text(&self) -> String {
        let Self { problem, device, seed, schedules, cases, .. } = self;
        let hidden = if self.has_hidden { " and hidden sizes" } else { "" };
        let cases = if *cases == 1 { "1 known case".into() } else { format!("{cases} known cases") };
        let mut parts = vec![harness::paragraphs(&format!(
            "{problem} on {device}: {cases}{hidden}, {schedules} schedules, seed {seed}"
        ))];
        let rows: Vec<Vec<String>> = self.files.iter().map(|file| self.row(file)).collect();
        let how = if self.is_predicted() { "predicted ms" } else { "ms" };
        parts.push(harness::table(&["file", "verdict", how, "times the reference's"], &rows));
        parts.extend(self.files.iter().filter_map(block));
        if let Some(reference) = &self.reference {
            parts.push(format!("The reference takes {}.", reference.words()));
        }
        parts.join("\n\n")
    }

    fn is_predicted(&self) -> bool {
        let times = self.files.iter().filter_map(|file| file.time.as_ref()).chain(&self.reference);
        times.into_iter().all(|time| time.interval_ms.is_some())
    }

    /// The file's row in the table.
    fn row(&self, file: &FileVerdict) -> Vec<String> {
        let ms = |time: &PredictedOrMeasured| match time.interval_ms {
            Some([low, high]) => {
                format!("{} ({} to {})", significant(time.ms), significant(low), significant(high))
            }
            None => significant(time.ms),
        };
        let times = file.time.as_ref().zip(self.reference.as_ref());
        vec![
            file.file.display().to_string(),
            file.standing.word().into(),
            file.time.as_ref().map_or_else(String::new, ms),
            times.map_or_else(String::new, |(mine, theirs)| significant(mine.ms / theirs.ms)),
        ]
    }
}

/// What is wrong with a file, if anything.
fn block(file: &FileVerdict) -> Option<String> {
    let FileVerdict { reasons, findings, without_time, .. } = file;
    let mut lines: Vec<String> = reasons.iter().take(SHOWN).map(|reason| quoted(reason, "  ")).collect();
    if reasons.len() > SHOWN {
        lines.push(format!("  and {} more (--json has them)", reasons.len() - SHOWN));
    }
    lines.extend(without_time.iter().map(|why| quoted(&format!("its time is not known: {why}"), "  ")));
    if lines.is_empty() && findings.is_empty() {
        return None;
    }
    let mut text = format!("{}: {}", file.file.display(), file.standing.word());
    if !lines.is_empty() {
        text += &format!("\n{}", harness::paragraphs(&lines.join("\n")));
    }
    for finding in findings.iter().take(SHOWN) {
        text += &format!("\n\n{}", finding.text.trim_end());
    }
    if findings.len() > SHOWN {
        text += &format!("\n\n  and {} more findings (--json has them)", findings.len() - SHOWN);
    }
    Some(text)
}
