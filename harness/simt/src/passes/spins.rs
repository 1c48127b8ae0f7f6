//! Spin loops that only wait until another block has written the value they poll. The number of iterations of such a
//! loop depends on the order in which blocks run, so its iterations are not counted in the costs of the launch: only
//! the last one is, once for each time that the loop is entered, and not even that if the loop is bypassed because
//! there is nothing to wait for.

use super::alloc::each;
use super::ir::{Block, Func, Role, Term};
use super::order::natural_loops;
use super::spin_loops::{Loop, is_atomic, is_shared};
use crate::engine::warp::program::Effort;
use crate::finding::AccessKind;
use crate::instr::code::{Field, Inst, OperandSlot};
use crate::ptx::ast::{self, Operand};
use crate::ptx::modifier::Modifier;

/// Removes the iterations of such loops from the efforts of their blocks, and marks these blocks. `written` returns the
/// instruction of the function's body from which an instruction originates.
pub fn settle<'m>(func: &mut Func, written: impl Fn(u32) -> Option<&'m ast::Inst>) {
    let mut loops = natural_loops(&func.blocks);
    // Inner loops come first.
    loops.sort_by_key(|(_, members)| members.iter().filter(|is_member| **is_member).count());
    for (header, members) in loops {
        if !only_looks(func, &members, &written) || !Loop::new(func, &members, &is_shared).waits() {
            continue;
        }
        let last = last_round(&func.blocks, header, &members);
        let mut round = Effort::default();
        for (block, _) in func.blocks.iter().zip(last).filter(|(_, is_last)| *is_last) {
            round.pipes.add(&block.effort.pipes, 1);
            round.chain.add(&block.effort.chain, 1);
        }
        let inside = func.blocks.iter_mut().zip(&members).filter(|(_, is_member)| **is_member);
        inside.for_each(|(block, _)| (block.effort, block.spins) = (Effort::default(), true));
        // Registers may be prepared for the loop where it is entered.
        for place in entries(&func.blocks, header, &members) {
            if prepares(&func.blocks[place as usize]).is_some() && passes_by(&func.blocks, place, &members) {
                func.blocks[place as usize].effort = Effort::default();
            }
        }
        for place in once(&func.blocks, header, &members) {
            let effort = &mut func.blocks[place as usize].effort;
            effort.pipes.add(&round.pipes, 1);
            effort.chain.add(&round.chain, 1);
        }
    }
}

/// Whether a loop writes nothing and reads the same addresses in each iteration.
fn only_looks<'m>(func: &Func, members: &[bool], written: &impl Fn(u32) -> Option<&'m ast::Inst>) -> bool {
    let blocks = || func.blocks.iter().zip(members).filter(|(_, is_member)| **is_member).map(|(block, _)| block);
    let fixed = Fixed::of(func.regs.len(), blocks);
    let is_idle = |inst: &Inst| is_atomic(inst) && written(inst.at).is_some_and(changes_nothing);
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

/// Returns the blocks that may be executed in the iteration that leaves the loop.
fn last_round(blocks: &[Block], header: u32, members: &[bool]) -> Vec<bool> {
    let is_member = |b: &u32| members[*b as usize];
    let leads = |from: u32, to: u32| blocks[from as usize].term.successors().contains(&to);
    let all = || (0..blocks.len() as u32).filter(is_member);
    let mut work: Vec<u32> =
        all().filter(|b| blocks[*b as usize].term.successors().iter().any(|to| !is_member(to))).collect();
    let mut last = vec![false; blocks.len()];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut last[b as usize], true) && b != header {
            work.extend(all().filter(|from| leads(*from, b)));
        }
    }
    last
}

/// Returns the blocks outside a loop that lead into it.
fn entries(blocks: &[Block], header: u32, members: &[bool]) -> Vec<u32> {
    let leads = |b: &u32| blocks[*b as usize].term.successors().contains(&header);
    (0..blocks.len() as u32).filter(|b| !members[*b as usize] && leads(b)).collect()
}

/// Returns the blocks that are executed once for each time that a loop is entered, excluding those that bypass it
/// because there is nothing to wait for: the blocks before it or, if these also lead elsewhere, the blocks after it. If
/// the latter can also be reached another way, the blocks before it are used nevertheless: then slightly too much is
/// counted.
fn once(blocks: &[Block], header: u32, members: &[bool]) -> Vec<u32> {
    let to = |b: u32| blocks[b as usize].term.successors();
    let all = || 0..blocks.len() as u32;
    let is_member = |b: u32| members[b as usize];
    let mut before = entries(blocks, header, members);
    before.retain(|b| !passes_by(blocks, *b, members));
    let mut behind: Vec<u32> = all().filter(|b| is_member(*b)).flat_map(to).filter(|b| !is_member(*b)).collect();
    behind.sort_unstable();
    behind.dedup();
    let lead_on = before.iter().all(|b| to(*b).len() == 1);
    let comes_from_loop = |b: &u32| all().all(|from| is_member(from) || !to(from).contains(b));
    if !lead_on && behind.iter().all(comes_from_loop) {
        return behind;
    }
    before
}

/// Whether the block before a loop may also go where the loop leads: it has already polled. A block that prepares
/// registers for the loop may lie between the two.
fn passes_by(blocks: &[Block], entry: u32, members: &[bool]) -> bool {
    let mut entry = entry;
    if prepares(&blocks[entry as usize]).is_some() {
        let mut before = (0u32..).zip(blocks).filter(|(_, block)| block.term.successors().contains(&entry));
        if let (Some((only, _)), None) = (before.next(), before.next()) {
            entry = only;
        }
    }
    let outside = |b: u32| {
        let to = blocks[b as usize].term.successors();
        to.into_iter().filter(|to| !members[*to as usize]).map(|to| behind(blocks, to)).collect::<Vec<_>>()
    };
    let leave: Vec<u32> = (0..blocks.len() as u32).filter(|b| members[*b as usize]).flat_map(outside).collect();
    outside(entry).iter().any(|to| leave.contains(to))
}

/// Follows blocks that only prepare registers, and returns the block to which they lead.
fn behind(blocks: &[Block], mut block: u32) -> u32 {
    // The bound ends cycles of such blocks.
    for _ in 0..4 {
        block = prepares(&blocks[block as usize]).unwrap_or(block);
    }
    block
}

/// Returns the successor of a block that only prepares registers.
fn prepares(block: &Block) -> Option<u32> {
    match block.term {
        Term::Goto(to) if block.insts.iter().all(|inst| inst.role == Role::Plain) => Some(to),
        _ => None,
    }
}
