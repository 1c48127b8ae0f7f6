//! Scratch memory for products: one per host thread, reused.

use super::form::{COLUMNS, DEPTH_BYTES, ROWS};
use std::cell::Cell;

/// The number of columns that are computed together.
pub(super) const TOGETHER: usize = 16;

/// One number for each of the columns that are computed together.
pub(super) type Some16<T> = [T; TOGETHER];

/// Numbers of B for columns that are computed together, by position in the depth, which is twice that of A if A is
/// sparse.
pub(super) type Deep<T> = [Some16<T>; 2 * DEPTH_BYTES];

/// The numbers of one product.
pub(super) struct Scratch {
    /// The warp's rows of A: bits of `[row][depth]`.
    pub a: [[u32; DEPTH_BYTES]; ROWS],
    /// If A is sparse, the position in B's depth of each number of A.
    pub places: [[usize; DEPTH_BYTES]; ROWS],
    /// B, as bits.
    pub b: [Deep<u32>; COLUMNS / TOGETHER],
    /// The significands and exponents of columns of B.
    pub apart: [Deep<i32>; 2],
    /// The accumulators, by groups of columns and then by rows: bits before and after.
    pub sums: [[Some16<u32>; ROWS]; COLUMNS / TOGETHER],
}

impl Scratch {
    /// Returns the accumulator of a row and a column.
    #[inline(always)]
    pub fn sum(&mut self, row: usize, column: usize) -> &mut u32 {
        &mut self.sums[column / TOGETHER][row][column % TOGETHER]
    }
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Takes this thread's scratch memory. The computation is not passed to this function as a closure, because it would
/// then be compiled for the baseline processor.
#[expect(clippy::large_stack_arrays, reason = "made once for a thread, and moved to the heap")]
pub(super) fn take() -> Box<Scratch> {
    SCRATCH.take().unwrap_or_else(|| {
        Box::new(Scratch {
            a: [[0; DEPTH_BYTES]; ROWS],
            places: [[0; DEPTH_BYTES]; ROWS],
            b: [[[0; TOGETHER]; 2 * DEPTH_BYTES]; COLUMNS / TOGETHER],
            apart: [[[0; TOGETHER]; 2 * DEPTH_BYTES]; 2],
            sums: [[[0; TOGETHER]; ROWS]; COLUMNS / TOGETHER],
        })
    })
}

/// Returns it for reuse.
pub(super) fn put(scratch: Box<Scratch>) {
    SCRATCH.set(Some(scratch));
}
