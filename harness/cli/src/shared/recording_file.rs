//! The file of a recording, as several subcommands read it.
use std::{fs, path::Path};

use harness::Error;
use recording::Recording;

/// Reads the file of a recording, to do with it what `action` says. Returns its bytes, too.
///
/// # Errors
/// [`Error::Io`] when the file cannot be read, and [`Error::Usage`] when it is not a recording that this program reads.
pub fn read(action: &str, file: &Path) -> Result<(Recording, Vec<u8>), Error> {
    let bytes = fs::read(file).map_err(|source| Error::Io { action: "read", path: file.into(), source })?;
    let recording = Recording::read(&bytes);
    let recording = recording.map_err(|error| Error::usage(format!("cannot {action} {}: {error}", file.display())))?;
    Ok((recording, bytes))
}
