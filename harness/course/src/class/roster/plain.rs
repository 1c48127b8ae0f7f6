//! A folder with a file, a folder or an archive for each student, named after the student.
use std::path::{Path, PathBuf};

use super::handed_in::{changed, handed_in, name_of};
use crate::class::entry::{Entry, Student};

/// Endings that are not a part of a student's name.
const ENDINGS: [&str; 6] = [".tar.gz", ".tgz", ".zip", ".cu", ".7z", ".rar"];

/// What lies beside a kernel file, and is no submission of its own.
const COMPANIONS: [&str; 2] = [".cuh", ".ptx"];

pub fn entries(paths: &[PathBuf]) -> Vec<Entry> {
    let is_submission = |path: &&PathBuf| !COMPANIONS.iter().any(|end| name_of(path).ends_with(end));
    paths.iter().filter(is_submission).map(|path| entry(path)).collect()
}

fn entry(path: &Path) -> Entry {
    let name = name_of(path);
    let lower = name.to_lowercase();
    let ending = ENDINGS.iter().find(|end| lower.ends_with(*end) && !path.is_dir());
    let id = ending.map_or(name.clone(), |end| name[..name.len() - end.len()].to_string());
    Entry::of_one(Student { name: id.clone(), id, email: String::new() }, handed_in(path), changed(path))
}
