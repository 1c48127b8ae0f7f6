//! The toolbox: unpacks wheels into the folder of a tool, and checks what is installed.
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use harness::Error;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use super::{
    half,
    pins::{Link, Wheel},
};

/// The list of installed files, in the tool's folder.
const LIST: &str = "brought.json";

/// The installed and unpacked files.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Brought {
    /// Name and SHA-256 of each wheel.
    wheels: Vec<(String, String)>,
    /// Path and bytes of each file.
    files: Vec<(PathBuf, u64)>,
}

/// The state of a tool's folder.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Empty,
    /// Complete, with this number of bytes.
    Whole(u64),
    /// Other wheels than the current ones.
    Other,
    /// Incomplete: this file is missing or has another length.
    Damaged(PathBuf),
}

/// The state of `folder`, in which `wheels` should be unpacked.
pub fn state(folder: &Path, wheels: &[Wheel]) -> State {
    if !folder.exists() {
        return State::Empty;
    }
    let list = folder.join(LIST);
    let read = fs::read_to_string(&list).ok().and_then(|text| serde_json::from_str::<Brought>(&text).ok());
    let Some(brought) = read else { return State::Damaged(list) };
    let is_whole = |(path, bytes): &&(PathBuf, u64)| {
        fs::metadata(folder.join(path)).is_ok_and(|data| data.is_file() && data.len() == *bytes)
    };
    if let Some((path, _)) = brought.files.iter().find(|file| !is_whole(file)) {
        return State::Damaged(folder.join(path));
    }
    if brought.wheels != names(wheels) {
        return State::Other;
    }
    State::Whole(brought.files.iter().map(|(_, bytes)| bytes).sum())
}

fn names(wheels: &[Wheel]) -> Vec<(String, String)> {
    wheels.iter().map(|wheel| (wheel.file.clone(), wheel.sha256.clone())).collect()
}

/// Unpacks the wheels at `paths` into `folder`, replacing its content, and makes the links; on an error nothing is
/// changed.
///
/// # Errors
/// [`Error::Io`]; [`Error::CannotRun`] on Ctrl-C.
pub fn unpack(wheels: &[Wheel], paths: &[PathBuf], links: &[Link], folder: &Path) -> Result<(), Error> {
    let half = half::folder_in(folder.parent().unwrap_or(folder))?;
    let new = half.path().join("new");
    let io = |source| Error::Io { action: "write", path: new.clone(), source };
    fs::create_dir(&new).map_err(io)?;
    let mut files = Vec::new();
    for (wheel, path) in wheels.iter().zip(paths) {
        unpack_one(wheel, path, &new, &mut files)?;
    }
    for link in links {
        make(link, &new).map_err(io)?;
    }
    let list = serde_json::to_string(&Brought { wheels: names(wheels), files }).map_err(|e| io(e.into()))?;
    fs::write(new.join(LIST), list).map_err(io)?;
    let io = |source| Error::Io { action: "write", path: folder.into(), source };
    if folder.exists() {
        fs::rename(folder, half.path().join("old")).map_err(io)?;
    }
    fs::rename(&new, folder).map_err(io)
}

fn unpack_one(wheel: &Wheel, path: &Path, to: &Path, files: &mut Vec<(PathBuf, u64)>) -> Result<(), Error> {
    let io = |source| Error::Io { action: "unpack", path: path.into(), source };
    let file = File::open(path).map_err(io)?;
    let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(|e| io(e.into()))?;
    for index in 0..archive.len() {
        half::not_interrupted()?;
        let mut entry = archive.by_index(index).map_err(|e| io(e.into()))?;
        // `enclosed_name` is `None` for a path that leads out of the folder.
        let Some(name) = entry.enclosed_name().filter(|_| entry.is_file()) else { continue };
        let text = name.to_string_lossy().replace('\\', "/");
        let is_licence = text.contains(".dist-info/") && text.to_lowercase().contains("license");
        if !(is_licence || wheel.keep.iter().any(|start| text.starts_with(start))) {
            continue;
        }
        let target = to.join(&name);
        let io = |source| Error::Io { action: "write", path: target.clone(), source };
        fs::create_dir_all(target.parent().unwrap_or(to)).map_err(io)?;
        let bytes = io::copy(&mut entry, &mut File::create(&target).map_err(io)?).map_err(io)?;
        if entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0) {
            make_executable(&target).map_err(io)?;
        }
        files.push((name, bytes));
    }
    Ok(())
}

#[cfg(unix)]
fn make(link: &Link, folder: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(&link.to, folder.join(&link.name))
}

/// Links are only for linkers on Unix.
#[cfg(not(unix))]
fn make(_link: &Link, _folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> io::Result<()> {
    Ok(())
}

/// Deletes a tool's folder, and the toolbox if nothing else is in it. Returns whether there was one.
///
/// # Errors
/// [`Error::Io`].
pub fn remove(folder: &Path) -> Result<bool, Error> {
    if !folder.exists() {
        return Ok(false);
    }
    let toolbox = folder.parent().unwrap_or(folder);
    let half = half::folder_in(toolbox)?;
    let io = |source| Error::Io { action: "remove", path: folder.into(), source };
    fs::rename(folder, half.path().join("old")).map_err(io)?;
    drop(half);
    let _ = fs::remove_dir(toolbox);
    Ok(true)
}
