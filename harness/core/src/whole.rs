//! A file that is written in one piece.
use std::{io::Write, path::Path};

use crate::error::{Error, Result};

/// Writes `bytes` to `path`, whose folder must be there, with the permissions that new files have: a reader sees the
/// old file, or the new one.
///
/// # Errors
/// [`Error::Io`]; the old file is then as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |source| Error::Io { action: "write", path: path.into(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warplab-");
    // A temporary file is its owner's alone, if nothing else is said: this leaves it to the user's mask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}
