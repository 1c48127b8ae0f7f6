//! The end of a basic block.

use crate::engine::warp::Warp;
use crate::instr::operands::{Placed, operands};

operands! {
    /// What every instruction that ends a basic block has beside its own operands, for the counters.
    pub(crate) struct End {
        /// Number of the block.
        block: number(u32) in e,
        /// Instructions in it.
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
