//! Captures the process's standard output, including in-kernel printf.
use cudarc::driver::{CudaContext, sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE};

use crate::{
    device::sandboxed_driver,
    error::{Error, Result},
    stdout,
};

/// Makes the driver's printf buffer large enough for this many lines. Returns false if the driver refuses: the size is
/// fixed once a kernel has printed.
pub fn make_room(context: &CudaContext, lines: u64) -> bool {
    const BYTES_A_LINE: u64 = 256;
    let needed = (lines * BYTES_A_LINE) as usize;
    let is_enough = context.get_limit(CU_LIMIT_PRINTF_FIFO_SIZE).is_ok_and(|size| size >= needed);
    is_enough || context.set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, needed).is_ok()
}

/// Whether a text of `bytes` bytes fills the driver's printf buffer.
pub fn is_full(context: &CudaContext, bytes: usize) -> bool {
    context.get_limit(CU_LIMIT_PRINTF_FIFO_SIZE).is_ok_and(|size| bytes >= size)
}

/// Written after the captured text: if this fails for lack of space, the captured text may be truncated.
#[cfg(unix)]
const MARK: &[u8] = b"\0end";

/// Runs `body` with standard output captured, and returns its result and the output. The caller must wait for the
/// device inside `body`, because a kernel's printf is only then printed.
///
/// # Errors
/// The body's, or the system's when the redirection fails, or when there is no space for the output.
#[cfg(unix)]
pub fn stdout<T>(body: impl FnOnce() -> Result<T>) -> Result<(String, T)> {
    let file = room().map_err(|source| Error::Io { action: "make room for", path: WHAT.into(), source })?;
    into_file(file, body)
}

/// The name of the file in errors.
#[cfg(unix)]
const WHAT: &str = "what kernels print";

/// Creates a file for the captured text: in memory if the system supports it, else in the folder for temporary files.
#[cfg(unix)]
fn room() -> std::io::Result<std::fs::File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::FromRawFd;
        // SAFETY: a system call with a static name; the descriptor is owned from here on.
        unsafe {
            let fd = libc::memfd_create(c"captured".as_ptr(), libc::MFD_CLOEXEC);
            if fd >= 0 {
                return Ok(std::fs::File::from_raw_fd(fd));
            }
        }
    }
    tempfile::tempfile()
}

#[cfg(unix)]
fn into_file<T>(mut file: std::fs::File, body: impl FnOnce() -> Result<T>) -> Result<(String, T)> {
    use std::{
        io::{Read, Seek, Write},
        os::fd::AsRawFd,
    };
    let io = |action| move |source| Error::Io { action, path: WHAT.into(), source };
    stdout::flush();
    // SAFETY: file-descriptor calls on descriptors that this function owns; C's own streams are flushed first and last,
    // so that their buffered text goes to the right file.
    let result = unsafe {
        libc::fflush(std::ptr::null_mut());
        let saved = libc::dup(1);
        if saved < 0 || libc::dup2(file.as_raw_fd(), 1) < 0 {
            return Err(io("redirect")(std::io::Error::last_os_error()));
        }
        sandboxed_driver::print_here();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        let _ = std::io::stdout().flush();
        libc::fflush(std::ptr::null_mut());
        libc::dup2(saved, 1);
        libc::close(saved);
        sandboxed_driver::print_here();
        result
    };
    let value = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    // The descriptors share the file position: this follows all output.
    file.write_all(MARK).map_err(io("keep"))?;
    let mut bytes = Vec::new();
    file.rewind().map_err(io("read"))?;
    file.read_to_end(&mut bytes).map_err(io("read"))?;
    let text = bytes.strip_suffix(MARK).unwrap_or(&bytes);
    Ok((String::from_utf8_lossy(text).into_owned(), value))
}

/// Without file descriptors there is nothing to redirect.
///
/// # Errors
/// [`Error::Skip`], always.
#[cfg(not(unix))]
pub fn stdout<T>(_body: impl FnOnce() -> Result<T>) -> Result<(String, T)> {
    Err(Error::skip("standard output cannot be captured on this system"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn text_without_room_is_an_error_and_not_an_empty_text() {
        let full = std::fs::File::options().read(true).write(true).open("/dev/full").unwrap();
        let error = into_file(full, || Ok(())).unwrap_err();
        assert_eq!(error.exit_code(), 4);
        assert!(error.to_string().starts_with("cannot keep what kernels print: No space left"), "{error}");
    }
}
