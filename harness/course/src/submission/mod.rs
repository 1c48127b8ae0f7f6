//! What is handed in: a kernel file, a folder, or an archive. Nothing in it is trusted: it is read in bounded amounts,
//! its paths are never written to, and only the kernel file and the headers beside it are taken.

mod archive;
mod bounds;
mod folder;
mod pick;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use harness::Error;
use tempfile::TempDir;

use bounds::LARGEST_FILE;
use pick::{Files, Found, has_extension};

/// A submission whose kernel file lies in a folder of its own, under the assignment's name, with the headers beside it.
#[derive(Debug)]
pub struct Submission {
    /// The kernel file.
    pub kernel: PathBuf,
    /// The folder lives as long as this.
    _folder: TempDir,
}

/// Why there is no kernel file.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// What is handed in is at fault; the text says what to do.
    #[error("{0}")]
    Unfit(String),
    /// This computer is at fault.
    #[error(transparent)]
    Machine(#[from] Error),
}

impl Submission {
    /// Takes the kernel file `name`, such as `histogram.cu`, from what lies at `path`. A single `.cu` file may have any
    /// name.
    ///
    /// # Errors
    /// [`Unread::Unfit`] when there is no such file, two, or something that must not be read.
    pub fn open(path: &Path, name: &str) -> Result<Self, Unread> {
        let kind = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let data = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let files = if data.is_dir() {
            folder::read(path, name)?
        } else if !data.is_file() {
            return Err(unfit(format!("{} is neither a file nor a folder", path.display())));
        } else if has_extension(&kind, "cu") {
            single(path, name)?
        } else if has_extension(&kind, "zip") {
            archive::zip(path, name)?
        } else if [".tar.gz", ".tgz"].iter().any(|end| kind.ends_with(end)) {
            archive::tar_gz(path, name)?
        } else {
            return Err(unfit(format!(
                "{} is none of these: a .cu file, a folder, a .zip, a .tar.gz, a .tgz",
                path.display()
            )));
        };
        write(name, &files)
    }
}

/// A kernel file that is named itself, and the headers in its folder.
fn single(path: &Path, name: &str) -> Result<Files, Unread> {
    let mut found = Found::new(name);
    let mut add = |path: &Path, name: &str| found.add(name, &mut bounds::open(path).map_err(|e| unreadable(path, &e))?);
    add(path, name)?;
    for header in folder::headers_beside(path) {
        add(&header, &header.file_name().unwrap_or_default().to_string_lossy())?;
    }
    // PTX that the user made, which is loaded only where the user says that it is to be trusted.
    let ptx = path.with_extension("ptx");
    if ptx.is_file() {
        add(&ptx, &Path::new(name).with_extension("ptx").to_string_lossy())?;
    }
    found.pick()
}

/// Writes the files into a new folder.
fn write(name: &str, files: &Files) -> Result<Submission, Unread> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source: io::Error| Error::Io { action: "write", path, source }
    };
    let folder = tempfile::tempdir().map_err(io(&std::env::temp_dir()))?;
    for (file, bytes) in files {
        let path = folder.path().join(file);
        fs::write(&path, bytes).map_err(io(&path))?;
    }
    Ok(Submission { kernel: folder.path().join(name), _folder: folder })
}

fn unfit(words: impl Into<String>) -> Unread {
    Unread::Unfit(words.into())
}

fn unreadable(path: &Path, error: &io::Error) -> Unread {
    unfit(format!("{} cannot be read: {error}", path.display()))
}

/// What a file that is too large is told.
fn too_large(name: &str) -> Unread {
    unfit(format!("{name} has more than {} KiB, which no kernel file needs", LARGEST_FILE >> 10))
}
