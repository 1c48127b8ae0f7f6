//! The request of a memory instruction, and the windows of generic addresses.

use crate::finding::{AccessKind, FindingKind, Space};
use crate::lane::LANES;

/// The generic address of offset 0 in shared memory.
pub(crate) const SHARED_WINDOW: u64 = 1 << 56;
/// The generic address of offset 0 in a lane's own local memory.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 56;
/// The generic address of offset 0 in the kernel's parameter block.
pub(crate) const PARAM_WINDOW: u64 = 3 << 56;

/// In a cluster's shared memory, the rank of a block plus one is stored above these bits. Offsets in the block's own
/// shared memory have 0 there.
pub(crate) const RANK_SHIFT: u32 = 24;

/// Returns the rank of the block in whose shared memory an offset lies, if the offset names one, and the offset there.
pub(crate) fn home_of(offset: u64) -> (Option<u32>, u64) {
    match offset >> RANK_SHIFT {
        0 => (None, offset),
        above => (Some((above - 1).min(u32::MAX.into()) as u32), offset & ((1 << RANK_SHIFT) - 1)),
    }
}

/// Returns the offset by which a block addresses a location in the shared memory of the block with this rank.
pub(crate) fn offset_in(rank: u32, offset: u64) -> u64 {
    (u64::from(rank) + 1) << RANK_SHIFT | offset & ((1 << RANK_SHIFT) - 1)
}

/// Returns the space that a generic address belongs to, and its address there.
pub(crate) fn space_of(address: u64) -> (Space, u64) {
    let offset = address & ((1 << 56) - 1);
    match address >> 56 {
        1 => (Space::Shared, offset),
        2 => (Space::Local, offset),
        3 => (Space::Param, offset),
        _ => (Space::Global, address),
    }
}

/// What a memory instruction is about to do with its addresses.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// The declared space.
    pub space: Space,
    /// Bytes a lane.
    pub size: u32,
    /// Whether it reads, writes, or performs an atomic operation.
    pub what: AccessKind,
}

/// Host addresses of the lanes.
pub(crate) type Pointers = [u64; LANES];

/// What is wrong with an address.
pub(crate) struct Wrong {
    pub kind: FindingKind,
    /// The space that the address lies in.
    pub space: Space,
    /// The address in that space.
    pub address: u64,
}

impl Wrong {
    /// Sign-extends an offset below the start of shared or local memory to a negative number, whether it was computed
    /// in 32 or 64 bits.
    pub fn signed(mut self) -> Wrong {
        if matches!(self.space, Space::Shared | Space::Local) && (1 << 31..1 << 32).contains(&self.address) {
            self.address = i64::from(self.address as u32 as i32) as u64;
        }
        self
    }
}
