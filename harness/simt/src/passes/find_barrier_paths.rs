//! The code around barriers: what comes before and after each of them on all paths.

use super::graph::{dominators, post_order, predecessors};
use super::ir::{Block, Term};
use crate::instr::control::barrier;

/// Returns, for every block that ends in a barrier, the blocks that every path from it passes through, except those
/// that only end the thread. A lane that is in one of them while others wait at the barrier has gone past it.
pub fn behind(blocks: &[Block]) -> Vec<(u32, Vec<u32>)> {
    let barrier = |b: &u32| matches!(blocks[*b as usize].term, Term::Barrier(..));
    let barriers: Vec<u32> = (0..blocks.len() as u32).filter(barrier).collect();
    if barriers.is_empty() {
        return Vec::new();
    }
    // Dominators of the reversed graph. Its entry, 0, stands for the end of the thread, so each block's number is one
    // higher.
    let mut backward = vec![Vec::new(); blocks.len() + 1];
    let mut forward = vec![Vec::new(); blocks.len() + 1];
    for (b, block) in (1u32..).zip(blocks) {
        let mut to: Vec<u32> = block.term.successors().iter().map(|s| s + 1).collect();
        if to.is_empty() {
            to.push(0);
        }
        for &s in &to {
            backward[s as usize].push(b);
        }
        forward[b as usize] = to;
    }
    let reach = post_order(&backward);
    let inside: Vec<bool> = (0..=blocks.len() as u32).map(|b| reach.contains(&b)).collect();
    for to in &mut forward {
        to.retain(|&b| inside[b as usize]);
    }
    let up = dominators(&reach, &forward, blocks.len() + 1);
    let ends = |b: u32| {
        let block = &blocks[b as usize];
        block.insts.is_empty() && matches!(block.term, Term::Exit | Term::Ret)
    };
    let chain = |b: u32| {
        let mut all = Vec::new();
        let mut at = b + 1;
        while inside[at as usize] && up[at as usize] != 0 && up[at as usize] != at {
            at = up[at as usize];
            all.push(at - 1);
        }
        all.retain(|&b| !ends(b));
        (b, all)
    };
    barriers.into_iter().map(chain).collect()
}

/// Returns, for every block that ends in a barrier of all threads, or ends the thread, the blocks from which it is
/// reached without passing such a barrier, and itself: what a lane may execute between a barrier and this one, or its
/// end. `None` where the lane may come from another function. Empty if the function has no barrier. `is_kernel`: a
/// thread begins at the function's entry.
pub fn before(blocks: &[Block], is_kernel: bool) -> Vec<(u32, Option<Vec<u32>>)> {
    let is_barrier = |b: u32| matches!(&blocks[b as usize].term, Term::Barrier(inst, _) if barrier::is_of_all(inst));
    if !(0..blocks.len() as u32).any(is_barrier) {
        return Vec::new();
    }
    let successors: Vec<Vec<u32>> = blocks.iter().map(|b| b.term.successors()).collect();
    let reach = post_order(&successors);
    let predecessors = predecessors(&successors, &reach);
    let calls = |b: u32| matches!(blocks[b as usize].term, Term::Call(..) | Term::CallPointer(..));
    let mut seen = vec![u32::MAX; blocks.len()];
    let from = |to: u32| {
        let mut all = vec![to];
        seen[to as usize] = to;
        let mut next = 0;
        while let Some(&b) = all.get(next) {
            next += 1;
            if b == 0 && !is_kernel {
                return (to, None);
            }
            for &p in predecessors[b as usize].iter().filter(|p| !is_barrier(**p)) {
                if calls(p) {
                    return (to, None);
                }
                if std::mem::replace(&mut seen[p as usize], to) != to {
                    all.push(p);
                }
            }
        }
        (to, Some(all))
    };
    reach.iter().copied().filter(|b| is_barrier(*b) || successors[*b as usize].is_empty()).map(from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::{either, graph, translated};

    #[test]
    fn every_path_from_a_barrier_leads_through_what_is_behind_it() {
        let barrier = translated("", "bar.sync 0;", |_, _, mut functions| functions.remove(0).blocks.remove(0).term);
        let Term::Barrier(inst, _) = barrier else { panic!("a barrier ends its block") };
        // 0 waits, and goes on through 1 or 2 to 3.
        let terms = [Term::Barrier(inst, 4), Term::Goto(3), Term::Goto(3), Term::Goto(5), either(1, 2), Term::Exit];
        let mut func = graph(terms, 1);
        assert_eq!(behind(&func.blocks), [(0, vec![4, 3])]);
        let since = before(&func.blocks, true);
        let of = |end: u32| since.iter().find(|(b, _)| *b == end).and_then(|(_, from)| from.clone());
        assert_eq!(of(0), Some(vec![0]));
        let mut last = of(5).unwrap();
        last.sort_unstable();
        assert_eq!(last, [1, 2, 3, 4, 5]);
        // After a call, the thread may come from another function.
        func.blocks[3].term = Term::Call(0, 5);
        assert_eq!(before(&func.blocks, true).iter().find(|(b, _)| *b == 5), Some(&(5, None)));
    }
}
