//! Folders for unfinished work: deleted when the work fails, is interrupted, or was killed.
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use harness::Error;

use crate::shared::{scratch, signals};

/// The prefix of their names.
const PREFIX: &str = ".half-";

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Creates a folder in `parent`, which is created if needed.
///
/// # Errors
/// [`Error::Io`].
pub fn folder_in(parent: &Path) -> Result<scratch::Folder, Error> {
    let io = |source| Error::Io { action: "create a folder in", path: parent.into(), source };
    // Ctrl-C also ends pip, and so do other signals; unfinished files are then deleted here.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    signals::listen();
    fs::create_dir_all(parent).map_err(io)?;
    scratch::Folder::new_in(parent, PREFIX).map_err(io)
}

/// Ends the work if the user has pressed Ctrl-C, or another signal has arrived.
///
/// # Errors
/// [`Error::CannotRun`] if so.
pub fn not_interrupted() -> Result<(), Error> {
    if INTERRUPTED.load(Ordering::Relaxed) || signals::check().is_err() {
        return Err(Error::CannotRun("interrupted; incomplete downloads are removed".into()));
    }
    Ok(())
}
