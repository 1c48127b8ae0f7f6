//! The terminal: text for the reader, progress while cases run, and standard output when it carries data.
use std::{
    fs::File,
    io::{ErrorKind, IsTerminal, Write},
    sync::Mutex,
    thread,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    error::{Error, Result},
    stdout,
};

/// Where text, CSV and JSON go.
#[derive(Debug)]
pub struct Terminal {
    quiet: bool,
    /// Standard output proper, when it carries CSV or JSON and all other text goes to standard error.
    data: Option<Mutex<File>>,
    progress: ProgressBar,
}

impl Terminal {
    /// A terminal that shows no text if it is to be `quiet`. If standard output carries `data`, whatever else is
    /// printed to it from now on, a kernel's printf included, goes to standard error.
    pub(crate) fn new(quiet: bool, data: bool) -> Self {
        let data = data.then(|| Mutex::new(take_stdout()));
        let progress = if quiet || !std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        } else {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            // Without a thread of its own, which the bar would panic without, it moves when its text changes.
            if thread::Builder::new().spawn(|| {}).is_ok() {
                bar.enable_steady_tick(Duration::from_millis(120));
            }
            bar
        };
        Self { quiet, data, progress }
    }

    /// A terminal that prints nothing.
    pub(crate) fn silent() -> Self {
        Self { quiet: true, data: None, progress: ProgressBar::hidden() }
    }

    /// A line (or several) for the reader.
    pub fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.progress.suspend(|| {
            if self.data.is_some() {
                print_error(text);
            } else {
                stdout::write_line(text);
            }
        });
    }

    /// What is running now.
    pub fn progress(&self, message: &str) {
        self.progress.set_message(message.to_string());
    }

    /// Clears the progress line.
    pub fn done(&self) {
        self.progress.finish_and_clear();
    }

    /// Writes data for another program to standard output, if it carries data.
    ///
    /// # Errors
    /// [`Error::Io`]. A reader that has closed the pipe (`| head`) is not an error: the rows still go to the folder.
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
/// the command end with exit code 4 ([`crate::ended`]).
pub fn print(text: &str) {
    stdout::write_line(text);
}

/// Prints `text` and a line break to standard error; there is nowhere to report that it cannot be written.
pub fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Keeps standard output for data and points descriptor 1 at standard error.
#[cfg(unix)]
fn take_stdout() -> File {
    use std::os::fd::FromRawFd;
    // SAFETY: plain descriptor calls; the duplicate is owned by the file from here on.
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
