//! The call that issued the work of a stream's thread: launches end in a different order from the one in which they
//! were issued.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A call that launches kernels, and its stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Issued {
    /// The number of the call, from 1 on in the process; 0 for no call.
    pub number: u64,
    /// The stream's number, as returned by `cuStreamGetId`.
    pub stream: u64,
}

thread_local! {
    /// The call whose work this thread runs.
    static CURRENT: Cell<Issued> = const { Cell::new(Issued { number: 0, stream: 0 }) };
}

/// Returns the next call, which launches kernels on this stream.
pub fn next(stream: u64) -> Issued {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    Issued { number: CALLS.fetch_add(1, Ordering::Relaxed) + 1, stream }
}

/// Returns the call whose work this thread runs.
pub fn current() -> Issued {
    CURRENT.get()
}

/// Runs the work of a call.
pub fn during(issued: Issued, work: impl FnOnce()) {
    CURRENT.set(issued);
    work();
    CURRENT.set(Issued::default());
}
