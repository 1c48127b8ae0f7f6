//! The ordering of products: `wgmma.fence`, `wgmma.commit_group` and `wgmma.wait_group`.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::LANES;
use ptx::ast::{self, Operand};
use ptx::modifier::Modifier;

operands! {
    /// Operands of `wgmma.wait_group`.
    struct Wait {
        /// The number of groups that may stay pending.
        keep: number(u64) in imm,
    }
}

/// Checks the modifiers, whose order is arbitrary.
fn check(cx: &dyn Context, inst: &ast::Inst) -> Result<()> {
    match inst.modifiers() {
        [Modifier::Sync, Modifier::Aligned] | [Modifier::Aligned, Modifier::Sync] => Ok(()),
        _ => Err(cx.missing(inst)),
    }
}

/// Lowers `wgmma.fence`.
pub(super) fn fence(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    check(cx, inst)?;
    if !inst.operands.is_empty() {
        return Err(cx.wrong(inst));
    }
    cx.emit(Inst::plain(run_fence).role(Role::WarpSync))
}

/// Lowers `wgmma.commit_group`.
pub(super) fn commit(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    check(cx, inst)?;
    if !inst.operands.is_empty() {
        return Err(cx.wrong(inst));
    }
    cx.emit(Inst::plain(run_commit).role(Role::WarpSync))
}

/// Lowers `wgmma.wait_group`.
pub(super) fn wait_group(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    check(cx, inst)?;
    match inst.operands.as_slice() {
        [Operand::Int(keep)] if *keep >= 0 => {
            let wait = Wait { keep: *keep as u64 };
            cx.emit(wait.pack(run_wait).role(Role::WarpSync))
        }
        [Operand::Int(keep)] => {
            Err(cx
                .invalid(format!("`{}`: unexpected value '{keep}', expected to be non-negative integer", inst.text())))
        }
        _ => Err(cx.wrong(inst)),
    }
}

/// Executes `wgmma.fence`.
unsafe fn run_fence(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    warp.products.fence();
    Flow::Next
}

/// Executes `wgmma.commit_group`.
unsafe fn run_commit(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    warp.products.commit();
    Flow::Next
}

/// Executes `wgmma.wait_group`. Products have already been computed when they began.
unsafe fn run_wait(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    warp.products.wait(Wait::unpack(op).keep);
    if warp.checking {
        // The lanes have read the matrices together, so that one of them may release them for all.
        let mask = warp.mask();
        warp.met(&[mask; LANES]);
    }
    warp.switch_point();
    Flow::Next
}
