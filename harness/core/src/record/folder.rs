//! The folder of a run: what each format writes for each lab, and `session.json`.
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::error::{Error, Result};

/// The folder that a run writes to.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// Whether this run has created it under a name that it chose.
    is_new: bool,
}

impl Folder {
    /// Creates `asked`, or a new folder `reports/<device>-<date>-<time>` where none is asked for.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created or written to.
    pub fn create(asked: Option<&Path>, device: &str) -> Result<Self> {
        let path = asked.map_or_else(
            || {
                let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
                let now: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
                Path::new("reports").join(format!("{device}-{now}"))
            },
            Path::to_path_buf,
        );
        let fail = |source| Error::Io { action: "create the output folder", path: path.clone(), source };
        fs::create_dir_all(&path).map_err(fail)?;
        // A folder that cannot be written to is reported now, not after the first case.
        tempfile::tempfile_in(&path).map_err(|source| Error::Io {
            action: "write to the output folder",
            path: path.clone(),
            source,
        })?;
        Ok(Self { path, is_new: asked.is_none() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder if this run chose its name and it holds no row: the command line was wrong, and nothing ran.
    /// Returns whether it was removed.
    pub fn abandon<'l>(&self, labs: impl Iterator<Item = &'l str>) -> bool {
        if !self.is_new {
            return false;
        }
        let csvs = labs.map(|lab| format!("{lab}.csv"));
        for name in csvs.chain(["session.json".into()]) {
            let _ = fs::remove_file(self.path.join(name));
        }
        // Only if nothing else is in it.
        fs::remove_dir(&self.path).is_ok()
    }

    /// Writes `name` in one piece: a reader sees the old text or the new.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(text.as_bytes())?;
            #[cfg(unix)]
            fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|source| Error::Io { action: "write", path: path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_is_an_error_with_its_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Folder::create(Some(&file.path().join("out")), "x").unwrap_err();
        assert!(error.to_string().contains("cannot create the output folder"), "{error}");
        assert_eq!(error.exit_code(), 4);
    }
}
