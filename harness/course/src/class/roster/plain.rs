//! A folder with a file, a folder or an archive for each student, named after the student.
use std::path::{Path, PathBuf};

use super::handed_in::{changed, handed_in, name_of};
use crate::{
    class::entry::{Entry, Student},
    submission::ArchiveKind,
};

/// Endings of kernel files that are not part of a student's name; neither are those of archives.
const KERNELS: [&str; 2] = [".cu.txt", ".cu"];

/// Endings of files that accompany a kernel file and are not submissions.
const COMPANIONS: [&str; 2] = [".cuh", ".ptx"];

pub fn entries(paths: &[PathBuf]) -> Vec<Entry> {
    paths.iter().filter(|path| is_submission(path)).map(|path| entry(path)).collect()
}

/// Whether it may be a submission: a folder, a link, or a file with a known ending.
pub fn is_submission(path: &Path) -> bool {
    !path.is_file() || path.is_symlink() || ending(&name_of(path)).is_some()
}

/// The ending of a file's name, if it is that of a kernel file or an archive.
fn ending(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let archives = ArchiveKind::ENDINGS.into_iter().map(|(end, _)| end);
    KERNELS.into_iter().chain(archives).find(|end| name.ends_with(end))
}

/// Lists the files in the folder that are neither a submission nor a part of one.
pub fn strays(paths: &[PathBuf]) -> Vec<String> {
    let is_companion = |path: &Path| COMPANIONS.iter().any(|end| name_of(path).to_lowercase().ends_with(end));
    let is_stray = |path: &&PathBuf| !is_submission(path) && !is_companion(path);
    paths.iter().filter(is_stray).map(|path| name_of(path)).collect()
}

/// Explains that several files of one student get no marks, and what to do.
pub fn several(how: &str) -> String {
    format!("several files were handed in; {how}")
}

fn entry(path: &Path) -> Entry {
    let name = name_of(path);
    let ending = ending(&name).filter(|_| !path.is_dir());
    let id = ending.map_or(name.clone(), |end| name[..name.len() - end.len()].to_string());
    Entry::of_one(Student { name: id.clone(), id, ..Student::default() }, handed_in(path), changed(path))
}
