//! Records the costs of a function in its program.

use super::merge_loads::{Merge, MergedLoads};
use crate::engine::costs::tables::{ANY_BLOCK, CostTables, Effort};
use crate::passes::emit::Placement;
use crate::passes::ir::{Block, Func, Term};

/// The costs of a function.
pub struct FunctionCosts {
    /// The effort of each of its blocks.
    pub efforts: Vec<Effort>,
    /// Its merged loads.
    pub merged: MergedLoads,
    /// For each block that ends at a barrier, or ends the thread, the blocks that a warp may execute since the barrier
    /// before.
    pub parts: Vec<(u32, Option<Vec<u32>>)>,
}

/// Records the costs of a function in the tables of the program in which it lies.
pub fn record_costs(
    tables: &mut CostTables,
    placement: &Placement,
    func: &Func,
    is_kernel: bool,
    costs: &FunctionCosts,
) {
    for (number, block) in func.blocks.iter().enumerate() {
        if let Some((index, start)) = placement.of(number) {
            tables.efforts[index] = costs.efforts[number];
            record_loads(tables, start, block, &costs.merged);
        }
    }
    record_parts(tables, placement, func, is_kernel, &costs.parts);
}

/// Records the merged loads of a block, whose first instruction is `start`.
fn record_loads(tables: &mut CostTables, start: usize, block: &Block, merged: &MergedLoads) {
    for (pc, inst) in (start..).zip(&block.insts) {
        if let Some(merge) = merged.of(inst) {
            if tables.merged.len() <= pc {
                tables.merged.resize(pc + 1, None);
            }
            tables.merged[pc] = Some(if let Merge::Leads(bytes) = merge { bytes } else { 0 });
        }
    }
}

/// Records between which blocks of the program each part lies.
fn record_parts(
    tables: &mut CostTables,
    placement: &Placement,
    func: &Func,
    is_kernel: bool,
    parts: &[(u32, Option<Vec<u32>>)],
) {
    let index = |block: &u32| placement.of(*block as usize).map(|(index, _)| index as u32);
    let mut last: Option<(u32, u32)> = None;
    for (end, part) in parts {
        let Some(number) = index(end) else { continue };
        let those = || part.iter().flatten().filter_map(index);
        let since = those().min().zip(those().max()).map_or(ANY_BLOCK, |(first, last)| (first, last + 1));
        tables.since[number as usize] = since;
        if func.blocks[*end as usize].term.successors().is_empty() {
            last = Some(last.map_or(since, |last| (last.0.min(since.0), last.1.max(since.1))));
        }
    }
    // A called function may end the thread, too.
    let calls = |block: &Block| matches!(block.term, Term::Call(..) | Term::CallPointer(..));
    if is_kernel && !func.blocks.iter().any(calls) {
        tables.last = last.unwrap_or(ANY_BLOCK);
    }
}
