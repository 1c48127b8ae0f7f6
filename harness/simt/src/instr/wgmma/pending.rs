//! The check whether registers belong to a product that has not been waited for.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::{Inst, OperandSlot};
use crate::instr::operands::operands;

operands! {
    /// Operands of the check.
    struct Look {
        /// The number of registers.
        count: number(u32) in e,
        /// The registers.
        registers: pool in imm,
    }
}

/// Follows an instruction that uses these registers, which are accumulators of some product.
pub(crate) fn look(registers: &[OperandSlot]) -> Inst {
    let registers: Vec<(OperandSlot, bool)> = registers.iter().map(|&register| (register, false)).collect();
    Look { count: registers.len() as u32, registers }.pack(run)
}

/// Executes the check.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    if warp.launch().sync_check {
        let Look { count, registers } = Look::unpack(op);
        let registers = &warp.launch().program.lists[registers as usize..][..count as usize];
        warp.uses_accumulators(op, registers);
    }
    Flow::Next
}
