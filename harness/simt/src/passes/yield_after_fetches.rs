//! Loops that fetch pieces of work until none is left: who gets how many depends on the order in which blocks run, so
//! a block that has fetched a piece lets the others fetch theirs.

use super::find_idle_loops::changes_nothing;
use super::find_spin_loops::{Loop, is_atomic, is_shared};
use super::graph::natural_loops;
use super::ir::{Func, Role};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Inst;
use crate::instr::memory::after_fetch;
use ptx::ast::Body;
use ptx::modifier::Modifier;
use std::collections::HashSet;

/// Puts an instruction that lets other blocks go first behind each atomic that fetches work, and returns the number of
/// loops that fetch work. Functions that a loop calls are not looked into.
pub fn yield_after_fetches(func: &mut Func, body: &Body) -> u32 {
    let takes = |inst: &Inst, modifiers: &[Modifier]| {
        let written = body.code.get(inst.at as usize).filter(|_| is_shared(inst) && is_atomic(inst));
        written.is_some_and(|written| !changes_nothing(written) && written.has_any(modifiers))
    };
    let is_count = |inst: &Inst| takes(inst, &[Modifier::Add, Modifier::Inc, Modifier::Dec]);
    let is_exchange = |inst: &Inst| takes(inst, &[Modifier::Cas, Modifier::Exch]);
    if !func.blocks.iter().flat_map(|block| &block.insts).any(|inst| is_count(inst) || is_exchange(inst)) {
        return 0;
    }
    let loops = natural_loops(&func.blocks);
    let (mut found, mut number) = (HashSet::new(), 0);
    for (header, members) in &loops {
        // The loop around an exchange may only try it again, or wait for a lock.
        let fetches =
            |block: u32, inst: &Inst| is_count(inst) || (is_exchange(inst) && innermost(&loops, block) != *header);
        let inside: HashSet<u32> = (0u32..)
            .zip(&func.blocks)
            .filter(|(number, _)| members[*number as usize])
            .flat_map(|(number, block)| block.insts.iter().filter(move |inst| fetches(number, inst)))
            .map(|inst| inst.at)
            .collect();
        if is_left_by(func, members, &|inst| is_shared(inst) && inside.contains(&inst.at)) {
            found.extend(inside);
            number += 1;
        }
    }
    if found.is_empty() {
        return 0;
    }
    for (at_block, block) in func.blocks.iter_mut().enumerate() {
        // The first piece may be fetched before the loop.
        let is_outside = !loops.iter().any(|(_, members)| members[at_block]);
        for at in (0..block.insts.len()).rev() {
            let inst = &block.insts[at];
            let is_found = is_shared(inst) && is_atomic(inst) && found.contains(&inst.at);
            if is_found || (is_outside && is_count(inst)) {
                let place = Inst { loc: inst.loc, at: inst.at, ..after_fetch() };
                block.insts.insert(at + 1, place);
            }
        }
    }
    number
}

/// The header of the innermost loop that a block belongs to; `u32::MAX` if there is none.
fn innermost(loops: &[(u32, Vec<bool>)], block: u32) -> u32 {
    let around = loops.iter().filter(|(_, members)| members[block as usize]);
    let smallest = around.min_by_key(|(_, members)| members.iter().filter(|is_member| **is_member).count());
    smallest.map_or(u32::MAX, |(header, _)| *header)
}

/// Whether a loop is left where a value says so that these instructions give, also if it comes through shared memory.
fn is_left_by(func: &Func, members: &[bool], fetches: &dyn Fn(&Inst) -> bool) -> bool {
    let mut fetched = Loop::new(func, members, fetches).by_values();
    if fetched.waits() {
        return true;
    }
    let accesses = |inst: &Inst, wanted: AccessKind| match inst.role {
        Role::Access(what, space, _) => what == wanted && matches!(space, Space::Shared | Space::Generic),
        _ => false,
    };
    let mut insts = fetched.blocks().flat_map(|(_, block)| &block.insts);
    let is_passed_on = insts.any(|inst| accesses(inst, AccessKind::Write) && fetched.uses(inst));
    let reads = |inst: &Inst| fetches(inst) || accesses(inst, AccessKind::Read);
    is_passed_on && Loop::new(func, members, &reads).by_values().waits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::translated;

    /// Returns the PTX instructions of a kernel after which others go first.
    fn yields(code: &str) -> Vec<u32> {
        translated("", code, |_, members, mut functions| {
            yield_after_fetches(&mut functions[0], members[0].body);
            let insts = functions[0].blocks.iter().flat_map(|block| &block.insts);
            let yields = insts.filter(|inst| inst.handlers.full as usize == after_fetch().handlers.full as usize);
            yields.map(|inst| inst.at).collect()
        })
    }

    #[test]
    fn others_go_first_after_a_piece_of_work_was_fetched() {
        let queue = "atom.global.add.u32 %r1, [%rd1], 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;";
        assert_eq!(yields(&format!("L: {queue}")), [0]);
        // The first piece is fetched before the loop.
        assert_eq!(
            yields(&format!("atom.global.add.u32 %r1, [%rd1], 1; L: st.global.u32 [%rd2], %r1; {queue}")),
            [0, 2]
        );
    }

    #[test]
    fn sums_locks_and_polls_are_not_work() {
        for code in [
            "L: red.global.add.u32 [%rd1], 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
            "L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
            "L: atom.global.add.u32 %r1, [%rd1], 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
        ] {
            assert_eq!(yields(code), [0; 0], "{code}");
        }
    }
}
