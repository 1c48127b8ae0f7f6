//! Instructions that change how fast a kernel runs on a device, and nothing on this machine.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result};
use crate::ptx::ast::{self, Operand};

/// Registers that a thread may ask for: from, to, and in multiples of what.
const REGISTERS: (i64, i64, i64) = (24, 256, 8);

/// Lowers `setmaxnreg`. The whole warp must execute it.
pub(super) fn setmaxnreg(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    if !matches!(inst.op.as_str(), "setmaxnreg.inc.sync.aligned.u32" | "setmaxnreg.dec.sync.aligned.u32") {
        return Err(cx.missing(inst));
    }
    let [Operand::Int(count)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let (least, most, step) = REGISTERS;
    if !(least..=most).contains(count) || count % step != 0 {
        return Err(cx.invalid(format!(
            "`{}` of {count} registers: the number must be a multiple of {step} from {least} to {most}",
            inst.op
        )));
    }
    cx.emit(Inst::plain(together).role(Role::WarpSync))
}

/// Executes `setmaxnreg`.
unsafe fn together(warp: &mut Warp, op: &Op) -> Flow {
    match warp.gather_all(op) {
        Ok(()) => Flow::Next,
        Err(flow) => flow,
    }
}

/// Lowers `griddepcontrol`: launches follow each other here, so that a kernel's predecessors have ended when it begins.
pub(super) fn griddepcontrol(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    match (inst.op.as_str(), inst.operands.as_slice()) {
        ("griddepcontrol.wait" | "griddepcontrol.launch_dependents", []) => Ok(()),
        (_, []) => Err(cx.missing(inst)),
        _ => Err(cx.wrong(inst)),
    }
}
