//! Code after an atomic that fetches a piece of work: other blocks go first, so that each gets some of it.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::Inst;

/// Lets the block's other warps and then other blocks go first, unless the warp has only found what was there before.
pub(crate) fn after_fetch() -> Inst {
    Inst::plain(run_after_fetch)
}

unsafe fn run_after_fetch(warp: &mut Warp, _: &Op) -> Flow {
    // A launch with a seed decides itself where others get their turn. What has been found again and again is not
    // work: the warp spins, and gives way as such.
    if warp.rng == 0 && warp.penalty == 0 && warp.fetched.gives_way() {
        warp.block.get_mut().fetched = true;
        warp.give_way(warp.slice_left.max(-1) + 1);
    }
    Flow::Next
}
