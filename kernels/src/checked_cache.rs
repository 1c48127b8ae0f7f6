//! Cache files with a checksum: a damaged file counts as absent.
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::source::hex;

/// Reads the value from `file`; `None` if the file is missing or damaged. The first line is the SHA-256 of the rest.
pub fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    let text = fs::read_to_string(file).ok()?;
    let (sum, rest) = text.split_once('\n')?;
    (sum == checksum(rest)).then(|| serde_json::from_str(rest).ok())?
}

/// Writes `value` to `file` atomically, and creates its folder if necessary.
///
/// # Errors
/// When the folder cannot be written or its disk is full.
pub fn write<T: Serialize>(file: &Path, value: &T) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let text = serde_json::to_string(value)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    write!(temporary, "{}\n{text}", checksum(&text))?;
    temporary.persist(file)?;
    Ok(())
}

fn checksum(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
