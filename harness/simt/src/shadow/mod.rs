//! What the race and initialisation checks remember of every byte that a kernel touches.
//!
//! The executor calls in here only when one of the two checks is on, from the one place that knows an access's addresses.

pub(crate) mod clock;
pub(crate) mod init;
pub(crate) mod race;

use crate::finding::What;
use crate::lane::LANES;

/// One memory instruction of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    /// Load, store or atomic.
    pub what: What,
    /// Volatile, relaxed or stronger, or atomic: an access that may be part of a protocol between threads.
    pub strong: bool,
    /// In shared memory.
    pub block_local: bool,
    /// Program counter.
    pub pc: u32,
    /// The lanes that execute it.
    pub mask: u32,
    /// Bytes a lane.
    pub size: u32,
    /// Addresses, valid in those lanes.
    pub address: &'a [u64; LANES],
}
