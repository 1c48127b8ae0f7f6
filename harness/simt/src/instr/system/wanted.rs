//! The look at whether a value is wanted that was loaded ahead of its condition.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::{Inst, Opnd};
use crate::instr::operands::operands;

operands! {
    /// A place where a loaded value is used or discarded.
    struct Wanted {
        /// Decides it.
        predicate: read(bool) in a,
        /// What the predicate is combined with by exclusive or: all ones negate it.
        flip: number(u32) in b,
        /// The load's number in the program.
        load: number(u32) in imm,
    }
}

/// Here the value of load number `load` is used where the predicate, negated if `not`, holds.
pub(crate) fn wanted(predicate: Opnd, not: bool, load: u32) -> Inst {
    Wanted { predicate, flip: if not { u32::MAX } else { 0 }, load }.pack(look)
}

unsafe fn look(warp: &mut Warp, op: &Op) -> Flow {
    if !warp.unjudged.is_empty() {
        let Wanted { predicate, flip, load } = Wanted::unpack(op);
        // SAFETY: the register was unpacked from this instruction.
        let lanes = unsafe { *predicate.bits(warp) } ^ flip;
        warp.is_wanted(load, lanes & warp.mask());
    }
    Flow::Next
}
