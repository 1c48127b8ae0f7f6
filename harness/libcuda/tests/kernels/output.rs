//! Captures the standard output of the process during a call: drivers write the output of kernels there.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;

/// Runs `work`. Returns its result and what was written to standard output.
pub fn captured<T>(work: impl FnOnce() -> T) -> Result<(T, String), String> {
    let tell = |what: &str| format!("{what}: {}", std::io::Error::last_os_error());
    let mut file = temporary().map_err(|e| format!("a temporary file: {e}"))?;
    // SAFETY: descriptors of this process; no other thread writes to standard output meanwhile, because tests run one
    // after another.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        let before = libc::dup(1);
        if before < 0 || libc::dup2(file.as_raw_fd(), 1) < 0 {
            return Err(tell("dup"));
        }
        let result = work();
        libc::fflush(std::ptr::null_mut());
        let restored = libc::dup2(before, 1);
        libc::close(before);
        if restored < 0 {
            return Err(tell("dup2"));
        }
        let mut text = String::new();
        let read = file.rewind().and_then(|()| file.read_to_string(&mut text).map(drop));
        read.map_err(|e| format!("what was printed: {e}"))?;
        Ok((result, text))
    }
}

/// Creates an unnamed file, which is deleted when its descriptor is closed.
fn temporary() -> std::io::Result<File> {
    let path = std::env::temp_dir().join(format!("printed-{}", std::process::id()));
    let mut options = File::options();
    let file = options.read(true).append(true).create_new(true).open(&path);
    let _ = std::fs::remove_file(&path);
    file
}
