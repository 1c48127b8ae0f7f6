//! The end of all launches from outside, for a program whose user has interrupted it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the program is interrupted, and never taken back: a launch that sees it stops.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Stops the launch under way, and those from now on.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}
