//! The registers and local memory in which a warp runs.

use super::buffer::Buffer;
use crate::engine::costs::chains::Paused;
use crate::engine::traffic::counts::BlockCount;
use crate::lane::LANES;

/// Returns the distance between the local memory of adjacent lanes, if each has `bytes` bytes. Usually all lanes access
/// the same offset; an odd number of cache lines between them spreads these accesses over the sets of the host's
/// caches.
pub(crate) const fn local_stride(bytes: u32) -> usize {
    let bytes = bytes as usize;
    if bytes < 512 { bytes.next_multiple_of(16) } else { (bytes.div_ceil(64) | 1) * 64 }
}

/// A warp's register file and local memory.
pub(crate) struct WarpSlot {
    /// Registers, the constant area first.
    pub regs: Buffer,
    /// Local memory of 32 lanes, one after another at [`local_stride`].
    pub local: Option<Buffer>,
    /// For each lane, the saved registers of callers that wait for recursive calls, with their return addresses. Their
    /// number is limited by the frames that the lane's stack has room for.
    pub saved: [Vec<u64>; LANES],
    /// One bit for each branch that the warp executed, then one for each at which it diverged.
    pub seen: Vec<u64>,
    /// How often the warp executed each basic block; empty unless the launch's costs are counted.
    pub counts: Vec<BlockCount>,
    /// Its progress at the last barrier of its block, if costs are counted.
    pub paused: Paused,
    /// The number of the block, and of the warp in it, whose special registers have been filled in.
    pub block: u64,
    pub warp: u32,
}
