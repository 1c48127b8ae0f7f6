//! Cases in a process of their own: the program runs itself again for that one case.
use crate::{Case, Result, Run, record::Record};

/// In a child, the one case to run: `lab/case key`.
pub(crate) fn wanted() -> Option<String> {
    std::env::var("WARPLAB_CASE").ok()
}

/// Runs `case` in a child process and takes its record.
pub(crate) fn run(_run: &Run, _case: &Case) -> Result<Record> {
    Err(crate::Error::CannotRun(
        "own-process cases are not wired up yet".into(),
    ))
}
