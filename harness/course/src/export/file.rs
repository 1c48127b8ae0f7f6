//! Marks as a file, which is whole or not there.
use std::{io::Write, path::Path};

use harness::{Error, Result};
use tempfile::Builder;

/// Writes `text` and a line break to `path`, whose folder must be there.
///
/// # Errors
/// [`Error::Io`].
pub fn write(path: &Path, text: &str) -> Result<()> {
    let io = |source| Error::Io { action: "write", path: path.into(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    // Others may read marks that are written for them: what is left to the user's mask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(io)?;
    writeln!(file, "{text}").map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}
