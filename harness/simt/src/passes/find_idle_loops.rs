//! Finds spin loops that only wait until another block has written the value they poll.

use super::find_spin_loops::{Loop, is_atomic, is_shared};
use super::graph::natural_loops;
use super::ir::{Block, BlockLoop, Func, Role, Term, each};
use crate::finding::AccessKind;
use crate::instr::code::{Field, Inst, OperandSlot};
use ptx::ast::{self, Body, Operand};
use ptx::modifier::Modifier;

/// Returns the loops of a function that write nothing and only wait for other blocks, inner loops first.
pub fn find_idle_loops(func: &Func, body: &Body) -> Vec<BlockLoop> {
    let mut loops = natural_loops(&func.blocks);
    loops.sort_by_key(|(_, members)| members.iter().filter(|is_member| **is_member).count());
    let idles = |members: &[bool]| only_looks(func, members, body) && Loop::new(func, members, &is_shared).waits();
    let idle = loops.into_iter().filter(|(_, members)| idles(members));
    idle.map(|(header, members)| BlockLoop { header, members }).collect()
}

/// Whether a loop writes nothing and reads the same addresses in each iteration.
fn only_looks(func: &Func, members: &[bool], body: &Body) -> bool {
    let blocks = || func.blocks.iter().zip(members).filter(|(_, is_member)| **is_member).map(|(block, _)| block);
    let fixed = Fixed::of(func.regs.len(), blocks);
    let is_idle = |inst: &Inst| is_atomic(inst) && body.code.get(inst.at as usize).is_some_and(changes_nothing);
    let is_quiet = |inst: &Inst| match inst.role {
        Role::Access(AccessKind::Read, ..) => true,
        Role::Access(..) => is_idle(inst),
        Role::Tile(..) | Role::Product => false,
        _ => true,
    };
    let goes_on = |block: &Block| matches!(block.term, Term::Goto(_) | Term::Branch { .. } | Term::Table { .. });
    let looks = || blocks().flat_map(|block| &block.insts).filter(|inst| is_shared(inst));
    blocks().all(|block| goes_on(block) && block.insts.iter().all(is_quiet)) && looks().all(|inst| fixed.names(inst))
}

/// Whether an atomic leaves memory as it is: `atomicAdd(flag, 0)`.
pub fn changes_nothing(inst: &ast::Inst) -> bool {
    inst.has_any(&[Modifier::Add, Modifier::Or, Modifier::Xor, Modifier::Sub])
        && inst.operands.last() == Some(&Operand::Int(0))
}

/// Loop-invariant registers.
struct Fixed(Vec<bool>);

impl Fixed {
    fn of<'f, B: Iterator<Item = &'f Block>>(registers: usize, blocks: impl Fn() -> B) -> Fixed {
        let mut writers = vec![0u32; registers];
        for inst in blocks().flat_map(|block| &block.insts) {
            each(inst, |r, def| writers[r as usize] += u32::from(def));
        }
        let mut fixed = Fixed(writers.iter().map(|&count| count == 0).collect());
        // Registers that are recomputed only from invariant ones are invariant, too.
        loop {
            let mut found = Vec::new();
            for inst in blocks().flat_map(|block| &block.insts).filter(|inst| inst.role == Role::Plain) {
                let mut is_known = true;
                each(inst, |r, def| is_known &= def || fixed.0[r as usize]);
                each(inst, |r, def| found.extend((def && is_known && writers[r as usize] == 1).then_some(r)));
            }
            found.retain(|r| !fixed.0[*r as usize]);
            if found.is_empty() {
                return fixed;
            }
            for r in found {
                fixed.0[r as usize] = true;
            }
        }
    }

    /// Whether the address of an access is loop-invariant.
    fn names(&self, inst: &Inst) -> bool {
        match inst.o[Field::A as usize] {
            OperandSlot::Reg(r) => self.0[r as usize],
            OperandSlot::Fixed(_) => false,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::translated;

    /// Returns how many loops of a kernel are idle.
    fn idle(code: &str) -> usize {
        translated("", code, |_, members, functions| find_idle_loops(&functions[0], members[0].body).len())
    }

    const AGAIN: &str = "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;";

    #[test]
    fn a_loop_that_polls_one_address_is_idle() {
        assert_eq!(idle(&format!("L: ld.volatile.global.u32 %r1, [%rd1]; {AGAIN}")), 1);
        assert_eq!(idle(&format!("L: atom.global.add.u32 %r1, [%rd1], 0; {AGAIN}")), 1);
        assert_eq!(idle(&format!("L: add.s64 %rd2, %rd1, 8; ld.volatile.global.u32 %r1, [%rd2]; {AGAIN}")), 1);
    }

    #[test]
    fn a_loop_that_writes_or_looks_elsewhere_each_time_is_not() {
        for code in [
            "L: atom.global.add.u32 %r1, [%rd1], 1;",
            "L: ld.volatile.global.u32 %r1, [%rd1]; st.shared.u32 [%rd3], %r1;",
            "L: ld.volatile.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 8;",
        ] {
            assert_eq!(idle(&format!("{code} {AGAIN}")), 0, "{code}");
        }
    }
}
