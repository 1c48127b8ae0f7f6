//! The end of a run: what failed, where the rows are, the run's page, and what the user may do next.
use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use record::Folder;

use crate::{
    error::Result,
    export::{
        event::{Event, Listener},
        outputs::Outputs,
        summary::Summary,
        terminal::{Terminal, print_error},
    },
    shell::{quoted, this_program},
};

/// Writes a page about the run in this folder, and returns the page's path.
pub type WritePage = fn(&Path) -> Result<PathBuf>;

/// What the user may do next with a lab of the run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NextSteps {
    /// The lab.
    pub(crate) lab: &'static str,
    /// The switch of the lab's sweep, if the run was one.
    pub(crate) sweep: Option<&'static str>,
}

/// Prints the end of a run.
#[derive(Debug)]
pub(crate) struct Ending {
    terminal: Rc<Terminal>,
    folder: Option<Folder>,
    /// The labs that the command runs.
    labs: Vec<&'static str>,
    /// Whether the failures are printed as errors, because nothing else is.
    is_quiet: bool,
    page: Option<WritePage>,
    next_steps: Option<NextSteps>,
}

impl Ending {
    pub(crate) fn new(outputs: &Outputs) -> Self {
        let Outputs { folder, terminal, wanted, labs, page, next_steps, .. } = outputs;
        Self {
            terminal: terminal.clone(),
            folder: folder.clone(),
            labs: labs.iter().map(|columns| columns.lab).collect(),
            // The program that reads the records knows what failed.
            is_quiet: wanted.quiet && wanted.records.is_none(),
            page: *page,
            next_steps: *next_steps,
        }
    }

    /// Prints the failures and the location of the rows; removes the folder if nothing was written to it.
    fn end(&self, summary: &Summary) {
        if self.is_quiet {
            let failures = summary.failures();
            if !failures.is_empty() {
                print_error(&failures);
            }
        }
        if summary.is_empty() && self.folder.as_ref().is_some_and(|folder| folder.abandon(self.labs.iter().copied())) {
            return;
        }
        let summary = summary.text();
        if !summary.is_empty() {
            self.terminal.say(&format!("\n{summary}"));
        }
        let Some(folder) = &self.folder else { return };
        self.terminal.say(&format!("\nRows and session.json are in {}", folder.path().display()));
        let page = self.page.map(|write| write(folder.path()));
        match &page {
            Some(Ok(page)) => self.terminal.say(&format!("The page of this run is {}", page.display())),
            Some(Err(why)) => print_error(&format!("no page of this run was written: {why}")),
            None => {}
        }
        if let Some(next) = self.next_steps {
            self.terminal.say(&next.text(folder.path(), page.is_some()));
        }
    }
}

impl Listener for Ending {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        if let Event::RunEnded { summary } = event {
            self.end(summary);
        }
        Ok(())
    }
}

impl NextSteps {
    /// Returns the steps after a run in this folder.
    fn text(self, folder: &Path, has_page: bool) -> String {
        let Self { lab, sweep } = self;
        let sweep = sweep.map_or_else(String::new, |sweep| format!(" --{sweep}"));
        let open = if has_page { " --open" } else { "" };
        let steps = [
            (format!("run {lab}{sweep} --all"), "prints every row, note and finding of the lab"),
            (format!("start {lab}"), "makes a folder to solve the lab's assignment in"),
            (format!("report {}{open}", quoted(&folder.to_string_lossy())), "shows this run as a page"),
        ];
        let program = this_program();
        let lines = steps.map(|(words, what)| format!("  {program} {words}\n    {what}"));
        format!("\nNext steps:\n{}", lines.join("\n"))
    }
}
