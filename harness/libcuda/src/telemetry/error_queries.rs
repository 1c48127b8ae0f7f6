//! Errors that are left to the program, as on a GPU: refused launches whose error has been returned to it.
//!
//! A direct caller of the driver's functions gets the error as the function's result. A runtime in between may keep the
//! error until the program asks for it: `kernel<<<...>>>()` has no result, and few programs check that of a cooperative
//! launch.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The refused launches of this process.
pub static ERROR_QUERIES: ErrorQueries = ErrorQueries { answered: AtomicU64::new(0) };

thread_local! {
    /// Whether the thread's last call was a launch that was refused.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
    /// The number of the thread's refused launches that only the runtime has seen so far.
    static KEPT: Cell<u64> = const { Cell::new(0) };
}

/// Counts the refused launches whose error the program has received.
pub struct ErrorQueries {
    answered: AtomicU64,
}

impl ErrorQueries {
    /// Records that a launch was refused: the caller has the error.
    pub fn refused(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
        let _ = REFUSED.try_with(|refused| refused.set(true));
    }

    /// Records that the caller has stored the thread's last error, if that was a refusal, instead of returning it.
    pub fn kept(&self) {
        if REFUSED.try_with(|refused| refused.replace(false)).unwrap_or(false) {
            self.answered.fetch_sub(1, Ordering::Relaxed);
            let _ = KEPT.try_with(|kept| kept.set(kept.get() + 1));
        }
    }

    /// Records that the program has asked for the stored errors of the thread.
    pub fn asked(&self) {
        let kept = KEPT.try_with(|kept| kept.replace(0)).unwrap_or(0);
        self.answered.fetch_add(kept, Ordering::Relaxed);
    }

    /// Returns the number of refused launches whose error the program has received.
    pub fn count(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomicU64, ErrorQueries};

    #[test]
    fn what_a_runtime_keeps_is_answered_once_the_program_asks() {
        // Other tests refuse launches meanwhile, in other threads.
        let queries = ErrorQueries { answered: AtomicU64::new(0) };
        queries.refused();
        queries.kept();
        queries.kept();
        assert_eq!(queries.count(), 0);
        queries.refused();
        queries.refused();
        queries.kept();
        assert_eq!(queries.count(), 1);
        queries.asked();
        queries.asked();
        assert_eq!(queries.count(), 3);
    }
}
