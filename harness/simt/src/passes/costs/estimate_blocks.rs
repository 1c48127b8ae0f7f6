//! Estimates what a basic block costs in hardware, from its PTX: instructions by pipe, and the longest dependent chain.
//!
//! The assembler removes moves, address conversions and parameter loads, and expands a division or a 64-bit sum into
//! several instructions. It also moves loads up past instructions that they do not depend on, so the chain of a block
//! is the longest path through its data flow, whatever the order of its instructions.

use super::find_load_uses::{LoadUse, Uses, copies_after};
use super::fuse_instructions::becomes;
use super::if_convert::ConvertedBlock;
use super::merge_loads::MergedLoads;
use crate::costs::{Chain, Pipes};
use crate::engine::costs::tables::Effort;
use crate::passes::ir::Block;
use ptx::ast::{Body, Inst, RegId};
use ptx::cost::{Cost, Latency, Pipe, is_global_load, is_wide_fence};
use ptx::opcode::{Opcode, WaitsFor};
use std::collections::{HashMap, HashSet};

/// The data flow up to some point in the code.
#[derive(Default)]
struct Flow {
    /// The chain that leads to each register's value.
    depth: HashMap<RegId, Chain>,
    /// The longest chain so far.
    longest: Chain,
    /// The loads that are waited for elsewhere.
    awaited: LoadUse,
}

impl Flow {
    /// Creates the data flow at the start of a region.
    fn new(awaited: LoadUse) -> Flow {
        let wait = Chain { global: 1, ..Chain::default() };
        Flow { depth: awaited.at_start.iter().map(|&r| (r, wait)).collect(), longest: Chain::default(), awaited }
    }
}

/// What is known about how the assembler treats a function's code.
pub struct Assembled<'a> {
    /// The number of instructions that each becomes, if the assembler fuses it with others.
    pub fused: &'a [Option<u64>],
    /// How it executes each block.
    pub places: &'a [ConvertedBlock],
    /// The loads that it merges.
    pub merged: &'a MergedLoads,
}

/// Estimates the effort of each block of a body. `order` lists the blocks in code order, `uses` says which registers
/// each instruction writes and reads, and `awaited` which loads each region waits for.
pub fn estimate_blocks(
    blocks: &[Block],
    order: &[u32],
    body: &Body,
    uses: &[Uses],
    assembled: &Assembled<'_>,
    mut awaited: HashMap<u32, LoadUse>,
) -> Vec<Effort> {
    let read: HashSet<RegId> = uses.iter().flat_map(|(_, reads)| reads.iter().copied()).collect();
    let mut efforts = vec![Effort::default(); blocks.len()];
    let mut flows: HashMap<u32, Flow> = HashMap::new();
    for &own in order {
        let (block, place) = (&blocks[own as usize], &assembled.places[own as usize]);
        let before = place.after.and_then(|before| flows.remove(&before));
        let mut flow = before.unwrap_or_else(|| Flow::new(awaited.remove(&own).unwrap_or_default()));
        let kept = block.code.len() - usize::from(place.drops_branch);
        let code = block.code[..kept].iter().map(|&at| (at, assembled.fused[at as usize]));
        let mut effort = estimate(&mut flow, place.under, body, code, |register| read.contains(&register));
        flows.insert(own, flow);
        effort.pipes.memory = effort.pipes.memory.saturating_sub(assembled.merged.followers(block));
        efforts[own as usize] = effort;
    }
    efforts
}

