//! Errors that are the program's own business, as on a GPU: refused launches whose error it has been given.
//!
//! Whoever calls the driver's functions has its answer in the function's result. A runtime in between may keep the
//! error until the program asks for it: `kernel<<<...>>>()` gives no result, and few programs look at that of a
//! cooperative launch.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many there are.
static ANSWERED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The thread's last call was a launch that was refused.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
    /// Refused launches of the thread of which only the runtime knows so far.
    static KEPT: Cell<u64> = const { Cell::new(0) };
}

/// A launch was refused: the caller has the error.
pub fn refused() {
    ANSWERED.fetch_add(1, Ordering::Relaxed);
    let _ = REFUSED.try_with(|refused| refused.set(true));
}

/// The caller has kept the thread's last error, if that was a refusal, instead of passing it on.
pub fn kept() {
    if REFUSED.try_with(|refused| refused.replace(false)).unwrap_or(false) {
        ANSWERED.fetch_sub(1, Ordering::Relaxed);
        let _ = KEPT.try_with(|kept| kept.set(kept.get() + 1));
    }
}

/// The program has asked for what the thread has kept.
pub fn asked() {
    let kept = KEPT.try_with(|kept| kept.replace(0)).unwrap_or(0);
    ANSWERED.fetch_add(kept, Ordering::Relaxed);
}

/// How many refused launches the program knows of.
pub fn count() -> u64 {
    ANSWERED.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::{asked, count, kept, refused};

    #[test]
    fn what_a_runtime_keeps_is_answered_once_the_program_asks() {
        refused();
        kept();
        kept();
        assert_eq!(count(), 0);
        refused();
        refused();
        kept();
        assert_eq!(count(), 1);
        asked();
        asked();
        assert_eq!(count(), 3);
    }
}
