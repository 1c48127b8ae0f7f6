//! A record: one row of the CSV, the common columns first, the lab's own after them, the machine's counters last.
use serde::{Deserialize, Serialize};

use crate::{COUNTERS, Finding, HotLine, case};

/// Version of the columns; a change of meaning gives a new number.
pub const SCHEMA: u32 = 1;

/// The columns that every row has, in order (`reports/README.md` says what each holds).
pub const COLUMNS: [&str; 24] = [
    "schema",
    "lab",
    "variant",
    "case",
    "device",
    "n",
    "grid",
    "block",
    "shared_bytes",
    "memory_mode",
    "seed",
    "samples",
    "time_min_ms",
    "time_median_ms",
    "time_mean_ms",
    "time_stdev_ms",
    "bytes",
    "gb_per_s",
    "flop",
    "gflop_per_s",
    "percent_of_ceiling",
    "max_abs_error",
    "verdict",
    "note",
];

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Right, or wrong as it should be.
    Pass,
    /// A wrong answer or an error.
    Fail,
    /// A check of the machine found a bug.
    Finding,
    /// It could not run here; the note says why.
    Skip,
}

impl Verdict {
    /// The word in the CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Finding => "finding",
            Self::Skip => "skip",
        }
    }
}

/// A lab's own value in a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Does not apply.
    Empty,
    /// A count.
    Int(i64),
    /// A measured number.
    Real(f64),
    /// A word.
    Text(String),
}

macro_rules! values {
    ($($t:ty => $e:ident as $as:ty),*) => { $(impl From<$t> for Value { fn from(v: $t) -> Self { Self::$e(v as $as) } })* };
}
values!(i32 => Int as i64, i64 => Int as i64, u32 => Int as i64, u64 => Int as i64, usize => Int as i64, f32 => Real as f64, f64 => Real as f64);

impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Self::Text(v.into())
    }
}
impl From<String> for Value {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Self {
        v.map_or(Self::Empty, Into::into)
    }
}

/// Times of one case in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Samples kept.
    pub samples: u32,
    /// Samples dropped because the GPU ran at a throttled clock.
    pub throttled: u32,
    /// Shortest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the samples (n - 1).
    pub stdev: f64,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct Record {
    pub lab: String,
    pub variant: String,
    pub case: String,
    pub device: String,
    pub n: Option<u64>,
    pub grid: Option<String>,
    pub block: Option<String>,
    pub shared_bytes: Option<u32>,
    pub memory_mode: Option<String>,
    pub seed: u64,
    pub times: Option<Times>,
    pub bytes: Option<u64>,
    pub gb_per_s: Option<f64>,
    pub flop: Option<u64>,
    pub gflop_per_s: Option<f64>,
    pub percent_of_ceiling: Option<f64>,
    pub max_abs_error: Option<f64>,
    pub verdict: Verdict,
    pub note: String,
    /// The lab's own columns, in [`crate::Lab::columns`]' order.
    pub own: Vec<Value>,
    /// The machine's findings in full, for the terminal; the row's note has the first one's line.
    #[serde(default)]
    pub findings: Vec<String>,
    /// The machine's counters, in [`crate::COUNTERS`]' order; empty on a GPU.
    #[serde(default)]
    pub counters: Vec<Value>,
    /// The lines that cost most, if they were asked for.
    #[serde(default)]
    pub hot: Vec<HotLine>,
}

impl Record {
    /// The key of its case.
    pub(crate) fn key(&self) -> String {
        case::key(&self.variant, &self.case, self.n)
    }

    /// The row of a leak that this row's case has left behind: where, but nothing of what was measured.
    pub(crate) fn leaked(self, leak: &Finding) -> Self {
        Self {
            times: None,
            bytes: None,
            gb_per_s: None,
            flop: None,
            gflop_per_s: None,
            percent_of_ceiling: None,
            max_abs_error: None,
            verdict: Verdict::Finding,
            note: leak.line(),
            own: vec![Value::Empty; self.own.len()],
            findings: vec![leak.text.trim_end().to_string()],
            counters: Vec::new(),
            hot: Vec::new(),
            ..self
        }
    }

