//! Marks as a file, which is whole or not there.
use std::path::Path;

use harness::Result;

/// Writes `text` and a line break to `path`, whose folder must be there.
///
/// # Errors
/// [`harness::Error::Io`].
pub fn write(path: &Path, text: &str) -> Result<()> {
    harness::write_whole(path, format!("{text}\n").as_bytes())
}
