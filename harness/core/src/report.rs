//! Where records go: the CSV, the terminal, the table.
use crate::{Case, Lab, Result, record::Record};

/// The outputs of one lab's run.
#[derive(Debug, Default)]
pub struct Report {
    quiet: bool,
}

impl Report {
    /// A line for the reader.
    pub(crate) fn say(&mut self, line: &str) {
        if !self.quiet {
            println!("{line}");
        }
    }

    /// A line that matters once.
    pub(crate) fn remark(&mut self, line: &str) {
        self.say(line);
    }

    pub(crate) fn begin(&mut self, _case: &Case) {}

    pub(crate) fn row(&mut self, _lab: &Lab, record: &Record) -> Result<()> {
        self.say(&record.cells().join(","));
        Ok(())
    }
}
