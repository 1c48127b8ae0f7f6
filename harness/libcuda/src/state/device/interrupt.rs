//! An external stop of all launches, for a program whose user has interrupted it.

use super::activity::is_busy;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the program is interrupted, and never cleared: a launch that sees it stops.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C has set it: the program then ends when the running launch has ended.
static BY_SIGNAL: AtomicBool = AtomicBool::new(false);

/// Stops the running launch, and all later ones.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Makes Ctrl-C stop the running launch, for a program that leaves Ctrl-C to the system; [`end_if_interrupted`] must
/// follow each launch. Outside of launches, and the second time, Ctrl-C ends the program as usual.
pub fn watch_for_signal() {
    // SAFETY: the structure is valid when zeroed, and the handler only makes calls that are allowed in a handler.
    unsafe {
        let mut present: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut present) == 0;
        if is_known && present.sa_sigaction == libc::SIG_DFL {
            libc::signal(libc::SIGINT, on_signal as *const () as libc::sighandler_t);
        }
    }
}

extern "C" fn on_signal(_: libc::c_int) {
    // SAFETY: both functions may be called in a handler.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_DFL);
        if is_busy() {
            BY_SIGNAL.store(true, Ordering::Relaxed);
            interrupt();
        } else {
            libc::raise(libc::SIGINT);
        }
    }
}

/// Ends the program as Ctrl-C does, after running `last`, if Ctrl-C has stopped its launch.
pub fn end_if_interrupted(last: impl FnOnce()) {
    if BY_SIGNAL.load(Ordering::Relaxed) {
        last();
        // SAFETY: the arguments have no requirements. The system's default handler is restored.
        unsafe { libc::kill(libc::getpid(), libc::SIGINT) };
    }
}