/// Returns the effort of a block with these instructions of a body. Each has the number of instructions that it becomes
/// if the assembler fuses it with others. `is_read` returns whether any instruction reads a register. The block
/// continues `flow`, and its chain is what it adds to that; `under` is the predicate under which the assembler executes
/// all of it.
fn estimate(
    flow: &mut Flow,
    under: Option<RegId>,
    body: &Body,
    code: impl Iterator<Item = (u32, Option<u64>)>,
    is_read: impl Fn(RegId) -> bool,
) -> Effort {
    let mut effort = Effort::default();
    let code: Vec<_> = code.map(|(at, joined)| (at, &body.code[at as usize], joined)).collect();
    let leads = leads_to_loads(&code);
    let Flow { depth, longest, awaited } = flow;
    let before = *longest;
    let wait = Chain { global: 1, ..Chain::default() };
    if std::mem::take(&mut awaited.at_end) && wait.cycles() > longest.cycles() {
        *longest = wait;
    }
    let (mut fences, mut meanwhile, mut beside_copies) = (0, 0, 0);
    for ((at, inst, joined), leads) in code.into_iter().zip(leads) {
        let Cost { pipe, latency: step, .. } = inst.cost();
        let instructions = becomes(inst, joined);
        let step = step.filter(|_| joined != Some(0));
        *count_of(pipe, &mut effort.pipes) += instructions;
        fences += u64::from(is_wide_fence(inst));
        let (writes, mut reads) = inst.registers();
        reads.extend(under);
        // The assembler turns an atomic whose old value is not used into a `red`, which is not waited for.
        let is_awaited = inst.opcode != Opcode::Atom || writes.iter().any(|register| is_read(*register));
        let step = step.filter(|_| is_awaited);
        if inst.opcode == Opcode::WgmmaMmaAsync {
            // The instruction adds to its accumulators.
            reads.extend(&writes);
        }
        let mut own = match inst.opcode.waits_for() {
            WaitsFor::Registers => longest_of(&reads, depth),
            WaitsFor::Before => before,
            WaitsFor::All => *longest,
        };
        awaited.copies = copies_after(inst, awaited.copies);
        if !leads && own.global == 0 {
            meanwhile += instructions;
            beside_copies += if awaited.copies > 0 { instructions } else { 0 };
        }
        if let Some(step) = step {
            // A division or a 64-bit product is itself a chain.
            *steps_of(step, &mut own) += instructions.max(1);
        }
        // Instructions that only lead to a load that is waited for elsewhere cause no wait here.
        let waited = if awaited.later.contains(&at) { Chain { global: own.global - 1, ..own } } else { own };
        if waited.cycles() > longest.cycles() {
            *longest = waited;
        }
        // Under a guard the register keeps its old value in some lanes.
        let is_guarded = inst.guard.is_some() || under.is_some();
        let kept = if is_guarded { longest_of(&writes, depth) } else { Chain::default() };
        let own = if kept.cycles() > own.cycles() { kept } else { own };
        depth.extend(writes.into_iter().map(|register| (register, own)));
    }
    effort.chain = longest.beyond(&before);
    // Instructions after a fence wait for it, whatever comes before it.
    effort.chain.fences += fences;
    effort.chain.meanwhile = if longest.global > 0 || awaited.is_under_way() { meanwhile } else { beside_copies };
    effort
}

/// Returns the count of a pipe.
const fn count_of(pipe: Pipe, pipes: &mut Pipes) -> &mut u64 {
    match pipe {
        Pipe::Single => &mut pipes.single,
        Pipe::Integer => &mut pipes.integer,
        Pipe::Product => &mut pipes.product,
        Pipe::Double => &mut pipes.double,
        Pipe::Special => &mut pipes.special,
        Pipe::Tensor => &mut pipes.tensor,
        Pipe::Warpgroup => &mut pipes.warpgroup,
        Pipe::Memory => &mut pipes.memory,
        Pipe::Exchange => &mut pipes.exchange,
        Pipe::Control => &mut pipes.control,
    }
}

/// Returns the number of steps of a chain that have a latency.
const fn steps_of(latency: Latency, chain: &mut Chain) -> &mut u64 {
    match latency {
        Latency::Arithmetic => &mut chain.arithmetic,
        Latency::Double => &mut chain.double,
        Latency::Special => &mut chain.special,
        Latency::Tensor => &mut chain.tensor,
        Latency::Warpgroup => &mut chain.warpgroup,
        Latency::Shared => &mut chain.shared,
        Latency::Exchange => &mut chain.exchange,
        Latency::Global => &mut chain.global,
        Latency::Local => &mut chain.local,
        Latency::Atomic => &mut chain.atomics,
        Latency::Branch => &mut chain.branches,
        Latency::Barrier => &mut chain.barriers,
    }
}

