//! The output of kernels to the program's standard output, and of their assertions to standard error. If that is closed
//! or full, the failure cannot be reported.
//!
//! As on a GPU, a kernel's output is buffered until the program waits for a kernel, and is lost if the program never
//! does.

use super::ending;
use super::sync::lock;
use std::io::Write;
use std::sync::Mutex;

/// The buffered output, and whether some of it was lost.
static WAITING: Mutex<(Vec<u8>, bool)> = Mutex::new((Vec::new(), false));

/// Buffers a kernel's output until [`flush`]. If more than `most` bytes would be buffered, the earlier output is
/// printed.
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

/// Prints the buffered output.
pub fn flush() {
    let mut waiting = lock(&WAITING);
    if !waiting.0.is_empty() {
        print(&std::mem::take(&mut waiting.0));
    }
}

/// Returns whether a program that ends now loses output of a kernel.
pub fn is_lost() -> bool {
    let waiting = lock(&WAITING);
    waiting.1 || !waiting.0.is_empty()
}

/// Prints after the program's own output so far.
fn print(text: &[u8]) {
    flush_stdout();
    write(1, text);
}

/// Writes the messages of failed assertions.
pub fn complain(text: &[u8]) {
    if !text.is_empty() {
        write(2, text);
    }
}

/// Flushes the C library's standard output, in which the program's lines may still be buffered: NVIDIA's driver prints
/// there. Other streams are not flushed, because a thread that waits for input holds one of them.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn flush_stdout() {
    unsafe extern "C" {
        #[cfg_attr(target_os = "macos", link_name = "__stdoutp")]
        static mut stdout: *mut libc::FILE;
    }
    // SAFETY: the C library sets it before any code of a program runs, and takes a lock to flush it. A program that
    // assigns to it while a kernel prints would fail with any library.
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
    // SAFETY: the file is never dropped, so that the descriptor stays open. A buffer of our own would keep output that
    // could not be written, and write it later, to a stream that reuses the descriptor.
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
