//! The time that each resource alone would need for a launch. The README has the equations with their sources.

use crate::{
    gpu_model::GpuModel,
    launch_profile::LaunchProfile,
    placement::{Hits, Spread},
    prediction::{Bound, Term},
};

/// Returns the time that each resource alone would need, without launch overhead.
pub(crate) fn terms(profile: &LaunchProfile, part: &GpuModel) -> Vec<Term> {
    let spread = Spread::from_profile(profile, part);
    let hits = Hits::from_profile(profile, part, &spread);
    let mut terms = throughput(profile, part, &spread);
    let mut add = |bound, ms| terms.push(Term { bound, ms });
    let on_sm = |amount: f64, per_clock: f64| amount * spread.busiest_memory / per_clock / spread.clocks_per_ms;
    let loaded = on_sm((profile.global_load_sectors + profile.local_sectors) * 32.0, part.l1_bytes_per_clock());
    let stored = storing(profile, part) * spread.busiest_memory / spread.clocks_per_ms;
    let passed = profile.request_passes * spread.busiest_memory / spread.clocks_per_ms;
    let filled = on_sm(hits.l2_sectors * 32.0, part.l1_fill_bytes_per_clock());
    add(Bound::L1, (loaded + stored).max(passed).max(filled));
    let passes = on_sm(profile.shared_passes, part.shared_passes_per_clock());
    // An atomic request takes at least two cycles.
    let steps = profile.shared_atomic_steps.max(2.0 * profile.shared_atomic_requests);
    add(Bound::SharedMemory, passes + on_sm(steps, part.shared_atomic_steps_per_clock()));
    let partial = partial_stores(profile);
    let whole = hits.l2_sectors + profile.global_store_sectors - partial;
    let l2_sectors = whole + atomic_sectors(profile);
    let l2 = l2_sectors * 32.0 / part.l2_gb_per_s() + partial / part.partial_stores_per_ns();
    add(Bound::L2, l2 / 1e6);
    add(Bound::Dram, dram(profile, part, hits.cold));
    let start = spread.waves * part.block_start_cycles() + first_access(profile, part);
    let chain = (start + spread.rounds * latency(profile, part, &spread, &hits)) / spread.clocks_per_ms;
    // The last of the initially resident blocks begins when all of these have been started. If some blocks have longer
    // chains, these are assumed to be the first, and to be 1 / `rounds` of all blocks, which gives the average chain.
    let began = profile.blocks.min(part.sms() * spread.resident) * part.block_ns() * 1e-6;
    let long = if spread.waves > 1.0 { 1.0 } else { 1.0 / spread.rounds };
    add(Bound::Latency, long * began + chain + passed_on(profile, part, &spread));
    add(Bound::Atomics, atomics(profile, part));
    add(Bound::Blocks, profile.blocks * part.block_ns() * 1e-6);
    terms
}

/// The partitions of an SM, each with a scheduler and a tensor core; every warp is bound to one of them.
pub(crate) const SCHEDULERS: f64 = 4.0;

/// Instructions: issue slots and pipes.
fn throughput(profile: &LaunchProfile, part: &GpuModel, spread: &Spread) -> Vec<Term> {
    let LaunchProfile { single, integer, product, double, special, tensor, memory, exchange, control, .. } = *profile;
    let all = single + integer + product + double + special + tensor + memory + exchange + control;
    // Half of the lanes for single precision also execute integer multiplications. The assembler turns a part of the
    // additions and moves into multiplications by 1, so both pipes are busy.
    let given = integer * (1.0 - part.integer_percent() / 100.0);
    let products = product + given;
    let pipes = [
        (Bound::Issue, all, part.issue_per_clock()),
        (Bound::SinglePipe, (single + products).max(2.0 * products), part.single_per_clock()),
        (Bound::IntegerPipe, integer - given, part.integer_per_clock()),
        (Bound::DoublePipe, double, part.double_per_clock()),
        (Bound::SpecialPipe, special, part.special_per_clock()),
        (Bound::TensorPipe, tensor, part.tensor_per_clock()),
        (Bound::ExchangePipe, exchange, part.exchange_per_clock()),
    ];
    let ms = |amount: f64, per_clock: f64| amount * spread.busiest / per_clock / spread.clocks_per_ms;
    let mut terms: Vec<Term> =
        pipes.into_iter().map(|(bound, amount, per_clock)| Term { bound, ms: ms(amount, per_clock) }).collect();
    // Products by the warpgroup use the same tensor cores, at another rate.
    for term in terms.iter_mut().filter(|term| term.bound == Bound::TensorPipe) {
        term.ms += ms(profile.warpgroup, part.warpgroup_per_clock());
    }
    terms
}

