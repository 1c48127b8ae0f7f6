//! What is handed in: a kernel file, a folder, or an archive. Nothing in it is trusted: it is read in bounded amounts,
//! its paths are written to nowhere but in a folder of its own, and only the kernel file and the headers below its folder
//! are taken. Where there is no kernel file but an archive, that is opened.

mod archive;
mod bounds;
mod folder;
mod list;
mod pick;
mod single;

use std::{
    fs,
    io::{self, Cursor},
    path::{Path, PathBuf},
};

use harness::Error;
use tempfile::TempDir;

use bounds::LARGEST_FILE;
pub use list::LIST;
use pick::{Files, Picked, has_extension};

/// How the names of headers end that are handed in. Any other file that a kernel file names is not.
pub const HEADERS: [&str; 6] = ["cuh", "h", "hpp", "cu", "inc", "inl"];

/// Archives in one another that are opened, the outer one counted.
const ARCHIVES: usize = 2;

/// What is looked for in what is handed in.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The lab of the assignment.
    pub lab: &'a str,
    /// The kernel file, such as `histogram.cu`.
    pub kernel: &'a str,
}

/// A submission whose kernel file lies in a folder of its own, under the assignment's name, with the headers that lie
/// below its folder.
#[derive(Debug)]
pub struct Submission {
    /// The kernel file.
    pub kernel: PathBuf,
    /// The paths of all files from the kernel file's folder, sorted.
    pub files: Vec<String>,
    /// What the student should know about what was taken.
    pub remark: Option<String>,
    /// The folder lives as long as this.
    folder: TempDir,
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
    /// Takes the kernel file from what lies at `path`. A file that is the only one to end with `.cu` may have any name.
    ///
    /// # Errors
    /// [`Unread::Unfit`] when there is no such file, two, or something that must not be read.
    pub fn open(path: &Path, wanted: Wanted) -> Result<Self, Unread> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let data = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let (mut picked, mut archives) = if data.is_dir() {
            (folder::read(path, wanted)?, 0)
        } else if !data.is_file() {
            return Err(unfit(format!("{} is neither a file nor a folder", path.display())));
        } else if has_extension(&name, "cu") {
            (Picked::Files(single::read(path, wanted.kernel)?, None), 0)
        } else if let Some(kind) = archive::Kind::of(&name) {
            (archive::read_file(path, kind, wanted)?, 1)
        } else {
            return Err(unfit(format!(
                "{} is none of these: a .cu file, a folder, a .zip, a .tar.gz, a .tgz",
                path.display()
            )));
        };
        loop {
            picked = match picked {
                Picked::Files(files, remark) => return write(wanted.kernel, &files, remark),
                Picked::Archive(name, bytes) => match archive::Kind::of(&name).filter(|_| archives < ARCHIVES) {
                    Some(kind) => archive::read(&name, kind, Cursor::new(bytes), wanted)?,
                    None => return Err(unfit(format!("there is no {}, but {name}: unpack it", wanted.kernel))),
                },
            };
            archives += 1;
        }
    }

    /// The folder in which the files lie.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Writes the files into a new folder.
fn write(name: &str, files: &Files, remark: Option<String>) -> Result<Submission, Unread> {
    let io = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source: io::Error| Error::Io { action, path, source }
    };
    let folder = tempfile::tempdir().map_err(io("write", &std::env::temp_dir()))?;
    for (file, bytes) in files {
        let path = folder.path().join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io("create", parent))?;
        }
        fs::write(&path, bytes).map_err(io("write", &path))?;
    }
    let files = files.keys().cloned().collect();
    Ok(Submission { kernel: folder.path().join(name), files, remark, folder })
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
