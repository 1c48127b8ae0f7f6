//! A file in which a process leaves its records for another program: its parent process, a judge, or a test.
use std::{env, fs, path::Path};

use record::Record;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Parses the records in the text of such a file. A last line without a line break is ignored: its process crashed
/// while writing it.
///
/// # Errors
/// When a line is not a record.
pub fn records(text: &str) -> Result<Vec<Record>> {
    let whole = text.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let read = |line| serde_json::from_str(line).map_err(|e| Error::CannotRun(format!("a record cannot be read: {e}")));
    whole.map(read).collect()
}

/// A file of records, which is removed on drop.
pub(crate) struct RecordsFile(NamedTempFile);

impl RecordsFile {
    /// Creates an empty file in the folder for temporary files.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn new() -> Result<Self> {
        let file = NamedTempFile::new();
        file.map(Self).map_err(|source| Error::Io { action: "create a file in", path: env::temp_dir(), source })
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the records written so far.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not a record.
    pub(crate) fn read(&self) -> Result<Vec<Record>> {
        let text = fs::read_to_string(self.path());
        records(&text.map_err(|source| Error::Io { action: "read", path: self.path().into(), source })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::records::append;
    use record::fixtures::record;

    #[test]
    fn records_are_read_whole_or_not_at_all() {
        let line = serde_json::to_string(&record()).unwrap();
        let two = format!("{line}\n{line}\n");
        assert_eq!(records(&two).unwrap(), [record(), record()]);
        // If a process crashed while writing, the earlier records are intact.
        assert_eq!(records(&two[..two.len() - 9]).unwrap(), [record()]);
        assert_eq!(records("").unwrap(), []);
        let renamed = line.replace("\"findings\"", "\"found\"") + "\n";
        let error = records(&renamed).unwrap_err().to_string();
        assert!(error.contains("missing field `findings`"), "{error}");
    }

    #[test]
    fn what_was_appended_is_read() {
        let file = RecordsFile::new().unwrap();
        assert_eq!(file.read().unwrap(), []);
        append(file.path(), &record()).unwrap();
        assert_eq!(file.read().unwrap(), [record()]);
    }
}
