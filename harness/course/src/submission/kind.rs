//! What kind of file a name promises.
use std::path::Path;

/// Whether a file's name ends so, as the case has it.
pub fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == extension)
}

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `.zip`.
    Zip,
    /// `.tar.gz` or `.tgz`.
    TarGz,
}

impl Kind {
    /// That of a file of this name, if it is one.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let is_tar = || [".tar.gz", ".tgz"].iter().any(|end| name.ends_with(end));
        if has_extension(&name, "zip") { Some(Self::Zip) } else { is_tar().then_some(Self::TarGz) }
    }
}
