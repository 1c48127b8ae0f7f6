//! Occupancy: the number of blocks that fit on an SM, by the rules of NVIDIA's occupancy calculator.

use gpu::Part;

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
pub fn occupancy(profile: &Part, threads: u32, regs: u32, shared: u32) -> Occupancy {
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

fn by_registers(profile: &Part, warps: u32, regs: u32) -> u32 {
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
pub fn registers_for(profile: &Part, threads: u32, blocks: u32) -> u32 {
    let warps = threads.div_ceil(profile.warp_size).clamp(1, profile.max_warps_per_sm());
    let room = (profile.max_warps_per_sm() / warps).min(profile.max_blocks_per_sm);
    let wanted = blocks.clamp(1, room.max(1));
    let fits = |regs: u32| by_registers(profile, warps, regs) >= wanted;
    (1..=profile.max_regs_per_thread).rev().find(|&regs| fits(regs)).unwrap_or(1)
}

fn by_shared(profile: &Part, shared: u32) -> u32 {
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
    profile: &Part,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &str) -> &'static Part {
        Part::find(name).unwrap()
    }

    /// An SM with 2048 threads, 32 blocks and 65536 registers.
    #[test]
    fn the_usual_exercises() {
        let a100 = get("a100");
        let percent = |threads, regs| occupancy(a100, threads, regs, 0).percent();
        assert_eq!(percent(32, 32), 50.0);
        assert_eq!(percent(64, 32), 100.0);
        assert_eq!(percent(1024, 32), 100.0);
        let found = occupancy(a100, 32, 32, 0);
        assert_eq!((found.blocks, found.limiter), (32, Limiter::Blocks));
        let found = occupancy(a100, 256, 128, 0);
        assert_eq!((found.blocks, found.warps, found.limiter), (2, 16, Limiter::Registers));
        let ada = get("rtx4090");
        assert_eq!(occupancy(ada, 1024, 32, 0).percent().round(), 67.0);
        assert_eq!(occupancy(ada, 1024, 32, 0).limiter, Limiter::Threads);
        assert_eq!(occupancy(ada, 512, 32, 0).percent(), 100.0);
    }

    #[test]
    fn registers_are_allocated_by_warp_in_units_in_a_quarter_of_the_sm() {
        let a100 = get("a100");
        // 33 registers per thread are 1056 per warp, allocated as 1280: 12 warps in each quarter, 48 in all.
        assert_eq!(occupancy(a100, 32 * 6, 33, 0).limits.registers, 8);
        // 255 registers per thread are 8160 per warp, allocated as 8192: 2 warps in each quarter. A block of 9 warps
        // does not fit.
        assert_eq!(occupancy(a100, 256, 255, 0).blocks, 1);
        assert_eq!(occupancy(a100, 288, 255, 0).blocks, 0);
        assert_eq!(occupancy(a100, 32, 256, 0).blocks, 0);
        // 168 registers per thread are 5376 per warp, so 3 warps in each quarter: 12 warps, though all registers would
        // hold 12.19.
        assert_eq!(occupancy(a100, 96, 168, 0).blocks, 4);
        // 88 registers per thread are 2816 per warp: 5 in a quarter of 16384, so 20, where the whole register file
        // would hold 23.
        assert_eq!(occupancy(a100, 32, 88, 0).blocks, 20);
    }

    #[test]
    fn shared_memory_counts_what_the_system_takes() {
        let a100 = get("a100");
        // 164 KiB: 10 x (15 KiB + 1 KiB) = 160 KiB.
        let found = occupancy(a100, 128, 16, 15 * 1024);
        assert_eq!((found.blocks, found.limiter), (10, Limiter::SharedMemory));
        assert_eq!(occupancy(a100, 128, 16, 163 * 1024).blocks, 1);
        assert_eq!(occupancy(a100, 128, 16, 163 * 1024 + 1).blocks, 0);
        // Before 8.0 nothing is reserved: 64 KiB hold 4 x 16 KiB.
        assert_eq!(occupancy(get("t4"), 128, 16, 16 * 1024).blocks, 4);
        assert_eq!(occupancy(get("t4"), 128, 16, 0).limits.shared, u32::MAX);
    }

    #[test]
    fn impossible_blocks_have_no_occupancy() {
        let a100 = get("a100");
        assert_eq!(occupancy(a100, 0, 16, 0).blocks, 0);
        assert_eq!(occupancy(a100, 1025, 16, 0).blocks, 0);
        assert_eq!(occupancy(a100, u32::MAX, u32::MAX, u32::MAX).blocks, 0);
    }

    #[test]
    fn the_best_block_is_the_largest_that_fills_the_sm() {
        let a100 = get("a100");
        assert_eq!(best_block(a100, 32, 0, 1024, 0, |_| 0), Some((1024, 216)));
        // An SM holds 1536 threads: a block of 768 fills it, one of 1024 does not.
        assert_eq!(best_block(get("rtx4090"), 32, 0, 1024, 0, |_| 0), Some((768, 256)));
        // With at most 100 threads in a block, 32 blocks of 64 are 2048 threads, and 21 of 96 are only 2016.
        assert_eq!(best_block(a100, 32, 0, 1024, 100, |_| 0).unwrap().0, 64);
        assert_eq!(best_block(a100, 32, 0, 1024, 0, |_| u32::MAX), None);
    }
}
