//! The roster of a class, from a folder, an export of Gradescope, Moodle or Canvas, or a table.

mod canvas;
mod gradescope;
mod handed_in;
mod moodle;
mod plain;
mod table;
mod yaml;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use harness::{Error, Result};

use self::handed_in::name_of;
use super::entry::Entry;

/// The submissions of a class.
#[derive(Debug)]
pub struct Roster {
    /// Sorted by id.
    pub entries: Vec<Entry>,
    /// Files in the folder that are not submissions, by name.
    pub strays: Vec<String>,
}

/// Collects the submissions of the class. `out` is not one, wherever it lies.
///
/// # Errors
/// [`Error::Usage`] when there are none, or an id is not unique; [`Error::Io`].
pub fn entries(folder: Option<&Path>, roster: Option<&Path>, out: &Path) -> Result<Roster> {
    let mut strays = Vec::new();
    let mut entries = match (folder, roster) {
        (folder, Some(roster)) => table::entries(roster, folder)?,
        (Some(folder), None) if gradescope::is_export(folder) => gradescope::entries(folder)?,
        (Some(folder), None) => {
            let paths = paths(folder, out)?;
            moodle::entries(&paths).unwrap_or_else(|| {
                strays = plain::strays(&paths);
                canvas::entries(&paths).unwrap_or_else(|| plain::entries(&paths))
            })
        }
        (None, None) => return Err(Error::usage("name the folder with the submissions, or --roster FILE")),
    };
    if entries.is_empty() {
        let place = roster.or(folder).unwrap_or(Path::new("")).display();
        let strays = if strays.is_empty() { "" } else { ", which is a folder, a .cu file or an archive each" };
        return Err(Error::usage(format!("{place} holds no submission{strays}")));
    }
    for entry in &mut entries {
        entry.without_controls();
    }
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let mut known: HashMap<String, &Entry> = HashMap::new();
    for entry in &entries {
        // Two names that differ only in case are one file on some systems.
        if let Some(other) = known.insert(entry.file_name().to_lowercase(), entry) {
            let path = |entry: &Entry| entry.handed_in.as_ref().map_or(entry.id.clone(), |p| p.display().to_string());
            let (one, two) = (path(other), path(entry));
            return Err(Error::usage(format!("{one} and {two} are both of `{}`: leave one of them", entry.id)));
        }
    }
    Ok(Roster { entries, strays })
}

/// The paths in the folder, without hidden ones and without `out`.
fn paths(folder: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let io = |source| Error::Io { action: "read", path: folder.into(), source };
    let out = out.canonicalize().ok();
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let is_out = out.is_some() && path.canonicalize().ok() == out;
        if !is_out && !name_of(&path).starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests;
