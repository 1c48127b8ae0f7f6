//! File descriptors that programs pass to each other: memory and pools are unnamed files.

use crate::abi::error::{Error, Result};
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};

/// Returns a new descriptor of a file, which belongs to the program. Child processes of the program inherit it.
///
/// # Errors
/// `CUDA_ERROR_OPERATING_SYSTEM` if there are too many.
pub fn descriptor(file: &File) -> Result<i32> {
    // SAFETY: an open descriptor.
    let new = unsafe { libc::dup(file.as_raw_fd()) };
    if new < 0 { Err(Error::OPERATING_SYSTEM) } else { Ok(new) }
}

/// Returns the file of a descriptor, which stays the program's, if Linux shows the file with this label.
///
/// # Errors
/// `CUDA_ERROR_UNKNOWN` for a descriptor that is not open, `CUDA_ERROR_NOT_SUPPORTED` for another kind of exported
/// object, `CUDA_ERROR_INVALID_VALUE` for any other file.
pub fn opened(descriptor: i32, label: &CStr) -> Result<File> {
    let link = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).map_err(|_| Error::UNKNOWN)?;
    let link = link.to_string_lossy();
    let name = link.strip_prefix("/memfd:").and_then(|name| name.strip_suffix(" (deleted)"));
    match name {
        Some(name) if name.as_bytes() == label.to_bytes() => {}
        Some(name) if name.starts_with("warplab ") => return Err(Error::NOT_SUPPORTED),
        _ => return Err(Error::INVALID_VALUE),
    }
    // SAFETY: the descriptor is open, as the link shows; the new one has no other owner.
    let new = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    if new < 0 {
        return Err(Error::UNKNOWN);
    }
    // SAFETY: as above.
    Ok(unsafe { File::from_raw_fd(new) })
}
