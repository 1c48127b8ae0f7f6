//! The order of a function's blocks. The machine runs the lowest program counter first, so the order decides where
//! diverged lanes reconverge: a block comes after all blocks that lead to it, and a loop is laid out in one piece
//! before the code that follows it.

use super::graph::{loops, post_order};
use super::ir::{Block, Func};

/// Returns, for each function, its reachable blocks in the order of the code.
pub fn order_blocks(functions: &[Func]) -> Vec<Vec<u32>> {
    functions.iter().map(|func| order(&func.blocks)).collect()
}

fn order(blocks: &[Block]) -> Vec<u32> {
    let successors: Vec<Vec<u32>> = blocks.iter().map(|b| b.term.successors()).collect();
    let reach = post_order(&successors);
    let loops = loops(&successors, &reach);
    let mut inside = vec![false; blocks.len()];
    for &b in &reach {
        inside[b as usize] = true;
    }
    let mut out = Vec::with_capacity(reach.len());
    arrange(0, &inside, &loops, &successors, &mut out);
    out
}

/// Lays out the blocks `inside`, with `header` first and inner loops as one piece each.
fn arrange(header: u32, inside: &[bool], loops: &[(u32, Vec<bool>)], successors: &[Vec<u32>], out: &mut Vec<u32>) {
    let n = inside.len();
    // Every block in an inner loop is represented by the header of the outermost inner loop that contains it.
    let mut stands_for: Vec<u32> = (0..n as u32).collect();
    let mut largest = vec![0usize; n];
    for (h, members) in loops {
        if *h == header || !inside[*h as usize] {
            continue;
        }
        let size = members.iter().filter(|m| **m).count();
        for b in 0..n {
            if members[b] && inside[b] && size > largest[b] {
                largest[b] = size;
                stands_for[b] = *h;
            }
        }
    }
    let mut waits = vec![0u32; n];
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for b in (0..n).filter(|&b| inside[b]) {
        for &s in &successors[b] {
            let (from, to) = (stands_for[b], stands_for[s as usize]);
            // Edges inside one piece, back to the header or out of the region are ignored.
            if inside[s as usize] && from != to && to != header {
                edges.push((from, to));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    for &(_, to) in &edges {
        waits[to as usize] += 1;
    }
    let mut left: Vec<u32> = (0..n as u32).filter(|&b| inside[b as usize] && stands_for[b as usize] == b).collect();
    while !left.is_empty() {
        // Takes the first block without unplaced predecessors. In a cycle that is not a proper loop, it takes the first
        // of all.
        let at = left.iter().position(|&b| b == header || waits[b as usize] == 0).unwrap_or(0);
        let at = left.iter().position(|&b| b == header).unwrap_or(at);
        let piece = left.remove(at);
        match loops.iter().find(|(h, _)| *h == piece && *h != header) {
            Some((h, members)) => {
                let part: Vec<bool> = (0..n).map(|b| inside[b] && members[b] && stands_for[b] == *h).collect();
                arrange(*h, &part, loops, successors, out);
            }
            None => out.push(piece),
        }
        for &(from, to) in &edges {
            if from == piece {
                waits[to as usize] -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::ir::Term;
    use crate::passes::testing::{either, graph};

    fn ordered(terms: impl IntoIterator<Item = Term>) -> Vec<u32> {
        order_blocks(&[graph(terms, 1)]).remove(0)
    }

    #[test]
    fn a_block_comes_after_all_that_lead_to_it() {
        assert_eq!(ordered([either(2, 3), Term::Exit, Term::Goto(1), Term::Goto(1)]), [0, 2, 3, 1]);
    }

    #[test]
    fn a_loop_lies_in_one_piece_before_what_follows_it() {
        // 1 and 3 are a loop, which 1 leaves to 2.
        assert_eq!(ordered([Term::Goto(1), either(2, 3), Term::Exit, Term::Goto(1)]), [0, 1, 3, 2]);
        // The inner loop, 2 and 4, lies in the outer one, 1 to 5.
        let nested = [Term::Goto(1), either(2, 3), either(5, 4), Term::Exit, Term::Goto(2), Term::Goto(1)];
        assert_eq!(ordered(nested), [0, 1, 2, 4, 5, 3]);
    }

    #[test]
    fn blocks_that_are_not_reached_are_left_out() {
        assert_eq!(ordered([Term::Goto(2), Term::Goto(2), Term::Exit]), [0, 2]);
    }
}
