//! The list in an archive made by `warplab submit`: for which lab, and with which kernel file.
use serde::Deserialize;

/// The name of the list in the archive.
pub const LIST: &str = "submission.json";

/// The parts of a list that identify the submission. It is untrusted: the submitter may have written anything into it.
#[derive(Debug, Deserialize)]
pub struct Made {
    /// The lab's name.
    pub lab: String,
    /// The path of the kernel file, relative to the list.
    pub kernel: String,
}

impl Made {
    /// Parses `bytes`; `None` if they are not such a list.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let made: Self = serde_json::from_slice(bytes).ok()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        (made.lab.len() <= 64 && !made.lab.is_empty() && made.lab.chars().all(is_name)).then_some(made)
    }
}
