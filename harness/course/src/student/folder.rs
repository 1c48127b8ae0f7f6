//! A student's folder, as `warplab start` makes it.
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use harness::{Error, Lab, Result};
use serde::Deserialize;

use crate::assignment::rubric::Rubric;

/// The file with the rubric and the name of the folder's lab.
pub const COURSE: &str = "course.toml";

/// The contents of `course.toml` that identify the folder's assignment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Folder {
    /// The lab's name.
    pub lab: String,
    /// The name of the kernel file.
    pub kernel: String,
}

impl Folder {
    /// Reads `course.toml` in `folder`.
    ///
    /// # Errors
    /// [`Error::Usage`] when it is not a student's folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join(COURSE);
        let text = fs::read_to_string(&file).map_err(|error| {
            let what = if error.kind() == ErrorKind::NotFound {
                let here = if folder == Path::new(".") { "this".into() } else { folder.display().to_string() };
                format!("{here} is not an exercise folder, because it has no {COURSE}: cd into yours, or name it")
            } else {
                format!("{} cannot be read: {error}", file.display())
            };
            Error::usage(format!("{what}; `warplab start LAB` makes one"))
        })?;
        let read: Self = toml::from_str(&text).map_err(|error| Error::usage(format!("{}: {error}", file.display())))?;
        if Path::new(&read.kernel).file_name().is_none_or(|name| name != read.kernel.as_str()) {
            return Err(Error::usage(format!("{}: kernel = \"{}\" is not a file name", file.display(), read.kernel)));
        }
        Ok(read)
    }

    /// Reads the rubric in `course.toml` of `folder`, for an assignment of `lab`. An exercise without hints gets those
    /// of the lab.
    ///
    /// # Errors
    /// [`Error::Usage`] when it does not fit the lab; [`Error::Io`].
    pub fn rubric(folder: &Path, lab: &'static Lab) -> Result<Rubric> {
        let file = folder.join(COURSE);
        let text = fs::read_to_string(&file).map_err(|source| io("read", &file, source))?;
        let mut rubric = Rubric::of_file(&file, &text, lab)?;
        if let Some(assignment) = &lab.assignment {
            rubric.take_hints(&Rubric::own(assignment, lab)?);
        }
        Ok(rubric)
    }
}

/// A file to be written into a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the folder, with forward slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Writes `entries` into `folder`, which is new or empty except for `.git`. On an error nothing is left behind.
///
/// # Errors
/// [`Error::Usage`] when the folder is taken; [`Error::Io`].
pub fn write(folder: &Path, entries: &[Entry]) -> Result<()> {
    let shown = folder.display();
    let folder = std::path::absolute(folder).map_err(|source| io("find", folder, source))?;
    if folder.exists() && !folder.is_dir() {
        return Err(Error::usage(format!("{shown} is a file: name a new folder")));
    }
    let mut inside = fs::read_dir(&folder).into_iter().flatten().flatten();
    if inside.any(|entry| entry.file_name() != ".git") {
        return Err(Error::usage(format!("{shown} is not empty: name a new folder")));
    }
    // The nearest ancestor that exists.
    let there = folder.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("/"));
    let temporary = tempfile::Builder::new()
        .prefix(".start-")
        .tempdir_in(there)
        .map_err(|source| io("create a folder in", there, source))?;
    let rest = folder.strip_prefix(there).unwrap_or(Path::new(""));
    for entry in entries {
        let path = temporary.path().join(rest).join(&entry.path);
        let written = fs::create_dir_all(path.parent().unwrap_or(there)).and_then(|()| fs::write(&path, &entry.text));
        written.map_err(|source| io("write", &folder.join(&entry.path), source))?;
    }
    move_into(temporary.path(), there)
}

/// Moves the content of `from` into `to`; on an error the files moved so far are deleted.
fn move_into(from: &Path, to: &Path) -> Result<()> {
    let mut moved: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let target = to.join(entry.file_name());
        if let Err(source) = fs::rename(entry.path(), &target) {
            for path in moved {
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
            return Err(io("write", &target, source));
        }
        moved.push(target);
    }
    Ok(())
}

fn io(action: &'static str, path: &Path, source: std::io::Error) -> Error {
    Error::Io { action, path: path.into(), source }
}
