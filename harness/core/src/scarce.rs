//! The end of a program for which there is no memory left.
//!
//! Rust's allocator aborts the process then, and so does the embedded machine's. An abort looks like a defect, but the
//! run could not be made here: it ends with [`Exit::CannotRun`] and a message that says so.
#[cfg(unix)]
use crate::exit::Exit;

/// From now on, an abort of this process that comes of too little memory ends it with a message and an exit code. Any
/// other abort stays one.
#[cfg(unix)]
pub(crate) fn install() {
    // SAFETY: the handler makes system calls only.
    unsafe { libc::signal(libc::SIGABRT, on_abort as *const () as libc::sighandler_t) };
}

#[cfg(not(unix))]
pub(crate) fn install() {}

#[cfg(unix)]
extern "C" fn on_abort(_signal: libc::c_int) {
    const MESSAGE: &str = "error: there is not enough memory here for the program itself: allow it more (ulimit -v, a \
                           container's limit), or run fewer programs at once\n";
    // What no program lacks as long as there is memory.
    const LITTLE: usize = 1 << 20;
    // SAFETY: all of these are system calls; nothing is read or written through the pointers but the message.
    unsafe {
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        if libc::mmap(std::ptr::null_mut(), LITTLE, read_write, private, -1, 0) == libc::MAP_FAILED {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(Exit::CannotRun.code().into());
        }
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
    }
}
