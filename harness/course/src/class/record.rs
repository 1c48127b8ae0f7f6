//! The record of a graded submission: a file that is written atomically.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use harness::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{entry::Entry, settings};
use crate::{export::file, judge::marks::marked::Marked};

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// The record of one submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the JSON.
    pub schema: u32,
    /// Its id.
    pub id: String,
    /// What the marks of each part depend on.
    pub keys: BTreeMap<String, String>,
    /// Seconds that grading took, for all parts together.
    pub seconds: f64,
    /// The marks.
    pub marked: Option<Marked>,
    /// Why there are none, for the teacher.
    pub problem: Option<String>,
    /// The lines of the kernel file that the marks mention, without comments.
    pub lines: BTreeMap<u32, String>,
    /// Hashes of short sequences of its compiled instructions.
    pub shingles: Vec<u32>,
}

impl Record {
    /// An empty record of `entry`.
    pub fn new(entry: &Entry) -> Self {
        Self {
            schema: SCHEMA,
            id: entry.id.clone(),
            keys: BTreeMap::new(),
            seconds: 0.0,
            marked: None,
            problem: None,
            lines: BTreeMap::new(),
            shingles: Vec::new(),
        }
    }
}

/// The folder of the records of a class.
#[derive(Debug, Clone)]
pub struct Store(PathBuf);

impl Store {
    /// Opens the records of the class in `out`; creates the folder if needed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(out: &Path) -> Result<Self> {
        let path = out.join("results");
        fs::create_dir_all(&path).map_err(|source| Error::Io { action: "create", path: path.clone(), source })?;
        Ok(Self(path))
    }

    /// The folder of the results of the lab's own kernels, with which all submissions are compared.
    pub fn own(&self) -> PathBuf {
        self.0.with_file_name("own")
    }

    fn path(&self, entry: &Entry) -> PathBuf {
        self.0.join(format!("{}.json", entry.file_name()))
    }

    /// Reads the record of `entry`; `None` if it is from another version or damaged.
    ///
    /// # Errors
    /// [`Error::Io`] when the file exists but cannot be read.
    pub fn read(&self, entry: &Entry) -> Result<Option<Record>> {
        let text = settings::read(&self.path(entry))?;
        let record = text.and_then(|text| serde_json::from_str::<Record>(&text).ok());
        Ok(record.filter(|record| record.schema == SCHEMA && record.id == entry.id))
    }

    /// Stores `record` of `entry`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, entry: &Entry, record: &Record) -> Result<()> {
        file::write(&self.path(entry), &serde_json::to_string(record).unwrap_or_default())
    }
}
