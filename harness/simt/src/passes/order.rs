//! The order of a function's blocks. The machine runs the lowest program counter first, so the order decides where
//! diverged lanes reconverge: a block comes after all blocks that lead to it, and a loop is laid out in one piece
//! before the code that follows it.

use super::ir::{Block, Term};
use crate::instr::control::barrier;

/// Returns the reachable blocks in layout order.
pub fn layout(blocks: &[Block]) -> Vec<u32> {
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

/// Returns the natural loops of a function: each header, and which blocks reach a back edge without passing through it.
pub fn natural_loops(blocks: &[Block]) -> Vec<(u32, Vec<bool>)> {
    let successors: Vec<Vec<u32>> = blocks.iter().map(|b| b.term.successors()).collect();
    loops(&successors, &post_order(&successors))
}

/// Returns the immediate dominator of each block, given the blocks' successors; the entry is its own.
pub fn immediate_dominators(successors: &[Vec<u32>]) -> Vec<u32> {
    let reach = post_order(successors);
    dominators(&reach, &predecessors(successors, &reach), successors.len())
}

fn predecessors(successors: &[Vec<u32>], reach: &[u32]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &b in reach {
        for &s in &successors[b as usize] {
            predecessors[s as usize].push(b);
        }
    }
    predecessors
}

fn loops(successors: &[Vec<u32>], reach: &[u32]) -> Vec<(u32, Vec<bool>)> {
    let n = successors.len();
    let predecessors = predecessors(successors, reach);
    let dominators = dominators(reach, &predecessors, n);
    let mut loops: Vec<(u32, Vec<bool>)> = Vec::new();
    for &b in reach.iter().rev() {
        for &header in &successors[b as usize] {
            if !dominates(&dominators, header, b) {
                continue;
            }
            let at = match loops.iter().position(|(h, _)| *h == header) {
                Some(at) => at,
                None => {
                    let mut members = vec![false; n];
                    members[header as usize] = true;
                    loops.push((header, members));
                    loops.len() - 1
                }
            };
            let members = &mut loops[at].1;
            let mut work = vec![b];
            while let Some(b) = work.pop() {
                if !std::mem::replace(&mut members[b as usize], true) {
                    work.extend(&predecessors[b as usize]);
                }
            }
        }
    }
    loops
}

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

fn post_order(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut out = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(0u32, 0usize)];
    seen[0] = true;
    while let Some(top) = stack.last_mut() {
        let (b, next) = *top;
        match successors[b as usize].get(next) {
            Some(&s) => {
                top.1 += 1;
                if !std::mem::replace(&mut seen[s as usize], true) {
                    stack.push((s, 0));
                }
            }
            None => {
                out.push(b);
                stack.pop();
            }
        }
    }
    out
}

/// Returns the immediate dominators (by Cooper, Harvey and Kennedy's algorithm). The entry is its own dominator.
fn dominators(post_order: &[u32], predecessors: &[Vec<u32>], n: usize) -> Vec<u32> {
    let mut number = vec![usize::MAX; n];
    for (i, &b) in post_order.iter().enumerate() {
        number[b as usize] = i;
    }
    let mut idom = vec![u32::MAX; n];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for &b in post_order.iter().rev() {
            if b == 0 {
                continue;
            }
            let mut new = u32::MAX;
            for &p in &predecessors[b as usize] {
                if idom[p as usize] == u32::MAX {
                    continue;
                }
                if new == u32::MAX {
                    new = p;
                    continue;
                }
                let (mut x, mut y) = (p, new);
                while x != y {
                    while number[x as usize] < number[y as usize] {
                        x = idom[x as usize];
                    }
                    while number[y as usize] < number[x as usize] {
                        y = idom[y as usize];
                    }
                }
                new = x;
            }
            if idom[b as usize] != new {
                idom[b as usize] = new;
                changed = true;
            }
        }
    }
    idom
}

fn dominates(idom: &[u32], a: u32, mut b: u32) -> bool {
    loop {
        if a == b {
            return true;
        }
        let up = idom[b as usize];
        if up == b || up == u32::MAX {
            return false;
        }
        b = up;
    }
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
