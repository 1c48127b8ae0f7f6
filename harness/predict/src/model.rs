//! The model: combines the times that a launch's resources need. The README has the equations with their sources.

use crate::{
    gpu_model::GpuModel,
    interval::{self, LaunchKind, Shares},
    launch_profile::{LaunchProfile, Repeated},
    placement::{Hits, Spread},
    prediction::{Bound, ByOrder, NotPredicted, Prediction, Term},
    resources::{SCHEDULERS, filling, first_data, idle, last_chain, passed_on, terms, waiting},
};

/// Predicts the time of this launch on this part.
///
/// # Errors
/// [`NotPredicted::Measure`] for a kernel whose time depends on the order of its threads.
///
/// ```
/// let part = predict::GpuModel::find("h200").unwrap();
/// let read = 1e8 / 32.0;
/// let copy = predict::LaunchProfile {
///     blocks: 1e5, threads: 256.0, resident: 8.0, read_sectors: read, block_read_sectors: read,
///     global_load_sectors: read, touched_sectors: 1e7, ..predict::LaunchProfile::default()
/// };
/// assert_eq!(predict::predict(&copy, &part).unwrap().terms.len(), 15);
/// ```
pub fn predict(profile: &LaunchProfile, part: &GpuModel) -> Result<Prediction, NotPredicted> {
    sequence_time(&[Repeated { count: 1, profile: profile.clone() }], part)
}

/// Predicts the total time of launches that follow each other on a stream: the first launch has the whole launch
/// overhead, and each later one less, because the host prepares it while its predecessor runs.
///
/// # Errors
/// [`NotPredicted`] if there is no launch, or a kernel's time depends on the order of its threads.
pub fn sequence_time(launches: &[Repeated], part: &GpuModel) -> Result<Prediction, NotPredicted> {
    with_bottleneck_relieved(launches, part, None)
}

/// As [`sequence_time`], but if `bound` is the bottleneck, it needs no more time than the second-busiest resource.
pub(crate) fn with_bottleneck_relieved(
    launches: &[Repeated],
    part: &GpuModel,
    bound: Option<Bound>,
) -> Result<Prediction, NotPredicted> {
    for Repeated { profile, .. } in launches {
        if let Some(why) = by_order(profile) {
            return Err(NotPredicted::Measure { kernel: profile.kernel.clone(), why });
        }
    }
    let mut sums: Vec<Term> = Vec::new();
    let (mut ms, mut total, mut between, mut fills) = (0.0, 0.0, 0.0, 0.0);
    for Repeated { count, profile } in launches {
        if profile.fills > 0.0 {
            fills += profile.fills * *count as f64;
            continue;
        }
        let (mut terms, count) = (terms(profile, part), *count as f64);
        let least = bound.map_or(1.0, |bound| lowered(&mut terms, bound));
        let own = alone(profile, &terms, part, least);
        ms += own * count;
        total += count;
        between += after(own, part) * count;
        for term in terms {
            match sums.iter_mut().find(|sum| sum.bound == term.bound) {
                Some(sum) => sum.ms += term.ms * count,
                None => sums.push(Term { bound: term.bound, ms: term.ms * count }),
            }
        }
    }
    if total == 0.0 {
        return Err(NotPredicted::NoLaunch);
    }
    let fills = fills * part.fill_us() * 1e-3;
    let launch = part.launch_us() * 1e-3 + between * (total - 1.0) / total + fills;
    sums.push(Term { bound: Bound::Launch, ms: launch });
    // Of several launches, a profiler does not see the gaps between them, but counts what overlaps twice.
    let unseen = if total == 1.0 && fills == 0.0 { part.profiler_us() * 1e-3 } else { 0.0 };
    let all = ms + launch;
    let kind = LaunchKind::of(longest(&sums), &interval::shares(launches, &sums, all, part));
    Ok(Prediction::new(all, sums, kind, unseen))
}

/// The bound whose term is the longest.
fn longest(terms: &[Term]) -> Bound {
    terms.iter().max_by(|a, b| a.ms.total_cmp(&b.ms)).map_or(Bound::Launch, |term| term.bound)
}

/// What in a launch depends on the order of its threads, if anything does.
fn by_order(profile: &LaunchProfile) -> Option<ByOrder> {
    match profile {
        LaunchProfile { locking_loops: 1.0.., .. } => Some(ByOrder::Lock),
        LaunchProfile { fetching_loops: 1.0.., .. } => Some(ByOrder::Fetches),
        _ => None,
    }
}

