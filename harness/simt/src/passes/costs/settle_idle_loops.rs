//! Settles the costs of loops that only wait until another block has written the value they poll. The number of
//! iterations of such a loop depends on the order in which blocks run, so its iterations are not counted in the costs
//! of the launch: only the last one is, once for each time that the loop is entered, and not even that if the loop is
//! bypassed because there is nothing to wait for.

use crate::engine::costs::tables::Effort;
use crate::passes::ir::{Block, BlockLoop, Role, Term};

/// Removes the iterations of these loops, inner loops first, from the efforts of a function's blocks.
pub fn settle_idle_loops(blocks: &[Block], loops: &[BlockLoop], efforts: &mut [Effort]) {
    for BlockLoop { header, members } in loops {
        let last = last_round(blocks, *header, members);
        let mut round = Effort::default();
        for (effort, _) in efforts.iter().zip(last).filter(|(_, is_last)| *is_last) {
            round.pipes.add(&effort.pipes, 1);
            round.chain.add(&effort.chain, 1);
        }
        let inside = efforts.iter_mut().zip(members).filter(|(_, is_member)| **is_member);
        inside.for_each(|(effort, _)| *effort = Effort::default());
        // Registers may be prepared for the loop where it is entered.
        for place in entries(blocks, *header, members) {
            if prepares(&blocks[place as usize]).is_some() && passes_by(blocks, place, members) {
                efforts[place as usize] = Effort::default();
            }
        }
        for place in once(blocks, *header, members) {
            let effort = &mut efforts[place as usize];
            effort.pipes.add(&round.pipes, 1);
            effort.chain.add(&round.chain, 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::Pipes;
    use crate::passes::testing::{either, graph};

    /// Returns the memory instructions of each block, each of which had one, after the loop of `members` was settled.
    fn settled(terms: impl IntoIterator<Item = Term>, members: &[u32]) -> Vec<u64> {
        let blocks = graph(terms, 1).blocks;
        let inside = (0..blocks.len() as u32).map(|b| members.contains(&b)).collect();
        let one = Effort { pipes: Pipes { memory: 1, ..Pipes::default() }, ..Effort::default() };
        let mut efforts = vec![one; blocks.len()];
        settle_idle_loops(&blocks, &[BlockLoop { header: members[0], members: inside }], &mut efforts);
        efforts.iter().map(|effort| effort.pipes.memory).collect()
    }

    #[test]
    fn the_last_iteration_is_counted_where_the_loop_is_entered() {
        assert_eq!(settled([Term::Goto(1), either(1, 2), Term::Exit], &[1]), [2, 0, 1]);
        assert_eq!(settled([Term::Goto(1), either(2, 3), Term::Goto(1), Term::Exit], &[1, 2]), [2, 0, 0, 1]);
    }

    #[test]
    fn nothing_is_counted_where_there_is_nothing_to_wait_for() {
        // Block 0 looks once, and passes by the loop if it need not wait; block 1 only prepares the loop.
        assert_eq!(settled([either(1, 3), Term::Goto(2), either(2, 3), Term::Exit], &[2]), [1, 0, 0, 1]);
    }
}
