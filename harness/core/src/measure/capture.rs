//! Captures what the process prints to standard output, in-kernel printf included.
use cudarc::driver::{CudaContext, sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE};

use crate::error::{Error, Result};

/// Makes the driver's buffer for what kernels print large enough for this many lines. False if the driver refuses: the
/// size is fixed once a kernel has printed.
pub fn make_room(context: &CudaContext, lines: u64) -> bool {
    const BYTES_A_LINE: u64 = 256;
    let needed = (lines * BYTES_A_LINE) as usize;
    let is_enough = context.get_limit(CU_LIMIT_PRINTF_FIFO_SIZE).is_ok_and(|size| size >= needed);
    is_enough || context.set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, needed).is_ok()
}

/// Runs `body` with standard output captured, and returns its result and what was printed. The caller must wait for the
/// device inside `body`: a kernel's printf is printed then.
///
/// # Errors
/// The body's, or the system's when the redirection fails.
#[cfg(unix)]
pub fn stdout<T>(body: impl FnOnce() -> Result<T>) -> Result<(String, T)> {
    use std::{
        io::{Read, Seek, Write},
        os::fd::AsRawFd,
    };
    let io = |source| Error::Io { action: "redirect", path: "standard output".into(), source };
    let mut file = tempfile::tempfile().map_err(io)?;
    std::io::stdout().flush().map_err(io)?;
    // SAFETY: plain file-descriptor calls on descriptors that this function owns; flushing C's own
    // streams first and last, so that their buffered text lands on the right side.
    let result = unsafe {
        libc::fflush(std::ptr::null_mut());
        let saved = libc::dup(1);
        if saved < 0 || libc::dup2(file.as_raw_fd(), 1) < 0 {
            return Err(io(std::io::Error::last_os_error()));
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        let _ = std::io::stdout().flush();
        libc::fflush(std::ptr::null_mut());
        libc::dup2(saved, 1);
        libc::close(saved);
        result
    };
    let value = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let mut bytes = Vec::new();
    file.rewind().map_err(io)?;
    file.read_to_end(&mut bytes).map_err(io)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), value))
}

/// Without file descriptors there is nothing to redirect.
///
/// # Errors
/// [`Error::Skip`], always.
#[cfg(not(unix))]
pub fn stdout<T>(_body: impl FnOnce() -> Result<T>) -> Result<(String, T)> {
    Err(Error::Skip("standard output cannot be captured on this system".into()))
}
