//! The cache of compiled PTX: one file for each source, headers, options and compiler, written
//! atomically in the user's cache folder. If the cache cannot be used, the kernel is compiled again.
use std::{fs, io::Write, path::PathBuf};

use sha2::{Digest, Sha256};

use crate::{KernelSource, headers, nvrtc::OPTIONS, source::hex};

/// The cache folder: `WARPLAB_CACHE`, or the user's own (`~/.cache/warplab` on Linux).
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("WARPLAB_CACHE") {
        return Some(folder.into());
    }
    Some(directories::ProjectDirs::from("", "", "warplab")?.cache_dir().to_path_buf())
}

/// The file for `source` compiled by NVRTC `version` for `arch`. The crate's version is in the key, because it decides
/// what is done to the compiler's output, and so are the paths that line information gives. There is none for a source
/// that includes files that are not embedded, because their text is not in the key.
fn file(source: &KernelSource, version: &str, arch: u32) -> Option<PathBuf> {
    if !headers::included(source).others.is_empty() {
        return None;
    }
    let (options, hash, arch) = (OPTIONS.join(" "), source.hash(), arch.to_string());
    let mut key = vec![&*hash, version, &*arch, env!("CARGO_PKG_VERSION"), &*options];
    key.extend(source.files().map(|(path, _)| path));
    let name = format!("{}.ptx", hex(&Sha256::digest(key.join("\n").as_bytes())));
    Some(folder()?.join("ptx").join(name))
}

/// The PTX that was compiled before, if it is there.
pub(crate) fn get(source: &KernelSource, version: &str, arch: u32) -> Option<String> {
    fs::read_to_string(file(source, version, arch)?).ok().filter(|ptx| ptx.starts_with(".version"))
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
    // If the folder is full or read-only, the next run compiles again.
    let _ = write();
}
