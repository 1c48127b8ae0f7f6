//! Errors of generating the documents' parts.

use std::path::PathBuf;

/// Why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot read or write {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The reference run cannot be read.
    #[error("{0}")]
    Run(record::Error),
    /// A marker refers to something that does not exist.
    #[error("{path}, marker {marker:?}: {what}")]
    Marker {
        /// The document.
        path: PathBuf,
        /// The marker's text.
        marker: String,
        /// What is missing.
        what: String,
    },
    /// Documents whose generated parts are out of date.
    #[error("stale, run `warplab figures`: {}", .0.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", "))]
    Stale(Vec<PathBuf>),
}

/// An error before its document is known.
pub(super) enum Fault {
    /// The marker refers to something that does not exist.
    Marker(String),
    /// Any other error.
    Error(Error),
}
