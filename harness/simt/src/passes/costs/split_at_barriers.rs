//! Splits the code at barriers of the whole block: from each of them to the next, a block takes as long as its slowest
//! warp.

use crate::instr::control::barrier;
use crate::passes::graph::{post_order, predecessors};
use crate::passes::ir::{Block, Term};

/// Returns, for every block that ends in a barrier of all threads, or ends the thread, the blocks from which it is
/// reached without passing such a barrier, and itself: what a lane may execute between a barrier and this one, or its
/// end. `None` where the lane may come from another function. Empty if the function has no barrier. `is_kernel`: a
/// thread begins at the function's entry.
pub fn split_at_barriers(blocks: &[Block], is_kernel: bool) -> Vec<(u32, Option<Vec<u32>>)> {
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
    fn a_part_lies_between_two_barriers_or_before_the_end() {
        let barrier = translated("", "bar.sync 0;", |_, _, mut functions| functions.remove(0).blocks.remove(0).term);
        let Term::Barrier(inst, _) = barrier else { panic!("a barrier ends its block") };
        // 0 waits, and goes on through 1 or 2 to 3.
        let terms = [Term::Barrier(inst, 4), Term::Goto(3), Term::Goto(3), Term::Goto(5), either(1, 2), Term::Exit];
        let mut func = graph(terms, 1);
        let part = |func: &crate::passes::ir::Func, end: u32| {
            let parts = split_at_barriers(&func.blocks, true);
            let mut part = parts.into_iter().find(|(b, _)| *b == end).and_then(|(_, part)| part)?;
            part.sort_unstable();
            Some(part)
        };
        assert_eq!(part(&func, 0), Some(vec![0]));
        assert_eq!(part(&func, 5), Some(vec![1, 2, 3, 4, 5]));
        // After a call, the thread may come from another function.
        func.blocks[3].term = Term::Call(0, 5);
        assert_eq!(part(&func, 5), None);
        // Without a barrier, there are no parts.
        func.blocks[0].term = Term::Goto(4);
        assert_eq!(split_at_barriers(&func.blocks, true), []);
    }
}