/// Partially written sectors, which the L2 cache has to merge with the old contents. They are assumed where stores
/// touch more sectors than their bytes would fill, with 4 bytes in each.
fn partial_stores(profile: &LaunchProfile) -> f64 {
    let LaunchProfile { global_store_sectors: stored, global_store_ideal_sectors: ideal, .. } = *profile;
    // If the ideal was not recorded, nothing is known.
    if ideal > 0.0 { (8.0 / 7.0 * (stored - ideal)).clamp(0.0, stored) } else { 0.0 }
}

/// The cycles that a single SM would need to forward all stores and atomics: a minimum for each request, and some for
/// each sector, more for one that is partially written or in which atomics add.
fn storing(profile: &LaunchProfile, part: &GpuModel) -> f64 {
    let partial = partial_stores(profile);
    let whole = profile.global_store_sectors - partial;
    let apart = part.apart_sector_cycles();
    let sectors = whole * part.store_sector_cycles() + partial * apart;
    let stores = sectors.max(profile.global_store_requests * part.store_request_cycles());
    stores + atomic_sectors(profile) * apart
}

/// Sectors in which atomics add, each counted once for each lane that adds there. A request has at most one for each
/// lane.
fn atomic_sectors(profile: &LaunchProfile) -> f64 {
    profile.atomic_steps.min(profile.memory * 32.0)
}

/// Milliseconds of device memory, which transfers pairs of sectors. Switching between reads and writes costs bus
/// turnarounds.
fn dram(profile: &LaunchProfile, part: &GpuModel, cold: f64) -> f64 {
    let time = |sectors: f64, gb_per_s: f64| sectors * cold * 32.0 / gb_per_s / 1e6;
    let reads = time(profile.read_sectors.max(2.0 * profile.read_pairs), part.dram_read_gb_per_s());
    let writes = time(profile.written_sectors.max(2.0 * profile.written_pairs), part.dram_write_gb_per_s());
    reads + writes + 2.0 * reads.min(writes) * part.dram_turn_percent() / 100.0
}

/// The additional cycles of a launch's first access to global memory.
fn first_access(profile: &LaunchProfile, part: &GpuModel) -> f64 {
    let accesses = profile.global_load_requests + profile.global_atomic_requests + profile.copied_sectors;
    if accesses > 0.0 { part.first_access_cycles() } else { 0.0 }
}

/// Cycles from an average block's first instruction to the end of its last warp, without interference.
fn latency(profile: &LaunchProfile, part: &GpuModel, spread: &Spread, hits: &Hits) -> f64 {
    let chain: f64 = chains(profile, part, spread, hits).iter().map(|(_, cycles)| cycles).sum();
    chain / profile.blocks.max(1.0)
}