/// Returns the shares of the predicted time of these launches by which they are compared with measured ones.
///
/// # Errors
/// As [`sequence_time`].
pub fn shares(launches: &[Repeated], part: &GpuModel) -> Result<Shares, NotPredicted> {
    let all = sequence_time(launches, part)?;
    Ok(interval::shares(launches, &all.terms, all.ms, part))
}

/// The gap between the end of a launch that takes `own` milliseconds and the start of the next: the host prepares the
/// next launch during the first one, but at least the device's kernel-to-kernel latency remains.
fn after(own: f64, part: &GpuModel) -> f64 {
    let (host, turn) = (part.next_launch_us() * 1e-3, part.launch_turn_us() * 1e-3);
    (host - own).max(turn)
}

/// Lowers the time of this resource to that of the next one, and returns the share of the chain that is left.
fn lowered(terms: &mut [Term], bound: Bound) -> f64 {
    let next = terms.iter().filter(|term| term.bound != bound).map(|term| term.ms).fold(0.0, f64::max);
    let Some(term) = terms.iter_mut().find(|term| term.bound == bound && term.ms > next) else {
        return 1.0;
    };
    let share = next / term.ms;
    term.ms = next;
    if bound == Bound::Latency { share } else { 1.0 }
}

/// The time of one launch, without launch overhead. While a block waits for memory, barriers or atomics, only the other
/// blocks of its SM keep the pipes busy, or other warps too in a kernel without barriers. So a chain's waits, divided
/// by the number of these blocks or warps, are added to the rest. Nothing is busy until the first blocks have their
/// first data, so that time is added as well. The start and the first data of each later wave are divided by the
/// resident blocks, because all warps of a block wait for them together. Blocks begin while others run, and the chain
/// of the last block comes after that; in a grid that is larger than its data, the last block has no chain, and ends
/// before the first ones. `latency` is the share of the chain that is left.
fn alone(profile: &LaunchProfile, terms: &[Term], part: &GpuModel, latency: f64) -> f64 {
    let spread = Spread::from_profile(profile, part);
    let hits = Hits::from_profile(profile, part, &spread);
    let resident = spread.resident.max(1.0);
    let warps = (profile.threads / 32.0).ceil().max(1.0);
    let others = resident * if profile.chain_barriers > 0.0 { 1.0 } else { warps };
    let cycles = spread.rounds * (waiting(profile, part, &spread, &hits) - idle(profile, part, &hits)) / others
        + filling(profile, part, &hits)
        + (spread.waves - 1.0) * first_data(profile, part, &hits) / resident;
    let waits = latency * (cycles / spread.clocks_per_ms + passed_on(profile, part, &spread));
    let starts: f64 = terms.iter().filter(|term| term.bound == Bound::Blocks).map(|term| term.ms).sum();
    let last = latency * last_chain(profile, part, &spread, &hits, cycles) / spread.clocks_per_ms;
    let rest = |term: &Term| match term.bound {
        Bound::Latency => Term { ms: (term.ms - waits).max(starts + last).max(0.0), ..*term },
        Bound::Blocks => Term { ms: 0.0, ..*term },
        _ => *term,
    };
    waits + combined(&terms.iter().map(rest).collect::<Vec<_>>(), sharpness(profile, &spread, part), part)
}

/// How well resources overlap, as the exponent of a power sum. A single warp uses one resource after another, so their
/// times add up; with enough warps on a scheduler, one of them always uses the busiest resource. Between two barriers
/// all warps of a block do the same, so only the other `resident` blocks do something else. Blocks that begin together
/// read at one time and write at another: the fewer rounds there are, of blocks and of loads in each, the more of that
/// effect remains.
fn sharpness(profile: &LaunchProfile, spread: &Spread, part: &GpuModel) -> f64 {
    let resident = spread.resident.max(1.0);
    let warps = resident * (profile.threads / 32.0).ceil().max(1.0) / SCHEDULERS;
    let others = if profile.chain_barriers > 0.0 { resident / (resident + 1.0) } else { 1.0 };
    let rounds = spread.waves * (profile.chain_global / profile.blocks.max(1.0)).max(1.0);
    let apart = 1.0 - part.one_round_percent() / 100.0 / rounds.max(1.0);
    1.0 + (part.sharpness() - 1.0) * (warps / part.overlap_warps()).min(1.0) * others * apart
}

