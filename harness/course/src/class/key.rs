//! What marks depend on: as long as it is the same, they need not be given anew.
use std::{fs, path::Path};

use harness::{Error, Result};

use super::settings::Settings;
use crate::{
    assignment::rubric::{Part, Rubric},
    hash::Hash,
};

/// A hash of the kernel file in `folder` and of the headers beside it.
///
/// # Errors
/// [`Error::Io`].
pub fn of_files(folder: &Path) -> Result<String> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { action: "read", path, source }
    };
    let entries = fs::read_dir(folder).map_err(io(folder))?;
    let mut paths = entries.map(|entry| Ok(entry.map_err(io(folder))?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    let mut hash = Hash::new();
    for path in paths {
        hash.add(path.file_name().unwrap_or_default().as_encoded_bytes());
        hash.add(&fs::read(&path).map_err(io(&path))?);
    }
    Ok(hash.end())
}

/// A hash of the reason why nothing can be read.
pub fn of_words(words: &str) -> String {
    let mut hash = Hash::new();
    hash.add("unfit");
    hash.add(words);
    hash.end()
}

/// The key of a part's marks, for a submission with the hash `content` under `version` of this program.
pub fn of_part(part: &Part, rubric: &Rubric, settings: &Settings, content: &str, version: &str) -> String {
    let mut hash = Hash::new();
    hash.add(version);
    hash.add(content);
    hash.add(&format!("{settings:?} {:?} {:?}", rubric.kernel, rubric.sizes));
    // Hints are no part of what is marked.
    hash.add(&format!("{:?}", Part { hints: Vec::new(), ..part.clone() }));
    hash.end()
}
