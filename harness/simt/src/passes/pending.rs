//! Uses of registers that a warpgroup product may still be computing.

use super::ir::OperandSlot;
use crate::ptx::ast::{Body, Inst, RegId};
use crate::ptx::opcode::Opcode;
use std::collections::HashSet;

/// Returns the accumulators of the products of a function.
pub fn accumulators(body: &Body) -> HashSet<RegId> {
    let products = body.code.iter().filter(|inst| inst.opcode == Opcode::WgmmaMmaAsync);
    let mut found = HashSet::new();
    products.for_each(|product| {
        product.each_written(|register| {
            found.insert(register);
        });
    });
    found
}

/// Returns the accumulators among these that an instruction uses, for which a check must determine whether their
/// products have been waited for.
///
/// Copies and loads are left out: compilers insert register copies that are not in the source, and the assembler
/// removes them. So are instructions with a guard, which may not be executed.
pub fn used(inst: &Inst, accumulators: &HashSet<RegId>) -> Vec<OperandSlot> {
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
