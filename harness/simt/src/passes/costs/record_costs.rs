//! Records the costs of a function in its program.

use super::merge_loads::{Merge, MergedLoads};
use crate::engine::warp::program::{Effort, Program};
use crate::passes::emit::Placement;
use crate::passes::ir::Block;

/// Records the efforts of the blocks of a function, and its merged loads, where the function lies in the program.
pub fn record_costs(
    program: &mut Program,
    placement: &Placement,
    blocks: &[Block],
    efforts: &[Effort],
    merged: &MergedLoads,
) {
    for (number, block) in blocks.iter().enumerate() {
        let Some((index, start)) = placement.of(number) else {
            continue;
        };
        program.blocks[index].effort = efforts[number];
        for (pc, inst) in (start..).zip(&block.insts) {
            if let Some(merge) = merged.of(inst) {
                if program.merged.len() <= pc {
                    program.merged.resize(pc + 1, None);
                }
                program.merged[pc] = Some(if let Merge::Leads(bytes) = merge { bytes } else { 0 });
            }
        }
    }
}
