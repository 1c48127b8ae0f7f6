//! What can go wrong with the folder of a run.
use std::{io, path::PathBuf};

/// The result of a function that reads or writes the folder of a run.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the folder of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The named folder holds no run.
    #[error("{0}")]
    NoRun(String),
    /// A file is damaged, incomplete, or has a version that this program does not read.
    #[error("{0}")]
    Damaged(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action: "write", "create", "read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
