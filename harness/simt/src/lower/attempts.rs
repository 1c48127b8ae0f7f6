//! Loads whose value is only a first guess: a compare-and-swap of the same address tells whether it was right.
//!
//! The loop of CUDA's programming guide for atomics that there are not begins with such a load: `old = *address`. If
//! another thread writes at the same time, the swap fails and the loop tries what it has found, whatever was loaded.

use crate::instr::words::has;
use crate::ptx::ast::{Base, Body, Inst, Operand, RegId};
use std::collections::{HashMap, HashSet};

/// The indices of these loads in the body.
pub fn find(body: &Body) -> HashSet<u32> {
    let swaps = || body.code.iter().filter(|inst| inst.op.starts_with("atom.") && has(&inst.op, "cas"));
    if swaps().next().is_none() {
        return HashSet::new();
    }
    let mut defs: HashMap<RegId, Vec<u32>> = HashMap::new();
    for (at, inst) in (0u32..).zip(&body.code) {
        if let Some(Operand::Reg(to)) = inst.operands.first() {
            defs.entry(*to).or_default().push(at);
        }
    }
    let function = Function { code: &body.code, defs };
    swaps().flat_map(|swap| function.guesses(swap)).collect()
}

struct Function<'b> {
    code: &'b [Inst],
    /// The instructions that write each register.
    defs: HashMap<RegId, Vec<u32>>,
}

impl Function<'_> {
    /// The loads that give what a swap compares with.
    fn guesses(&self, swap: &Inst) -> Vec<u32> {
        let [_, address, Operand::Reg(compared), ..] = &swap.operands[..] else {
            return Vec::new();
        };
        let Some(address) = self.place(address) else {
            return Vec::new();
        };
        let (mut found, mut seen, mut work) = (Vec::new(), HashSet::new(), vec![*compared]);
        while let Some(reg) = work.pop() {
            if !seen.insert(reg) {
                continue;
            }
            for &at in self.defs.get(&reg).into_iter().flatten() {
                let inst = &self.code[at as usize];
                match (inst.op.split('.').next(), inst.operands.get(1)) {
                    (Some("mov"), Some(Operand::Reg(from))) => work.push(*from),
                    (Some("ld"), Some(from)) if self.place(from) == Some(address) => found.push(at),
                    _ => {}
                }
            }
        }
        found
    }

    /// Where an address lies: the register that it was made from, and the offset. `None` if it is no such address.
    fn place(&self, operand: &Operand) -> Option<(RegId, i64)> {
        let Operand::Mem(Base::Reg(reg), offset) = operand else {
            return None;
        };
        let mut reg = *reg;
        // An address is copied, or brought from one space to another. Copies that go in a circle are followed once.
        for _ in 0..self.defs.len() {
            let Some([at]) = self.defs.get(&reg).map(Vec::as_slice) else {
                break;
            };
            let inst = &self.code[*at as usize];
            match inst.operands.get(1) {
                Some(Operand::Reg(from)) if inst.op.starts_with("cvta") || inst.op.starts_with("mov.") => reg = *from,
                _ => break,
            }
        }
        Some((reg, *offset))
    }
}
