//! Reads a submission that is a folder. Links are not followed.
use std::{fs, path::Path};

use super::{
    bounds::{self, DEEPEST, MOST_ENTRIES},
    pick::{Found, Picked},
    unread::{Unread, unfit, unreadable},
    wanted::Wanted,
};

/// Reads `folder` and its subfolders.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(folder: &Path, wanted: Wanted) -> Result<Picked, Unread> {
    let mut found = Found::new(wanted);
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
