//! Atomic writes of marks to a file.
use std::path::Path;

use harness::Result;

/// Writes `text` and a line break to `path`, whose folder must exist.
///
/// # Errors
/// [`harness::Error::Io`].
pub fn write(path: &Path, text: &str) -> Result<()> {
    harness::write_whole(path, format!("{text}\n").as_bytes())
}
