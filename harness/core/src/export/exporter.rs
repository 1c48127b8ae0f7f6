//! The interface between a run and the formats: what a format is told, and where it writes.
use std::{fmt::Debug, rc::Rc};

use crate::{
    error::Result,
    export::{chart::Chart, shared_table::SharedTable, terminal::Terminal},
    record::{folder::Folder, row::Record},
};

/// A format that writes the output of one lab. It is started with the lab's columns, and then told what happens, in
/// order.
pub(crate) trait Exporter: Debug {
    /// A case has ended with this row.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the row cannot be written: the run ends.
    fn row(&mut self, _record: &Record) -> Result<()> {
        Ok(())
    }

    /// The lab has drawn a chart, and calls it `name`.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    fn chart(&mut self, _name: &str, _chart: &Chart) -> Result<()> {
        Ok(())
    }

    /// The lab has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A format that was started; `None` if it is not wanted.
pub(crate) type Started = Option<Box<dyn Exporter>>;

/// Where the formats write to, and which were asked for.
#[derive(Debug)]
pub(crate) struct Outputs<'o> {
    /// The run's folder; `None` in the process of a single case, whose parent writes its row.
    pub(crate) folder: Option<&'o Folder>,
    /// The reader's terminal, and standard output for data.
    pub(crate) terminal: Rc<Terminal>,
    /// What the options ask for.
    pub(crate) wanted: Wanted,
    /// The table on standard output, which all labs of the run share.
    pub(crate) table: Rc<SharedTable>,
}

/// What the options ask of the formats.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// CSV rows on standard output.
    pub(crate) csv: bool,
    /// A JSON object for each row on standard output.
    pub(crate) json: bool,
    /// The counters as tables.
    pub(crate) counters: bool,
    /// How many of the costliest lines of a case are shown; the run's folder has all.
    pub(crate) hot: usize,
    /// The findings of variants that are wrong on purpose, in full.
    pub(crate) findings: bool,
}
