//! The placement of a launch: its blocks on the SMs, and its data in the caches.

use crate::{gpu_model::GpuModel, launch_profile::LaunchProfile};

/// Shares of the L2 cache: if a launch touches at most the share `WARM`, the next launch finds all of it there; from
/// the share `COLD` on, nothing.
const WARM: f64 = 0.8;
const COLD: f64 = 0.96;

/// The distribution of a grid over the SMs.
pub(crate) struct Spread {
    /// The share of all instructions that the busiest SM executes.
    pub(crate) busiest: f64,
    /// The share of all accesses to memory that the SM with the most of them executes.
    pub(crate) busiest_memory: f64,
    /// How many times an SM's resident blocks are replaced.
    pub(crate) waves: f64,
    /// The number of average blocks that run one after another until the last one ends: the number of waves, or the
    /// length of the longest block in average blocks if that is more.
    pub(crate) rounds: f64,
    /// Blocks resident on an SM.
    pub(crate) resident: f64,
    /// An SM's cycles in a millisecond.
    pub(crate) clocks_per_ms: f64,
}

impl Spread {
    /// Returns the distribution of this launch on this part.
    pub(crate) fn from_profile(profile: &LaunchProfile, part: &GpuModel) -> Spread {
        let (sms, blocks) = (part.sms(), profile.blocks.max(1.0));
        let resident = profile.resident.min((blocks / sms).ceil());
        let device = sms * resident;
        // With many waves, blocks of the next wave begin as those of the previous one end, and few SMs idle at the end.
        let whole = (blocks / device).ceil();
        let waves = if whole < 8.0 { whole } else { blocks / device + 0.5 };
        let share = if whole <= 1.0 { (blocks / sms).ceil() / blocks } else { (waves * resident / blocks).min(1.0) };
        // The last of several waves is seldom full.
        let even = 1.0 / sms.min(blocks);
        let busiest = if whole <= 1.0 { share } else { f64::midpoint(share, even) };
        let rounds = waves.max(profile.chain_longest * blocks);
        // The SM of the block with the most work also runs other blocks, as many as are resident with it. If blocks
        // follow each other, the others run elsewhere.
        let others = if whole <= 1.0 { (blocks / sms).ceil() - 1.0 } else { 0.0 };
        let at_least = |block: f64| busiest.max(block + others * (1.0 - block) / (blocks - 1.0).max(1.0));
        Spread {
            busiest: at_least(profile.busiest_issue),
            busiest_memory: at_least(profile.busiest_memory),
            waves,
            rounds,
            resident,
            clocks_per_ms: part.clock_ghz() * 1e6,
        }
    }
}

/// Where loads find their data.
pub(crate) struct Hits {
    /// The shares of loads that are served by the L1 cache, the L2 cache and device memory.
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) dram: f64,
    /// Sectors that the SMs request from the L2 cache.
    pub(crate) l2_sectors: f64,
    /// The share of the touched sectors that earlier launches have not left in the L2 cache.
    pub(crate) cold: f64,
    /// The share of local memory's sectors that miss the L1 cache.
    pub(crate) spilled: f64,
}

impl Hits {
    /// Returns the hit rates of this launch on this part.
    pub(crate) fn from_profile(profile: &LaunchProfile, part: &GpuModel, spread: &Spread) -> Hits {
        let l2_bytes = part.l2_bytes();
        // A launch is repeated, and finds its data in the cache if they fit; if they are nearly as large as the cache,
        // it finds a part (bench/curves.cu: repeated reads).
        let touched = profile.touched_sectors * 32.0;
        let large = ((touched / l2_bytes - WARM) / (COLD - WARM)).clamp(0.0, 1.0);
        let cold = if profile.flushed > 0.0 { 1.0 } else { large };
        let l1_bytes = (part.l1_bytes() - profile.shared_bytes * spread.resident).max(16384.0);
        let local = profile.local_bytes * profile.threads * spread.resident;
        let spilled = ((local - 0.5 * l1_bytes) / l1_bytes).clamp(0.0, 1.0);
        let loads = profile.global_load_sectors;
        let missed = profile.block_read_sectors.min(loads);
        let from_dram = profile.read_sectors.min(missed) * cold;
        let share = |sectors: f64| if loads > 0.0 { sectors / loads } else { 0.0 };
        let (mut l2, mut dram) = (share(missed - from_dram), share(from_dram));
        if profile.flushed > 0.0 {
            (l2, dram) = compulsory_misses(profile, part, spread, l2 + dram);
        }
        // Bulk copies bypass the L1 cache.
        let l2_sectors = missed + profile.local_sectors * spilled + profile.copied_sectors;
        Hits { l1: 1.0 - l2 - dram, l2, dram, l2_sectors, cold, spilled }
    }
}

