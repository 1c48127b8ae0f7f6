//! Which call issued the work that a stream's thread runs: launches end in another order than they were issued in.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A call that launches kernels, and the stream that it named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Issued {
    /// Counted from 1 in the process; 0 for none.
    pub number: u64,
    /// The stream, as `cuStreamGetId` numbers it.
    pub stream: u64,
}

thread_local! {
    /// The call whose work this thread runs.
    static CURRENT: Cell<Issued> = const { Cell::new(Issued { number: 0, stream: 0 }) };
}

/// The next call: it launches kernels on this stream.
pub fn next(stream: u64) -> Issued {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    Issued { number: CALLS.fetch_add(1, Ordering::Relaxed) + 1, stream }
}

/// The call whose work this thread runs.
pub fn current() -> Issued {
    CURRENT.get()
}

/// Runs the work of a call.
pub fn during(issued: Issued, work: impl FnOnce()) {
    CURRENT.set(issued);
    work();
    CURRENT.set(Issued::default());
}
