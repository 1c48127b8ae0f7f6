//! Functions that the system calls: at the end of the process, and in a forked process.

use crate::state::device::driver::forked_off;
use crate::state::device::ending;
use crate::state::device::interrupt::watch_for_signal;
use crate::state::device::segfault;
use crate::telemetry::exit;
use crate::telemetry::stderr::is_quiet;

/// Called when this library is finalised. By then the destructors of the program's static objects have freed what they
/// own. An `atexit` handler that was registered after those objects were created would run before the destructors.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

/// Registers the handlers for forks, for the host's accesses to device memory and for the beginning of the process's
/// end; for a program that another one runs and
/// reads the report of, that for Ctrl-C; and, where none is called automatically, that for the end of the process.
pub fn register() {
    if std::env::var_os(wire::REPORT_READER).is_some() {
        watch_for_signal();
    }
    segfault::watch(is_quiet());
    // SAFETY: the function lives as long as this library; if the library is unloaded, so are its handlers.
    let rc = unsafe { libc::atexit(at_exit) };
    debug_assert_eq!(rc, 0, "no room for a handler of the process's end");
    #[cfg(not(target_os = "linux"))]
    {
        // SAFETY: the function lives as long as this library; if the library is unloaded, so are its handlers.
        let rc = unsafe { libc::atexit(at_end) };
        if rc != 0 {
            crate::telemetry::report::internal("exit", "no room for a handler of the process's end");
        }
    }
    // SAFETY: the function lives as long as this library, which stays loaded.
    let rc = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    debug_assert_eq!(rc, 0, "no room for a handler of forks");
}

extern "C" fn at_exit() {
    ending::begin();
}

extern "C" fn at_end() {
    // A panic must not leave this function.
    let _ = std::panic::catch_unwind(exit::tell);
}

extern "C" fn in_child() {
    forked_off();
}
