//! Atomic file writes.
use std::{io::Write, path::Path};

use crate::error::{Error, Result};

/// Writes `bytes` to `path` atomically, with the permissions of new files; the folder must exist.
///
/// # Errors
/// [`Error::Io`]; the old file is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |source| Error::Io { action: "write", path: path.into(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warplab-");
    // By default, a temporary file is accessible to its owner only; with this mode the user's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}
