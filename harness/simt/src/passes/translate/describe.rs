//! What the checks and counters need to know about an instruction, from the PTX instruction that it implements.

use crate::engine::costs::tables::Adds;
use crate::engine::warp::program::Dataflow;
use crate::finding::AccessKind;
use crate::passes::ir::{Inst, OperandSlot, Role};
use ptx::ast::{self, Body, Operand, RegId, Type};
use ptx::modifier::Modifier;
use ptx::opcode::{Opcode, ValueFlow};
use std::collections::HashSet;

/// Completes `inst`, which implements the PTX instruction at `at` of a body or a part of it. `guesses` are the loads
/// whose value a compare-and-swap verifies.
pub fn describe(inst: Inst, at: u32, body: &Body, guesses: &HashSet<u32>) -> Inst {
    let is_read = matches!(inst.role, Role::Access(AccessKind::Read, ..));
    let mut order = inst.order;
    order.strong |= is_read && guesses.contains(&at);
    let used_bytes = if is_read { used_bytes(body, at) } else { None };
    let (dataflow, adds) = match body.code.get(at as usize) {
        Some(written) => (classify(written, &inst), adds(written, &inst, body)),
        None => (Dataflow::Opaque, Adds::Other),
    };
    Inst { order, at, adds, used_bytes, dataflow, ..inst }
}

/// Returns the bytes that the program uses of a load, if the compiler specifies them.
fn used_bytes(body: &Body, at: u32) -> Option<u32> {
    body.used_bytes.iter().find(|(load, _)| *load == at).map(|(_, mask)| *mask)
}

/// Returns what an instruction adds, if it is an atomic.
fn adds(written: &ast::Inst, inst: &Inst, body: &Body) -> Adds {
    let Role::Access(AccessKind::Atomic, ..) = inst.role else {
        return Adds::Other;
    };
    if written.has_type(&[Type::F32, Type::F64, Type::F16x2, Type::Bf16x2]) {
        return Adds::Float;
    }
    let counts = written.has(Modifier::Add)
        && written.has_type(&[Type::U32, Type::S32])
        && written.operands.last() == Some(&Operand::Int(1));
    if counts && body.is_unread(written) { Adds::One } else { Adds::Other }
}

/// Returns how an instruction treats values with undefined bits, for the initialisation check.
fn classify(written: &ast::Inst, inst: &Inst) -> Dataflow {
    match (inst.role, written.opcode.flow()) {
        (Role::Access(AccessKind::Read, ..), ValueFlow::Load) => {
            let signed = matches!(written.types().last(), Some(Type::S8 | Type::S16 | Type::S32));
            Dataflow::Load { signed }
        }
        (Role::Access(AccessKind::Write, ..), ValueFlow::Store) => Dataflow::Store,
        (Role::Guard, _) => Dataflow::Guard,
        (Role::WarpSync, ValueFlow::Shuffle) => Dataflow::Shuffle,
        // The plain part of a load or store computes its address.
        (Role::Plain, ValueFlow::Pure | ValueFlow::Load | ValueFlow::Store) => Dataflow::Pure,
        // A predicate that is combined with the result of a comparison may decide that result.
        (Role::Plain, ValueFlow::Compare) if written.has_any(&[Modifier::And, Modifier::Or, Modifier::Xor]) => {
            Dataflow::Pure
        }
        (Role::Plain, ValueFlow::Compare) => Dataflow::Compare,
        (Role::Plain, flow) if flow != ValueFlow::Call || inst.writes_any() => Dataflow::Opaque,
        _ => Dataflow::Decides,
    }
}

/// Returns the accumulators among these that an instruction uses, for which a check must determine whether their
/// products have been waited for.
///
/// Copies and loads are left out: compilers insert register copies that are not in the source, and the assembler
/// removes them. So are instructions with a guard, which may not be executed.
pub fn pending(inst: &ast::Inst, accumulators: &HashSet<RegId>) -> Vec<OperandSlot> {
    use Opcode::{Ld, Mov, WgmmaCommitGroup, WgmmaFence, WgmmaMmaAsync, WgmmaWaitGroup};
    let left_out = matches!(inst.opcode, Ld | Mov | WgmmaCommitGroup | WgmmaFence | WgmmaMmaAsync | WgmmaWaitGroup);
    let mut used = Vec::new();
    if accumulators.is_empty() || left_out || inst.guard.is_some() {
        return used;
    }
    for operand in &inst.operands {
        operand.each_register(&mut |reg| {
            if accumulators.contains(&reg) && !used.contains(&OperandSlot::Reg(reg.0)) {
                used.push(OperandSlot::Reg(reg.0));
            }
        });
    }
    used
}
