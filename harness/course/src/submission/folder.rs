//! A submission that is a folder. Links are not followed.
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    Unread,
    bounds::{self, DEEPEST, MOST_ENTRIES, MOST_HEADERS},
    pick::{Files, Found},
    unfit, unreadable,
};

/// The kernel file `kernel` in `folder` or in a folder there, and the headers beside it.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(folder: &Path, kernel: &str) -> Result<Files, Unread> {
    let mut found = Found::new(kernel);
    let mut entries = 0;
    let mut folders = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((folder, path, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(unfit(format!("the folder has more than {MOST_ENTRIES} files")));
            }
            let path = format!("{path}{}", entry.file_name().to_string_lossy());
            if kind.is_dir() && depth < DEEPEST {
                folders.push((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file() && found.wants(&path) {
                found.add(&path, &mut bounds::open(&entry.path()).map_err(|e| unreadable(&entry.path(), &e))?)?;
            }
        }
    }
    found.pick()
}

/// The headers in the folder of a kernel file, as many as a kernel file may have.
pub fn headers_beside(kernel: &Path) -> Vec<PathBuf> {
    let folder = kernel.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let paths = entries.filter(is_file).map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "cuh")).take(MOST_HEADERS).collect()
}
