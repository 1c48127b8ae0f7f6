//! A submission that is a kernel file. It is read alone: what else lies in its folder belongs to others.
use std::path::Path;

use kernels::KernelSource;

use super::{
    bounds::{self, LARGEST_FILE},
    pick::{Files, Picked},
    unread::{Unread, too_large, unreadable},
};

/// The kernel file at `path`, under the name `kernel`, and what the student should know about it.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(path: &Path, kernel: &str) -> Result<Picked, Unread> {
    let mut files = Files::from([(kernel.to_string(), whole(path)?)]);
    // PTX that the user made, which is loaded only where the user says that it is to be trusted.
    let ptx = path.with_extension("ptx");
    if ptx.is_file() {
        files.insert(Path::new(kernel).with_extension("ptx").to_string_lossy().into_owned(), whole(&ptx)?);
    }
    let source = KernelSource::read(path, kernel).ok();
    let left_out = source.and_then(|source| source.headers.first().map(|header| header.name.to_string()));
    let remark = left_out.map(|header| {
        format!("a kernel file is marked alone, without {header} beside it: hand in a folder or an archive with both")
    });
    Ok(Picked::Files(files, remark))
}

/// All of a file.
fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    let mut file = bounds::open(path).map_err(|error| unreadable(path, &error))?;
    let read = bounds::read(&mut file, LARGEST_FILE).map_err(|error| unreadable(path, &error))?;
    read.ok_or_else(|| too_large(&path.file_name().unwrap_or_default().to_string_lossy()))
}
