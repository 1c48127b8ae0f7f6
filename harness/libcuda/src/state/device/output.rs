//! What kernels print, on the way to the program's standard output, and what their assertions say, to standard error.
//! If that is closed or full, there is nobody to report it to.
//!
//! As on a GPU, what a kernel prints waits in a buffer until the program waits for a kernel, and is lost with a program
//! that never does.

use super::ending;
use super::sync::lock;
use std::io::Write;
use std::sync::Mutex;

/// What waits to be printed, and whether some of it was lost.
static WAITING: Mutex<(Vec<u8>, bool)> = Mutex::new((Vec::new(), false));

/// Keeps what a kernel has printed until [`flush`]. If more than `most` bytes would wait, those before are printed.
pub fn keep(text: &[u8], most: usize) {
    let mut waiting = lock(&WAITING);
    if !waiting.0.is_empty() && waiting.0.len().saturating_add(text.len()) > most {
        if ending::is_winding_down() {
            *waiting = (Vec::new(), true);
        } else {
            print(&std::mem::take(&mut waiting.0));
        }
    }
    waiting.0.extend_from_slice(text);
}

/// Prints what waits.
pub fn flush() {
    let mut waiting = lock(&WAITING);
    if !waiting.0.is_empty() {
        print(&std::mem::take(&mut waiting.0));
    }
}

/// Whether a program that ends now loses what a kernel has printed.
pub fn is_lost() -> bool {
    let waiting = lock(&WAITING);
    waiting.1 || !waiting.0.is_empty()
}

/// Prints behind what the program itself has printed so far.
fn print(text: &[u8]) {
    flush_stdout();
    write(1, text);
}

/// Writes what failed assertions say.
pub fn complain(text: &[u8]) {
    if !text.is_empty() {
        write(2, text);
    }
}

/// Flushes the C library's standard output, in which a program's lines may still wait: NVIDIA's driver prints there.
/// Other streams are left alone, as a thread that waits for input holds one of them.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn flush_stdout() {
    unsafe extern "C" {
        #[cfg_attr(target_os = "macos", link_name = "__stdoutp")]
        static mut stdout: *mut libc::FILE;
    }
    // SAFETY: the C library sets it before any code of a program runs, and takes a lock to flush it. A program that
    // assigns to it while a kernel prints would be in trouble with any library.
    unsafe {
        let stream = std::ptr::read(&raw const stdout);
        if !stream.is_null() {
            libc::fflush(stream);
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn flush_stdout() {}

#[cfg(unix)]
fn write(stream: i32, text: &[u8]) {
    use std::os::fd::FromRawFd;
    // SAFETY: the file is never dropped, so that the descriptor stays open. A buffer of our own would keep what could
    // not be written, and write it later, to whatever takes the place of the stream.
    let mut out = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(stream) });
    let _ = out.write_all(text);
}

#[cfg(not(unix))]
fn write(stream: i32, text: &[u8]) {
    if stream == 1 {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text).and_then(|()| out.flush());
    } else {
        let _ = std::io::stderr().write_all(text);
    }
}
