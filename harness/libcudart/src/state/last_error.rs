//! The last error of each thread, as `cudaGetLastError` gives it.
use crate::abi::error::{Error, Result};
use std::cell::Cell;

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// Keeps the error of a call, and gives its code. A call that succeeds changes nothing.
pub fn keep(result: Result) -> i32 {
    let Err(error) = result else { return 0 };
    let last = Error(LAST.get());
    if !last.is_sticky() {
        LAST.set(error.0);
    }
    error.0
}

/// The last error, which stays.
pub fn peek() -> i32 {
    LAST.get()
}

/// The last error, which is forgotten, unless its context is lost.
pub fn take() -> i32 {
    let last = LAST.get();
    if !Error(last).is_sticky() {
        LAST.set(0);
    }
    last
}

/// After a reset of the device the context is a new one.
pub fn forget() {
    LAST.set(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_clears_nothing_and_a_lost_context_stays() {
        forget();
        assert_eq!((keep(Err(Error(1))), keep(Ok(())), peek(), take(), take()), (1, 0, 1, 1, 0));
        keep(Err(Error(700)));
        keep(Err(Error(1)));
        assert_eq!((take(), take(), peek()), (700, 700, 700));
        forget();
        assert_eq!(take(), 0);
    }
}
