//! Where a launch lies: its blocks on the SMs, and its data in the caches.

use crate::{part::Part, subject::Subject};

/// The shares of the L2 cache up to which what a launch touches is found there by the next, and from which nothing is.
const WARM: f64 = 0.8;
const COLD: f64 = 0.96;

/// How a grid lies on the SMs.
pub(crate) struct Spread {
    /// The share of all blocks that the busiest SM runs.
    pub(crate) busiest: f64,
    /// How many times an SM's resident blocks are replaced.
    pub(crate) waves: f64,
    /// How many average blocks follow each other until the last one ends: as many as there are waves, or as the longest
    /// block takes as long as, if that is more.
    pub(crate) rounds: f64,
    /// Blocks resident on an SM.
    pub(crate) resident: f64,
    /// Cycles of an SM in a millisecond.
    pub(crate) clocks_per_ms: f64,
}

impl Spread {
    /// Of this launch on this part.
    pub(crate) fn of(subject: &Subject, part: &Part) -> Spread {
        let (sms, blocks) = (part.value("sms"), subject.blocks.max(1.0));
        let resident = subject.resident.min((blocks / sms).ceil());
        let device = sms * resident;
        // With many waves, the blocks of one begin as those of the wave before end, and few SMs idle at the end.
        let whole = (blocks / device).ceil();
        let waves = if whole < 8.0 { whole } else { blocks / device + 0.5 };
        let share = if whole <= 1.0 { (blocks / sms).ceil() / blocks } else { (waves * resident / blocks).min(1.0) };
        // The last wave of several is seldom full.
        let even = 1.0 / sms.min(blocks);
        let busiest = if whole <= 1.0 { share } else { f64::midpoint(share, even) };
        let rounds = waves.max(subject.chain_longest * blocks);
        Spread { busiest, waves, rounds, resident, clocks_per_ms: part.value("clock_ghz") * 1e6 }
    }
}

/// Where loads find their data.
pub(crate) struct Hits {
    /// The shares of loads that end in the L1 cache, the L2 cache and in device memory.
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) dram: f64,
    /// Sectors that the SMs ask the L2 cache for.
    pub(crate) l2_sectors: f64,
    /// The share of what is touched that no launch before has left in the L2 cache.
    pub(crate) cold: f64,
    /// The share of local memory's sectors that the L1 cache does not hold.
    pub(crate) spilled: f64,
}

impl Hits {
    /// Of this launch on this part.
    pub(crate) fn of(subject: &Subject, part: &Part, spread: &Spread) -> Hits {
        let l2_bytes = part.value("l2_bytes");
        // A launch is repeated, and finds what fits in the cache; of what is nearly as large as that, some
        // (bench/curves.cu: repeated reads).
        let touched = subject.touched_sectors * 32.0;
        let cold = ((touched / l2_bytes - WARM) / (COLD - WARM)).clamp(0.0, 1.0);
        let l1_bytes = (part.value("l1_bytes") - subject.shared_bytes * spread.resident).max(16384.0);
        let local = subject.local_bytes * subject.threads * spread.resident;
        let spilled = ((local - 0.5 * l1_bytes) / l1_bytes).clamp(0.0, 1.0);
        let loads = subject.global_load_sectors;
        let missed = subject.block_read_sectors.min(loads);
        let from_dram = subject.read_sectors.min(missed) * cold;
        let share = |sectors: f64| if loads > 0.0 { sectors / loads } else { 0.0 };
        let (l2, dram) = (share(missed - from_dram), share(from_dram));
        // Copies in bulk go past the L1 cache.
        let l2_sectors = missed + subject.local_sectors * spilled + subject.copied_sectors;
        Hits { l1: 1.0 - l2 - dram, l2, dram, l2_sectors, cold, spilled }
    }
}
