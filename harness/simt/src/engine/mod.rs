//! Execution: a warp runs the groups of its lanes, a block its warps, a worker its blocks.
//!
//! A group is a set of lanes at one program counter. The lowest program counter runs first and groups that meet are
//! merged; the lowering lays the code out so that this order brings diverged lanes back together where the source does.
//! A group that spins yields to the others of its warp, then to other warps, then to other blocks: lanes make progress
//! independently, as they do from Volta on. Where it only waits for other blocks, those run first: lanes that have left
//! the loop wait after it for a few turns, so that the warp continues as one.

pub mod costs;
pub(crate) mod findings;
pub(crate) mod memory;
pub(crate) mod run;
pub(crate) mod traffic;
pub mod warp;
pub(crate) mod watch;
