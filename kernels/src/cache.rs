//! The cache of compiled PTX: one file for each source, headers, options and compiler, written
//! atomically in the user's cache folder. A cache that cannot be used costs time, never a run.
use std::{fs, io::Write, path::PathBuf};

use sha2::{Digest, Sha256};

use crate::{KernelSource, headers, nvrtc::OPTIONS, source::hex};

/// The cache folder: `WARPLAB_CACHE`, or the user's own (`~/.cache/warplab` on Linux).
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("WARPLAB_CACHE") {
        return Some(folder.into());
    }
    Some(
        directories::ProjectDirs::from("", "", "warplab")?
            .cache_dir()
            .to_path_buf(),
    )
}

/// The file for `source` compiled by NVRTC `version` for `arch`. The crate's version is in the key,
/// because it decides what is done to the compiler's output. None for a source that includes files
/// of its own: their text is not in the key.
fn file(source: &KernelSource, version: &str, arch: u32) -> Option<PathBuf> {
    if headers::includes_others(&source.cuda) {
        return None;
    }
    let (options, hash, arch) = (OPTIONS.join(" "), source.hash(), arch.to_string());
    let key = [
        hash.as_str(),
        &source.path,
        version,
        &arch,
        env!("CARGO_PKG_VERSION"),
        &options,
    ]
    .join("\n");
    Some(
        folder()?
            .join("ptx")
            .join(format!("{}.ptx", hex(&Sha256::digest(key.as_bytes())))),
    )
}

/// PTX compiled before, if it is there.
pub(crate) fn get(source: &KernelSource, version: &str, arch: u32) -> Option<String> {
    fs::read_to_string(file(source, version, arch)?)
        .ok()
        .filter(|ptx| ptx.starts_with(".version"))
}

/// Keeps `ptx`, atomically: another process sees all of it or nothing.
pub(crate) fn put(source: &KernelSource, version: &str, arch: u32, ptx: &str) {
    let Some(file) = file(source, version, arch) else {
        return;
    };
    let Some(folder) = file.parent() else { return };
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(ptx.as_bytes())?;
        temporary.persist(&file)?;
        Ok(())
    };
    // A full or read-only folder: the next run compiles again.
    let _ = write();
}
