//! A folder with a file, a folder or an archive for each student, named after the student.
use std::path::{Path, PathBuf};

use super::handed_in::{changed, handed_in, name_of};
use crate::class::entry::{Entry, Student};

/// Endings that are not a part of a student's name.
const ENDINGS: [&str; 6] = [".tar.gz", ".tgz", ".zip", ".cu", ".7z", ".rar"];

/// What lies beside a kernel file, and is no submission of its own.
const COMPANIONS: [&str; 2] = [".cuh", ".ptx"];

pub fn entries(paths: &[PathBuf]) -> Vec<Entry> {
    paths.iter().filter(|path| is_submission(path)).map(|path| entry(path)).collect()
}

/// Whether it may be what somebody has handed in: a folder, a link, or a file with a known ending.
pub fn is_submission(path: &Path) -> bool {
    let name = name_of(path).to_lowercase();
    !path.is_file() || path.is_symlink() || ENDINGS.iter().any(|end| name.ends_with(end))
}

/// What lies in the folder and is neither a submission nor a part of one.
pub fn strays(paths: &[PathBuf]) -> Vec<String> {
    let is_companion = |path: &Path| COMPANIONS.iter().any(|end| name_of(path).ends_with(end));
    let is_stray = |path: &&PathBuf| !is_submission(path) && !is_companion(path);
    paths.iter().filter(is_stray).map(|path| name_of(path)).collect()
}

/// Why there are no marks for several files of one student, and what to do.
pub fn several(how: &str) -> String {
    format!("several files were handed in; {how}")
}

fn entry(path: &Path) -> Entry {
    let name = name_of(path);
    let lower = name.to_lowercase();
    let ending = ENDINGS.iter().find(|end| lower.ends_with(*end) && !path.is_dir());
    let id = ending.map_or(name.clone(), |end| name[..name.len() - end.len()].to_string());
    Entry::of_one(Student { name: id.clone(), id, ..Student::default() }, handed_in(path), changed(path))
}