/// The shares of waits that are served by the L2 cache and by device memory, if the cache initially holds none of the
/// launch's data. A warp waits for all of its loads in flight, so for the slowest of them: with k loads, each of which
/// misses the L1 cache with probability `missed`, the wait misses with probability 1 - (1 - missed)^k. Data that the
/// blocks of the first wave load come from device memory, whichever block requests them first; later blocks find them
/// in the L2 cache.
fn compulsory_misses(profile: &LaunchProfile, part: &GpuModel, spread: &Spread, missed: f64) -> (f64, f64) {
    let warps = (profile.threads / 32.0).ceil().max(1.0);
    let together = (profile.global_load_requests / warps / profile.chain_global.max(1.0)).max(1.0);
    let waits = 1.0 - (1.0 - missed).powf(together);
    let first = (part.sms() * spread.resident / profile.blocks.max(1.0)).min(1.0);
    (waits * (1.0 - first), waits * first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_does_most_of_the_work_keeps_its_sm_busy_alone() {
        let part = GpuModel::find("h200").unwrap();
        let of = |blocks: f64, share: f64| {
            let work = LaunchProfile { blocks, resident: 2.0, busiest_issue: share, ..LaunchProfile::default() };
            Spread::from_profile(&work, &part).busiest
        };
        assert!((of(132.0, 0.5) - 0.5).abs() < 1e-9 && (of(132.0, 0.0) - 1.0 / 132.0).abs() < 1e-9);
        // Another block runs on the same SM.
        assert!((of(264.0, 0.5) - (0.5 + 0.5 / 263.0)).abs() < 1e-9);
        // If blocks follow each other, the others run elsewhere.
        assert!((of(26400.0, 0.5) - 0.5).abs() < 1e-9 && of(26400.0, 1.0 / 26400.0) < 0.01);
        let memory = LaunchProfile { blocks: 132.0, resident: 1.0, busiest_memory: 0.5, ..LaunchProfile::default() };
        let spread = Spread::from_profile(&memory, &part);
        assert!(spread.busiest_memory > 60.0 * spread.busiest);
    }

    #[test]
    fn after_a_flush_the_first_wave_waits_for_device_memory_and_later_ones_do_not() {
        let part = GpuModel::find("h200").unwrap();
        let hits = |blocks: f64, sectors: f64, flushed: f64| {
            let loads = LaunchProfile {
                blocks,
                threads: 32.0,
                resident: 1.0,
                chain_global: 100.0 * blocks,
                global_load_requests: 400.0 * blocks,
                global_load_sectors: 800.0 * blocks,
                block_read_sectors: sectors * blocks,
                read_sectors: 400.0,
                touched_sectors: 400.0,
                flushed,
                ..LaunchProfile::default()
            };
            Hits::from_profile(&loads, &part, &Spread::from_profile(&loads, &part))
        };
        assert_eq!((hits(132.0, 400.0, 0.0).dram, hits(132.0, 400.0, 0.0).cold), (0.0, 0.0));
        let (one, many) = (hits(132.0, 400.0, 1.0), hits(13200.0, 400.0, 1.0));
        // Half of the sectors are in the L1 cache, and four loads are in flight together.
        assert!((one.dram - 15.0 / 16.0).abs() < 1e-9 && one.l2 < 1e-9 && one.cold == 1.0);
        assert!((many.dram - one.dram / 100.0).abs() < 1e-9 && (many.l1 - one.l1).abs() < 1e-9);
    }
}
