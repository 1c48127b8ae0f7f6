//! Branches that the assembler does not make: where a branch leads past a few instructions, it executes these under a
//! predicate. What comes before them, they themselves, and what comes behind are then one piece of code to it, in which
//! it moves loads together: `if (i < n) a = x[i]; if (j < n) b = x[j];` waits once.

use super::effort::{becomes, is_global_load};
use super::ir::{Block, Term};
use crate::ptx::ast::{Body, RegId};

/// The most instructions that are executed under a predicate: without a load from global memory, so many as the CUDA
/// C Programming Guide named (4.0, control flow instructions, where many warps are likely to diverge), and with one,
/// whose wait a branch would only make longer, more (ptxas 13.0 for sm_90, given blocks of 1 to 39 instructions).
const MOST: u64 = 7;
const MOST_WITH_LOAD: u64 = 20;

/// What is done with a basic block.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The block whose data flow it goes on with, rather than to begin anew.
    pub after: Option<u32>,
    /// The predicate under which all of it is executed.
    pub under: Option<RegId>,
    /// Its last instruction is a branch that is not made.
    pub drops_branch: bool,
}

/// The numbers of the blocks as they stand in the code.
pub fn in_order(blocks: &[Block]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    order.sort_by_key(|&block| blocks[block as usize].code.first().copied().unwrap_or_default());
    order
}

/// What is done with each block. `joined` tells what instructions become where the assembler joins them with others.
pub fn find(blocks: &[Block], body: &Body, joined: &[Option<u64>]) -> Vec<Place> {
    let mut places = vec![Place::default(); blocks.len()];
    let mut ways_to = vec![0u32; blocks.len()];
    for to in blocks.iter().flat_map(|block| block.term.successors()) {
        ways_to[to as usize] += 1;
    }
    for (head, block) in (0u32..).zip(blocks) {
        let Term::Branch { yes, no, .. } = block.term else {
            continue;
        };
        let Some(branch) = block.code.last().map(|&at| &body.code[at as usize]) else {
            continue;
        };
        let Some((predicate, _)) = branch.guard.filter(|_| branch.op.starts_with("bra")) else {
            continue;
        };
        for (inner, behind) in [(yes, no), (no, yes)] {
            let skipped = &blocks[inner as usize];
            let is_skipped = matches!(skipped.term, Term::Goto(to) if to == behind);
            let is_alone = ways_to[inner as usize] == 1 && ways_to[behind as usize] == 2;
            let first = |block: u32| blocks[block as usize].code.first();
            let in_order = first(head) < first(inner) && first(inner) < first(behind);
            if is_skipped && is_alone && in_order && can_be_predicated(skipped, body, joined) {
                places[head as usize].drops_branch = true;
                places[inner as usize] = Place { after: Some(head), under: Some(predicate), ..places[inner as usize] };
                // A load behind it may read what it writes, and is not moved up.
                places[behind as usize].after = (!writes(skipped, body)).then_some(inner);
            }
        }
    }
    places
}

/// Whether a block writes to memory.
fn writes(block: &Block, body: &Body) -> bool {
    let base = |at: &u32| body.code[*at as usize].op.split('.').next().unwrap_or_default();
    block.code.iter().any(|at| matches!(base(at), "st" | "red" | "atom"))
}

/// Whether a block is short, and of instructions that each lane executes for itself. Atomics are branched around.
fn can_be_predicated(block: &Block, body: &Body, joined: &[Option<u64>]) -> bool {
    const BRANCHED: [&str; 14] = [
        "bar",
        "barrier",
        "shfl",
        "vote",
        "match",
        "redux",
        "activemask",
        "mma",
        "wmma",
        "wgmma",
        "ldmatrix",
        "cp",
        "atom",
        "red",
    ];
    let code = || block.code.iter().map(|&at| (&body.code[at as usize], joined[at as usize]));
    let most = if code().any(|(inst, _)| is_global_load(inst)) { MOST_WITH_LOAD } else { MOST };
    let becomes: u64 = code().map(|(inst, joined)| becomes(inst, joined)).sum();
    becomes <= most && code().all(|(inst, _)| !BRANCHED.contains(&inst.op.split('.').next().unwrap_or_default()))
}
