//! Records for another program: a parent process, a judge, or a test (`--records`).
use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use record::Record;

use crate::{
    error::{Error, Result},
    export::event::{Event, Listener},
};

/// Appends each row to a file.
#[derive(Debug)]
pub(crate) struct RecordLines(PathBuf);

impl RecordLines {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Listener for RecordLines {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        if let Event::Row(record) = event { append(&self.0, record) } else { Ok(()) }
    }
}

/// Appends a record to a file of records, as a line of JSON.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn append(path: &Path, record: &Record) -> Result<()> {
    let text =
        serde_json::to_string(record).map_err(|e| Error::CannotRun(format!("a record cannot be passed on: {e}")))?;
    let file = OpenOptions::new().append(true).create(true).open(path);
    // Written in one piece: a crash cannot leave part of a line with its line break.
    let written = file.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes()));
    written.map_err(|source| Error::Io { action: "write", path: path.into(), source })
}
