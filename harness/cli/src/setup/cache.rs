//! Results that warplab has cached automatically, besides the installed tools: they are recomputed when needed.
use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::Error;

use super::check::megabytes;

/// The folders in the cache, and their content.
const FOLDERS: [(&str, &str); 3] = [
    (kernels::ANSWERS, "compiled kernels"),
    (course::judge::OWN, "results of the labs' own kernels"),
    (assembler::CACHE, "registers of kernels"),
];

/// Describes the cached folders, one line each.
pub fn lines() -> Vec<String> {
    let line = |(folder, words): (PathBuf, String)| format!("{}: {words}", folder.display());
    there().into_iter().map(line).collect()
}

/// Deletes the cached folders, and describes them, one line each.
///
/// # Errors
/// [`Error::Io`].
pub fn remove() -> Result<Vec<String>, Error> {
    let delete = |(folder, words): (PathBuf, String)| match fs::remove_dir_all(&folder) {
        Ok(()) => Ok(format!("{}: {words}, removed", folder.display())),
        Err(source) => Err(Error::Io { action: "remove", path: folder, source }),
    };
    there().into_iter().map(delete).collect()
}

/// The existing folders, each with its content and size.
fn there() -> Vec<(PathBuf, String)> {
    let cache = kernels::cache_folder();
    let folders = FOLDERS.iter().filter_map(|(name, what)| Some((cache.as_ref()?.join(name), what)));
    let there = folders.filter(|(folder, _)| folder.is_dir());
    there.map(|(folder, what)| (folder.clone(), format!("{what}, {} MB", megabytes(bytes(&folder))))).collect()
}

/// Bytes of the files in a folder.
fn bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}
