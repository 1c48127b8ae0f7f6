//! Where in the program an allocation was asked for.

use super::sync::lock;
use std::backtrace::Backtrace;
use std::sync::{Arc, LazyLock, Mutex};

/// What the client said it was doing.
static DURING: LazyLock<Mutex<Arc<str>>> = LazyLock::new(|| Mutex::new("".into()));

/// Sets what the client says it is doing from now on.
pub fn during(what: &str) {
    *lock(&DURING) = what.into();
}

/// Where an allocation comes from.
pub struct CallSite {
    /// What the client said it was doing; empty by default.
    pub during: Arc<str>,
    /// The stack of the thread that asked.
    pub stack: Backtrace,
}

impl CallSite {
    /// The present call. This walks up the stack, which takes time.
    pub fn here() -> Arc<Self> {
        Arc::new(CallSite { during: Arc::clone(&lock(&DURING)), stack: Backtrace::force_capture() })
    }
}
