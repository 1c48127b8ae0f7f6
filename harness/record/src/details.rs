//! The details of a case that do not fit into a row: every sample of a GPU, the findings in full, and the cost of each
//! line of the source.
use serde::{Deserialize, Serialize};

use crate::{hot::HotLine, prediction::Predicted, record::Record};

/// The version of the lines of `<lab>.jsonl`: a change of meaning increments it, a new field does not.
const SCHEMA: u32 = 1;

/// The details of one case: a line of `<lab>.jsonl` in the run's folder. The first three fields are the row's cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Details {
    /// The version of this line.
    pub schema: u32,
    /// The row's variant.
    pub variant: String,
    /// What distinguishes the row from the variant's other rows.
    pub case: String,
    /// The size of the problem.
    pub n: Option<u64>,
    /// Every timed launch that was kept, in ns and in the order in which they were made; empty on the emulated device,
    /// whose times say nothing of a GPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples_ns: Vec<u64>,
    /// What the checks of the machine found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingText>,
    /// The lines of the source that cost anything, the costliest first (`--hot`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hot: Vec<HotLine>,
    /// What the launches of a sample are predicted to take on the part, and what was counted of each (`--predict`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub predicted: Option<Predicted>,
}

/// A finding, as a reader sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingText {
    /// One line.
    pub headline: String,
    /// The whole report with the lines of the source, ending in a line break.
    pub text: String,
}

impl Details {
    /// The version that this program writes and reads.
    pub const SCHEMA: u32 = SCHEMA;

    /// Returns the details of this record, if there are any.
    pub fn from_record(record: &Record) -> Option<Self> {
        let is_timed = record.device == "cuda" && !record.samples_ms.is_empty();
        if record.findings.is_empty() && record.hot.is_empty() && record.predicted.is_none() && !is_timed {
            return None;
        }
        // An event's clock ticks in 0.5 us or less; a nanosecond loses nothing, and takes few characters.
        let ns = |ms: &f64| (ms * 1e6).round() as u64;
        let text =
            |told: &wire::RenderedFinding| FindingText { headline: told.headline.clone(), text: told.text.clone() };
        Some(Self {
            schema: SCHEMA,
            variant: record.variant.clone(),
            case: record.case.clone(),
            n: record.n,
            samples_ns: if is_timed { record.samples_ms.iter().map(ns).collect() } else { Vec::new() },
            findings: record.findings.iter().map(text).collect(),
            hot: record.hot.clone(),
            predicted: record.predicted.clone(),
        })
    }
}

/// The version of a line, whatever else it contains.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// Parses the lines of such a file, and returns a remark if the last one is incomplete.
///
/// # Errors
/// A sentence, when a line has a version that this program does not read.
pub(crate) fn read(text: &str) -> Result<(Vec<Details>, Option<String>), String> {
    let mut details = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !line.ends_with('\n') {
            return Ok((details, Some(format!("its last line, {number}, is not whole and was left out"))));
        }
        let version: Version = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
        if version.schema > Details::SCHEMA {
            return Err(format!(
                "line {number} has version {}: use the warplab that wrote it, or a newer one",
                version.schema
            ));
        }
        details.push(serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?);
    }
    Ok((details, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_published;
    use crate::fixtures::record;

    #[test]
    fn a_gpu_s_samples_are_kept_in_few_letters_and_an_emulated_time_is_not() {
        let on_a_gpu = Record { findings: Vec::new(), ..record() };
        let line = serde_json::to_string(&Details::from_record(&on_a_gpu).unwrap()).unwrap();
        assert_eq!(
            line,
            r#"{"schema":1,"variant":"a","case":"block 256","n":1000,"samples_ns":[1000000,2000000,4500000]}"#
        );
        assert_eq!(serde_json::from_str::<Details>(&line).unwrap(), Details::from_record(&on_a_gpu).unwrap());
        let emulated = Record { device: "emulated".into(), ..on_a_gpu };
        assert_eq!(Details::from_record(&emulated), None);
        let found = Record { device: "emulated".into(), ..record() };
        assert!(Details::from_record(&found).unwrap().samples_ns.is_empty());
    }

    #[test]
    fn the_published_schema_of_a_lab_s_details_is_that_of_the_program() {
        assert_published::<Details>("lab.jsonl.json");
    }

    #[test]
    fn whole_lines_are_read_and_a_torn_one_is_said() {
        let line = r#"{"schema":1,"variant":"a","case":"","n":4,"findings":[{"headline":"h","text":"t"}]}"#;
        let (details, torn) = read(&format!("{line}\n{line}\n")).unwrap();
        assert_eq!((details.len(), torn), (2, None));
        assert_eq!(details[0].findings[0].headline, "h");
        let (details, torn) = read(&format!("{line}\n{}", &line[..20])).unwrap();
        assert_eq!(details.len(), 1);
        assert!(torn.unwrap().contains("line, 2,"));
        assert!(read(&format!("{}\n", line.replace(":1", ":9"))).unwrap_err().contains("newer"));
        assert!(read("{}\n").unwrap_err().starts_with("line 1"));
    }
}
