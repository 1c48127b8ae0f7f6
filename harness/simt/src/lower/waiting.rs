//! Loops that wait for other threads, or try again until no other thread was faster: how often such a loop goes round
//! depends on the order in which threads run, and with it what the machine counts.

use super::alloc::{each, each_of_term};
use super::ir::{Block, Func, Role, Term};
use super::order::natural_loops;
use crate::finding::{Space, What};
use crate::instr::code::Inst;

/// How many loops of a function end only when a value from memory that other blocks write says so. The value comes from
/// an atomic or a volatile, relaxed or stronger load in the loop; what is computed from it, and what is set where a
/// branch depends on it, is followed within the loop. Functions that the loop calls are not looked into.
pub fn waiting_loops(func: &Func) -> u32 {
    let waits = |members: &Vec<bool>| Loop { func, members, told: vec![false; func.regs.len()] }.waits();
    natural_loops(&func.blocks).iter().filter(|members| waits(members)).count() as u32
}

struct Loop<'f> {
    func: &'f Func,
    /// Whether each block of the function belongs to it.
    members: &'f [bool],
    /// Whether each register depends on what other blocks write.
    told: Vec<bool>,
}

impl Loop<'_> {
    fn waits(mut self) -> bool {
        while self.follow() {}
        let leaves = |block: &Block| block.term.successors().iter().any(|s| !self.members[*s as usize]);
        self.blocks().any(|(_, block)| leaves(block) && self.branches(&block.term))
    }

    fn blocks(&self) -> impl Iterator<Item = (u32, &Block)> {
        (0u32..).zip(&self.func.blocks).filter(|(b, _)| self.members[*b as usize])
    }

    /// Whether it branches on what other blocks write.
    fn branches(&self, term: &Term) -> bool {
        let mut is_told = false;
        each_of_term(term, |r, def| is_told |= !def && self.told[r as usize]);
        is_told && matches!(term, Term::Branch { .. } | Term::Table { .. })
    }

    /// Follows the values through each instruction of the loop once. Whether anything was new.
    fn follow(&mut self) -> bool {
        let mut found = Vec::new();
        for (number, block) in self.blocks() {
            // What is set in a block that only such a branch leads to depends on it too.
            let mut before = self.blocks().filter(|(_, from)| from.term.successors().contains(&number));
            let is_chosen = match (before.next(), before.next()) {
                (Some((_, from)), None) => self.branches(&from.term),
                _ => false,
            };
            let mut is_guarded = false;
            for inst in &block.insts {
                let mut is_told = is_chosen || is_guarded || is_shared(inst);
                each(inst, |r, def| is_told |= !def && self.told[r as usize]);
                is_guarded = inst.role == Role::Guard && is_told;
                if is_told {
                    each(inst, |r, def| found.extend(def.then_some(r)));
                }
            }
        }
        let mut is_new = false;
        for r in found {
            is_new |= !std::mem::replace(&mut self.told[r as usize], true);
        }
        is_new
    }
}

/// Whether it reads what another block may have just written.
fn is_shared(inst: &Inst) -> bool {
    let Role::Access(what, space, _) = inst.role else {
        return false;
    };
    let has_value = inst.defs != 0 || inst.list.iter().any(|(_, def)| *def);
    let is_strong = what == What::Atomic || (what == What::Read && inst.order.strong);
    has_value && is_strong && !matches!(space, Space::Shared | Space::Local)
}