/// The cycles of the chains of all blocks, by what they are spent on. The warps of all blocks of an SM share one
/// barrier unit.
pub(crate) fn chains(
    profile: &LaunchProfile,
    part: &GpuModel,
    spread: &Spread,
    hits: &Hits,
) -> [(&'static str, f64); 14] {
    let local = part.l1_cycles() + hits.spilled * (part.l2_cycles() - part.l1_cycles());
    let warps = (profile.threads / 32.0).ceil().max(1.0);
    let own = part.barrier_cycles() + (warps - 1.0) * part.barrier_warp_cycles();
    let barrier = own.max(spread.resident * warps * part.barrier_sm_cycles());
    [
        ("local", profile.chain_local * local),
        ("arithmetic", profile.chain_arithmetic * part.arithmetic_cycles()),
        ("double", profile.chain_double * part.double_cycles()),
        ("special", profile.chain_special * part.special_cycles()),
        ("tensor", profile.chain_tensor * part.tensor_cycles()),
        ("warpgroup", profile.chain_warpgroup * SCHEDULERS / part.warpgroup_per_clock()),
        ("shared", profile.chain_shared * part.shared_cycles()),
        ("exchange", profile.chain_exchange * part.exchange_cycles()),
        ("branches", profile.chain_branches * part.branch_cycles()),
        ("global", profile.chain_global * a_load(part, hits)),
        // At least one wait for bulk copies in each block: copies are usually issued ahead of their use.
        ("copies", profile.blocks * a_copy(profile, part, hits)),
        ("atomics", profile.chain_atomics * part.atomic_cycles()),
        ("barriers", profile.chain_barriers * barrier),
        ("fences", profile.chain_fences * part.fence_cycles()),
    ]
}

/// The part of these cycles that waits for global memory, atomics on it, barriers and fences.
pub(crate) fn waiting(profile: &LaunchProfile, part: &GpuModel, spread: &Spread, hits: &Hits) -> f64 {
    let waits = ["global", "copies", "atomics", "barriers", "fences"];
    let chains = chains(profile, part, spread, hits);
    let waited: f64 = chains.iter().filter(|(what, _)| waits.contains(what)).map(|(_, cycles)| cycles).sum();
    waited / profile.blocks.max(1.0)
}

/// The cycles of the waits for loads from global memory in which no warp of a block executes anything. The warps of a
/// scheduler execute their independent instructions one after another.
pub(crate) fn idle(profile: &LaunchProfile, part: &GpuModel, hits: &Hits) -> f64 {
    let warps = (profile.threads / 32.0).ceil().max(1.0);
    let busy = profile.chain_meanwhile * (warps / SCHEDULERS).max(1.0);
    (profile.chain_global * a_load(part, hits)).min(busy) / profile.blocks.max(1.0)
}

/// Cycles of an average load.
fn a_load(part: &GpuModel, hits: &Hits) -> f64 {
    hits.l1 * part.l1_cycles() + hits.l2 * part.l2_cycles() + hits.dram * part.dram_cycles()
}

/// Cycles of a bulk copy; 0 for a kernel without any.
fn a_copy(profile: &LaunchProfile, part: &GpuModel, hits: &Hits) -> f64 {
    if profile.copied_sectors > 0.0 {
        part.l2_cycles() + hits.cold * (part.dram_cycles() - part.l2_cycles())
    } else {
        0.0
    }
}

/// Cycles from the start of the first blocks until the first data that they wait for arrive.
pub(crate) fn filling(profile: &LaunchProfile, part: &GpuModel, hits: &Hits) -> f64 {
    first_access(profile, part) + first_data(profile, part, hits)
}

/// As [`filling`], from the start of any block.
pub(crate) fn first_data(profile: &LaunchProfile, part: &GpuModel, hits: &Hits) -> f64 {
    let load = if profile.chain_global > 0.0 { a_load(part, hits) } else { 0.0 };
    part.block_start_cycles() + load.max(a_copy(profile, part, hits))
}

/// Cycles from the start of an average block to the end of its last warp.
fn a_chain(profile: &LaunchProfile, part: &GpuModel, spread: &Spread, hits: &Hits) -> f64 {
    part.block_start_cycles() + first_access(profile, part) + latency(profile, part, spread, hits)
}

/// Cycles from the start of the grid's last block to its end, without the `others`, which are counted already. If some
/// blocks of a single wave have longer chains than others, these are assumed to be the first, and the chains to get
/// shorter linearly: the last one is as much shorter than the average as the first one is longer.
pub(crate) fn last_chain(profile: &LaunchProfile, part: &GpuModel, spread: &Spread, hits: &Hits, others: f64) -> f64 {
    let (start, average) = (part.block_start_cycles(), a_chain(profile, part, spread, hits));
    if spread.waves > 1.0 {
        (average - others).max(0.0)
    } else {
        start + (2.0 - spread.rounds).max(0.0) * (average - start) - others
    }
}

/// Milliseconds until flags between blocks have propagated from the first to the last of the blocks that begin together
/// (decoupled look-back). A block looks at 32 predecessors in each trip to the L2 cache, one a lane, and is done if one
/// of them was done after the previous trip: after r trips 32 + 64 + ... + 32 r = 16 r (r + 1) blocks are done. The
/// first trip counts as a load of the chain. Later blocks find the flags set. The blocks of an SM get their data one
/// after another, and cannot set their flags before that: each waits for the last of them.
pub(crate) fn passed_on(profile: &LaunchProfile, part: &GpuModel, spread: &Spread) -> f64 {
    let sms = part.sms();
    let together = profile.blocks.min(sms * spread.resident);
    if profile.flag_loops > 0.0 && together > 1.0 {
        let trips = ((0.25 + (together - 1.0) / 16.0).sqrt() - 0.5).ceil();
        let read = profile.block_read_sectors * 32.0 * together / profile.blocks;
        let others = 1.0 - 1.0 / (together / sms).max(1.0);
        ((trips - 1.0) * part.flag_ns() + others * read / part.l2_gb_per_s()) * 1e-6
    } else {
        0.0
    }
}

/// Milliseconds of atomics on global memory: the longest chain at one slice of the L2 cache, or all atomics at the rate
/// of the whole cache. If threads retry until no other thread interferes, one thread at a word succeeds in each round
/// trip, which takes longer if many wait: on average, half of all those that arrive.
fn atomics(profile: &LaunchProfile, part: &GpuModel) -> f64 {
    let integer = profile.atomic_longest - profile.atomic_longest_float;
    let chain = integer * part.atomic_step_ns() + profile.atomic_longest_float * part.atomic_float_step_ns();
    let trip = part.atomic_trip_cycles() / part.clock_ghz();
    let resident = profile.resident * part.sms() * profile.threads;
    let waiting = 0.5 * profile.atomic_retried.min(resident) * part.atomic_step_ns();
    let retried = profile.atomic_retried * trip.max(waiting);
    chain.max(retried).max(profile.atomic_steps / part.atomic_steps_per_ns()) * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_waited_for_and_so_is_a_first_access() {
        let part = GpuModel::find("h200").unwrap();
        let base = LaunchProfile { blocks: 132.0, threads: 32.0, resident: 1.0, ..LaunchProfile::default() };
        let ms = |profile: &LaunchProfile| {
            terms(profile, &part).iter().find(|term| term.bound == Bound::Latency).unwrap().ms
        };
        let cycles = |profile: LaunchProfile| (ms(&profile) - ms(&base)) * 1e6 * part.clock_ghz();
        let fences = cycles(LaunchProfile { chain_fences: 2.0 * 132.0, ..base.clone() });
        assert!((fences / part.fence_cycles() - 2.0).abs() < 1e-6, "{fences}");
        let load = |requests: f64| cycles(LaunchProfile { global_load_requests: requests, ..base.clone() });
        assert!((load(1.0) / part.first_access_cycles() - 1.0).abs() < 1e-6 && load(1.0) == load(2.0));
        let atomic = cycles(LaunchProfile { global_atomic_requests: 1.0, ..base.clone() });
        assert_eq!(atomic, load(1.0));
    }

    #[test]
    fn an_sm_hands_on_stores_by_requests_and_by_sectors_and_atomics_by_sectors() {
        let part = GpuModel::find("h200").unwrap();
        let cycles = |profile: LaunchProfile| {
            let one = LaunchProfile { blocks: 1.0, threads: 1024.0, resident: 1.0, memory: 1e6, ..profile };
            let ms = terms(&one, &part).iter().find(|term| term.bound == Bound::L1).unwrap().ms;
            ms * 1e6 * part.clock_ghz() / 1e6
        };
        let stores = |sectors: f64, ideal: f64| {
            cycles(LaunchProfile {
                global_store_requests: 1e6,
                global_store_sectors: sectors * 1e6,
                global_store_ideal_sectors: ideal * 1e6,
                ..LaunchProfile::default()
            })
        };
        // Measured by bench/spread.cu on one SM: a single word for all lanes, 8 contiguous bytes a lane, and words 8
        // apart.
        for (sectors, ideal, measured) in [(1.0, 1.0, 2.0), (8.0, 8.0, 6.87), (32.0, 4.0, 40.0)] {
            assert!((stores(sectors, ideal) / measured - 1.0).abs() < 0.02, "{sectors} {}", stores(sectors, ideal));
        }
        for (steps, measured) in [(4.0, 5.0), (32.0, 40.0)] {
            let atomics = cycles(LaunchProfile { atomic_steps: steps * 1e6, ..LaunchProfile::default() });
            assert!((atomics / measured - 1.0).abs() < 0.02, "{steps} {atomics}");
        }
        // Loads are added.
        let loads = LaunchProfile { global_load_sectors: 4e6, ..LaunchProfile::default() };
        let both = LaunchProfile { global_store_requests: 1e6, global_store_sectors: 1e6, ..loads.clone() };
        assert!((cycles(both) - cycles(loads) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn blocks_with_longer_chains_than_others_are_taken_to_be_the_first() {
        let part = GpuModel::find("h200").unwrap();
        let ms = |longest: f64| {
            let blocks = 1056.0;
            let few = LaunchProfile {
                blocks,
                threads: 256.0,
                resident: 8.0,
                chain_branches: 100.0 * blocks,
                chain_longest: longest / blocks,
                ..LaunchProfile::default()
            };
            terms(&few, &part).iter().find(|term| term.bound == Bound::Latency).unwrap().ms
        };
        // A quarter of the blocks takes four times as long: the others begin meanwhile.
        let chain = 1000.0 / part.clock_ghz() * 1e-6;
        let began = 1056.0 * part.block_ns() * 1e-6;
        assert!((ms(4.0) - ms(1.0) - (3.0 * chain - 0.75 * began)).abs() < 1e-9, "{} {}", ms(1.0), ms(4.0));
    }
}
