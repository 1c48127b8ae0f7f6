//! A program for which there is not enough memory: told at its start, or at its end.
//!
//! Where several threads find none at the same time, the system's loader may end the process with words of its own. So
//! a process that is allowed very little is told before it starts any.
//!
//! Rust's allocator aborts the process then, and so does the embedded machine's. An abort looks like a defect, but the
//! run could not be made here: it ends with [`Exit::CannotRun`] and a message that says so.
#[cfg(unix)]
use crate::exit::Exit;
use crate::{
    device::host,
    error::{Error, Result},
};

/// What a run takes for itself: the driver, NVML, and what the smallest lab has on the host and on the device. (Twice
/// what `run hello` was seen to need.)
const OWN: u64 = 40 << 20;
/// What each processor's thread takes, with its stack.
const THREAD: u64 = 4 << 20;

/// Whether the limits of this process leave what a run takes for itself.
///
/// # Errors
/// When they do not: [`Error::CannotRun`].
pub(crate) fn check() -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let needed = OWN + THREAD * threads;
    match host::allowed() {
        Some(room) if room.bytes < needed => Err(Error::CannotRun(format!(
            "there is not enough memory here for the program itself: {room}, and it takes {}: allow it more",
            host::size(needed)
        ))),
        _ => Ok(()),
    }
}

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
