//! The result of a comparison: the JSON of `warplab compare --json`, whose schema is `reports/schemas/compare.json`.
use harness::Exit;
use serde::Serialize;

/// The version of the JSON: incremented when a field changes its meaning or is removed, but not for a new field.
pub const SCHEMA: u32 = 1;

/// Two sides, case by case.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The version of this JSON.
    pub schema: u32,
    /// The program that made it.
    pub program: String,
    /// How it ends: of all cases, the worst.
    pub result: Change,
    /// What is compared with.
    pub base: SideFacts,
    /// What is compared.
    pub new: SideFacts,
    /// How times were judged.
    pub method: Method,
    /// In what the sides differ that a comparison should not have (with `--anyway`).
    pub differ: Vec<String>,
    /// What a reader must know of the runs.
    pub remarks: Vec<String>,
    /// By how much the cases together are slower, in per cent; absent where too few are timed.
    pub together_percent: Option<f64>,
    /// The part of it that was taken for drift of the whole run, and out of each case.
    pub drift_percent: f64,
    /// How many cases ran on both sides, so that they could be compared.
    pub compared: usize,
    /// How many cases have changed in which way.
    pub totals: Vec<Total>,
    /// The cases, in the order of the new side, and then those that are gone.
    pub cases: Vec<CaseChange>,
}

/// A side.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)] // Each field is that of session.json, of the last session of the last run.
pub struct SideFacts {
    /// The folders of its runs.
    pub runs: Vec<String>,
    pub device: String,
    pub started: String,
    pub git_branch: Option<String>,
    pub git_commit: Option<String>,
}

/// How times were judged.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Method {
    /// The test, in words.
    pub test: String,
    /// The least change that counts, in per cent.
    pub threshold_percent: f64,
    /// The chance that any case of the comparison is called slower or faster for nothing, in per cent.
    pub error_rate_percent: f64,
    /// The factor by which the noise was enlarged, because the cases together differ by more than each one indicates.
    pub noise_factor: f64,
}

/// A number of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)] // Its names say it.
pub struct Total {
    pub change: Change,
    pub cases: usize,
}

/// How a case has changed, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Within the threshold, surely; counted alike.
    Same,
    /// Only the base has it.
    Gone,
    /// Only the new side has it.
    New,
    /// It failed, and passes.
    Mended,
    /// It takes less time; or costs less of what was counted, and more of nothing.
    Faster,
    /// The noise is too large to say; or it costs more of one thing and less of another.
    Unclear,
    /// It takes more time, beyond the threshold and the noise; or costs more of what was counted, and less of nothing.
    Slower,
    /// It passed, or was not there, and fails.
    Wrong,
}

impl Change {
    /// All changes, the worst last.
    pub const ALL: [Self; 8] =
        [Self::Same, Self::Gone, Self::New, Self::Mended, Self::Faster, Self::Unclear, Self::Slower, Self::Wrong];

    /// Returns the word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Gone => "gone",
            Self::New => "new",
            Self::Mended => "mended",
            Self::Faster => "faster",
            Self::Unclear => "unclear",
            Self::Slower => "slower",
            Self::Wrong => "wrong",
        }
    }

    /// Returns the word for people: an emulated case has no time, and is not called slower.
    pub fn said(self, is_emulated: bool) -> &'static str {
        match self {
            Self::Faster if is_emulated => "costs less",
            Self::Slower if is_emulated => "costs more",
            change => change.word(),
        }
    }

    /// Returns how a command ends with this result.
    pub fn exit(self) -> Exit {
        match self {
            Self::Wrong => Exit::Wrong,
            Self::Slower => Exit::Slow,
            _ => Exit::Passed,
        }
    }
}

/// How one case has changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseChange {
    /// The lab.
    pub lab: String,
    /// The row's variant.
    pub variant: String,
    /// What distinguishes the row from the variant's other rows.
    pub case: String,
    /// The size of the problem.
    pub n: Option<u64>,
    /// Whether it ran on the embedded machine, whose counters are compared and whose times are not.
    pub is_emulated: bool,
    /// How it has changed.
    pub change: Change,
    /// Why, if the numbers do not say it.
    pub why: String,
    /// The times, of a GPU.
    pub times: Option<TimesChange>,
    /// The counters that differ, of the embedded machine.
    pub counters: Vec<CounterChange>,
    /// The lines of the source whose cost differs, the largest difference first, if both sides have them (`--hot`).
    pub lines: Vec<LineChange>,
}

/// A case's times on both sides.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimesChange {
    /// The median of the base's samples, in ms (of several runs: the geometric mean of their medians).
    pub base_ms: f64,
    /// That of the new side.
    pub new_ms: f64,
    /// The samples of the base.
    pub base_samples: usize,
    /// The samples of the new side.
    pub new_samples: usize,
    /// By how much it is slower, less the drift.
    pub percent: f64,
    /// The lower end of the interval in which `percent` lies with a probability of 95 %.
    pub low_percent: f64,
    /// Its upper end.
    pub high_percent: f64,
    /// How probable such a difference is by chance in any case of the comparison (Holm's correction).
    pub p: f64,
}

/// A counter that differs. Of several runs of a side that do not agree, the nearest values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CounterChange {
    /// Its column.
    pub name: String,
    /// The value of the base.
    pub base: f64,
    /// The value of the new side.
    pub new: f64,
    /// `new` over `base`; absent where that is 0.
    pub factor: Option<f64>,
    /// Whether the new side costs more by it; absent where neither is better.
    pub costs_more: Option<bool>,
}

/// A line of source whose cost differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)] // Its names say it.
pub struct LineChange {
    pub file: String,
    /// On the new side, or on the base if it is gone.
    pub line: u32,
    pub source: String,
    /// What is counted: `thread_instructions`, `sectors`, `conflicts` or `divergent_branches`.
    pub counter: String,
    pub base: u64,
    pub new: u64,
}

impl Comparison {
    /// Returns the number of cases that only the base has.
    pub fn gone(&self) -> usize {
        self.cases.iter().filter(|case| case.change == Change::Gone).count()
    }

    /// Returns how a command ends with this comparison: a missing case is as bad as a failed one, unless that is
    /// allowed.
    pub fn exit(&self, allows_gone: bool) -> Exit {
        if self.gone() > 0 && !allows_gone { Exit::Wrong } else { self.result.exit() }
    }
}

impl CaseChange {
    /// Returns the variant and, if there are any, the case and the size.
    pub fn name(&self) -> String {
        let n = self.n.map(|n| format!("n = {}", crate::number_format::grouped(n as f64)));
        let parts = [Some(self.variant.clone()), Some(self.case.clone()).filter(|case| !case.is_empty()), n];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
