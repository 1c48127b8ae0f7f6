//! The inputs that marks depend on: marks are reused while these stay the same.
use std::fs;

use harness::{Error, Result};

use super::settings::ClassSettings;
use crate::{
    assignment::rubric::{Exercise, Rubric},
    hash::Hash,
    submission::Submission,
};

/// A hash of the kernel file and of the headers below its folder.
///
/// # Errors
/// [`Error::Io`].
pub fn of_files(submission: &Submission) -> Result<String> {
    let mut hash = Hash::new();
    for name in &submission.files {
        let path = submission.folder().join(name);
        hash.add(name);
        hash.add(&fs::read(&path).map_err(|source| Error::Io { action: "read", path, source })?);
    }
    Ok(hash.end())
}

/// Hashes the reason why nothing can be read.
pub fn of_words(words: &str) -> String {
    let mut hash = Hash::new();
    hash.add("unfit");
    hash.add(words);
    hash.end()
}

/// The key of a part's marks, for a submission with the hash `content` under `version` of this program.
pub fn of_part(part: &Exercise, rubric: &Rubric, settings: &ClassSettings, content: &str, version: &str) -> String {
    let mut hash = Hash::new();
    hash.add(version);
    hash.add(content);
    hash.add(&format!("{settings:?} {:?} {:?}", rubric.kernel, rubric.sizes));
    // Hints do not affect marks.
    hash.add(&format!("{:?}", Exercise { hints: Vec::new(), ..part.clone() }));
    hash.end()
}
