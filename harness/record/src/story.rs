//! The summary of a lab's rows: a ladder of bars, what it shows, and whether the rows confirm it.
use serde::{Deserialize, Serialize};

/// A rung with its number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bar {
    /// What distinguishes it from the ladder's others: its variant, its case, or both.
    pub name: String,
    /// The row's variant.
    pub variant: String,
    /// The label of the row's case.
    pub case: String,
    /// The number: milliseconds, or the count; `None` if the row has none.
    pub value: Option<f64>,
    /// The interval of a predicted time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// The predicted time of a measured row with its interval, in milliseconds, if the run predicted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<(f64, (f64, f64))>,
    /// Per cent of the ceiling, where measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent_of_ceiling: Option<f64>,
    /// The problem size, if it differs from the ladder's; or why there is no number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remark: String,
}

/// Where the numbers of a ladder come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Source {
    /// Times that were measured on a GPU.
    Measured,
    /// Times that were predicted for this GPU.
    Predicted(String),
    /// Counts, in this unit.
    Counted(String),
}

/// Whether the rows of a run confirm the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Holds {
    /// They do.
    Yes,
    /// They refute it.
    No,
    /// Undecided: a row has no number, or the intervals of two predictions overlap.
    Unknown,
}

/// The story of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StorySummary {
    /// The version of this file.
    pub schema: u32,
    /// The lab.
    pub lab: String,
    /// Its question.
    pub question: String,
    /// Where the bars' numbers come from.
    pub source: Source,
    /// The label of the ladder's case; empty if it has none.
    pub case: String,
    /// The problem size of the ladder.
    pub n: Option<u64>,
    /// The ladder; empty if there is none, or nothing has a number.
    pub bars: Vec<Bar>,
    /// What the ladder shows.
    pub sentence: String,
    /// Whether the rows confirm it.
    pub holds: Holds,
    /// What each variant that is wrong on purpose has shown; empty if the lab has no such variant.
    pub wrong: String,
}

impl StorySummary {
    /// The version of the files that this program writes.
    pub const SCHEMA: u32 = 1;

    /// Describes what the bars' numbers are.
    pub fn heading(&self) -> String {
        let what = match &self.source {
            Source::Measured => "Measured".into(),
            Source::Predicted(part) => format!("Predicted for an {part} (8 in 10 lie in the range)"),
            Source::Counted(unit) => format!("Counted, {unit}"),
        };
        let has_percent = self.bars.iter().any(|bar| bar.percent_of_ceiling.is_some());
        let percent = if has_percent { "; % of the ceiling" } else { "" };
        let size = self.n.map_or_else(String::new, |n| format!(", n = {}", count(n)));
        let case = if self.case.is_empty() { String::new() } else { format!(", {}", self.case) };
        format!("{what}{percent}{size}{case}")
    }
}

/// Formats a size: `2^28` for a large power of two, else all its digits.
pub fn count(n: u64) -> String {
    if n.is_power_of_two() && n >= 1 << 10 { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Formats a time in milliseconds with a fitting unit: `79.06 ms`, `5.530 us`.
pub fn time(ms: f64) -> String {
    let (scale, unit) = unit(ms);
    format!("{} {unit}", three(ms * scale))
}

/// Returns the unit that suits a time in milliseconds, and the factor to it.
pub fn unit(ms: f64) -> (f64, &'static str) {
    match ms {
        ..0.1 => (1e3, "us"),
        1e4.. => (1e-3, "s"),
        _ => (1.0, "ms"),
    }
}

/// Formats a number with three significant digits.
pub fn three(value: f64) -> String {
    let digits = 2 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}

/// Formats a ratio: `1.4`, `12`, `190`.
pub fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// Parses the file of a summary.
///
/// # Errors
/// A sentence, when the text is not a summary, or has a version that this program does not read.
pub(crate) fn read(text: &str) -> Result<StorySummary, String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_published;

    #[test]
    fn the_published_schema_of_a_lab_s_summary_is_that_of_the_program() {
        assert_published::<StorySummary>("lab.story.json");
    }
}
