//! The output of one lab's run: remarks for the user, and rows and charts for every format.
use record::{Columns, Record, StorySummary};
use std::rc::Rc;

use crate::{
    error::Result, export::chart, export::chart::Chart, export::csv, export::details, export::exporter::Exporter,
    export::exporter::Outputs, export::exporter::Started, export::json, export::layout::paragraphs, export::table,
    export::terminal::Terminal,
};

/// The function that starts a format.
type Start = fn(&Rc<Columns>, &Outputs<'_>) -> Result<Started>;

/// The formats. Each is started for a lab with these columns, and returns `None` if it was not requested. To add a
/// format, add a file here and an entry to this list.
const FORMATS: &[Start] =
    &[csv::in_folder, details::in_folder, csv::on_stdout, json::start, table::start, chart::start];

/// The outputs of one lab's run.
#[derive(Debug)]
pub(crate) struct RunOutputs {
    lab: &'static str,
    terminal: Rc<Terminal>,
    /// Whether what the lab itself says is printed.
    has_remarks: bool,
    formats: Vec<Box<dyn Exporter>>,
    remarks: Vec<String>,
}

impl RunOutputs {
    /// Starts every requested format for the lab with these columns.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(crate) fn start(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Self> {
        let started: Result<Vec<_>> = FORMATS.iter().map(|start| start(columns, outputs)).collect();
        Ok(Self {
            lab: columns.lab,
            terminal: outputs.terminal.clone(),
            has_remarks: outputs.wanted.view.remarks,
            formats: started?.into_iter().flatten().collect(),
            remarks: Vec::new(),
        })
    }

    /// Returns the terminal.
    pub(crate) fn terminal(&self) -> Rc<Terminal> {
        self.terminal.clone()
    }

    /// Returns outputs that write nothing, for the lab called `lab`.
    pub(crate) fn silent(lab: &'static str) -> Self {
        let terminal = Rc::new(Terminal::of_a_case());
        Self { lab, terminal, has_remarks: false, formats: Vec::new(), remarks: Vec::new() }
    }

    /// Prints a line for the user.
    pub(crate) fn say(&self, line: &str) {
        if self.has_remarks {
            self.terminal.say(&paragraphs(line));
        }
    }

    /// Prints a line for the user that is not a result to standard error.
    pub(crate) fn warn(&self, line: &str) {
        self.terminal.warn(line);
    }

    /// Prints a line only once.
    pub(crate) fn remark(&mut self, line: &str) {
        if !self.remarks.iter().any(|r| r == line) {
            self.remarks.push(line.into());
            self.say(line);
        }
    }

    /// Called when a case begins; `time` is its estimated duration, if known.
    pub(crate) fn begin(&self, variant: &str, case: &str, time: Option<String>) {
        self.terminal.begin(self.lab, variant, case, time);
    }

    /// Called when a case has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a format cannot write the row.
    pub(crate) fn row(&mut self, record: &Record) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.row(record))
    }

    /// Called when the lab has drawn a chart.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a format cannot write it.
    pub(crate) fn chart(&mut self, name: &str, chart: &Chart) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.chart(name, chart))
    }

    /// Called with the summary of the lab, before the end.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a format cannot write it.
    pub(crate) fn story(&mut self, told: &StorySummary) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.story(told))
    }

    /// Called when the lab has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.finish())
    }
}
