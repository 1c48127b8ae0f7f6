//! Folders for what is half done: gone when the work fails, is interrupted, or was killed.
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use harness::Error;

use crate::{scratch, signals};

/// How the names begin.
const PREFIX: &str = ".half-";

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A new folder in `parent`, which is made if need be.
///
/// # Errors
/// [`Error::Io`].
pub fn folder_in(parent: &Path) -> Result<scratch::Folder, Error> {
    let io = |source| Error::Io { action: "create a folder in", path: parent.into(), source };
    // Ctrl-C also ends pip, and so do other signals; what is half done is then deleted here.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    signals::listen();
    fs::create_dir_all(parent).map_err(io)?;
    scratch::Folder::new_in(parent, PREFIX).map_err(io)
}

/// Ends the work if the user pressed Ctrl-C, or another signal asks for it.
///
/// # Errors
/// [`Error::CannotRun`] if so.
pub fn not_interrupted() -> Result<(), Error> {
    if INTERRUPTED.load(Ordering::Relaxed) || signals::check().is_err() {
        return Err(Error::CannotRun("interrupted; nothing half done is kept".into()));
    }
    Ok(())
}
