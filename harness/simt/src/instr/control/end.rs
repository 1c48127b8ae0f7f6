//! The end of a basic block.

use crate::engine::warp::Warp;
use crate::instr::operands::{Placed, operands};

operands! {
    /// Operands that every instruction at the end of a basic block has besides its own, for the counters.
    pub(crate) struct End {
        /// Number of the block.
        block: number(u32) in e,
        /// The number of instructions in it.
        length: number(u32) in c,
    }
}

impl End<Placed> {
    /// Counts the block as executed.
    #[inline(always)]
    pub fn count(&self, warp: &mut Warp) {
        warp.count(self.block, self.length);
    }
}
