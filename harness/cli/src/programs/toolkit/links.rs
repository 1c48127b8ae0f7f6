//! The folder with links of the tools' names to this program.
use std::{env, fs, io, path::PathBuf};

use harness::Error;

use super::TOOLS;

/// The folder's path; `None` without a cache folder.
pub fn folder() -> Option<PathBuf> {
    let cache = kernels::cache_folder()?;
    Some(std::path::absolute(&cache).unwrap_or(cache).join("tools"))
}

/// Makes the links, `warplab` among them, and returns their folder. Each link is replaced atomically.
///
/// # Errors
/// [`Error::CannotRun`] without a cache folder; [`Error::Io`] when it cannot be written.
pub fn write() -> Result<PathBuf, Error> {
    let folder = folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the links to the tools; name a folder by WARPLAB_CACHE".into())
    })?;
    let io = |source| Error::Io { action: "write links to", path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(io)?;
    let own = env::current_exe().and_then(|path| path.canonicalize()).map_err(io)?;
    for name in TOOLS.iter().chain(&["warplab"]) {
        let link = folder.join(name);
        if fs::read_link(&link).is_ok_and(|to| to == own) {
            continue;
        }
        let half = tempfile::tempdir_in(&folder).map_err(io)?;
        let new = half.path().join(name);
        symlink(&own, &new).and_then(|()| fs::rename(&new, &link)).map_err(io)?;
    }
    Ok(folder)
}

#[cfg(unix)]
fn symlink(to: &std::path::Path, link: &std::path::Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

#[cfg(not(unix))]
fn symlink(to: &std::path::Path, link: &std::path::Path) -> io::Result<()> {
    fs::copy(to, link).map(drop)
}
