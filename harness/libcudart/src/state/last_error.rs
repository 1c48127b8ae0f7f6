//! The last error of each thread, as `cudaGetLastError` returns it.
use crate::abi::error::Result;
use std::cell::Cell;

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// Stores the error of a call, and returns its code. A call that succeeds does not change the last error.
pub fn keep(result: Result) -> i32 {
    let Err(error) = result else { return 0 };
    LAST.set(error.0);
    error.0
}

/// Returns the last error without clearing it.
pub fn peek() -> i32 {
    LAST.get()
}

/// Returns and clears the last error. If it has destroyed the context, every later call returns it again.
pub fn take() -> i32 {
    LAST.replace(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::error::Error;

    #[test]
    fn success_clears_nothing_and_taking_clears() {
        assert_eq!((keep(Err(Error::INVALID_VALUE)), keep(Ok(())), peek(), take(), take()), (1, 0, 1, 1, 0));
        keep(Err(Error::ILLEGAL_ADDRESS));
        keep(Err(Error::INVALID_VALUE));
        assert_eq!((take(), peek()), (1, 0));
    }
}
