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
    /// Volatile: how code looks that relies on lanes in lockstep, as well as a flag.
    pub volatile: bool,
    /// Strong only inside the thread's block (`.cta`).
    pub narrow: bool,
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

/// The lanes of a mask, ascending.
fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(lane)
    })
}