/// Returns which instructions are loads from global memory, or contribute to the address of one.
fn leads_to_loads(code: &[(u32, &Inst, Option<u64>)]) -> Vec<bool> {
    let mut needed = HashSet::new();
    let mut leads: Vec<bool> = code
        .iter()
        .rev()
        .map(|(_, inst, _)| {
            let (writes, reads) = inst.registers();
            let leads = is_global_load(inst) || writes.iter().any(|register| needed.contains(register));
            if leads {
                needed.extend(reads);
            }
            leads
        })
        .collect();
    leads.reverse();
    leads
}

fn longest_of(registers: &[RegId], depth: &HashMap<RegId, Chain>) -> Chain {
    registers.iter().filter_map(|r| depth.get(r)).max_by_key(|c| c.cycles()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::find_load_uses::find_load_uses;
    use super::super::fuse_instructions::fuse_instructions;
    use super::super::if_convert::{if_convert, in_order};
    use super::super::merge_loads::merge_loads;
    use super::*;
    use crate::passes::testing::translated;

    /// Returns the efforts of the blocks of a kernel, in the order of its code.
    fn efforts(code: &str) -> Vec<Effort> {
        translated("", code, |plan, members, functions| {
            let (blocks, body) = (&functions[0].blocks, members[0].body);
            let uses: Vec<Uses> = body.code.iter().map(Inst::registers).collect();
            let (merged, fused) = (merge_loads(plan, members[0], blocks), fuse_instructions(body));
            let (places, order) = (if_convert(blocks, body, &fused), in_order(blocks));
            let awaited = find_load_uses(blocks, &order, &places, body, &uses);
            let assembled = Assembled { fused: &fused, places: &places, merged: &merged };
            let efforts = estimate_blocks(blocks, &order, body, &uses, &assembled, awaited);
            order.iter().map(|&block| efforts[block as usize]).collect()
        })
    }

    #[test]
    fn loads_that_depend_on_each_other_are_a_chain_and_others_are_waited_for_together() {
        let chain = |code: &str| efforts(code)[0].chain.global;
        assert_eq!(chain("ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;"), 2);
        let together = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r1, %r2;";
        assert_eq!(chain(&format!("{together} st.global.u32 [%rd1], %r3;")), 1);
    }

    #[test]
    fn a_load_is_waited_for_where_its_value_is_used() {
        // The value is used behind the loop only.
        let code = "ld.global.u32 %r1, [%rd1]; L: mad.lo.u32 %r2, %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;
            st.global.u32 [%rd2], %r1;";
        let waits: Vec<u64> = efforts(code).iter().map(|effort| effort.chain.global).collect();
        assert_eq!(waits.iter().sum::<u64>(), 1);
        let used = code.replace("%r2, %r2, 1;", "%r2, %r1, 1;");
        assert_eq!(efforts(&used)[0].chain.global, 1);
    }

    #[test]
    fn instructions_that_the_assembler_removes_or_merges_are_not_counted() {
        let memory = |code: &str| efforts(code)[0].pipes.memory;
        let loads = "mov.u64 %rd2, tile; ld.shared.f32 %f1, [%rd2]; ld.shared.f32 %f2, [%rd2+4];
            ld.shared.f32 %f3, [%rd2+8]; ld.shared.f32 %f4, [%rd2+12];";
        assert_eq!(memory(loads), 1);
        assert_eq!(memory(&loads.replace("+12", "+20")), 4);
        let removed = "mov.u32 %r1, %r2; mov.b32 %r3, %r1; cvta.to.global.u64 %rd2, %rd1;";
        assert_eq!(efforts(removed)[0].pipes.total(), efforts("")[0].pipes.total());
    }
}
