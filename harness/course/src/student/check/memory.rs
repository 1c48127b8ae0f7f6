//! The state kept in a folder between checks: the hints that were shown, and the exercises that were right.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use harness::{Error, Result};
use serde::{Deserialize, Serialize};

/// The hidden folder in a student's folder; no repository tracks it.
const FOLDER: &str = ".warplab";
const FILE: &str = "check.json";

/// The stored state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The number of hints shown per exercise.
    pub hints: BTreeMap<String, usize>,
    /// The exercises that were right when they were last tried.
    pub right: BTreeSet<String>,
}

impl Memory {
    /// Reads the state of `folder`; empty if there is no such file or it cannot be read.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(FOLDER).join(FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes the state atomically.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keep(&self, folder: &Path) -> Result<()> {
        let place = folder.join(FOLDER);
        let io = |source| Error::Io { action: "write", path: place.join(FILE), source };
        let text = serde_json::to_string_pretty(self).map_err(|error| io(error.into()))?;
        fs::create_dir_all(&place).map_err(io)?;
        harness::write_whole(&place.join(FILE), text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_and_what_is_broken_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Memory::read(folder.path()), Memory::default());
        let memory = Memory { hints: [("add".into(), 2)].into(), right: ["stride".into()].into() };
        memory.keep(folder.path()).unwrap();
        assert_eq!(Memory::read(folder.path()), memory);
        fs::write(folder.path().join(FOLDER).join(FILE), "{").unwrap();
        assert_eq!(Memory::read(folder.path()), Memory::default());
    }
}
