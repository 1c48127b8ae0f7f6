//! The events of a run, and the interface of what listens to them.
use std::{fmt::Debug, rc::Rc};

use record::{Columns, LabRun, Record, StorySummary};

use crate::{
    error::Result,
    export::{chart::Chart, summary::Summary},
};

/// What happens in a run. The events of a lab come in the order of this list: it starts, its rows start, each case
/// starts, ends and has a row, the rows end, the lab ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'e> {
    /// This number of kernel files is being compiled, before the first lab starts.
    Compiling(usize),
    /// A lab starts.
    LabStarted {
        /// The lab.
        lab: &'static str,
    },
    /// The rows of a lab start.
    RowsStarted(RowsStart<'e>),
    /// A case starts.
    CaseStarted {
        /// The lab.
        lab: &'static str,
        /// The variant.
        variant: &'e str,
        /// The case's label.
        case: &'e str,
        /// The estimated duration, if known.
        time: Option<&'e str>,
    },
    /// The body of the case has ended.
    CaseEnded,
    /// A case has this row. A case that leaks, or that runs in rounds, has its row later.
    Row(&'e Record),
    /// The lab has drawn a chart.
    Chart {
        /// The chart's file.
        name: &'e str,
        /// The chart.
        chart: &'e Chart,
    },
    /// Work that belongs to no case, such as a prediction for the summary.
    Working(&'e str),
    /// No case is running.
    Idle,
    /// The summary of the lab's rows.
    Story(&'e StorySummary),
    /// The lab has no further rows.
    RowsEnded,
    /// The lab has ended like this.
    LabEnded(&'e LabRun),
    /// The run has ended.
    RunEnded {
        /// The results of all labs.
        summary: &'e Summary,
    },
    /// At any time: a text about the run.
    Note(&'e str),
    /// At any time: a text of the lab's own.
    Remark(&'e str),
    /// At any time: a text that is not a result.
    Warning(&'e str),
    /// At any time: what is wrong. It is printed with `--quiet`, too.
    Failure(&'e str),
}

/// The rows of a lab that start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowsStart<'e> {
    /// The lab's name.
    pub(crate) lab: &'static str,
    /// The lab in one line.
    pub(crate) about: &'static str,
    /// The columns of the rows.
    pub(crate) columns: &'e Rc<Columns>,
    /// The parts of the output for people.
    pub(crate) view: View,
}

/// The parts of a lab's output for people.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct View {
    /// The summary: a ladder, and what it shows.
    pub(crate) story: bool,
    /// The table of rows.
    pub(crate) rows: bool,
    /// The rows' notes.
    pub(crate) notes: bool,
    /// The findings of variants that are wrong on purpose.
    pub(crate) findings: bool,
    /// What the lab itself says while it runs.
    pub(crate) remarks: bool,
}

impl View {
    /// Everything but the summary.
    pub(crate) const EVERYTHING: Self = Self { story: false, rows: true, notes: true, findings: true, remarks: true };
}

/// Something that listens to a run: an output format, or what the terminal shows.
pub(crate) trait Listener: Debug {
    /// Receives the next event.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when something cannot be written: the run ends.
    fn hear(&mut self, event: Event<'_>) -> Result<()>;
}
