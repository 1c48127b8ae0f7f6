//! Functions that the system calls: at the end of the process, and in a forked process.

use crate::state::device::driver::{driver, forked_off};
use crate::state::device::ending;
use crate::state::device::interrupt::watch_for_signal;
use crate::state::device::segfault;
use crate::telemetry::exit;
use crate::telemetry::stderr::{is_quiet, say};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// Called when this library is finalised. By then the destructors of the program's static objects have freed what they
/// own. An `atexit` handler that was registered after those objects were created would run before the destructors.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

/// Whether the program was started without `warplab exec`, and found no GPU.
static IS_ALONE: AtomicBool = AtomicBool::new(false);

/// From now on the program is one that was started without `warplab exec`, and found no GPU.
pub fn is_started_alone() {
    IS_ALONE.store(true, Ordering::Relaxed);
}

/// Registers the handlers for forks, for the host's accesses to device memory and for the beginning of the process's
/// end; that for Ctrl-C, if a client reads this process's report; and that for the end of the process, where none is
/// called automatically. Says that there is no GPU, if the program was started alone.
pub fn register() {
    if std::env::var_os(wire::REPORT_READER).is_some() {
        watch_for_signal();
    }
    segfault::watch(is_quiet());
    if IS_ALONE.load(Ordering::Relaxed) {
        let part = driver().map_or("GPU", |driver| driver.profile.name);
        say(&format!(
            "there is no GPU here: the program runs on an emulated {part}, whose times say nothing about a GPU"
        ));
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if std::env::var_os(wire::REPORT_READER).is_none() {
        // SAFETY: the function lives as long as this library, which stays loaded.
        let rc = unsafe { on_exit(at_exit_with, std::ptr::null_mut()) };
        debug_assert_eq!(rc, 0, "no room for a handler of the process's end");
    }
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

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Ends a program with exit code 1 that would end with 0 although it has not looked at a refused launch: its results
/// are wrong. Under `warplab exec`, that command decides.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn at_exit_with(status: c_int, _: *mut c_void) {
    let unseen = std::panic::catch_unwind(exit::unseen_refusals).unwrap_or(0);
    if status == 0 && unseen > 0 {
        say(&format!(
            "exit code 1 instead of 0: launches were refused ({unseen}), and the program has not asked for errors"
        ));
        // SAFETY: glibc continues with the handlers that are left, and with the new status.
        unsafe { libc::exit(1) };
    }
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
