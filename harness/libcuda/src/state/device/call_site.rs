//! The location in the program where an allocation was requested.

use super::sync::lock;
use std::backtrace::Backtrace;
use std::sync::{Arc, LazyLock, Mutex};

/// The activity that the client has announced.
static DURING: LazyLock<Mutex<Arc<str>>> = LazyLock::new(|| Mutex::new("".into()));

/// Sets the client's current activity.
pub fn during(what: &str) {
    *lock(&DURING) = what.into();
}

/// The origin of an allocation.
pub struct CallSite {
    /// The client's activity at that time; empty by default.
    pub during: Arc<str>,
    /// The stack of the calling thread.
    pub stack: Backtrace,
}

impl CallSite {
    /// Captures the current call. This walks the stack, which takes time.
    pub fn here() -> Arc<Self> {
        Arc::new(CallSite { during: Arc::clone(&lock(&DURING)), stack: Backtrace::force_capture() })
    }
}
