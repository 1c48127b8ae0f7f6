//! If-conversion by the assembler: where a branch leads past a few instructions, it executes these under a predicate
//! instead. The code before, the predicated instructions, and the code after them then form one region, in which it
//! moves loads together: `if (i < n) a = x[i]; if (j < n) b = x[j];` waits once.

use super::fuse_instructions::becomes;
use crate::passes::ir::{Block, Term};
use ptx::ast::{Body, RegId};
use ptx::cost::is_global_load;
use ptx::opcode::{Opcode, OpcodeKind};

/// The maximum number of instructions that are executed under a predicate: without a load from global memory, the
/// number given by the CUDA C Programming Guide (4.0, control flow instructions, where many warps are likely to
/// diverge). With a load, a branch would only prolong the wait, so the maximum is higher (ptxas 13.0 for sm_90, given
/// blocks of 1 to 39 instructions).
const MOST: u64 = 7;
const MOST_WITH_LOAD: u64 = 20;

/// The treatment of a basic block.
#[derive(Clone, Copy, Default)]
pub struct ConvertedBlock {
    /// The block whose data flow it continues, instead of starting a new one.
    pub after: Option<u32>,
    /// The predicate under which all of it is executed.
    pub under: Option<RegId>,
    /// Whether the branch at its end is removed.
    pub drops_branch: bool,
}

/// Returns the numbers of the blocks in code order.
pub fn in_order(blocks: &[Block]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    // A block that resumes after a call follows the one with the call, which has a lower number.
    let begins = |block: u32| blocks[blocks[block as usize].resumes.unwrap_or(block) as usize].code.first().copied();
    order.sort_by_key(|&block| begins(block).unwrap_or_default());
    order
}

/// Decides the treatment of each block. `joined` says what instructions become where the assembler fuses them with
/// others.
pub fn if_convert(blocks: &[Block], body: &Body, joined: &[Option<u64>]) -> Vec<ConvertedBlock> {
    let resumed = |block: &Block| ConvertedBlock { after: block.resumes, ..ConvertedBlock::default() };
    let mut places: Vec<ConvertedBlock> = blocks.iter().map(resumed).collect();
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
        let Some((predicate, _)) = branch.guard.filter(|_| branch.opcode == Opcode::Bra) else {
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
                places[inner as usize] =
                    ConvertedBlock { after: Some(head), under: Some(predicate), ..places[inner as usize] };
                // A later load may read what the block writes, and is not moved up.
                places[behind as usize].after = (!writes(skipped, body)).then_some(inner);
            }
        }
    }
    places
}

/// Whether a block writes to memory.
fn writes(block: &Block, body: &Body) -> bool {
    let kind = |at: &u32| body.code[*at as usize].opcode.kind();
    block.code.iter().any(|at| matches!(kind(at), OpcodeKind::Store | OpcodeKind::Atomic))
}

/// Whether a block is short, and consists of instructions that the assembler does not branch around.
fn can_be_predicated(block: &Block, body: &Body, joined: &[Option<u64>]) -> bool {
    let code = || block.code.iter().map(|&at| (&body.code[at as usize], joined[at as usize]));
    let most = if code().any(|(inst, _)| is_global_load(inst)) { MOST_WITH_LOAD } else { MOST };
    let becomes: u64 = code().map(|(inst, joined)| becomes(inst, joined)).sum();
    becomes <= most && code().all(|(inst, _)| inst.opcode.may_be_predicated())
}

#[cfg(test)]
mod tests {
    use super::super::fuse_instructions::fuse_instructions;
    use super::*;
    use crate::passes::testing::translated;

    /// Returns whether the assembler removes a branch of a kernel, and how many blocks continue another one.
    fn converted(code: &str) -> (bool, usize) {
        translated("", code, |_, members, functions| {
            let body = members[0].body;
            let blocks = if_convert(&functions[0].blocks, body, &fuse_instructions(body));
            let continues = blocks.iter().filter(|block| block.after.is_some()).count();
            (blocks.iter().any(|block| block.drops_branch), continues)
        })
    }

    #[test]
    fn a_branch_past_a_few_instructions_is_removed() {
        assert_eq!(converted("@%p1 bra L; add.u32 %r1, %r1, 1; L: st.global.u32 [%rd1], %r1;"), (true, 2));
        // What follows a block that writes begins a region of its own.
        assert_eq!(converted("@%p1 bra L; st.global.u32 [%rd2], %r1; L: ld.global.u32 %r2, [%rd1];"), (true, 1));
    }

    #[test]
    fn a_branch_past_many_instructions_or_a_barrier_stays() {
        let many = "mad.lo.s32 %r1, %r1, %r2, %r3; ".repeat(8);
        for skipped in [many.as_str(), "bar.warp.sync 0xffffffff;"] {
            let code = format!("@%p1 bra L; {skipped} L: st.global.u32 [%rd1], %r1;");
            assert_eq!(converted(&code), (false, 0), "{code}");
        }
        let load = format!("@%p1 bra L; ld.global.u32 %r2, [%rd2]; {many} L: st.global.u32 [%rd1], %r1;");
        assert!(converted(&load).0);
    }
}
