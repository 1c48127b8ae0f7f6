//! A submission that is a kernel file. It is read alone: what else lies in its folder belongs to others.
use std::path::Path;

use super::{
    bounds::{self, LARGEST_FILE},
    pick::Files,
    unread::{Unread, too_large, unreadable},
};

/// The kernel file at `path`, under the name `kernel`.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(path: &Path, kernel: &str) -> Result<Files, Unread> {
    let mut files = Files::from([(kernel.to_string(), whole(path)?)]);
    // PTX that the user made, which is loaded only where the user says that it is to be trusted.
    let ptx = path.with_extension("ptx");
    if ptx.is_file() {
        files.insert(Path::new(kernel).with_extension("ptx").to_string_lossy().into_owned(), whole(&ptx)?);
    }
    Ok(files)
}

/// All of a file.
fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    let mut file = bounds::open(path).map_err(|error| unreadable(path, &error))?;
    let read = bounds::read(&mut file, LARGEST_FILE).map_err(|error| unreadable(path, &error))?;
    read.ok_or_else(|| too_large(&path.file_name().unwrap_or_default().to_string_lossy()))
}
