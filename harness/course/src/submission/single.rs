//! Reads a submission that is a single kernel file. It is read alone: other files in its folder may be others'.
use std::path::Path;

use kernels::KernelSource;

use super::{
    bounds::{self, LARGEST_FILE},
    pick::{Files, Picked},
    unread::{Unread, too_large, unreadable},
};

/// The most headers that a remark names.
const TOLD: usize = 3;

/// Reads the kernel file at `path`, under the name `kernel`, with a remark for the student.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(path: &Path, kernel: &str) -> Result<Picked, Unread> {
    let mut files = Files::from([(kernel.to_string(), whole(path)?)]);
    // PTX made by the user, which is loaded only if the user says that it is trusted.
    let ptx = path.with_extension("ptx");
    if ptx.is_file() {
        files.insert(Path::new(kernel).with_extension("ptx").to_string_lossy().into_owned(), whole(&ptx)?);
    }
    let source = KernelSource::read(path, kernel).ok();
    let headers = source.iter().flat_map(|source| source.headers.iter());
    let left_out: Vec<&str> = headers.map(|header| &*header.name).take(TOLD).collect();
    let remark = (!left_out.is_empty()).then(|| {
        let names = left_out.join(", ");
        format!("a kernel file is marked alone, without {names} next to it: hand in a folder or an archive with all")
    });
    Ok(Picked::Files(files, remark))
}

/// Reads a whole file.
fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    let mut file = bounds::open(path).map_err(|error| unreadable(path, &error))?;
    let read = bounds::read(&mut file, LARGEST_FILE).map_err(|error| unreadable(path, &error))?;
    read.ok_or_else(|| too_large(&path.file_name().unwrap_or_default().to_string_lossy()))
}
