//! The interface between a run and the output formats.
use record::{Folder, Record, StorySummary};
use std::{fmt::Debug, rc::Rc};

use crate::{error::Result, export::chart::Chart, export::shared_table::SharedTable, export::terminal::Terminal};

/// A format that writes the output of one lab. It is started with the lab's columns, and then receives the lab's events
/// in order.
pub(crate) trait Exporter: Debug {
    /// Called when a case has ended with this row.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the row cannot be written: the run ends.
    fn row(&mut self, _record: &Record) -> Result<()> {
        Ok(())
    }

    /// Called when the lab has drawn a chart called `name`.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    fn chart(&mut self, _name: &str, _chart: &Chart) -> Result<()> {
        Ok(())
    }

    /// Called with the summary of the lab, before the end.
    fn story(&mut self, _told: &StorySummary) -> Result<()> {
        Ok(())
    }

    /// Called when the lab has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A started format; `None` if it was not requested.
pub(crate) type Started = Option<Box<dyn Exporter>>;

/// The destinations of the formats, and which formats were requested.
#[derive(Debug)]
pub(crate) struct Outputs<'o> {
    /// The run's folder; `None` in the process of a single case, whose parent writes its row.
    pub(crate) folder: Option<&'o Folder>,
    /// The user's terminal, and standard output for data.
    pub(crate) terminal: Rc<Terminal>,
    /// The requested formats.
    pub(crate) wanted: Wanted,
    /// The table on standard output, which all labs of the run share.
    pub(crate) table: Rc<SharedTable>,
}

#[cfg(test)]
impl<'o> Outputs<'o> {
    /// Returns the outputs of a silent run that writes to this folder.
    pub(crate) fn silent(folder: &'o Folder) -> Self {
        Self {
            folder: Some(folder),
            terminal: Rc::new(Terminal::silent()),
            wanted: Wanted::default(),
            table: Rc::new(SharedTable::from_columns(&[], false)),
        }
    }
}

/// The formats that the options request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// CSV rows on standard output.
    pub(crate) csv: bool,
    /// A JSON object for each row on standard output.
    pub(crate) json: bool,
    /// Whether counters are shown as tables.
    pub(crate) counters: bool,
    /// The number of a case's costliest lines that are shown; the run's folder has all.
    pub(crate) hot: usize,
    /// Whether findings of variants that are wrong on purpose are shown in full.
    pub(crate) findings: bool,
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
