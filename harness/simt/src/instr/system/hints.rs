//! Instructions that affect only the speed of a kernel on a device, and nothing on this machine.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The registers that a thread may request: minimum, maximum, and step.
const REGISTERS: (i64, i64, i64) = (24, 256, 8);

/// Lowers `setmaxnreg`. The whole warp must execute it.
pub(super) fn setmaxnreg(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [Modifier::Inc | Modifier::Dec, Modifier::Sync, Modifier::Aligned, Modifier::Type(Type::U32)] =
        inst.modifiers()
    else {
        return Err(cx.missing(inst));
    };
    let [Operand::Int(count)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let (least, most, step) = REGISTERS;
    if !(least..=most).contains(count) || count % step != 0 {
        return Err(cx.invalid(format!(
            "`{}` of {count} registers: the number must be a multiple of {step} from {least} to {most}",
            inst.text()
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

/// Lowers `griddepcontrol`: launches run one after another here, so a kernel's predecessors have ended when it begins.
pub(super) fn griddepcontrol(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    match (inst.modifiers(), inst.operands.as_slice()) {
        ([Modifier::Wait | Modifier::LaunchDependents], []) => Ok(()),
        (_, []) => Err(cx.missing(inst)),
        _ => Err(cx.wrong(inst)),
    }
}

/// Cache policies by the first of their modifiers, with the value that the hardware uses for a whole range. No cache
/// here obeys them.
const POLICIES: [(Modifier, u64); 4] = [
    (Modifier::L2EvictLast, 0x14f0_0000_0000_0000),
    (Modifier::L2EvictNormal, 0x16f0_0000_0000_0000),
    (Modifier::L2EvictFirst, 0x12f0_0000_0000_0000),
    (Modifier::L2EvictUnchanged, 0x10f0_0000_0000_0000),
];

/// Lowers `createpolicy`, which creates a policy that loads and stores may name.
pub(super) fn createpolicy(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    const B64: Modifier = Modifier::Type(Type::B64);
    let modifiers = inst.modifiers().iter().copied().filter(|modifier| *modifier != Modifier::Global);
    let modifiers: Vec<Modifier> = modifiers.collect();
    let (to, policy) = match (modifiers.as_slice(), inst.operands.as_slice()) {
        ([Modifier::Cvt, Modifier::L2, B64], [to, from]) => (to, cx.source(from, Type::B64)?),
        ([Modifier::Fractional, primary, .., B64], [to] | [to, _])
        | ([Modifier::Range, primary, .., B64], [to, _, _, _]) => {
            let Some((_, policy)) = POLICIES.iter().find(|(modifier, _)| modifier == primary) else {
                return Err(cx.missing(inst));
            };
            (to, cx.bits(*policy, 8))
        }
        _ => return Err(cx.missing(inst)),
    };
    let to = cx.dest(to, 8)?;
    cx.copy(to, policy, 8)
}

/// Lowers `pmevent`, which triggers an event for a profiler.
pub(super) fn pmevent(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    match (inst.modifiers(), inst.operands.as_slice()) {
        ([] | [Modifier::Mask], [Operand::Int(_)]) => Ok(()),
        ([] | [Modifier::Mask], _) => Err(cx.wrong(inst)),
        _ => Err(cx.missing(inst)),
    }
}
