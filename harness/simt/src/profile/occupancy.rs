//! Occupancy: the number of blocks that fit on an SM, by the rules of NVIDIA's occupancy calculator.

use super::Profile;

pub use wire::Limiter;

/// Blocks per SM if each resource were the only limit; `u32::MAX` for a resource that the kernel does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccupancyLimits {
    /// By resident threads.
    pub threads: u32,
    /// By resident blocks.
    pub blocks: u32,
    /// By registers.
    pub registers: u32,
    /// By shared memory.
    pub shared: u32,
}

/// The occupancy of an SM by a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Resident blocks; 0 if not even one fits.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// The maximum number of resident warps.
    pub max_warps: u32,
    /// The limiting resource; if several limit equally, the first in the order threads, blocks, registers, shared
    /// memory.
    pub limiter: Limiter,
    /// The number of blocks that each resource alone would allow.
    pub limits: OccupancyLimits,
}

impl Occupancy {
    /// Returns the resident warps as a percentage of the maximum.
    pub fn percent(&self) -> f64 {
        f64::from(self.warps) * 100.0 / f64::from(self.max_warps)
    }
}

/// Returns the number of blocks that are resident on one SM of `profile`, with `threads` threads per block, `regs`
/// registers per thread and `shared` bytes (static and dynamic) per block.
///
/// Registers are allocated per warp, in units, in the sub-partition in which the warp runs. Shared memory is allocated
/// per block, in units, including the system's reserved part. (Source: NVIDIA's occupancy calculator,
/// `cuda_occupancy.h`.)
pub fn occupancy(profile: &Profile, threads: u32, regs: u32, shared: u32) -> Occupancy {
    let max_warps = profile.max_warps_per_sm();
    let warps = threads.div_ceil(profile.warp_size);
    let by_threads = if threads == 0 || threads > profile.max_threads_per_block { 0 } else { max_warps / warps };
    let limits = OccupancyLimits {
        threads: by_threads,
        blocks: profile.max_blocks_per_sm,
        registers: by_registers(profile, warps, regs),
        shared: by_shared(profile, shared),
    };
    let order = [
        (limits.threads, Limiter::Threads),
        (limits.blocks, Limiter::Blocks),
        (limits.registers, Limiter::Registers),
        (limits.shared, Limiter::SharedMemory),
    ];
    let (blocks, limiter) = order.into_iter().min_by_key(|(blocks, _)| *blocks).expect("four of them");
    Occupancy { blocks, warps: blocks.saturating_mul(warps), max_warps, limiter, limits }
}

fn by_registers(profile: &Profile, warps: u32, regs: u32) -> u32 {
    if regs == 0 || warps == 0 {
        return u32::MAX;
    }
    if regs > profile.max_regs_per_thread {
        return 0;
    }
    let per_warp = (regs * profile.warp_size).next_multiple_of(profile.reg_alloc_unit);
    if per_warp.saturating_mul(warps) > profile.regs_per_block {
        return 0;
    }
    let parts = profile.warp_alloc_granularity;
    profile.regs_per_sm / parts / per_warp * parts / warps
}

/// Returns the maximum number of registers per thread with which `blocks` blocks of `threads` threads, or as many as
/// fit, are resident on an SM.
pub fn registers_for(profile: &Profile, threads: u32, blocks: u32) -> u32 {
    let warps = threads.div_ceil(profile.warp_size).clamp(1, profile.max_warps_per_sm());
    let room = (profile.max_warps_per_sm() / warps).min(profile.max_blocks_per_sm);
    let wanted = blocks.clamp(1, room.max(1));
    let fits = |regs: u32| by_registers(profile, warps, regs) >= wanted;
    (1..=profile.max_regs_per_thread).rev().find(|&regs| fits(regs)).unwrap_or(1)
}

fn by_shared(profile: &Profile, shared: u32) -> u32 {
    if shared > profile.shared_per_block_optin {
        return 0;
    }
    let needed = (shared + profile.shared_reserved_per_block).next_multiple_of(profile.shared_alloc_unit);
    profile.shared_per_sm.checked_div(needed).unwrap_or(u32::MAX)
}

/// Returns the block size with the most resident threads on an SM, and the number of blocks on the whole device at that
/// size. The block size is a multiple of the warp size and at most `limit`, where 0 means the part's limit. `shared`
/// returns the dynamic shared memory for a block size, and `fixed` is the static shared memory. The largest such size
/// wins, as with `cuOccupancyMaxPotentialBlockSize`.
pub fn best_block(
    profile: &Profile,
    regs: u32,
    fixed: u32,
    max_threads: u32,
    limit: u32,
    mut shared: impl FnMut(u32) -> u32,
) -> Option<(u32, u32)> {
    let limit = if limit == 0 { u32::MAX } else { limit };
    let limit = limit.min(max_threads).min(profile.max_threads_per_block);
    let mut best = None;
    let mut most = 0;
    let mut size = limit.next_multiple_of(profile.warp_size);
    while size > 0 {
        let threads = size.min(limit);
        let found = occupancy(profile, threads, regs, fixed.saturating_add(shared(threads)));
        if found.blocks * threads > most {
            most = found.blocks * threads;
            best = Some((threads, found.blocks * profile.sms));
        }
        if most == profile.max_threads_per_sm {
            break;
        }
        size -= profile.warp_size;
    }
    best
}
