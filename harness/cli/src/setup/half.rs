//! Folders for what is half done: gone when the work fails, is interrupted, or was killed an hour ago.
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use harness::Error;

/// How the names begin.
const PREFIX: &str = ".half-";

/// After this time nobody works in such a folder any more.
const OLD: Duration = Duration::from_secs(3600);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A folder that is deleted with this.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A new one in `parent`, which is made if need be. Those that a killed process has left there are deleted.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new_in(parent: &Path) -> Result<Self, Error> {
        let io = |source| Error::Io { action: "create a folder in", path: parent.into(), source };
        // Ctrl-C also ends pip; what is half done is then deleted here.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        fs::create_dir_all(parent).map_err(io)?;
        for left in left_in(parent) {
            let _ = fs::remove_dir_all(left);
        }
        tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent).map(Self).map_err(io)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// What killed processes have left.
fn left_in(parent: &Path) -> Vec<PathBuf> {
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        entry.file_name().to_string_lossy().starts_with(PREFIX) && age.is_some_and(|age| age > OLD)
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(is_old).map(|entry| entry.path()).collect()
}

/// Ends the work if the user pressed Ctrl-C.
///
/// # Errors
/// [`Error::CannotRun`] if so.
pub fn not_interrupted() -> Result<(), Error> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Err(Error::CannotRun("interrupted; nothing half done is kept".into()));
    }
    Ok(())
}
