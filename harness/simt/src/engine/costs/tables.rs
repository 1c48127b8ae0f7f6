//! What the code of a program costs: tables next to its operations.

use crate::costs::{Chain, Pipes};

/// The costs of a program.
#[derive(Debug, Default)]
pub struct CostTables {
    /// The cost of one execution of each basic block.
    pub efforts: Vec<Effort>,
    /// For each basic block that ends in a barrier of the whole block, or ends the thread: the range (first, one past
    /// the last) of the blocks that a warp may execute between the barrier before, or its start, and this one.
    /// [`ANY_BLOCK`] for others, and if that is not known.
    pub since: Vec<(u32, u32)>,
    /// The same for the end of a warp.
    pub last: (u32, u32),
    /// For each instruction, the bytes a lane of the load that it is counted as, if the assembler merges it with
    /// others: 0 if another load is counted in its place. Empty if none are merged.
    pub merged: Vec<Option<u32>>,
}

/// The hardware cost of one execution of a basic block by a warp.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Instructions by pipe.
    pub pipes: Pipes,
    /// Its longest dependent chain.
    pub chain: Chain,
}

/// Any block of a program.
pub const ANY_BLOCK: (u32, u32) = (0, u32::MAX);

impl CostTables {
    /// Creates the tables of a program with this number of basic blocks, before anything is known.
    pub fn of_blocks(blocks: usize) -> CostTables {
        let efforts = vec![Effort::default(); blocks];
        CostTables { efforts, since: vec![ANY_BLOCK; blocks], last: ANY_BLOCK, merged: Vec::new() }
    }

    /// Returns the bytes a lane that the load at `pc` counts as, if the assembler merges it with others.
    #[inline(always)]
    pub fn merged_bytes(&self, pc: u32) -> Option<u32> {
        self.merged.get(pc as usize).copied().flatten()
    }
}

/// What an atomic adds, as far as its cost depends on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adds {
    /// Integers; or the atomic is not an addition.
    #[default]
    Other,
    /// Floating-point numbers; or the atomic compares them.
    Float,
    /// One, to a 32-bit word whose old value is not used. In shared memory the hardware counts the lanes that meet.
    One,
}
