//! A place for a warp to run in.

use super::buffer::Buffer;

/// A warp's register file and local memory.
pub(crate) struct WarpSlot {
    /// Registers, the constant area first.
    pub regs: Buffer,
    /// Local memory of 32 lanes, one after another.
    pub local: Option<Buffer>,
    /// One bit for each branch that the warp executed, then one for each at which it diverged.
    pub seen: Vec<u64>,
    /// The number of the block, and of the warp in it, whose special registers have been filled in.
    pub block: u64,
    pub warp: u32,
}
