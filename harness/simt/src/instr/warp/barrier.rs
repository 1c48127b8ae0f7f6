//! The barrier of a warp, `bar.warp.sync`.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Group, Reason, State, Warp};
use crate::finding::AccessKind;
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::lanes;
use ptx::ast::{self, Type};

operands! {
    /// Operands of `bar.warp.sync`.
    struct Meeting {
        /// Each lane's mask of the lanes that it waits for.
        members: read(u32) in e,
    }
}

/// Lowers `bar.warp.sync`.
pub(super) fn bar_warp(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [mask] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let members = cx.source(mask, Type::B32)?;
    let meeting = Meeting { members };
    cx.emit(meeting.pack(meet).role(Role::WarpSync))
}

/// Executes `bar.warp.sync`: lanes may wait at different instructions of this kind.
unsafe fn meet(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    // SAFETY: the register was unpacked from this instruction.
    let named = unsafe { *Meeting::unpack(op).members.lanes(warp) };
    let wanted = lanes(mask).fold(0, |m, lane| m | named[lane]);
    let outside = lanes(mask).filter(|&lane| named[lane] & (1 << lane) == 0).fold(0u32, |m, lane| m | (1 << lane));
    if outside != 0 {
        warp.undeclared(op, AccessKind::SyncWarp, named[outside.trailing_zeros() as usize], outside);
    }
    if wanted & warp.live & !mask == 0 {
        if warp.checking {
            warp.met(&named);
        }
        return Flow::Next;
    }
    let arrived = warp
        .groups
        .iter()
        .filter(|g| matches!(g.state, State::Warp(w) if w & mask != 0 || wanted & g.mask != 0))
        .fold(mask, |m, g| m | g.mask);
    let all = warp
        .groups
        .iter()
        .filter_map(|g| match g.state {
            State::Warp(w) if g.mask & arrived != 0 => Some(w),
            _ => None,
        })
        .fold(wanted, |m, w| m | w);
    if all & warp.live & !arrived != 0 {
        return warp.park(op.site, State::Warp(wanted));
    }
    if warp.checking {
        warp.clock.sync(arrived, warp.live);
    }
    for group in &mut warp.groups {
        if matches!(group.state, State::Warp(_)) && group.mask & arrived != 0 {
            group.state = State::Ready;
            group.pc += 1;
        }
    }
    warp.groups.push(Group { pc: op.site + 1, mask, state: State::Ready });
    warp.reason = Reason::Gone;
    Flow::Stop
}
