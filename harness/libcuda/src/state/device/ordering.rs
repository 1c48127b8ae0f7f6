//! Which stream-ordered allocations the work of another stream may use: numbers of allocations stand for times.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the last stream-ordered allocation.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The number of an allocation that is made now.
pub fn next() -> u64 {
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Whether there was any.
pub fn is_used() -> bool {
    LAST.load(Ordering::Relaxed) > 0
}

/// A time up to which allocations are ordered before what comes next.
#[derive(Default)]
pub struct KnownUntil(AtomicU64);

/// What the host has waited for, whichever stream it was in.
pub static BY_HOST: KnownUntil = KnownUntil::new();
/// What the default stream has waited for: work of blocking streams is ordered by each task of it.
pub static BY_DEFAULT_STREAM: KnownUntil = KnownUntil::new();

impl KnownUntil {
    const fn new() -> KnownUntil {
        KnownUntil(AtomicU64::new(0))
    }

    /// All allocations until now are ordered.
    pub fn all_until_now(&self) {
        self.0.fetch_max(LAST.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether the allocation of this number is ordered.
    pub fn has(&self, number: u64) -> bool {
        self.0.load(Ordering::Relaxed) >= number
    }

    /// Whether anything ever was ordered.
    pub fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}
