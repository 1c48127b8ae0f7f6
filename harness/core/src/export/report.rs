//! What a run tells about one lab: remarks for the reader, and rows and charts for every format.
use std::rc::Rc;

use crate::{
    error::Result,
    export::{
        chart::{self, Chart},
        csv, details,
        exporter::{Exporter, Outputs, Started},
        json,
        layout::paragraphs,
        table,
        terminal::Terminal,
    },
    record::{columns::Columns, row::Record},
};

/// How a format starts.
type Start = fn(&Rc<Columns>, &Outputs<'_>) -> Result<Started>;

/// The formats. Each is started for a lab with these columns, and gives `None` if these outputs do not ask for it. To
/// add a format, add a file beside this one and a line here.
const FORMATS: &[Start] =
    &[csv::in_folder, details::in_folder, csv::on_stdout, json::start, table::start, chart::start];

/// The outputs of one lab's run.
#[derive(Debug)]
pub(crate) struct Report {
    lab: &'static str,
    terminal: Rc<Terminal>,
    formats: Vec<Box<dyn Exporter>>,
    remarks: Vec<String>,
}

impl Report {
    /// Starts every format that these outputs ask for, for the lab with these columns.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(crate) fn start(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Self> {
        let started: Result<Vec<_>> = FORMATS.iter().map(|start| start(columns, outputs)).collect();
        Ok(Self {
            lab: columns.lab,
            terminal: outputs.terminal.clone(),
            formats: started?.into_iter().flatten().collect(),
            remarks: Vec::new(),
        })
    }

    /// Where it prints.
    pub(crate) fn terminal(&self) -> Rc<Terminal> {
        self.terminal.clone()
    }

    /// A line for the reader.
    pub(crate) fn say(&self, line: &str) {
        self.terminal.say(&paragraphs(line));
    }

    /// A line for the reader that is no result: it goes to standard error.
    pub(crate) fn warn(&self, line: &str) {
        self.terminal.warn(line);
    }

    /// A line that is printed only once.
    pub(crate) fn remark(&mut self, line: &str) {
        if !self.remarks.iter().any(|r| r == line) {
            self.remarks.push(line.into());
            self.say(line);
        }
    }

    /// A case begins; `time` is how long it will take, if that is known.
    pub(crate) fn begin(&self, variant: &str, case: &str, time: Option<String>) {
        self.terminal.begin(self.lab, variant, case, time);
    }

    /// A case has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a format cannot write the row.
    pub(crate) fn row(&mut self, record: &Record) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.row(record))
    }

    /// The lab has drawn a chart.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a format cannot write it.
    pub(crate) fn chart(&mut self, name: &str, chart: &Chart) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.chart(name, chart))
    }

    /// The lab has ended.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.formats.iter_mut().try_for_each(|f| f.finish())
    }
}
