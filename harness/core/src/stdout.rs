//! Handles failed writes to standard output.
//!
//! If the reader has closed the pipe (`| head`), further output is dropped, and the command continues and ends as
//! usual, since its rows go to files. Any other failure (a full disk behind `> file`) is remembered, and the command
//! ends with exit code 4.
use std::{
    io::{self, ErrorKind, Write, stdout},
    sync::{Mutex, PoisonError},
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};

use wire::printable;

use crate::error::{Error, Result};

/// The first failure that was not a closed pipe.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes `text` and a line break, without its colours if the output is not a terminal, or the user disables them. Text
/// from a kernel or a file's name cannot control a terminal or a CI system.
pub(crate) fn write_line(text: &str) {
    let text = match AutoStream::choice(&stdout()) {
        ColorChoice::Never => printable::shown(&strip_str(text).to_string()).into_owned(),
        _ => printable::shown(text).into_owned(),
    };
    write_data(&text);
}

/// Writes `text` unmodified, and a line break.
pub(crate) fn write_data(text: &str) {
    // A single write of whole lines: after a failure, nothing is left in the buffer that would be written later.
    let written = stdout().write_all(format!("{text}\n").as_bytes()).and_then(|()| stdout().flush());
    if let Err(error) = written {
        failed(error);
    }
}

/// Flushes the buffers of this program.
pub(crate) fn flush() {
    if let Err(error) = stdout().flush() {
        failed(error);
    }
}

/// Remembers the error unless it is a closed pipe, and drops all further output.
fn failed(error: io::Error) {
    discard();
    if error.kind() != ErrorKind::BrokenPipe {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Redirects standard output to nothing, so that the unwritten rest is not written to the next file that takes its
/// place.
#[cfg(unix)]
fn discard() {
    use std::{fs::File, os::fd::AsRawFd};
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        // SAFETY: a call on two open descriptors.
        unsafe { libc::dup2(nothing.as_raw_fd(), 1) };
        let _ = stdout().flush();
    }
}

#[cfg(not(unix))]
fn discard() {}

/// Checks that all output so far was written, or its reader left early.
///
/// # Errors
/// [`Error::Io`], once: the first failure that was not a closed pipe.
pub(crate) fn check() -> Result<()> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    failed.map_or(Ok(()), |source| Err(Error::Io { action: "write to", path: "standard output".into(), source }))
}
