//! What the terminal shows while a run goes on: texts, and the progress line.
use std::rc::Rc;

use crate::{
    error::Result,
    export::{
        event::{Event, Listener, RowsStart},
        layout::paragraphs,
        terminal::Terminal,
    },
};

/// Shows texts and progress.
#[derive(Debug)]
pub(crate) struct Notes {
    terminal: Rc<Terminal>,
    /// Whether what the lab itself says is printed.
    has_remarks: bool,
}

impl Notes {
    pub(crate) fn new(terminal: &Rc<Terminal>) -> Self {
        Self { terminal: terminal.clone(), has_remarks: false }
    }
}

impl Listener for Notes {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        let terminal = &self.terminal;
        match event {
            Event::Compiling(files) => terminal.prepare(files),
            Event::RowsStarted(RowsStart { lab, about, view, .. }) => {
                self.has_remarks = view.remarks;
                if !view.story {
                    terminal.say(&paragraphs(&format!("\n{lab}: {about}")));
                }
            }
            Event::CaseStarted { lab, variant, case, time } => {
                terminal.begin(lab, variant, case, time);
                terminal.set_case_runs(true);
            }
            Event::CaseEnded => terminal.set_case_runs(false),
            Event::Working(what) => terminal.show(what),
            Event::Idle => terminal.done(),
            Event::Note(text) => terminal.say(text),
            Event::Remark(text) if self.has_remarks => terminal.say(&paragraphs(text)),
            Event::Warning(text) => terminal.warn(text),
            Event::Failure(text) => terminal.fail(text),
            _ => {}
        }
        Ok(())
    }
}