    /// The lab's own value in `column`, as a number.
    pub fn number(&self, lab: &crate::Lab, column: &str) -> Option<f64> {
        match self
            .own
            .get(lab.columns.iter().position(|c| *c == column)?)?
        {
            Value::Int(v) => Some(*v as f64),
            Value::Real(v) => Some(*v),
            _ => None,
        }
    }

    /// The row's cells, in the order of [`COLUMNS`], then the lab's own, then [`COUNTERS`].
    pub fn cells(&self) -> Vec<String> {
        fn cell<T: ToString>(v: Option<T>) -> String {
            v.map_or_else(String::new, |v| v.to_string())
        }
        let t = self.times;
        let mut cells = vec![
            SCHEMA.to_string(),
            self.lab.clone(),
            self.variant.clone(),
            self.case.clone(),
            self.device.clone(),
            cell(self.n),
            cell(self.grid.as_ref()),
            cell(self.block.as_ref()),
            cell(self.shared_bytes),
            cell(self.memory_mode.as_ref()),
            self.seed.to_string(),
            cell(t.map(|t| t.samples)),
            cell(t.map(|t| t.min)),
            cell(t.map(|t| t.median)),
            cell(t.map(|t| t.mean)),
            cell(t.map(|t| t.stdev)),
            cell(self.bytes),
            cell(self.gb_per_s),
            cell(self.flop),
            cell(self.gflop_per_s),
            cell(self.percent_of_ceiling),
            cell(self.max_abs_error),
            self.verdict.word().into(),
            self.note.clone(),
        ];
        let none = vec![Value::Empty; COUNTERS.len()];
        let counters = if self.counters.is_empty() {
            &none
        } else {
            &self.counters
        };
        cells.extend(self.own.iter().chain(counters).map(|v| match v {
            Value::Empty => String::new(),
            Value::Int(v) => v.to_string(),
            Value::Real(v) => v.to_string(),
            Value::Text(v) => v.clone(),
        }));
        cells
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record() -> Record {
        Record {
            lab: "lab".into(),
            variant: "a".into(),
            case: "block 256".into(),
            device: "cuda".into(),
            n: Some(1000),
            grid: Some("4".into()),
            block: Some("16x16".into()),
            shared_bytes: Some(0),
            memory_mode: None,
            seed: 1,
            times: Some(Times {
                samples: 3,
                throttled: 0,
                min: 1.0,
                median: 2.0,
                mean: 2.5,
                stdev: 0.5,
            }),
            bytes: None,
            gb_per_s: None,
            flop: None,
            gflop_per_s: None,
            percent_of_ceiling: None,
            max_abs_error: Some(0.0),
            verdict: Verdict::Skip,
            note: "no GPU, alas".into(),
            own: vec![Value::Real(1.5), Value::Empty],
            findings: vec!["Invalid read\nat line 3".into()],
            counters: Vec::new(),
            hot: Vec::new(),
        }
    }

    #[test]
    fn every_column_has_its_cell_in_order() {
        let cells = record().cells();
        assert_eq!(cells.len(), COLUMNS.len() + 2 + COUNTERS.len());
        let cell = |name: &str| cells[COLUMNS.iter().position(|c| *c == name).unwrap()].as_str();
        let shown = [
            "schema",
            "case",
            "n",
            "memory_mode",
            "time_median_ms",
            "gb_per_s",
            "max_abs_error",
            "verdict",
        ]
        .map(cell);
        assert_eq!(shown, ["1", "block 256", "1000", "", "2", "", "0", "skip"]);
        assert_eq!(cells[COLUMNS.len()..COLUMNS.len() + 2], ["1.5", ""]);
        // On a GPU there are no counters, but their columns.
        assert!(cells[COLUMNS.len() + 2..].iter().all(String::is_empty));
    }

    #[test]
    fn a_record_survives_the_way_between_processes() {
        let text = serde_json::to_string(&record()).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record());
    }
}
