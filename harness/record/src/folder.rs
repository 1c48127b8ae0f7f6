//! The folder of a run, with the files of each format for each lab, and `session.json`.
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use crate::{
    error::{Error, Result},
    session_file,
};

/// Returns the name of the file with the rows of a lab.
pub fn csv_of(lab: &str) -> String {
    format!("{lab}.csv")
}

/// Returns the name of the file with the counters of a lab's rows.
pub fn counters_of(lab: &str) -> String {
    format!("{lab}.counters.csv")
}

/// Returns the name of the file with the details of a lab's rows.
pub fn details_of(lab: &str) -> String {
    format!("{lab}.jsonl")
}

/// Returns the name of the file with the summary of a lab.
pub fn story_of(lab: &str) -> String {
    format!("{lab}.story.json")
}

/// The prefix of unfinished files.
const UNFINISHED: &str = ".warplab-";

/// The interval at which a run checks whether the folder is free.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The folder of a run, which has exclusive access as long as this and its clones live.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// Whether this run has created the folder under a name of its own choice.
    is_new: bool,
    /// Holds the lock: the system releases it when the process ends, however it ends.
    _lock: Option<Arc<File>>,
}

impl Folder {
    /// Creates `asked`, or a new folder `reports/<device>-<date>-<time>` if none is requested, and locks it. While
    /// another run writes to it, `waiting` is called repeatedly, with whether this is the first call.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created or written to; the errors of `waiting`.
    pub fn create<E: From<Error>>(
        asked: Option<&Path>,
        device: &str,
        waiting: impl FnMut(bool, &Path) -> Result<(), E>,
    ) -> Result<Self, E> {
        let fail = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::Io { action: "create the output folder", path, source }
        };
        let path = match asked {
            Some(path) => fs::create_dir_all(path).map(|()| path.to_path_buf()).map_err(fail(path))?,
            None => new_folder(Path::new("reports"), device).map_err(fail(Path::new("reports")))?,
        };
        let lock = lock(&path, waiting)?;
        // Removes the remains of a run that was killed while writing.
        for unfinished in fs::read_dir(&path).into_iter().flatten().flatten() {
            if unfinished.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_file(unfinished.path());
            }
        }
        // A folder that cannot be written to is reported now, not after the first case.
        tempfile::tempfile_in(&path).map_err(|source| Error::Io {
            action: "write to the output folder",
            path: path.clone(),
            source,
        })?;
        Ok(Self { path, is_new: asked.is_none(), _lock: lock })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder if this run chose its name and it contains no row: the command line was wrong, and nothing
    /// ran. Returns whether it was removed.
    pub fn abandon<'l>(&self, labs: impl Iterator<Item = &'l str>) -> bool {
        if !self.is_new {
            return false;
        }
        let files = labs.flat_map(|lab| [csv_of(lab), counters_of(lab), details_of(lab), story_of(lab)]);
        for name in files.chain([session_file::NAME.into()]) {
            let _ = fs::remove_file(self.path.join(name));
        }
        // Fails if it contains anything else.
        fs::remove_dir(&self.path).is_ok()
    }

    /// Writes `name` atomically.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        self.start(name, text).map(drop)
    }

    /// Removes `name`, if it exists.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::Io { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }

    /// As [`Folder::write`], but returns the file, to which more may be written, and its path. If there is no space for
    /// `text`, the file is unchanged.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn start(&self, name: &str, text: &str) -> Result<(File, PathBuf)> {
        let path = self.path.join(name);
        let start = || -> io::Result<File> {
            // A device or a link that the user has created is kept.
            if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
                let mut file = File::create(&path)?;
                file.write_all(text.as_bytes())?;
                return Ok(file);
            }
            let mut builder = tempfile::Builder::new();
            builder.prefix(UNFINISHED);
            // Set at creation, because a judge in its sandbox cannot change the permissions of any file.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
            let mut file = builder.tempfile_in(&self.path)?;
            file.write_all(text.as_bytes())?;
            Ok(file.persist(&path)?)
        };
        let file = start().map_err(|source| Error::Io { action: "write", path: path.clone(), source })?;
        Ok((file, path))
    }
}

/// Creates a new folder in `parent`: `<device>-<date>-<time>`, with a number if that name exists.
fn new_folder(parent: &Path, device: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(parent)?;
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let now: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
    for number in 1.. {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = parent.join(format!("{device}-{now}{number}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| path),
        }
    }
    unreachable!("there are more numbers than folders")
}

/// Locks the folder itself, so that no lock file is left behind. Returns `None` if the system does not support such
/// locks (some network file systems, Windows): there, the user must avoid simultaneous runs.
///
/// # Errors
/// Those of `waiting`.
fn lock<E>(path: &Path, mut waiting: impl FnMut(bool, &Path) -> Result<(), E>) -> Result<Option<Arc<File>>, E> {
    let Ok(folder) = File::open(path) else {
        return Ok(None);
    };
    let mut is_first = true;
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(Arc::new(folder))),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) => waiting(is_first, path)?,
        }
        is_first = false;
        thread::sleep(LOOK_AGAIN);
    }
}

/// Makes a write beyond the file size limit return an error, as on a full disk, instead of killing the process.
pub fn outlive_file_limits() {
    // SAFETY: no handler of ours is replaced.
    #[cfg(unix)]
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_is_an_error_with_its_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Folder::create(Some(&file.path().join("out")), "x", |_, _| Ok::<_, Error>(())).unwrap_err();
        assert!(error.to_string().contains("cannot create the output folder"), "{error}");
    }

    #[test]
    fn no_two_runs_have_the_same_new_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folders: std::collections::BTreeSet<PathBuf> =
            (0..20).map(|_| new_folder(&parent.path().join("reports"), "x").unwrap()).collect();
        assert_eq!(folders.len(), 20);
    }

    #[cfg(unix)]
    #[test]
    fn a_second_run_waits_until_the_first_has_ended() {
        let parent = tempfile::tempdir().unwrap();
        let mut first = Some(Folder::create(Some(parent.path()), "x", |_, _| Ok::<_, Error>(())).unwrap());
        let unfinished = parent.path().join(format!("{UNFINISHED}x"));
        fs::write(&unfinished, "half").unwrap();
        let mut waited = Vec::new();
        let second = Folder::create(Some(parent.path()), "x", |is_first, _| {
            waited.push(is_first);
            if waited.len() == 2 {
                first = None;
            }
            Ok::<_, Error>(())
        });
        drop(second.unwrap());
        assert_eq!(waited, [true, false]);
        assert!(!unfinished.exists());
        let third = Folder::create(Some(parent.path()), "x", |_, _| Ok::<_, Error>(()));
        let refused = Folder::create(Some(parent.path()), "x", |_, _| Err(Error::NoRun("interrupted".into())));
        assert!(third.is_ok() && matches!(refused, Err(Error::NoRun(_))));
    }
}
