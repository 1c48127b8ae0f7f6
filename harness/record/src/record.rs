//! A record: what is stored of a case.
use serde::{Deserialize, Serialize};
use wire::{Leak, RenderedFinding, finding::FailureOf};

use crate::{
    column::Column,
    counters::{Counter, Counters},
    hot::HotLine,
    kernel::{Peak, Resources},
    prediction::Predicted,
    times::Times,
    verdict::{Expectation, Verdict},
};

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
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(v) => Some(*v as f64),
            Self::Real(v) => Some(*v),
            Self::Empty | Self::Text(_) => None,
        }
    }
}

impl Value {
    /// Reads a value as it was written: an integer, a number, or words.
    pub(crate) fn from_text(text: &str) -> Self {
        let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        match text {
            "" => Self::Empty,
            _ if !is_number => Self::Text(text.into()),
            _ => match (text.parse(), text.parse()) {
                (Ok(v), _) => Self::Int(v),
                (_, Ok(v)) => Self::Real(v),
                _ => Self::Text(text.into()),
            },
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

/// The word for the embedded machine in the column `device`.
const EMULATED: &str = "emulated";

/// What is stored of a case: a row of the CSV, and what other files and messages hold of it.
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
    pub expectation: Expectation,
    pub note: String,
    /// The lab's own columns, in the order of the lab's declaration.
    pub own: Vec<Value>,
    /// The machine's findings; the row's note has the first one's headline.
    pub findings: Vec<RenderedFinding>,
    /// The machine's counters; empty on a GPU.
    pub counters: Counters,
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

    /// Returns the verdict for people: a variant that is wrong on purpose does not simply pass.
    pub fn verdict_words(&self) -> &'static str {
        match (self.verdict, &self.expectation) {
            (Verdict::Pass, Expectation::Wrong { showed: Some(false), .. }) => "right by luck",
            (Verdict::Pass, Expectation::Wrong { .. }) => "wrong, as intended",
            (verdict, _) => verdict.word(),
        }
    }

    /// Whether the device was the embedded machine, whose times are not those of a GPU.
    pub fn is_emulated(&self) -> bool {
        self.device == EMULATED
    }

    /// Returns the predicted time, if there is one.
    pub fn prediction(&self) -> Option<&predict::Prediction> {
        self.predicted.as_ref()?.in_all.as_ref()
    }

    /// Returns the counter whose column has this name, which a rubric gives.
    pub fn counter_named(&self, name: &str) -> Option<f64> {
        self.counters.get(Counter::named(name)?)
    }

    /// Returns what bounds the predicted time, or why there is none; empty if none was requested.
    pub fn predicted_bound(&self) -> String {
        self.predicted.as_ref().map(Predicted::bound).unwrap_or_default()
    }

    /// Whether the case could not be judged: its kernel uses a feature that the emulated machine does not model, or the
    /// machine has failed.
    pub fn is_unmodelled(&self) -> bool {
        self.verdict == Verdict::Skip && is_unmodelled(&self.findings)
    }

    /// Returns the case's name in messages and between processes.
    pub fn key(&self) -> String {
        case_key(&self.variant, &self.case, self.n)
    }

    /// Returns the row for memory that this row's case has leaked: it names the case, but has no measurements.
    #[must_use]
    pub fn leaked(self, leak: Leak) -> Self {
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

/// Whether these findings mean that the program was not judged: there are findings, and none of them is the program's
/// fault.
pub fn is_unmodelled(findings: &[RenderedFinding]) -> bool {
    !findings.is_empty() && findings.iter().all(|told| told.verdict != FailureOf::Program)
}

/// Identifies a case among those of the lab.
pub fn case_key(variant: &str, label: &str, n: Option<u64>) -> String {
    let n = n.map_or_else(String::new, |n| n.to_string());
    format!("{variant}/{label}/{n}")
}

/// Formats a dimension as in the CSV: `256`, `16x16`, `4x4x4`.
pub fn dims((x, y, z): (u32, u32, u32)) -> String {
    match (x, y, z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::record;

    #[test]
    fn a_record_survives_the_way_between_processes() {
        let text = serde_json::to_string(&record()).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record());
    }

    #[test]
    fn a_row_that_is_wrong_on_purpose_does_not_simply_pass() {
        let of = |showed| {
            let expectation = Expectation::Wrong { mistake: "no barrier".into(), showed };
            Record { verdict: Verdict::Pass, expectation, ..record() }.verdict_words()
        };
        assert_eq!([of(Some(true)), of(Some(false))], ["wrong, as intended", "right by luck"]);
        assert_eq!(Record { verdict: Verdict::Pass, ..record() }.verdict_words(), "pass");
        assert_eq!(record().verdict_words(), "skip");
    }
}
