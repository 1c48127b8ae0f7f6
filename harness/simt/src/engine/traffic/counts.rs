//! Counters of a running kernel.

use crate::finding::Space;

/// Executions of a basic block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCount {
    /// The number of executions by warps.
    pub executions: u64,
    /// The number of executions by threads.
    pub lanes: u64,
}

/// What is known of, and counted at, an instruction that accesses memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Site {
    /// The first address of the allocation that it accessed last. For shared memory, the start of the range in which
    /// the checks may take its accesses as usual ones, see [`crate::engine::watch::usual`].
    pub start: u64,
    /// The size of that allocation, or of that range, in bytes. 0 if there is none yet, or if it must not be accessed
    /// in this way.
    pub len: u64,
    /// The difference between the device's address and the host's. For shared memory, a pointer to the pattern of the
    /// addresses, a [`crate::engine::traffic::pattern::Pattern`].
    pub delta: u64,
    /// Warp instructions.
    pub requests: u64,
    /// Lanes.
    pub lanes: u64,
    /// Sectors (shared memory: wavefronts).
    pub sectors: u64,
    /// The smallest number of sectors or wavefronts that could serve the same requests.
    pub ideal: u64,
    /// For shared memory, the worst number of ways of any request. For atomics, the number of colliding lanes.
    pub extra: u64,
}

/// Returns the row in which an access is counted: the sites of a program's instructions lie in up to three consecutive
/// rows. What an instruction with generic addresses accesses in shared or local memory is counted as traffic of that
/// space, which has its own row.
pub(crate) const fn row_of(declared: Space, space: Space) -> usize {
    match (declared, space) {
        (Space::Generic, Space::Shared) => 1,
        (Space::Generic, Space::Local) => 2,
        _ => 0,
    }
}

/// Counts a request that touched `sectors`.
#[inline(always)]
pub(crate) fn count_sectors(site: &mut Site, mask: u32, sectors: u32, size: u64) {
    let lanes = u64::from(mask.count_ones());
    site.requests += 1;
    site.lanes += lanes;
    site.sectors += u64::from(sectors);
    site.ideal += u64::from(sectors).min((lanes * size).div_ceil(32));
}
