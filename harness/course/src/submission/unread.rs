//! Reasons why a submission cannot be read.
use std::{io, path::Path};

use harness::Error;

use super::bounds::{LARGEST_ARCHIVE, LARGEST_FILE};

/// Why there is no kernel file.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The submission is at fault; the text says what to do.
    #[error("{0}")]
    Unfit(String),
    /// This computer is at fault.
    #[error(transparent)]
    Machine(#[from] Error),
}

/// Creates an error about the submission.
pub fn unfit(words: impl Into<String>) -> Unread {
    Unread::Unfit(words.into())
}

/// The error for a file that the system does not allow to be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Unread {
    unfit(format!("{} cannot be read: {error}", path.display()))
}

/// The error for a file that is too large.
pub fn too_large(name: &str) -> Unread {
    unfit(format!("{name} has more than {} KiB, which no kernel file needs", LARGEST_FILE >> 10))
}

/// The error for an archive that is too large.
pub fn too_large_archive(name: &str) -> Unread {
    unfit(format!("{name} has more than {} MiB", LARGEST_ARCHIVE >> 20))
}
