//! Standard output, when it can no longer be written.
//!
//! A reader who has closed the pipe (`| head`) has read enough: what follows is dropped, and the command goes on and
//! ends as it would have, since its rows go to files. Any other failure (a full disk behind `> file`) is remembered,
//! and the command ends with exit code 4.
use std::{
    io::{self, ErrorKind, Write, stdout},
    sync::{Mutex, PoisonError},
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};

use wire::printable;

use crate::error::{Error, Result};

/// The first failure that was not a closed pipe.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes `text` and a line break; without its colours where the reader is no terminal, or wants none. What a kernel or
/// a file's name brings into it steers neither a terminal nor continuous integration.
pub(crate) fn write_line(text: &str) {
    let text = match AutoStream::choice(&stdout()) {
        ColorChoice::Never => printable::shown(&strip_str(text).to_string()).into_owned(),
        _ => printable::shown(text).into_owned(),
    };
    write_data(&text);
}

/// Writes `text` as it is, and a line break.
pub(crate) fn write_data(text: &str) {
    // One write of whole lines: a failure then leaves nothing behind in the buffer, from where it would come out later.
    let written = stdout().write_all(format!("{text}\n").as_bytes()).and_then(|()| stdout().flush());
    if let Err(error) = written {
        failed(error);
    }
}

/// Writes what is still in the buffers of this program.
pub(crate) fn flush() {
    if let Err(error) = stdout().flush() {
        failed(error);
    }
}

/// Remembers the error unless it is a closed pipe, and drops all that is printed from now on.
fn failed(error: io::Error) {
    discard();
    if error.kind() != ErrorKind::BrokenPipe {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Points standard output at nothing, so that the unwritten rest is not written to the next file that takes its place.
#[cfg(unix)]
fn discard() {
    use std::{fs::File, os::fd::AsRawFd};
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        // SAFETY: a plain call on two open descriptors.
        unsafe { libc::dup2(nothing.as_raw_fd(), 1) };
        let _ = stdout().flush();
    }
}

#[cfg(not(unix))]
fn discard() {}

/// Whether all that was printed so far was written, or its reader left early.
///
/// # Errors
/// [`Error::Io`], once: the first failure that was not a closed pipe.
pub(crate) fn check() -> Result<()> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    failed.map_or(Ok(()), |source| Err(Error::Io { action: "write to", path: "standard output".into(), source }))
}
