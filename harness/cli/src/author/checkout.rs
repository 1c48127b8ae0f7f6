//! The checkout of warplab that contains the working folder.
use std::path::{Path, PathBuf};

use harness::Error;

/// The root of that checkout.
///
/// # Errors
/// [`Error::Usage`] when the working folder is in no checkout.
pub fn root() -> Result<PathBuf, Error> {
    let here = std::env::current_dir().map_err(|source| Error::Io { action: "find", path: ".".into(), source })?;
    let is_root = |folder: &&Path| folder.join("kernels/include").is_dir() && folder.join("labs").is_dir();
    here.ancestors().find(is_root).map(Path::to_path_buf).ok_or_else(|| {
        Error::usage(format!(
            "{} is not inside a checkout of warplab: no folder above it holds both labs and kernels/include",
            here.display()
        ))
    })
}
