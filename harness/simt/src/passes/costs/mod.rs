//! What a program costs on the hardware: passes that run when its code is complete, and that nothing but the counters
//! depends on. They imitate what the assembler does to the code, and leave tables next to the operations.

pub mod estimate_blocks;
pub mod find_load_uses;
pub mod fuse_instructions;
pub mod if_convert;
pub mod merge_loads;
pub mod record_costs;
pub mod settle_idle_loops;
pub mod split_at_barriers;
