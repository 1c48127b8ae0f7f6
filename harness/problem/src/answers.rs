//! The expected outputs in a folder. They are made before a submission runs, by a process that does not run it.
use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::{Error, Result};

use crate::expression::{Label, Values};

/// A folder with a subfolder for each seed and each case, and in it a file for each buffer.
#[derive(Debug, Clone)]
pub struct Answers(PathBuf);

impl Answers {
    /// The answers in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Returns the folder of a case, and creates it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn case(&self, seed: u64, sizes: &Values) -> Result<PathBuf> {
        let folder = self.folder(seed, sizes);
        fs::create_dir_all(&folder).map_err(|source| Error::Io { action: "create", path: folder.clone(), source })?;
        Ok(folder)
    }

    /// Writes an output of a case.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, seed: u64, sizes: &Values, buffer: &str, bytes: &[u8]) -> Result<()> {
        let path = file(&self.case(seed, sizes)?, buffer);
        fs::write(&path, bytes).map_err(|source| Error::Io { action: "write", path, source })
    }

    /// Reads an output of a case.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn read(&self, seed: u64, sizes: &Values, buffer: &str) -> Result<Vec<u8>> {
        let path = file(&self.folder(seed, sizes), buffer);
        fs::read(&path).map_err(|source| Error::Io { action: "read", path, source })
    }

    fn folder(&self, seed: u64, sizes: &Values) -> PathBuf {
        self.0.join(format!("{seed}, {}", Label(sizes)))
    }
}

/// Returns the file of a buffer in the folder of a case.
pub(crate) fn file(folder: &Path, buffer: &str) -> PathBuf {
    folder.join(format!("{buffer}.bin"))
}
