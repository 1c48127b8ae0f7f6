//! Temporary folders: deleted when the work ends or fails, and when a signal ends it. Leftovers of killed processes are
//! deleted when the next folder is created in the same place.
use std::{
    fs::{self, File},
    io,
    path::Path,
    time::Duration,
};

/// The file that a process keeps locked as long as its folder is in use.
const LOCK: &str = ".in-use";

/// The age after which a folder without that file is abandoned: its creator has locked it by then, or is dead.
const OLD: Duration = Duration::from_secs(3600);

/// A folder that is deleted when this is dropped.
pub struct Folder {
    folder: tempfile::TempDir,
    _lock: File,
}

impl Folder {
    /// Creates a folder in `parent`, whose name begins with `prefix`. Folders of this prefix that killed processes have
    /// left there are deleted.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn new_in(parent: &Path, prefix: &str) -> io::Result<Self> {
        remove_left(parent, prefix);
        loop {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
            let lock = File::create(folder.path().join(LOCK))?;
            lock.lock()?;
            // Another process may have taken it for an abandoned one, before it was locked.
            if folder.path().join(LOCK).exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Deletes the folders that killed processes have left.
fn remove_left(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) && is_left(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder is abandoned. Another user's folder cannot be checked, and stays.
fn is_left(entry: &fs::DirEntry) -> bool {
    match File::options().write(true).open(entry.path().join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => {
            let changed = entry.metadata().and_then(|data| data.modified());
            changed.ok().and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > OLD)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_has_left_goes_with_the_next_folder_and_what_is_used_stays() {
        let parent = tempfile::tempdir().unwrap();
        let used = Folder::new_in(parent.path(), "x-").unwrap();
        let (left, other) = (parent.path().join("x-left"), parent.path().join("y-left"));
        for folder in [&left, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(LOCK), "").unwrap();
            fs::write(folder.join("large"), "large").unwrap();
        }
        // So new that its lock may not exist yet.
        let new = parent.path().join("x-new");
        fs::create_dir(&new).unwrap();
        let next = Folder::new_in(parent.path(), "x-").unwrap();
        let there = [used.path(), &left, &other, &new, next.path()].map(Path::exists);
        assert_eq!(there, [true, false, true, true, true]);
        let (used_at, next_at) = (used.path().to_owned(), next.path().to_owned());
        drop((used, next));
        assert!(!used_at.exists() && !next_at.exists());
    }
}
