//! Uses of registers that a warpgroup product may still be computing.

use super::ir::OperandSlot;
use crate::ptx::ast::{Base, Body, Inst, Operand, RegId};
use std::collections::HashSet;

/// Returns the accumulators of the products of a function.
pub fn accumulators(body: &Body) -> HashSet<RegId> {
    let products = body.code.iter().filter(|inst| inst.op.starts_with("wgmma.mma_async."));
    let mut found = HashSet::new();
    products.filter_map(|inst| inst.operands.first()).for_each(|first| {
        registers(first, &mut |reg| {
            found.insert(reg);
        });
    });
    found
}

fn registers(operand: &Operand, see: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Reg(r) | Operand::Mem(Base::Reg(r), _) => see(*r),
        Operand::Vec(list) => list.iter().for_each(|o| registers(o, see)),
        Operand::Pair(a, b) => {
            registers(a, see);
            registers(b, see);
        }
        _ => {}
    }
}

/// Returns the accumulators among these that an instruction uses, for which a check must determine whether their
/// products have been waited for.
///
/// Copies and loads are left out: compilers insert register copies that are not in the source, and the assembler
/// removes them. So are instructions with a guard, which may not be executed.
pub fn used(inst: &Inst, accumulators: &HashSet<RegId>) -> Vec<OperandSlot> {
    let left_out = ["wgmma.", "mov.", "ld."].iter().any(|name| inst.op.starts_with(name));
    let mut used = Vec::new();
    if accumulators.is_empty() || left_out || inst.guard.is_some() {
        return used;
    }
    for operand in &inst.operands {
        registers(operand, &mut |reg| {
            if accumulators.contains(&reg) && !used.contains(&OperandSlot::Reg(reg.0)) {
                used.push(OperandSlot::Reg(reg.0));
            }
        });
    }
    used
}
