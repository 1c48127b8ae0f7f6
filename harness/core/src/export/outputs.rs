//! The destinations of a run's output, and which output was requested.
use std::{path::PathBuf, rc::Rc, sync::Arc};

use record::{Columns, Folder};

use crate::{
    device::session::Session,
    export::{
        ending::{NextSteps, WritePage},
        session_writer::SessionSettings,
        terminal::Terminal,
    },
};

/// The destinations of a run's output.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// The run's folder; `None` in the process of a single case, whose parent writes its row.
    pub(crate) folder: Option<Folder>,
    /// The user's terminal, and standard output for data.
    pub(crate) terminal: Rc<Terminal>,
    /// The requested formats.
    pub(crate) wanted: Wanted,
    /// The columns of every lab that will run.
    pub(crate) labs: Vec<Columns>,
    /// The open device, for session.json.
    pub(crate) session: Arc<Session>,
    /// The options that session.json records.
    pub(crate) settings: SessionSettings,
    /// Writes a page about the run, if requested.
    pub(crate) page: Option<WritePage>,
    /// What the user may do next, if that is printed.
    pub(crate) next_steps: Option<NextSteps>,
}

/// The output that the options request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// CSV rows on standard output.
    pub(crate) csv: bool,
    /// A JSON object for each row on standard output.
    pub(crate) json: bool,
    /// Only errors and failures.
    pub(crate) quiet: bool,
    /// A file for the records, which another program reads.
    pub(crate) records: Option<PathBuf>,
    /// Whether counters are shown as tables.
    pub(crate) counters: bool,
    /// The number of a case's costliest lines that are shown; the run's folder has all.
    pub(crate) hot: usize,
    /// Whether findings of variants that are wrong on purpose are shown in full.
    pub(crate) findings: bool,
}
