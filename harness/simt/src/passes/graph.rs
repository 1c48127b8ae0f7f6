//! The graph of a function's blocks: order, dominators and loops.

use super::ir::Block;

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

/// Returns the blocks that lead to each block, of those that are reached.
pub fn predecessors(successors: &[Vec<u32>], reach: &[u32]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &b in reach {
        for &s in &successors[b as usize] {
            predecessors[s as usize].push(b);
        }
    }
    predecessors
}

/// Returns the natural loops of a graph, of which `reach` is the post-order.
pub fn loops(successors: &[Vec<u32>], reach: &[u32]) -> Vec<(u32, Vec<bool>)> {
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

/// Returns the blocks that are reached from the entry, each after those to which it leads.
pub fn post_order(successors: &[Vec<u32>]) -> Vec<u32> {
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
pub fn dominators(post_order: &[u32], predecessors: &[Vec<u32>], n: usize) -> Vec<u32> {
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
