//! The terminal: text for the user, progress while cases run, and standard output when it carries data.
use std::{
    cell::Cell,
    fs::File,
    io::{ErrorKind, IsTerminal, Write},
    sync::Mutex,
};

use wire::printable;

use crate::{
    error::{Error, Result},
    export::{layout::paragraphs, progress::Progress, style},
    stdout,
};

/// The destination of text, CSV and JSON.
#[derive(Debug)]
pub struct Terminal {
    quiet: Cell<bool>,
    /// Whether this is the process of one case, which prints only the case's own output.
    is_of_a_case: bool,
    /// The original standard output, if it carries CSV or JSON and all other text goes to standard error.
    data: Option<Mutex<File>>,
    progress: Progress,
}

impl Terminal {
    /// Returns a terminal that shows no text if `quiet`. If standard output carries `data`, everything else that is
    /// printed to it from now on, including a kernel's printf, goes to standard error.
    pub(crate) fn new(quiet: bool, data: bool, progress: Progress) -> Self {
        let data = data.then(|| Mutex::new(take_stdout()));
        Self { quiet: Cell::new(quiet), is_of_a_case: false, data, progress }
    }

    /// Returns a terminal that prints only while its case runs ([`Terminal::set_case_runs`]): the parent process prints
    /// the rest.
    pub(crate) fn of_a_case() -> Self {
        Self { quiet: Cell::new(true), is_of_a_case: true, data: None, progress: Progress::new(false, 0, 0) }
    }

    /// In the process of one case, enables output while the case itself runs.
    pub(crate) fn set_case_runs(&self, runs: bool) {
        if self.is_of_a_case {
            self.quiet.set(!runs);
        }
    }

    /// Prints one or more lines for the user.
    pub fn say(&self, text: &str) {
        if self.quiet.get() {
            return;
        }
        self.progress.suspend(|| {
            if self.data.is_some() {
                // A failed write cannot be reported anywhere.
                let _ = writeln!(anstream::stderr(), "{}", printable::shown(text));
            } else {
                stdout::write_line(text);
            }
        });
    }

    /// As [`print_error`], unless the terminal is quiet.
    pub fn warn(&self, text: &str) {
        if !self.quiet.get() {
            self.progress.suspend(|| print_error(text));
        }
    }

    /// As [`print_error`], even if the terminal is quiet.
    pub(crate) fn fail(&self, text: &str) {
        self.progress.suspend(|| print_error(text));
    }

    /// Shows that the kernel files are being compiled before the first case runs.
    pub(crate) fn prepare(&self, files: usize) {
        self.progress.prepare(files);
    }

    /// Shows the running case; `time` is its estimated duration, if known.
    pub(crate) fn begin(&self, lab: &str, variant: &str, case: &str, time: Option<&str>) {
        self.progress.begin(lab, variant, case, time);
    }

    /// Shows work that belongs to no variant.
    pub(crate) fn show(&self, what: &str) {
        self.progress.show(what);
    }

    /// Shows that no case is running.
    pub(crate) fn done(&self) {
        self.progress.done();
    }

    /// Writes data for another program to standard output, if it carries data.
    ///
    /// # Errors
    /// [`Error::Io`]. A closed pipe (`| head`) is not an error: the rows still go to the folder.
    pub fn data(&self, text: &str) -> Result<()> {
        let Some(out) = &self.data else {
            return Ok(());
        };
        let mut out = out.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(source) if source.kind() != ErrorKind::BrokenPipe => {
                Err(Error::Io { action: "write to", path: "standard output".into(), source })
            }
            _ => Ok(()),
        }
    }
}

/// Prints `text` and a line break to standard output. A closed pipe (`| head`) is not an error; any other failure makes
/// the command end with exit code 4 ([`crate::ended`]). Colours are left out if the output is not a terminal, or the
/// user disables them.
pub fn print(text: &str) {
    stdout::write_line(text);
}

/// As [`print()`], for text that another program reads and that is not modified: a script, XML, Markdown.
pub fn print_data(text: &str) {
    stdout::write_data(text);
}

/// As [`print()`], for JSON. Invisible characters and workflow commands are escaped in it.
///
/// # Panics
/// When the value cannot be serialized, such as a map whose keys are not strings.
pub fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("plain data has a JSON");
    stdout::write_data(&printable::json(&text));
}

/// Prints `text` and a line break to standard error; a failed write cannot be reported anywhere. On a terminal, a line
/// that is too wide is wrapped between words.
pub fn print_error(text: &str) {
    let text = if std::io::stderr().is_terminal() { paragraphs(text) } else { text.into() };
    let _ = writeln!(anstream::stderr(), "{}", printable::shown(&style::message(&text)));
}

/// Takes standard output for data and redirects descriptor 1 to standard error.
#[cfg(unix)]
fn take_stdout() -> File {
    use std::os::fd::FromRawFd;
    // SAFETY: descriptor calls; the duplicate is owned by the file from here on.
    unsafe {
        let fd = libc::dup(1);
        libc::dup2(2, 1);
        File::from_raw_fd(fd)
    }
}

#[cfg(windows)]
fn take_stdout() -> File {
    use std::os::windows::io::{AsHandle, OwnedHandle};
    let handle: OwnedHandle = std::io::stdout().as_handle().try_clone_to_owned().expect("standard output is open");
    handle.into()
}
