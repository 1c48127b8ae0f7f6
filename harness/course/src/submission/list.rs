//! The list in an archive that `warplab submit` has made: what it was made for.
use serde::Deserialize;

/// The name of the list in the archive.
pub const LIST: &str = "submission.json";

/// As much of a list as tells what was handed in. Whoever hands it in may have written anything into it.
#[derive(Debug, Deserialize)]
pub struct Made {
    /// The lab's name.
    pub lab: String,
    /// The path of the kernel file, beside the list.
    pub kernel: String,
}

impl Made {
    /// What `bytes` say, if they are such a list at all.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let made: Self = serde_json::from_slice(bytes).ok()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        (made.lab.len() <= 64 && !made.lab.is_empty() && made.lab.chars().all(is_name)).then_some(made)
    }
}
