//! What is handed in: a kernel file, a folder, or an archive. Nothing in it is trusted: it is read in bounded amounts,
//! its paths are written to nowhere but in a folder of its own, and only the kernel file and the headers below its
//! folder are taken. Where there is no kernel file but an archive, that is opened.

mod archive;
mod bounds;
mod folder;
mod kind;
mod list;
mod pick;
mod single;
mod unread;
mod wanted;

use std::{
    fs,
    io::{self, Cursor},
    path::{Path, PathBuf},
};

use harness::Error;
use tempfile::TempDir;

pub use kind::Kind;
use kind::is_kernel;
pub use list::LIST;
use pick::{Files, Picked};
pub use unread::Unread;
use unread::{unfit, unreadable};
pub use wanted::Wanted;

/// Why a link is not taken.
pub const LINK: &str = "it is a link, which is not followed: hand in the file itself";

/// Archives in one another that are opened, the outer one counted.
const ARCHIVES: usize = 2;

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

impl Submission {
    /// Takes the kernel file from what lies at `path`. A file that is the only one to end with `.cu` may have any name;
    /// one that is named itself is taken alone, without the headers of others in its folder. A link is not followed.
    ///
    /// # Errors
    /// [`Unread::Unfit`] when there is no such file, two, or something that must not be read.
    pub fn open(path: &Path, wanted: Wanted) -> Result<Self, Unread> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let data = fs::symlink_metadata(path).map_err(|error| unreadable(path, &error))?;
        if data.is_symlink() {
            return Err(unfit(LINK));
        }
        let (mut picked, mut archives) = if data.is_dir() {
            (folder::read(path, wanted)?, 0)
        } else if !data.is_file() {
            return Err(unfit(format!("{} is neither a file nor a folder", path.display())));
        } else if is_kernel(&name) {
            (single::read(path, wanted.kernel)?, 0)
        } else if let Some(kind) = Kind::of(&name) {
            (archive::read_file(path, kind, wanted)?, 1)
        } else {
            return Err(unfit(format!(
                "{} is none of these: a .cu file, a folder, a .zip, a .tar.gz, a .tgz, a .tar; rename or pack it so",
                path.display()
            )));
        };
        loop {
            picked = match picked {
                Picked::Files(files, remark) => return write(wanted.kernel, &files, remark),
                Picked::Archive(name, bytes) => match Kind::of(&name).filter(|_| archives < ARCHIVES) {
                    Some(kind) => archive::read(&name, kind, Cursor::new(bytes), wanted)?,
                    None => return Err(unfit(format!("there is no {}, but {name}: unpack it", wanted.kernel))),
                },
            };
            archives += 1;
        }
    }

    /// Whether the kernel file can be taken from a zip archive of these bytes, which is called `shown`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn check(shown: &str, archive: &[u8], wanted: Wanted) -> Result<(), Unread> {
        archive::read(shown, Kind::Zip, Cursor::new(archive), wanted).map(drop)
    }

    /// The folder in which the files lie.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Writes the files into a new folder.
fn write(name: &str, files: &Files, remark: Option<String>) -> Result<Submission, Unread> {
    if files.get(name).is_some_and(|bytes| bytes.trim_ascii().is_empty()) {
        return Err(unfit(format!("{name} is empty")));
    }
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