/// Combines the times of all resources: a little more than that of the busiest, as they overlap imperfectly. An
/// instruction uses its issue slot and its pipe at the same time, so these overlap even with few warps.
fn combined(terms: &[Term], sharpness: f64, part: &GpuModel) -> f64 {
    let (issue, others): (Vec<Term>, Vec<Term>) = terms.iter().partition(|term| is_issue(term.bound));
    let issue = power_sum(issue.iter().map(|term| term.ms), part.sharpness());
    power_sum(others.iter().map(|term| term.ms).chain([issue]), sharpness)
}

/// Whether the bound is the issue slots or a pipe.
fn is_issue(bound: Bound) -> bool {
    matches!(bound, Bound::Issue | Bound::SinglePipe | Bound::IntegerPipe | Bound::DoublePipe | Bound::SpecialPipe)
}

fn power_sum(times: impl Iterator<Item = f64> + Clone, sharpness: f64) -> f64 {
    let longest = times.clone().fold(0.0, f64::max);
    if longest == 0.0 {
        return 0.0;
    }
    longest * times.map(|ms| (ms / longest).powf(sharpness)).sum::<f64>().powf(1.0 / sharpness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> GpuModel {
        GpuModel::find("h200").unwrap()
    }

    fn together(launches: &[Repeated]) -> Prediction {
        with_bottleneck_relieved(launches, &part(), None).unwrap()
    }

    fn alone(profile: &LaunchProfile) -> Prediction {
        together(&[Repeated { count: 1, profile: profile.clone() }])
    }

    /// A launch that fills the device and streams `bytes` bytes.
    fn streams(bytes: f64) -> LaunchProfile {
        let sectors = bytes / 32.0;
        LaunchProfile {
            blocks: bytes / 4096.0,
            threads: 256.0,
            resident: 8.0,
            memory: sectors / 4.0,
            integer: sectors,
            chain_global: bytes / 4096.0,
            global_load_requests: sectors / 4.0,
            global_load_sectors: sectors,
            read_sectors: sectors,
            touched_sectors: sectors,
            block_read_sectors: sectors,
            ..LaunchProfile::default()
        }
    }

    fn bound(profile: &LaunchProfile) -> Bound {
        alone(profile).terms.iter().find(|t| t.bound != Bound::Launch).unwrap().bound
    }

    #[test]
    fn a_large_stream_takes_as_long_as_its_bytes_and_a_small_one_as_a_launch() {
        let large = alone(&streams(4e9));
        assert_eq!(large.bound(), Bound::Dram);
        assert!(large.ms > 4e9 / 4.595e9 && large.ms < 1.4 * 4e9 / 4.595e9, "{large:?}");
        let small = alone(&streams(4096.0 * 132.0));
        assert_eq!(small.bound(), Bound::Launch);
        // Data that the cache keeps from one launch to the next does not come from device memory.
        let ms = |p: &Prediction, bound| p.terms.iter().find(|t| t.bound == bound).unwrap().ms;
        assert_eq!(ms(&small, Bound::Dram), 0.0);
        assert!(ms(&large, Bound::Dram) > 0.8);
    }

    #[test]
    fn each_resource_can_be_what_bounds_a_launch() {
        let base = || streams(1e6);
        let plenty = 1e10;
        for (bound_by, profile) in [
            // Single precision is limited by the issue rate.
            (Bound::Issue, LaunchProfile { single: plenty, ..base() }),
            (Bound::IntegerPipe, LaunchProfile { integer: plenty, ..base() }),
            (Bound::DoublePipe, LaunchProfile { double: plenty, ..base() }),
            (Bound::SpecialPipe, LaunchProfile { special: plenty, ..base() }),
            (Bound::TensorPipe, LaunchProfile { tensor: plenty, ..base() }),
            (Bound::ExchangePipe, LaunchProfile { exchange: plenty, ..base() }),
            (Bound::Issue, LaunchProfile { control: plenty, ..base() }),
            (Bound::SharedMemory, LaunchProfile { shared_passes: plenty, ..base() }),
            (Bound::SharedMemory, LaunchProfile { shared_atomic_steps: plenty, ..base() }),
            (Bound::L1, LaunchProfile { request_passes: plenty, ..base() }),
            (Bound::L2, LaunchProfile { global_store_sectors: plenty, global_store_requests: 1.0, ..base() }),
            (Bound::Atomics, LaunchProfile { atomic_longest: plenty, ..base() }),
            (Bound::Latency, LaunchProfile { chain_arithmetic: plenty, ..base() }),
            (Bound::Blocks, LaunchProfile { blocks: plenty, ..base() }),
        ] {
            assert_eq!(bound(&profile), bound_by);
        }
    }

    #[test]
    fn what_lies_far_apart_costs_lookups_whole_pairs_and_merges() {
        let ms = |profile: &LaunchProfile, bound| {
            alone(profile).terms.iter().find(|term| term.bound == bound).map_or(0.0, |term| term.ms)
        };
        let near = streams(1e9);
        let requests = near.global_load_requests;
        // A pass takes a clock. Sectors that miss the cache come at half of the rate: four sectors in two clocks.
        let two = LaunchProfile { request_passes: 2.0 * requests, ..near.clone() };
        let many = LaunchProfile { request_passes: 32.0 * requests, ..near.clone() };
        assert_eq!(ms(&two, Bound::L1), ms(&near, Bound::L1));
        assert!((ms(&many, Bound::L1) / ms(&near, Bound::L1) - 32.0 / 2.0).abs() < 0.01);
        // One sector of each pair is requested, and both are transferred.
        let half = LaunchProfile { read_pairs: near.read_sectors, ..near.clone() };
        assert!((ms(&half, Bound::Dram) / ms(&near, Bound::Dram) - 2.0).abs() < 0.01);
        let stores = |ideal: f64| LaunchProfile {
            global_store_sectors: 1e8,
            global_store_ideal_sectors: ideal,
            ..LaunchProfile::default()
        };
        let (whole, partial) = (ms(&stores(1e8), Bound::L2), ms(&stores(1.25e7), Bound::L2));
        assert!(partial > 2.0 * whole && (partial - 1e8 / 65.2e6).abs() < 1e-6, "{whole} {partial}");
    }

    #[test]
    fn the_host_prepares_a_launch_while_its_predecessor_runs() {
        let (host, turn) = (part().next_launch_us() * 1e-3, part().launch_turn_us() * 1e-3);
        assert!((after(0.0, &part()) - host).abs() < 1e-9);
        assert!((after(1.0, &part()) - turn).abs() < 1e-9, "a long launch hides what the host does");
        let two = |profile: LaunchProfile| together(&[Repeated { count: 2, profile }]);
        let (long, one) = (two(streams(4e9)).ms, alone(&streams(4e9)).ms);
        let launch = part().launch_us() * 1e-3;
        assert!((long - (2.0 * one - launch + turn)).abs() < 1e-6, "{long} {one}");
    }

    #[test]
    fn blocks_that_look_back_wait_for_those_that_began_with_them() {
        let with = |read: f64, blocks: f64, resident: f64| {
            let plain = LaunchProfile { blocks, resident, block_read_sectors: read * blocks / 32.0, ..streams(1e6) };
            alone(&LaunchProfile { flag_loops: 1.0, ..plain.clone() }).ms - alone(&plain).ms
        };
        let extra = |blocks: f64, resident: f64| with(0.0, blocks, resident);
        let trip = part().flag_ns() * 1e-6;
        assert_eq!(extra(1.0, 8.0), 0.0, "nobody is there to wait for");
        // The first trip counts as a load of the chain.
        for (blocks, resident, trips) in [
            (2.0, 8.0, 0.0),
            (33.0, 8.0, 0.0),
            (34.0, 8.0, 1.0),
            (97.0, 8.0, 1.0),
            (512.0, 8.0, 5.0),
            // Later blocks find the flags set.
            (1e5, 1.0, 2.0),
        ] {
            assert!(
                (extra(blocks, resident) / trip - trips).abs() < 1e-6,
                "{blocks} {}",
                extra(blocks, resident) / trip
            );
        }
        // Measured on an H200: `single-pass` of the scan lab, whose tiles have 32 KiB, with and without its look-back.
        for (blocks, us, off) in [(123.0, 0.7, 0.1), (256.0, 1.7, 0.2), (384.0, 3.0, 0.1), (512.0, 3.3, 0.9)] {
            let told = with(32768.0, blocks, 4.0) * 1e3;
            assert!((told - us).abs() < off, "{blocks} {told}");
        }
    }

    #[test]
    fn blocks_start_while_others_run_and_the_last_one_takes_its_chain_after_that() {
        // Measured by bench/spread.cu: blocks of 128 threads that take 700 clocks; times beyond that of a single block.
        let ms = |blocks: f64| {
            let takes = LaunchProfile {
                blocks,
                threads: 128.0,
                resident: 16.0,
                chain_branches: 70.0 * blocks,
                ..LaunchProfile::default()
            };
            alone(&takes).ms * 1e3
        };
        for (blocks, measured) in [(1056.0, 0.64), (4224.0, 2.59), (8448.0, 5.18)] {
            let more = ms(blocks) - ms(1.0);
            assert!((more / measured - 1.0).abs() < 0.03, "{blocks} {more}");
        }
    }

    #[test]
    fn blocks_that_find_no_data_left_start_while_the_others_wait_for_theirs() {
        // The in_flight kernels of the occupancy lab at 65,537 elements: 257 blocks have work. Measured on an H200:
        // 3.30 us with 264 and with 528 blocks, 3.52 to 3.71 with 1056.
        let us = |blocks: f64| {
            let (data, busy) = (65537.0 / 8.0, 257.0);
            let loads = LaunchProfile {
                blocks,
                threads: 256.0,
                resident: 8.0,
                chain_global: busy,
                chain_longest: 1.0 / busy,
                global_load_requests: 16.0 * busy,
                global_load_sectors: 2.0 * data,
                block_read_sectors: 2.0 * data,
                ..LaunchProfile::default()
            };
            alone(&loads).ms * 1e3
        };
        let (few, twice, most) = (us(264.0), us(528.0), us(1056.0));
        assert!(twice - few < 0.05, "{few} {twice}");
        assert!((0.1..0.45).contains(&(most - few)), "{few} {most}");
    }

    #[test]
    fn a_block_alone_takes_as_long_as_its_chain() {
        let one =
            LaunchProfile { blocks: 1.0, threads: 1.0, resident: 1.0, chain_global: 10.0, ..LaunchProfile::default() };
        let (short, long) = (alone(&one).ms, alone(&LaunchProfile { chain_global: 20.0, ..one }).ms);
        assert!(short > 0.0 && long > short, "{short} {long}");
    }

    #[test]
    fn of_the_start_of_later_waves_the_share_of_one_block_is_waited_for() {
        let start = (part().block_start_cycles() + part().l2_cycles()) / part().clock_ghz() * 1e-6;
        let ms = |waves: f64, resident: f64| {
            let blocks = waves * 132.0 * resident;
            let loads = LaunchProfile {
                blocks,
                threads: 1024.0,
                resident,
                chain_global: blocks,
                global_load_requests: blocks,
                global_load_sectors: blocks,
                block_read_sectors: blocks,
                integer: 132.0 * 1e5,
                ..LaunchProfile::default()
            };
            alone(&loads).ms
        };
        // The rest is bound by the integer pipe, so far that nothing else matters.
        for (resident, share) in [(1.0, 1.0), (2.0, 0.5)] {
            let more = ms(4.0, resident) - ms(1.0, resident);
            assert!((more / start - 3.0 * share).abs() < 0.4, "{resident} {}", more / start);
        }
    }

    #[test]
    fn between_barriers_only_other_blocks_use_another_resource() {
        let ms = |resident: f64, barriers: f64| {
            let blocks = 132.0 * resident;
            let both = LaunchProfile {
                blocks,
                threads: 1024.0,
                resident,
                shared_passes: 132.0 * 1e6,
                single: 132.0 * 4e6,
                chain_barriers: barriers * blocks,
                ..LaunchProfile::default()
            };
            alone(&both).ms
        };
        // Issue slots, the pipe and shared memory each need a million cycles, the first two simultaneously. All blocks
        // begin together and have one round, which takes away a quarter of the part of p above 1.
        let million = 1e6 / part().clock_ghz() * 1e-6;
        let all = |p: f64| (2.0_f64.powf(p / 3.0) + 1.0).powf(1.0 / p) * million;
        for (resident, barriers, p) in [(1.0, 0.0, 2.5), (1.0, 1.0, 1.75), (2.0, 1.0, 2.0)] {
            let ms = ms(resident, barriers) - part().launch_us() * 1e-3;
            assert!((ms / all(p) - 1.0).abs() < 0.01, "{resident} {barriers} {} {p}", ms / million);
        }
    }

    #[test]
    fn barriers_of_several_blocks_of_an_sm_wait_for_each_other() {
        let cycles = |resident: f64| {
            let waits = |barriers: f64| LaunchProfile {
                threads: 256.0,
                blocks: 132.0 * resident,
                resident,
                chain_barriers: 132.0 * resident * barriers,
                ..LaunchProfile::default()
            };
            (alone(&waits(2e4)).ms - alone(&waits(1e4)).ms) * 1e6 * part().clock_ghz() / 1e4
        };
        // Measured by bench/spread.cu.
        for (resident, measured) in [(1.0, 28.6), (4.0, 53.4), (8.0, 89.6)] {
            assert!((cycles(resident) / measured - 1.0).abs() < 0.12, "{resident} {}", cycles(resident));
        }
    }

    #[test]
    fn a_barrier_of_many_warps_takes_longer() {
        let chain = |threads: f64| {
            let waits = LaunchProfile {
                threads,
                blocks: 132.0,
                resident: 1.0,
                chain_barriers: 132.0 * 1e4,
                ..LaunchProfile::default()
            };
            alone(&waits).ms
        };
        let cycles = (part().barrier_cycles(), part().barrier_warp_cycles());
        let more = 1e4 * 31.0 * cycles.1 / part().clock_ghz() * 1e-6;
        assert!((chain(1024.0) - chain(32.0)) / more > 0.95, "{} {}", chain(32.0), chain(1024.0));
    }

    #[test]
    fn products_of_integers_go_to_half_of_the_lanes_for_single_precision() {
        let of =
            |profile: &LaunchProfile| alone(profile).terms.iter().find(|t| t.bound == Bound::SinglePipe).unwrap().ms;
        let single = LaunchProfile { single: 1e9, ..streams(1e6) };
        let product = LaunchProfile { product: 1e9, ..streams(1e6) };
        let both = LaunchProfile { single: 1e9, product: 1e9, ..streams(1e6) };
        assert!((of(&product) / of(&single) - 2.0).abs() < 1e-6);
        assert!((of(&both) / of(&single) - 2.0).abs() < 1e-6, "together they share the lanes");
    }

    #[test]
    fn sums_of_integers_are_shared_with_the_lanes_for_single_precision() {
        let of = |bound, profile: &LaunchProfile| alone(profile).terms.iter().find(|t| t.bound == bound).unwrap().ms;
        let sums = LaunchProfile { integer: 1e9, ..LaunchProfile::default() };
        let kept = part().integer_percent() / 100.0;
        let (own, given) = (of(Bound::IntegerPipe, &sums), of(Bound::SinglePipe, &sums));
        // Each of the two pipes executes two of these a clock.
        assert!((given / own - (1.0 - kept) / kept).abs() < 1e-6, "{own} {given}");
        let busy = LaunchProfile { product: 1e9, ..sums };
        assert!(of(Bound::SinglePipe, &busy) > of(Bound::IntegerPipe, &busy));
    }

    #[test]
    fn a_floating_point_atomic_waits_longer_than_an_integer_one() {
        let whole = LaunchProfile { atomic_longest: 1e6, ..streams(1e6) };
        let float = LaunchProfile { atomic_longest_float: 1e6, ..whole.clone() };
        assert!(alone(&float).ms > 2.0 * alone(&whole).ms);
    }

    #[test]
    fn of_threads_that_try_again_one_succeeds_in_each_round_trip() {
        let tries = |retried: f64| alone(&LaunchProfile { atomic_retried: retried, ..streams(1e6) });
        let (few, many) = (tries(200.0), tries(2000.0));
        assert_eq!(few.bound(), Bound::Atomics);
        assert!(few.ms > 200.0 * 0.2e-3, "{few:?}");
        // Each atomic waits for more of the others.
        assert!(many.ms > 15.0 * few.ms, "{} {}", many.ms, few.ms);
    }

    #[test]
    fn what_a_lone_block_waits_at_its_barriers_is_added_and_what_one_of_eight_waits_is_not() {
        let blocks = 132.0;
        let work = |resident: f64, chain_global: f64| LaunchProfile {
            blocks: blocks * resident,
            threads: 256.0,
            resident,
            shared_passes: blocks * 1e6,
            chain_barriers: blocks * resident,
            chain_global: blocks * resident * chain_global,
            ..LaunchProfile::default()
        };
        let added = |resident: f64| alone(&work(resident, 1000.0)).ms / alone(&work(resident, 0.0)).ms;
        assert!(added(1.0) > 1.03 && added(8.0) < 1.01, "{} {}", added(1.0), added(8.0));
    }

    #[test]
    fn until_the_first_blocks_have_their_first_data_nothing_else_is_busy() {
        // One load a block, and enough bytes that the L2 cache is busy for much longer than the start takes.
        let waits = LaunchProfile { blocks: 1056.0, chain_global: 1056.0, chain_barriers: 0.0, ..streams(2e7) };
        let took = |profile: &LaunchProfile| {
            let all = alone(profile);
            let longest = all.terms.iter().filter(|term| term.bound != Bound::Launch).map(|term| term.ms);
            all.ms - part().launch_us() * 1e-3 - longest.fold(0.0, f64::max)
        };
        let cycles = part().block_start_cycles() + part().first_access_cycles() + part().l2_cycles();
        let filled = cycles / part().clock_ghz() * 1e-6;
        assert_eq!(alone(&waits).terms[0].bound, Bound::L2);
        assert!(took(&waits) > filled && took(&waits) < 1.5 * filled, "{} {filled}", took(&waits));
        // A launch that only computes begins immediately.
        let computes =
            LaunchProfile { blocks: 1056.0, threads: 256.0, resident: 8.0, special: 1e6, ..LaunchProfile::default() };
        assert!(took(&computes) < part().block_start_cycles() * 1.5 / part().clock_ghz() * 1e-6, "{}", took(&computes));
    }

    #[test]
    fn few_warps_use_one_resource_after_another_and_many_use_them_at_once() {
        let work = |threads: f64| {
            let one =
                LaunchProfile { blocks: 132.0, threads, resident: 1.0, special: 1.25e8, ..LaunchProfile::default() };
            let ms = |profile: &LaunchProfile| alone(profile).ms - part().launch_us() * 1e-3;
            ms(&LaunchProfile { shared_passes: 2.5e8, ..one.clone() }) / ms(&one)
        };
        // The special function unit and shared memory need the same time.
        assert!(work(32.0) > 1.7 && work(1024.0) < 1.35, "{} {}", work(32.0), work(1024.0));
    }

    #[test]
    fn an_instruction_uses_its_slot_and_its_pipe_at_once_even_in_a_warp_alone() {
        let one = LaunchProfile { blocks: 132.0, threads: 32.0, resident: 1.0, ..LaunchProfile::default() };
        let ms = |single: f64| alone(&LaunchProfile { single, ..one.clone() }).ms;
        let (took, slots) = (ms(132e8) - ms(0.0), 1e8 / 4.0 / part().clock_ghz() * 1e-6);
        // Both need the same time, and would add up if used one after the other.
        assert!(took > slots && took < 1.3 * slots, "{took} {slots}");
    }

    #[test]
    fn blocks_that_begin_together_overlap_less_than_those_that_follow_each_other() {
        let over = |waves: f64| {
            let blocks = 132.0 * 8.0 * waves;
            let work = LaunchProfile {
                blocks,
                threads: 256.0,
                resident: 8.0,
                special: 1e6 * blocks,
                ..LaunchProfile::default()
            };
            let with = LaunchProfile { shared_passes: 2e6 * blocks, ..work.clone() };
            let ms = |profile: &LaunchProfile| alone(profile).ms;
            ms(&with) / ms(&work)
        };
        assert!(over(1.0) > over(4.0) + 0.03 && over(4.0) > 1.2, "{} {}", over(1.0), over(4.0));
    }

    #[test]
    fn a_launch_takes_as_long_as_its_longest_block() {
        let of = |chain_longest: f64| {
            let blocks =
                LaunchProfile { blocks: 100.0, resident: 1.0, chain_arithmetic: 1e8, ..LaunchProfile::default() };
            alone(&LaunchProfile { chain_longest, ..blocks }).ms
        };
        assert!((of(0.01) / of(0.0) - 1.0).abs() < 1e-6, "all are alike");
        assert!(of(0.5) / of(0.01) > 40.0, "one of them does half of the work");
    }

    #[test]
    fn products_by_the_warpgroup_have_their_own_rate_and_copies_in_bulk_are_filled_in() {
        let of = |bound, profile: &LaunchProfile| alone(profile).terms.iter().find(|t| t.bound == bound).unwrap().ms;
        let base = LaunchProfile { blocks: 132.0, threads: 128.0, resident: 1.0, ..LaunchProfile::default() };
        let warps = LaunchProfile { tensor: 1e9, ..base.clone() };
        let groups = LaunchProfile { warpgroup: 1e9, chain_warpgroup: 1e9 / 4.0, ..base.clone() };
        let rates = part().tensor_per_clock() / part().warpgroup_per_clock();
        assert!((of(Bound::TensorPipe, &groups) / of(Bound::TensorPipe, &warps) - rates).abs() < 1e-6);
        // One warpgroup keeps all four tensor cores of an SM busy.
        assert!((of(Bound::Latency, &groups) / of(Bound::TensorPipe, &groups) - 1.0).abs() < 0.01);
        let copied = LaunchProfile { copied_sectors: 132.0 * 1e6, ..base };
        assert!((of(Bound::L1, &copied) - 1e6 * 32.0 / 64.0 / 1.98e6).abs() < 1e-6);
    }

    #[test]
    fn a_kernel_whose_time_depends_on_an_order_is_not_predicted_nor_is_what_it_is_a_part_of() {
        let locks = LaunchProfile { locking_loops: 1.0, kernel: "k".into(), ..streams(1e6) };
        let fetches = LaunchProfile { fetching_loops: 1.0, kernel: "k".into(), ..streams(1e6) };
        for (profile, why) in [(locks, ByOrder::Lock), (fetches, ByOrder::Fetches)] {
            let not = Err(NotPredicted::Measure { kernel: "k".into(), why });
            assert_eq!(predict(&profile, &part()), not);
            let both = [Repeated { count: 1, profile: streams(1e6) }, Repeated { count: 1, profile }];
            assert_eq!(sequence_time(&both, &part()), not);
        }
    }

    #[test]
    fn one_more_block_than_a_wave_holds_takes_another_wave() {
        let wave = |blocks: f64| {
            let profile =
                LaunchProfile { blocks, resident: 2.0, chain_arithmetic: blocks * 1e5, ..LaunchProfile::default() };
            alone(&profile).ms
        };
        assert!((wave(264.0) / wave(263.0) - 1.0).abs() < 0.01);
        assert!(wave(265.0) > 1.8 * wave(264.0));
    }

    #[test]
    fn a_fill_takes_its_time_and_is_no_launch() {
        let with = |fills| {
            together(&[
                Repeated { count: fills, profile: LaunchProfile::fill() },
                Repeated { count: 1, profile: streams(1e6) },
            ])
        };
        let more = with(3).ms - with(1).ms;
        assert!((more - 2.0 * part().fill_us() * 1e-3).abs() < 1e-9, "{more}");
        assert_eq!(
            sequence_time(&[Repeated { count: 1, profile: LaunchProfile::fill() }], &part()),
            Err(NotPredicted::NoLaunch)
        );
    }

    #[test]
    fn the_last_block_begins_when_the_others_have_and_then_takes_its_time() {
        // Measured by bench/short.cu: blocks of 256 threads that take 700 clocks; times beyond that of a single block.
        let ms = |blocks: f64| {
            let takes = LaunchProfile {
                blocks,
                threads: 256.0,
                resident: 8.0,
                chain_branches: 70.0 * blocks,
                ..LaunchProfile::default()
            };
            alone(&takes).ms * 1e3
        };
        for (blocks, measured) in [(1056.0, 0.64), (2112.0, 1.28), (4224.0, 2.59)] {
            let more = ms(blocks) - ms(1.0);
            assert!((more - measured).abs() < 0.4, "{blocks} {more}");
        }
    }

    #[test]
    fn launches_one_after_another_pay_the_first_launch_once() {
        let one = Repeated { count: 1, profile: streams(1e6) };
        let many = Repeated { count: 100, profile: streams(1e6) };
        let (one, many) = (together(&[one]), together(&[many]));
        assert!(many.ms > 30.0 * one.ms && many.ms < 100.0 * one.ms, "{} {}", one.ms, many.ms);
        assert_eq!(sequence_time(&[], &part()), Err(NotPredicted::NoLaunch));
        let (first, next) = (many.terms[0].ms, many.terms[1].ms);
        assert_eq!((many.bound(), many.ahead()), (many.terms[0].bound, first / next));
    }
}
