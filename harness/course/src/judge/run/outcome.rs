//! What came of a run: the hand-over from runs to verdicts.
use harness::Record;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// It has run, at least in part.
    Ran {
        /// The variant's rows.
        rows: Vec<Record>,
        /// The names of its kernels that the file lacks.
        missing: Vec<String>,
    },
    /// The lab has no kernels of its own: what the file's kernels do is judged without a comparison.
    Absent,
    /// The variant does not use the replaced kernel file, at least at this size.
    Elsewhere,
    /// The run was refused, for example because the lab does not take this size.
    Refused(String),
    /// The run failed because of the kernel file: it crashed, exceeded a limit, or the driver refused the module.
    Failed(String),
    /// The machine does not model what the kernel file uses.
    Unmodelled(String),
}

/// The result of a planned run.
#[derive(Debug)]
pub struct RunResult {
    /// `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
    /// Whether the size is hidden (not known beforehand).
    pub is_hidden: bool,
    /// The outcome of the lab's own kernels: what can be judged here, and the counters to compare with.
    pub own: Outcome,
    /// The outcome of the submitted file, under every check; `None` where the lab's own kernels do not run either.
    pub submitted: Option<Outcome>,
}

/// The results of a variant, in the plan's order.
#[derive(Debug)]
pub struct VariantRuns {
    /// The variant.
    pub variant: &'static str,
    /// The results: those at hidden sizes come last.
    pub runs: Vec<RunResult>,
}
