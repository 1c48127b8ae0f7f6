//! Functions that the system calls: at the end of the process, and in a process that was forked off.

use crate::account::{exit, report};
use crate::state::device::driver::forked_off;

/// Registers the handlers for the end of the process and for forks.
pub fn register() {
    // SAFETY: the function lives as long as this library; if the library is unloaded, so are its handlers.
    let rc = unsafe { libc::atexit(at_exit) };
    if rc != 0 {
        report::internal("exit", "no room for a handler of the process's end");
    }
    // SAFETY: the function lives as long as this library, which stays loaded.
    let rc = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    debug_assert_eq!(rc, 0, "no room for a handler of forks");
}

extern "C" fn at_exit() {
    // A panic must not leave this function.
    let _ = std::panic::catch_unwind(exit::tell);
}

extern "C" fn in_child() {
    forked_off();
}
