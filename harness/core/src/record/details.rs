//! What is known of a case and does not fit into a row: the findings in full, and the cost of each line of the source.
use serde::{Deserialize, Serialize};

use crate::record::{hot::HotLine, row::Record};

/// Version of the lines of `<lab>.jsonl`; a change of meaning gives a new number.
const SCHEMA: u32 = 1;

/// The details of one case: a line of `<lab>.jsonl` in the run's folder. The first three fields are the row's cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// The version of this line.
    pub schema: u32,
    /// The row's variant.
    pub variant: String,
    /// What tells the row from the variant's other rows.
    pub case: String,
    /// The size of the problem.
    pub n: Option<u64>,
    /// What the checks of the machine found.
    #[serde(default)]
    pub findings: Vec<FindingText>,
    /// The lines of the source that cost anything, the costliest first (`--hot`).
    #[serde(default)]
    pub hot: Vec<HotLine>,
}

/// A finding, as a reader sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingText {
    /// One line.
    pub headline: String,
    /// The whole report with the lines of the source, ending in a line break.
    pub text: String,
}

impl Details {
    /// The version that this program writes and reads.
    pub const SCHEMA: u32 = SCHEMA;

    /// The details of this record, if there are any.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        if record.findings.is_empty() && record.hot.is_empty() {
            return None;
        }
        let text = |told: &wire::Told| FindingText { headline: told.headline.clone(), text: told.text.clone() };
        Some(Self {
            schema: SCHEMA,
            variant: record.variant.clone(),
            case: record.case.clone(),
            n: record.n,
            findings: record.findings.iter().map(text).collect(),
            hot: record.hot.clone(),
        })
    }
}
