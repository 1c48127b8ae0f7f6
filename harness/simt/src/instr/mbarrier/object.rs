//! Creation and end of an mbarrier: `mbarrier.init`, `mbarrier.inval`; and decoding of its state.

use super::reach::Modifiers;
use crate::engine::traffic::request::Request;
use crate::engine::warp::mbarrier::{Mbarrier, pending_of};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

operands! {
    /// Operands of `mbarrier.init`.
    struct Init {
        /// The address of the new mbarrier.
        address: address in a,
        /// The arrivals of each phase.
        count: read(u32) in b,
        /// The space that the instruction names.
        space: number(Space) in e,
    }
}

operands! {
    /// Operands of `mbarrier.inval`.
    struct Inval {
        /// The address of the mbarrier.
        address: address in a,
        /// The space that the instruction names.
        space: number(Space) in e,
    }
}

operands! {
    /// Operands of `mbarrier.pending_count`.
    struct Pending {
        /// A state returned by an arrival.
        state: read(u64) in a,
        /// The arrivals that were pending before it.
        count: write(u32) in d,
    }
}

/// Lowers `mbarrier.init`.
pub(super) fn init(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let space = Modifiers::parse(cx, inst)?.space();
    let [address, count] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let origin = cx.origin(address);
    let init = Init { address: cx.address(address)?, count: cx.source(count, Type::U32)?, space };
    cx.emit(init.pack(begin).role(Role::Access(AccessKind::Write, space, 8)).from(origin))
}

/// Lowers `mbarrier.inval`.
pub(super) fn inval(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let space = Modifiers::parse(cx, inst)?.space();
    let [address] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let origin = cx.origin(address);
    let inval = Inval { address: cx.address(address)?, space };
    cx.emit(inval.pack(end).role(Role::Access(AccessKind::Write, space, 8)).from(origin))
}

/// Lowers `mbarrier.pending_count`.
pub(super) fn pending_count(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [to, state] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    if inst.modifiers() != [Modifier::Type(Type::B64)] {
        return Err(cx.missing(inst));
    }
    let pending = Pending { state: cx.source(state, Type::B64)?, count: cx.dest(to, 4)? };
    cx.emit(pending.pack(count))
}

/// Executes `mbarrier.init`.
unsafe fn begin(warp: &mut Warp, op: &Op) -> Flow {
    let Init { address, count, space } = Init::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (base, count) = unsafe { (*address.base.lanes(warp), *count.lanes(warp)) };
    write(warp, op, space, base.map(|at| at.wrapping_add(address.offset)), |lane| Some(count[lane]))
}

/// Executes `mbarrier.inval`.
unsafe fn end(warp: &mut Warp, op: &Op) -> Flow {
    let Inval { address, space } = Inval::unpack(op);
    // SAFETY: the register was unpacked from this instruction.
    let base = unsafe { *address.base.lanes(warp) };
    write(warp, op, space, base.map(|at| at.wrapping_add(address.offset)), |_| None)
}

/// Writes an mbarrier at each lane's address, with the number of arrivals from `count`; if that is `None`, the mbarrier
/// there ends.
fn write(warp: &mut Warp, op: &Op, space: Space, address: [u64; LANES], count: impl Fn(usize) -> Option<u32>) -> Flow {
    for lane in lanes(warp.mask()) {
        let at = match warp.reach(op, lane, (space, address[lane]), AccessKind::Write) {
            Ok(at) => at,
            Err(flow) => return flow,
        };
        let word = match count(lane).map(Mbarrier::new) {
            None => {
                // Only a valid mbarrier can be invalidated.
                if let Err(misuse) = Mbarrier::from_word(at.word()) {
                    return warp.misused(op, lane, at.home, misuse);
                }
                0
            }
            Some(Ok(barrier)) => barrier.word(),
            Some(Err(misuse)) => return warp.misused(op, lane, at.home, misuse),
        };
        at.set_word(word);
        if warp.checking && at.home.rank.is_none() {
            warp.block.get_mut().clock.forget_phases(at.home.offset);
        }
    }
    warp.check_tile(op, Request { space, size: 8, what: AccessKind::Write }, &address);
    Flow::Next
}

/// Executes `mbarrier.pending_count`.
unsafe fn count(warp: &mut Warp, op: &Op) -> Flow {
    let pending = Pending::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let state = *pending.state.lanes(warp);
        let to = &mut *pending.count.lanes(warp);
        for lane in lanes(warp.mask()) {
            to[lane] = pending_of(state[lane]);
        }
    }
    Flow::Next
}
