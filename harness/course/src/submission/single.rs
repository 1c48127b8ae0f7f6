//! A submission that is a kernel file: it may have any name, and brings the headers that it includes.
use std::{fs, path::Path};

use kernels::KernelSource;

use super::{
    HEADERS, Unread,
    bounds::{self, LARGEST_FILE, MOST_HEADERS},
    pick::{Files, has_extension},
    too_large, unfit, unreadable,
};

/// The kernel file at `path`, under the name `kernel`, and the headers in its folder and below that it includes.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(path: &Path, kernel: &str) -> Result<Files, Unread> {
    let mut files = Files::from([(kernel.to_string(), whole(path)?)]);
    let source = KernelSource::read(path, kernel).map_err(|error| unfit(error.to_string()))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = fs::canonicalize(folder).map_err(|error| unreadable(folder, &error))?;
    for header in source.headers.iter().take(MOST_HEADERS) {
        let real = fs::canonicalize(header.path.as_ref()).unwrap_or_default();
        let Ok(inside) = real.strip_prefix(&root) else { continue };
        let name = inside.to_string_lossy().replace('\\', "/");
        let is_header = HEADERS.iter().any(|end| has_extension(&name, end));
        if is_header && name != kernel && !name.split('/').any(|part| part.starts_with('.')) {
            files.insert(name, whole(&real)?);
        }
    }
    // PTX that the user made, which is loaded only where the user says that it is to be trusted.
    let ptx = path.with_extension("ptx");
    if ptx.is_file() {
        files.insert(Path::new(kernel).with_extension("ptx").to_string_lossy().into_owned(), whole(&ptx)?);
    }
    Ok(files)
}

/// All of a file.
fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    let mut file = bounds::open(path).map_err(|error| unreadable(path, &error))?;
    let read = bounds::read(&mut file, LARGEST_FILE).map_err(|error| unreadable(path, &error))?;
    read.ok_or_else(|| too_large(&path.file_name().unwrap_or_default().to_string_lossy()))
}
