//! Reads a submission: a kernel file, a folder, or an archive. It is untrusted: it is read in bounded amounts, its
//! files are written only to a separate folder, and only the kernel file and the headers below its folder are taken. If
//! there is no kernel file but an archive, that is opened.

mod archive;
mod archive_kind;
mod bounds;
mod folder;
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

pub use archive_kind::ArchiveKind;
use archive_kind::is_kernel;
pub use list::LIST;
use pick::{Files, Picked};
pub use unread::Unread;
use unread::{unfit, unreadable};
pub use wanted::Wanted;

/// The reason why a link is not taken.
pub const LINK: &str = "it is a link, which is not followed: hand in the file itself";

/// How many nested archives are opened, including the outer one.
const ARCHIVES: usize = 2;

/// A submission whose kernel file was copied to a separate folder, under the assignment's name, with the headers below
/// its original folder.
#[derive(Debug)]
pub struct Submission {
    /// The kernel file.
    pub kernel: PathBuf,
    /// The paths of all files from the kernel file's folder, sorted.
    pub files: Vec<String>,
    /// A remark for the student about what was taken.
    pub remark: Option<String>,
    /// The folder, which is deleted when this is dropped.
    folder: TempDir,
}

impl Submission {
    /// Takes the kernel file from `path`. A file that is the only one to end with `.cu` may have any name; a file that
    /// is given directly is taken alone, without the headers in its folder, which may be others'. Links are not
    /// followed.
    ///
    /// # Errors
    /// [`Unread::Unfit`] when there is no such file, or two, or something that must not be read.
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
        } else if let Some(kind) = ArchiveKind::from_name(&name) {
            (archive::read_file(path, kind, wanted)?, 1)
        } else {
            return Err(unfit(format!(
                "{} is not a .cu file, a folder, a .zip, a .tar.gz, a .tgz or a .tar; rename it, or pack it as one of these",
                path.display()
            )));
        };
        loop {
            picked = match picked {
                Picked::Files(files, remark) => return write(wanted.kernel, &files, remark),
                Picked::Archive(name, bytes) => match ArchiveKind::from_name(&name).filter(|_| archives < ARCHIVES) {
                    Some(kind) => archive::read(&name, kind, Cursor::new(bytes), wanted)?,
                    None => return Err(unfit(format!("there is no {}, but {name}: unpack it", wanted.kernel))),
                },
            };
            archives += 1;
        }
    }

    /// Checks that the kernel file can be taken from a zip archive of these bytes, with the display name `shown`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn check(shown: &str, archive: &[u8], wanted: Wanted) -> Result<(), Unread> {
        archive::read(shown, ArchiveKind::Zip, Cursor::new(archive), wanted).map(drop)
    }

    /// The folder of the files.
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
