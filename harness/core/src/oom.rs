//! Out-of-memory handling: refuses at startup, or reports at exit.
//!
//! If several threads run out of memory simultaneously, the system's loader may end the process with its own message.
//! So a process with a very low limit is refused before it starts any thread, and under any limit all threads allocate
//! from one arena: glibc reserves 64 MiB of addresses for each further one, and what is left then depends on luck.
//!
//! Rust's allocator aborts when it is out of memory, and so does the embedded machine's. An abort looks like a bug, but
//! the run is only impossible here: it ends with [`Exit::CannotRun`] and a message.
#[cfg(unix)]
use crate::exit::Exit;
use crate::{
    device::host,
    error::{Error, Result},
};

/// The memory that a run needs for itself: the driver, NVML, and the smallest lab's data on the host and on the device.
/// (Twice the measured need of `run hello`.)
const OWN: u64 = 40 << 20;
/// The memory for each processor's thread, including its stack.
const THREAD: u64 = 4 << 20;

/// Checks that the limits of this process, if there are any, leave enough memory for a run itself, and keeps it for the
/// run.
///
/// # Errors
/// [`Error::CannotRun`] if they do not.
pub(crate) fn check() -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let needed = OWN + THREAD * threads;
    let Some(room) = host::allowed() else { return Ok(()) };
    if room.bytes < needed {
        return Err(Error::CannotRun(format!(
            "there is not enough memory here for the program itself: {room}, and it takes {}: allow it more",
            host::size(needed)
        )));
    }
    allocate_from_one_arena();
    Ok(())
}

/// Makes all threads that start from now on allocate from the main arena.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn allocate_from_one_arena() {
    // SAFETY: the call sets a parameter of the allocator.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn allocate_from_one_arena() {}

/// From now on, an abort of this process for lack of memory ends it with a message and an exit code. Any other abort is
/// unchanged.
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
    // An allocation that succeeds as long as there is memory.
    const LITTLE: usize = 1 << 20;
    // SAFETY: all of these are system calls; the only data accessed through the pointers is the message.
    unsafe {
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        if libc::mmap(std::ptr::null_mut(), LITTLE, read_write, private, -1, 0) == libc::MAP_FAILED {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(Exit::CannotRun.code().into());
        }
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
    }
}
