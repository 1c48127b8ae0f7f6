//! Finds what comes after each barrier on all paths, for the checks.

use super::graph::{dominators, post_order};
use super::ir::{Block, Term};

/// Returns, for every block that ends in a barrier, the blocks that every path from it passes through, except those
/// that only end the thread. A lane that is in one of them while others wait at the barrier has gone past it.
pub fn find_barrier_paths(blocks: &[Block]) -> Vec<(u32, Vec<u32>)> {
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
        let func = graph(terms, 1);
        assert_eq!(find_barrier_paths(&func.blocks), [(0, vec![4, 3])]);
    }
}
