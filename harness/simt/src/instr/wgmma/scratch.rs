//! Where a product is computed: a piece of memory for each thread of the host, which is used again and again.

use super::form::{COLUMNS, DEPTH_BYTES, ROWS};
use std::cell::RefCell;

/// A matrix of 32 bits an element, with the columns of the product side by side.
pub(super) type Wide = [[u32; COLUMNS]; DEPTH_BYTES];

/// The numbers of one product.
pub(super) struct Scratch {
    /// The rows of A that the warp has: bits of `[row][depth]`.
    pub a: [[u32; DEPTH_BYTES]; ROWS],
    /// B: bits of `[depth][column]`.
    pub b: Wide,
    /// The significands of B.
    pub significands: [[i32; COLUMNS]; DEPTH_BYTES],
    /// The exponents of B.
    pub tops: [[i32; COLUMNS]; DEPTH_BYTES],
    /// The accumulators: bits before and after.
    pub sums: [[u32; COLUMNS]; ROWS],
}

thread_local! {
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Box::new(Scratch {
        a: [[0; DEPTH_BYTES]; ROWS],
        b: [[0; COLUMNS]; DEPTH_BYTES],
        significands: [[0; COLUMNS]; DEPTH_BYTES],
        tops: [[0; COLUMNS]; DEPTH_BYTES],
        sums: [[0; COLUMNS]; ROWS],
    }));
}

/// Calls `act` with this thread's piece of memory.
#[inline(always)]
pub(super) fn with<R>(act: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with_borrow_mut(|scratch| act(scratch))
}
