//! A submission's path: its name, whether it can be a submission, and its modification time.
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::submission::LINK;

/// How deep folders are searched for the newest file.
const DEEPEST: usize = 4;

/// The last part of a path, as text.
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns `path`, or why it cannot be a submission.
pub fn handed_in(path: &Path) -> Result<PathBuf, String> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Err(LINK.into()),
        Ok(_) => Ok(path.to_path_buf()),
        Err(_) => Err("nothing was handed in".into()),
    }
}

/// The modification time of the newest file of a submission.
pub fn changed(path: &Path) -> Option<SystemTime> {
    newest(path, 0)
}

fn newest(path: &Path, depth: usize) -> Option<SystemTime> {
    let data = fs::symlink_metadata(path).ok()?;
    if !data.is_dir() {
        return data.modified().ok();
    }
    if depth > DEEPEST {
        return None;
    }
    let is_shown = |path: &PathBuf| !name_of(path).starts_with('.');
    let inside = fs::read_dir(path).ok()?.flatten().map(|entry| entry.path()).take(10_000).filter(is_shown);
    inside.filter_map(|path| newest(&path, depth + 1)).max()
}
