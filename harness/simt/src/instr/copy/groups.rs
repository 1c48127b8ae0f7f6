//! The groups of asynchronous copies.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::Inst;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::lanes;
use ptx::ast::{self, Operand};

operands! {
    /// Operands of `cp.async.wait_group`.
    struct Wait {
        /// The number of groups that may still be pending.
        keep: number(u64) in imm,
    }
}

/// Lowers `cp.async.commit_group`.
pub(super) fn lower_commit(cx: &mut dyn Context, _: &ast::Inst) -> Result<()> {
    cx.emit(Inst::plain(commit))
}

/// Lowers `cp.async.wait_group`.
pub(super) fn lower_wait_group(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [Operand::Int(keep)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let keep = *keep as u64;
    cx.emit(Wait { keep }.pack(wait_group))
}

/// Lowers `cp.async.wait_all`.
pub(super) fn lower_wait_all(cx: &mut dyn Context, _: &ast::Inst) -> Result<()> {
    cx.emit(Inst::plain(wait_all))
}

/// Executes `cp.async.commit_group`.
unsafe fn commit(warp: &mut Warp, _: &Op) -> Flow {
    if warp.checking {
        let mask = warp.mask();
        let closed = warp.block.get_mut().copies.closed(warp.index);
        for lane in lanes(mask) {
            closed[lane] += 1;
        }
    }
    Flow::Next
}

/// Executes `cp.async.wait_group`.
unsafe fn wait_group(warp: &mut Warp, op: &Op) -> Flow {
    let Wait { keep } = Wait::unpack(op);
    if warp.checking {
        warp.waited(Some(keep.min(u64::from(u32::MAX)) as u32));
    }
    Flow::Next
}

/// Executes `cp.async.wait_all`.
unsafe fn wait_all(warp: &mut Warp, _: &Op) -> Flow {
    if warp.checking {
        warp.waited(None);
    }
    Flow::Next
}
