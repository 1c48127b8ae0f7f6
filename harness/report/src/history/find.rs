//! Finds the runs in a folder, at any depth.
use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::{Error, Result};
use record::Run;

/// The maximum depth of nested folders that are searched.
const DEPTH: usize = 8;

/// Runs, the oldest first, and the reasons why others could not be read.
#[derive(Debug, Default)]
pub struct Found {
    /// The runs.
    pub runs: Vec<Run>,
    /// A sentence for each folder with an unreadable run.
    pub unread: Vec<String>,
}

/// Returns all runs in `folder` and its subfolders. A run that is damaged, or of a newer version, is reported and left
/// out: the others still make a history.
///
/// # Errors
/// [`Error::Usage`] when there is no such folder or no run in it, [`Error::Io`].
pub fn all(folder: &Path) -> Result<Found> {
    if !folder.is_dir() {
        return Err(Error::usage(format!("{}: there is no such folder; name one that holds runs", folder.display())));
    }
    let mut found = Found::default();
    search(folder, DEPTH, &mut found)?;
    if found.runs.is_empty() {
        let why = found.unread.first().map_or(String::new(), |why| format!(" ({why})"));
        return Err(Error::usage(format!(
            "{} holds no run that can be read{why}; name a folder with folders that `warplab run ... --out DIR` wrote",
            folder.display()
        )));
    }
    // Times in RFC 3339 sort as text; for runs of the same second, the folders' names decide.
    found.runs.sort_by_cached_key(|run| (run.started().to_string(), run.folder.clone()));
    Ok(found)
}

/// Returns the runs of one side of a comparison: `folder`, if it is a run, or else all runs directly in it.
///
/// # Errors
/// Those of [`Run::read`].
pub fn side(folder: &Path) -> Result<Vec<Run>> {
    if holds_a_run(folder) || !folder.is_dir() {
        return Ok(vec![Run::read(folder)?]);
    }
    let runs = folders_in(folder)?.into_iter().filter(|inner| holds_a_run(inner));
    let runs = runs.map(|inner| Run::read(&inner)).collect::<record::Result<Vec<Run>>>()?;
    // If it contains no run, this error explains what a run is.
    if runs.is_empty() { Ok(vec![Run::read(folder)?]) } else { Ok(runs) }
}

fn search(folder: &Path, depth: usize, found: &mut Found) -> Result<()> {
    if holds_a_run(folder) {
        match Run::read(folder) {
            Ok(run) => found.runs.push(run),
            Err(error) => found.unread.push(format!("{}: {error}", folder.display())),
        }
    }
    if depth > 0 {
        for inner in folders_in(folder)? {
            search(&inner, depth - 1, found)?;
        }
    }
    Ok(())
}

fn holds_a_run(folder: &Path) -> bool {
    folder.join("session.json").is_file()
}

/// Returns the folders in `folder`, sorted by name. Links are not followed, because they may be cyclic.
fn folders_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let fail = |source| Error::Io { action: "read", path: folder.into(), source };
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}
