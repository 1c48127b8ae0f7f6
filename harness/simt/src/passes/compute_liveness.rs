//! Liveness: which registers still hold a value that is needed.

use super::ir::{Func, Role, each, each_of_term};

/// A set of a function's registers.
#[derive(Clone, PartialEq)]
pub struct RegisterSet(Vec<u64>);

impl RegisterSet {
    fn new(n: usize) -> RegisterSet {
        RegisterSet(vec![0; n.div_ceil(64)])
    }
    /// Adds a register.
    pub fn set(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }
    /// Removes a register.
    pub fn clear(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }
    /// Whether it contains a register.
    pub fn has(&self, i: u32) -> bool {
        self.0[i as usize / 64] & (1 << (i % 64)) != 0
    }
    /// Visits its registers in ascending order.
    pub fn each(&self, mut visit: impl FnMut(u32)) {
        for (w, &word) in self.0.iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                visit(w as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

/// The registers that are live at the beginning and end of each block.
pub struct Liveness {
    /// Those at the beginning, by block.
    pub live_in: Vec<RegisterSet>,
    /// Those at the end.
    pub live_out: Vec<RegisterSet>,
}

/// Returns the registers that a block uses before it defines them, and the registers that it defines.
fn used_and_defined(func: &Func, block: u32) -> (RegisterSet, RegisterSet) {
    let n = func.regs.len();
    let (mut used, mut defined) = (RegisterSet::new(n), RegisterSet::new(n));
    let mut guarded = false;
    let block = &func.blocks[block as usize];
    for inst in &block.insts {
        each(inst, |r, def| {
            if !def && !defined.has(r) {
                used.set(r);
            }
        });
        // A register written under a guard keeps its value where the guard does not hold.
        each(inst, |r, def| {
            if def && guarded && !defined.has(r) {
                used.set(r);
            }
            if def {
                defined.set(r);
            }
        });
        guarded = inst.role == Role::Guard;
    }
    each_of_term(&block.term, |r, def| {
        if !def && !defined.has(r) {
            used.set(r);
        }
    });
    each_of_term(&block.term, |r, def| {
        if def {
            defined.set(r);
        }
    });
    (used, defined)
}

/// Computes liveness by backward data flow through the blocks in `order`, up to the fixed point.
pub fn compute_liveness(func: &Func, order: &[u32]) -> Liveness {
    let n = func.regs.len();
    let none = vec![RegisterSet::new(n); func.blocks.len()];
    let (mut used, mut defined) = (none.clone(), none.clone());
    for &b in order {
        (used[b as usize], defined[b as usize]) = used_and_defined(func, b);
    }
    let mut live_in = used.clone();
    let mut live_out = none;
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev() {
            let mut out = RegisterSet::new(n);
            for s in func.blocks[b as usize].term.successors() {
                for (o, i) in out.0.iter_mut().zip(&live_in[s as usize].0) {
                    *o |= i;
                }
            }
            for w in 0..out.0.len() {
                let new = used[b as usize].0[w] | (out.0[w] & !defined[b as usize].0[w]);
                if live_in[b as usize].0[w] != new {
                    live_in[b as usize].0[w] = new;
                    changed = true;
                }
            }
            live_out[b as usize] = out;
        }
    }
    Liveness { live_in, live_out }
}

/// Returns, for each block of a function, the registers that are live at its beginning.
pub fn live_at_starts(func: &Func) -> Vec<Vec<u32>> {
    let order: Vec<u32> = (0..func.blocks.len() as u32).collect();
    let listed = |bits: &RegisterSet| {
        let mut list = Vec::new();
        bits.each(|r| list.push(r));
        list
    };
    compute_liveness(func, &order).live_in.iter().map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instr::control::branch;
    use crate::passes::ir::{Inst, OperandSlot, Term};
    use crate::passes::testing::{computes, either, graph};

    #[test]
    fn a_register_is_live_from_its_definition_to_its_last_use_around_a_loop() {
        // Register 1 is defined before the loop and used in it, register 2 only lives inside.
        let mut func = graph([Term::Goto(1), either(1, 2), Term::Exit], 3);
        func.blocks[0].insts = vec![computes(0, &[]), computes(1, &[])];
        func.blocks[1].insts = vec![computes(2, &[1]), computes(0, &[2])];
        assert_eq!(live_at_starts(&func), [vec![], vec![1], vec![]]);
        func.blocks[2].insts = vec![computes(0, &[2])];
        assert_eq!(live_at_starts(&func), [vec![], vec![1], vec![2]]);
    }

    #[test]
    fn a_register_that_is_written_under_a_guard_keeps_its_old_value() {
        let mut func = graph([Term::Goto(1), Term::Exit], 3);
        let guard = Inst { role: Role::Guard, ..branch::guard(OperandSlot::Reg(0), false) };
        func.blocks[0].insts = vec![guard, computes(1, &[])];
        func.blocks[1].insts = vec![computes(2, &[1])];
        assert_eq!(live_at_starts(&func)[0], [0, 1]);
    }
}
