//! A record: one row of the CSV, the common columns first, the lab's own after them, then the machine's counters and
//! the predictions.
use cudarc::driver::LaunchConfig;
use serde::{Deserialize, Serialize};
use wire::{Leak, RenderedFinding};

use crate::{
    error::is_unmodelled,
    record::{
        column::Column,
        hot::HotLine,
        kernel::{Peak, Resources},
        prediction::Predicted,
    },
    stats::Times,
};

/// The result of a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Right, or wrong as expected.
    Pass,
    /// A wrong answer or an error; also the initial value, before a case has run.
    #[default]
    Fail,
    /// A check of the machine found a bug.
    Finding,
    /// It could not run here; the note says why.
    Skip,
}

impl Verdict {
    /// Returns the word in the CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Finding => "finding",
            Self::Skip => "skip",
        }
    }
}

/// Returns the verdict on a case for people: a variant that is wrong on purpose does not simply pass, as its note
/// shows.
pub fn verdict_words(verdict: Verdict, note: &str) -> &'static str {
    match verdict {
        Verdict::Pass if note.contains("wrong on purpose") && note.contains("right by luck") => "right by luck",
        Verdict::Pass if note.contains("wrong on purpose") => "wrong, as intended",
        verdict => verdict.word(),
    }
}

/// A value in a lab's own column.
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

impl Value {
    /// Returns the value as a number; `None` for words and if the column does not apply.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(v) => Some(*v as f64),
            Self::Real(v) => Some(*v),
            Self::Empty | Self::Text(_) => None,
        }
    }
}

macro_rules! values {
    ($($from:ty)* => $variant:ident, $to:ty) => { $(
        impl From<$from> for Value {
            fn from(v: $from) -> Self {
                Self::$variant(v as $to)
            }
        }
    )* };
}
values!(i32 i64 u32 u64 usize => Int, i64);
values!(f32 f64 => Real, f64);

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

/// One row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// The number of passes of a sample over its data, if `bytes` includes all of them.
    pub passes: Option<u64>,
    pub gb_per_s: Option<f64>,
    pub flop: Option<u64>,
    pub gflop_per_s: Option<f64>,
    pub percent_of_ceiling: Option<f64>,
    pub max_abs_error: Option<f64>,
    pub verdict: Verdict,
    pub note: String,
    /// The lab's own columns, in [`crate::Lab::columns`]' order.
    pub own: Vec<Value>,
    /// The machine's findings; the row's note has the first one's headline.
    pub findings: Vec<RenderedFinding>,
    /// The machine's counters, in [`crate::COUNTERS`]' order; empty on a GPU.
    pub counters: Vec<Value>,
    /// What is wrong with the answer, or the driver's error, regardless of the findings.
    pub wrong: Option<String>,
    /// The kernel that is missing from the file of `--kernel`, so that the case was skipped.
    pub missing_kernel: Option<String>,
    /// The kernel's multiprocessor resources, if the row has one kernel.
    pub resources: Option<Resources>,
    /// The unit that executes the operations, if their number may be the bottleneck.
    pub peak: Option<Peak>,
    /// The costliest lines, if requested.
    pub hot: Vec<HotLine>,
    /// The prediction for a GPU, if requested.
    pub predicted: Option<Predicted>,
    /// Every sample behind `times`, in milliseconds, in the order in which they were taken.
    pub samples_ms: Vec<f64>,
}

impl Record {
    /// Returns the record of a case that has not run, of a lab with `own` own columns, on this kind of device.
    pub fn new(lab: &str, own: usize, device: &str, seed: u64) -> Self {
        let own = vec![Value::Empty; own];
        Self { lab: lab.into(), device: device.into(), seed, own, ..Self::default() }
    }

    /// Returns the number in a lab's own column; `columns` are the lab's.
    pub fn own_number(&self, columns: &[Column], name: &str) -> Option<f64> {
        columns.iter().position(|column| column.name == name).and_then(|i| self.own.get(i)?.number())
    }

    /// Whether the case could not be judged: its kernel uses a feature that the emulated machine does not model, or the
    /// machine has failed.
    pub fn is_unmodelled(&self) -> bool {
        self.verdict == Verdict::Skip && is_unmodelled(&self.findings)
    }

    /// Sets the grid, the block and the shared memory of this launch.
    pub(crate) fn launched(mut self, launch: Option<LaunchConfig>) -> Self {
        self.grid = launch.map(|l| dims(l.grid_dim));
        self.block = launch.map(|l| dims(l.block_dim));
        self.shared_bytes = launch.map(|l| l.shared_mem_bytes);
        self
    }

    /// Returns the case's name in messages and between processes.
    pub(crate) fn key(&self) -> String {
        case_key(&self.variant, &self.case, self.n)
    }

    /// Returns the row for memory that this row's case has leaked: it names the case, but has no measurements.
    pub(crate) fn leaked(self, leak: Leak) -> Self {
        let empty = Self::new(&self.lab, self.own.len(), &self.device, self.seed);
        Self {
            variant: self.variant,
            case: self.case,
            n: self.n,
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
            memory_mode: self.memory_mode,
            verdict: Verdict::Finding,
            note: leak.rendered.headline.clone(),
            findings: vec![leak.rendered],
            ..empty
        }
    }
}

/// Identifies a case among those of the lab.
pub(crate) fn case_key(variant: &str, label: &str, n: Option<u64>) -> String {
    let n = n.map_or_else(String::new, |n| n.to_string());
    format!("{variant}/{label}/{n}")
}

/// Formats a dimension as in the CSV: `256`, `16x16`, `4x4x4`.
pub(crate) fn dims((x, y, z): (u32, u32, u32)) -> String {
    match (x, y, z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use wire::finding::{Finding, FindingKind};

    pub(crate) fn told() -> RenderedFinding {
        let finding = Finding::new(FindingKind::NullPointer, "k");
        RenderedFinding {
            verdict: finding.kind.verdict(),
            check: finding.kind.check(),
            kernel_name: "k".into(),
            mistake: "Invalid read".into(),
            headline: "Invalid read".into(),
            title: "Invalid read".into(),
            context: Vec::new(),
            help: "look".into(),
            text: "Invalid read\nat line 3\n".into(),
            finding,
        }
    }

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
            times: Some(Times { samples: 3, throttled: 0, min: 1.0, median: 2.0, mean: 2.5, stdev: 0.5 }),
            bytes: None,
            passes: None,
            gb_per_s: None,
            flop: None,
            gflop_per_s: None,
            percent_of_ceiling: None,
            max_abs_error: Some(0.0),
            verdict: Verdict::Skip,
            note: "no GPU, alas".into(),
            own: vec![Value::Real(1.5), Value::Empty],
            findings: vec![told()],
            counters: Vec::new(),
            wrong: Some("1 of 9 wrong".into()),
            missing_kernel: Some("k".into()),
            resources: None,
            peak: None,
            hot: Vec::new(),
            predicted: None,
            samples_ms: vec![1.0, 2.0, 4.5],
        }
    }

    #[test]
    fn a_record_survives_the_way_between_processes() {
        let text = serde_json::to_string(&record()).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record());
    }
}
