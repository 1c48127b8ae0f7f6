//! The model: what each resource alone would need, and what a launch takes with all of them. The README has the
//! equations with their sources.

use crate::{
    part::Part,
    prediction::{Bound, NotPredicted, Prediction, Term},
    subject::{Repeated, Subject},
};

/// What this launch takes on this part.
///
/// # Errors
/// [`NotPredicted::Waits`] for a kernel that takes a lock.
///
/// ```
/// let part = predict::Part::find("h200").unwrap();
/// let read = 1e8 / 32.0;
/// let copy = predict::Subject {
///     blocks: 1e5, threads: 256.0, resident: 8.0, read_sectors: read, block_read_sectors: read,
///     global_load_sectors: read, touched_sectors: 1e7, ..predict::Subject::default()
/// };
/// assert_eq!(predict::predict(&copy, &part).unwrap().terms.len(), 15);
/// ```
pub fn predict(subject: &Subject, part: &Part) -> Result<Prediction, NotPredicted> {
    in_all(&[Repeated { count: 1, subject: subject.clone() }], part)
}

/// What launches that follow each other on a stream take together: one whole launch, and less for each that the host
/// can prepare while its predecessor runs.
///
/// # Errors
/// [`NotPredicted`] if there is no launch, or a kernel takes a lock.
pub fn in_all(launches: &[Repeated], part: &Part) -> Result<Prediction, NotPredicted> {
    if let Some(waits) = launches.iter().find(|launch| launch.subject.locking_loops > 0.0) {
        return Err(NotPredicted::Waits { kernel: waits.subject.kernel.clone() });
    }
    let (first, next) = (part.value("launch_us") * 1e-3, part.value("next_launch_us") * 1e-3);
    let mut sums: Vec<Term> = Vec::new();
    let (mut ms, mut total) = (0.0, 0.0);
    for Repeated { count, subject } in launches {
        let (terms, count) = (terms(subject, part), *count as f64);
        ms += alone(subject, &terms, part) * count;
        total += count;
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
    let launch = first + next * (total - 1.0);
    sums.push(Term { bound: Bound::Launch, ms: launch });
    Ok(Prediction::new(ms + launch, sums, part))
}

/// What a launch takes by itself. While a block waits for memory, its own barriers or atomics, only the other blocks of
/// its SM keep the pipes busy; where a kernel has no barriers, other warps do as well. So of what a chain waits, the
/// share of one among them is added to the rest.
fn alone(subject: &Subject, terms: &[Term], part: &Part) -> f64 {
    let spread = Spread::of(subject, part);
    let hits = Hits::of(subject, part, &spread);
    let warps = (subject.threads / 32.0).ceil().max(1.0);
    let others = spread.resident.max(1.0) * if subject.chain_barriers > 0.0 { 1.0 } else { warps };
    let waits = spread.waves * waiting(subject, part, &hits) / spread.clocks_per_ms / others;
    let rest = |term: &Term| match term.bound {
        Bound::Latency => Term { ms: (term.ms - waits).max(0.0), ..*term },
        _ => *term,
    };
    waits + combined(&terms.iter().map(rest).collect::<Vec<_>>(), part)
}

/// What all resources together need: a little more than the busiest, as they overlap but not perfectly.
fn combined(terms: &[Term], part: &Part) -> f64 {
    let sharpness = part.value("sharpness");
    let longest = terms.iter().map(|term| term.ms).fold(0.0, f64::max);
    if longest == 0.0 {
        return 0.0;
    }
    let sum: f64 = terms.iter().map(|term| (term.ms / longest).powf(sharpness)).sum();
    longest * sum.powf(1.0 / sharpness)
}

/// What each resource alone would need, without what any launch takes.
fn terms(subject: &Subject, part: &Part) -> Vec<Term> {
    let spread = Spread::of(subject, part);
    let hits = Hits::of(subject, part, &spread);
    let mut terms = throughput(subject, part, &spread);
    let mut add = |bound, ms| terms.push(Term { bound, ms });
    let on_sm = |amount: f64, rate: &str| amount * spread.busiest / part.value(rate) / spread.clocks_per_ms;
    let l1_sectors = subject.global_load_sectors + subject.global_store_sectors + subject.local_sectors;
    let requests = subject.global_load_requests + subject.global_store_requests;
    let l1 = (l1_sectors * 32.0).max(requests * part.value("l1_bytes_per_clock"));
    let filled = hits.l2_sectors * 32.0;
    add(Bound::L1, on_sm(l1, "l1_bytes_per_clock").max(on_sm(filled, "l1_fill_bytes_per_clock")));
    let passes = on_sm(subject.shared_passes, "shared_passes_per_clock");
    // Two cycles at least for an atomic request.
    let steps = subject.shared_atomic_steps.max(2.0 * subject.shared_atomic_requests);
    add(Bound::SharedMemory, passes + on_sm(steps, "shared_atomic_steps_per_clock"));
    let l2_sectors = hits.l2_sectors + subject.global_store_sectors + subject.atomic_steps.min(subject.memory * 32.0);
    add(Bound::L2, l2_sectors * 32.0 / part.value("l2_gb_per_s") / 1e6);
    add(Bound::Dram, dram(subject, part, hits.cold));
    add(Bound::Latency, spread.waves * latency(subject, part, &hits) / spread.clocks_per_ms);
    add(Bound::Atomics, atomics(subject, part));
    add(Bound::Blocks, subject.blocks * part.value("block_ns") * 1e-6);
    terms
}

/// How a grid lies on the SMs.
struct Spread {
    /// The share of all blocks that the busiest SM runs.
    busiest: f64,
    /// How many times an SM's resident blocks are replaced.
    waves: f64,
    /// Blocks resident on an SM.
    resident: f64,
    clocks_per_ms: f64,
}

impl Spread {
    fn of(subject: &Subject, part: &Part) -> Spread {
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
        Spread { busiest, waves, resident, clocks_per_ms: part.value("clock_ghz") * 1e6 }
    }
}

/// Where loads find their data.
struct Hits {
    /// The shares of loads that end in the L1 cache, the L2 cache and in device memory.
    l1: f64,
    l2: f64,
    dram: f64,
    /// Sectors that the SMs ask the L2 cache for.
    l2_sectors: f64,
    /// The share of what is touched that no launch before has left in the L2 cache.
    cold: f64,
    /// The share of local memory's sectors that the L1 cache does not hold.
    spilled: f64,
}

impl Hits {
    fn of(subject: &Subject, part: &Part, spread: &Spread) -> Hits {
        let l2_bytes = part.value("l2_bytes");
        // A launch is repeated, and finds what fits in the cache; of what is a little larger, some.
        let touched = subject.touched_sectors * 32.0;
        let cold = ((touched - 0.4 * l2_bytes) / (0.6 * l2_bytes)).clamp(0.0, 1.0);
        let l1_bytes = (part.value("l1_bytes") - subject.shared_bytes * spread.resident).max(16384.0);
        let local = subject.local_bytes * subject.threads * spread.resident;
        let spilled = ((local - 0.5 * l1_bytes) / l1_bytes).clamp(0.0, 1.0);
        let loads = subject.global_load_sectors;
        let missed = subject.block_read_sectors.min(loads);
        let from_dram = subject.read_sectors.min(missed) * cold;
        let share = |sectors: f64| if loads > 0.0 { sectors / loads } else { 0.0 };
        let (l2, dram) = (share(missed - from_dram), share(from_dram));
        let l2_sectors = missed + subject.local_sectors * spilled;
        Hits { l1: 1.0 - l2 - dram, l2, dram, l2_sectors, cold, spilled }
    }
}

/// Instructions: issue slots and pipes.
fn throughput(subject: &Subject, part: &Part, spread: &Spread) -> Vec<Term> {
    let Subject { single, integer, double, special, tensor, memory, exchange, control, .. } = *subject;
    let all = single + integer + double + special + tensor + memory + exchange + control;
    let pipes = [
        (Bound::Issue, all, "issue_per_clock"),
        (Bound::SinglePipe, single, "single_per_clock"),
        (Bound::IntegerPipe, integer, "integer_per_clock"),
        (Bound::DoublePipe, double, "double_per_clock"),
        (Bound::SpecialPipe, special, "special_per_clock"),
        (Bound::TensorPipe, tensor, "tensor_per_clock"),
        (Bound::ExchangePipe, exchange, "exchange_per_clock"),
    ];
    let ms = |amount: f64, rate| amount * spread.busiest / part.value(rate) / spread.clocks_per_ms;
    pipes.into_iter().map(|(bound, amount, rate)| Term { bound, ms: ms(amount, rate) }).collect()
}

/// Milliseconds at device memory. Reads between writes cost turns of the bus.
fn dram(subject: &Subject, part: &Part, cold: f64) -> f64 {
    let time = |sectors: f64, rate: &str| sectors * cold * 32.0 / part.value(rate) / 1e6;
    let reads = time(subject.read_sectors, "dram_read_gb_per_s");
    let writes = time(subject.written_sectors, "dram_write_gb_per_s");
    reads + writes + 2.0 * reads.min(writes) * part.value("dram_turn_percent") / 100.0
}

/// Cycles from the start of an average block to the end of its longest warp, if nothing else were in the way.
fn latency(subject: &Subject, part: &Part, hits: &Hits) -> f64 {
    let local = part.value("l1_cycles") + hits.spilled * (part.value("l2_cycles") - part.value("l1_cycles"));
    let chain = subject.chain_local * local
        + subject.chain_arithmetic * part.value("arithmetic_cycles")
        + subject.chain_double * part.value("double_cycles")
        + subject.chain_special * part.value("special_cycles")
        + subject.chain_tensor * part.value("tensor_cycles")
        + subject.chain_shared * part.value("shared_cycles")
        + subject.chain_exchange * part.value("exchange_cycles")
        + subject.chain_branches * part.value("branch_cycles");
    part.value("block_start_cycles") + chain / subject.blocks.max(1.0) + waiting(subject, part, hits)
}

/// How many of these cycles are waits for global memory, atomics on it, and barriers.
fn waiting(subject: &Subject, part: &Part, hits: &Hits) -> f64 {
    let load =
        hits.l1 * part.value("l1_cycles") + hits.l2 * part.value("l2_cycles") + hits.dram * part.value("dram_cycles");
    let waits = subject.chain_global * load
        + subject.chain_atomics * part.value("atomic_cycles")
        + subject.chain_barriers * part.value("barrier_cycles");
    waits / subject.blocks.max(1.0)
}

/// Milliseconds of atomics on global memory: the longest chain at one piece of the L2 cache, or all of them at the
/// rate of the whole cache. Where a thread tries again until no other was faster, one thread at a word succeeds in each
/// round trip, which takes longer where many wait: half of all those that come, on average.
fn atomics(subject: &Subject, part: &Part) -> f64 {
    let integer = subject.atomic_longest - subject.atomic_longest_float;
    let chain =
        integer * part.value("atomic_step_ns") + subject.atomic_longest_float * part.value("atomic_float_step_ns");
    let trip = part.value("atomic_trip_cycles") / part.value("clock_ghz");
    let resident = subject.resident * part.value("sms") * subject.threads;
    let waiting = 0.5 * subject.atomic_retried.min(resident) * part.value("atomic_step_ns");
    let retried = subject.atomic_retried * trip.max(waiting);
    chain.max(retried).max(subject.atomic_steps / part.value("atomic_steps_per_ns")) * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        Part::find("h200").unwrap()
    }

    fn alone(subject: &Subject) -> Prediction {
        predict(subject, &part()).unwrap()
    }

    /// A launch that fills the device and streams so many bytes.
    fn streams(bytes: f64) -> Subject {
        let sectors = bytes / 32.0;
        Subject {
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
            ..Subject::default()
        }
    }

    fn bound(subject: &Subject) -> Bound {
        alone(subject).terms.iter().find(|t| t.bound != Bound::Launch).unwrap().bound
    }

    #[test]
    fn a_large_stream_takes_as_long_as_its_bytes_and_a_small_one_as_a_launch() {
        let large = alone(&streams(4e9));
        assert_eq!(large.bound(), Bound::Dram);
        assert!(large.ms > 4e9 / 4.595e9 && large.ms < 1.4 * 4e9 / 4.595e9, "{large:?}");
        let small = alone(&streams(4096.0 * 132.0));
        assert_eq!(small.bound(), Bound::Launch);
        // What the cache holds from one launch to the next does not come from device memory.
        let ms = |p: &Prediction, bound| p.terms.iter().find(|t| t.bound == bound).unwrap().ms;
        assert_eq!(ms(&small, Bound::Dram), 0.0);
        assert!(ms(&large, Bound::Dram) > 0.8);
    }

    #[test]
    fn each_resource_can_be_what_bounds_a_launch() {
        let base = || streams(1e6);
        let plenty = 1e10;
        for (bound_by, subject) in [
            // Single precision goes as fast as it can be issued.
            (Bound::Issue, Subject { single: plenty, ..base() }),
            (Bound::IntegerPipe, Subject { integer: plenty, ..base() }),
            (Bound::DoublePipe, Subject { double: plenty, ..base() }),
            (Bound::SpecialPipe, Subject { special: plenty, ..base() }),
            (Bound::TensorPipe, Subject { tensor: plenty, ..base() }),
            (Bound::ExchangePipe, Subject { exchange: plenty, ..base() }),
            (Bound::Issue, Subject { control: plenty, ..base() }),
            (Bound::SharedMemory, Subject { shared_passes: plenty, ..base() }),
            (Bound::SharedMemory, Subject { shared_atomic_steps: plenty, ..base() }),
            (Bound::L1, Subject { global_load_requests: plenty, ..base() }),
            (Bound::L2, Subject { global_store_sectors: plenty, global_store_requests: 1.0, ..base() }),
            (Bound::Atomics, Subject { atomic_longest: plenty, ..base() }),
            (Bound::Latency, Subject { chain_arithmetic: plenty, ..base() }),
            (Bound::Blocks, Subject { blocks: plenty, ..base() }),
        ] {
            assert_eq!(bound(&subject), bound_by);
        }
    }

    #[test]
    fn a_floating_point_atomic_waits_longer_than_an_integer_one() {
        let whole = Subject { atomic_longest: 1e6, ..streams(1e6) };
        let float = Subject { atomic_longest_float: 1e6, ..whole.clone() };
        assert!(alone(&float).ms > 2.0 * alone(&whole).ms);
    }

    #[test]
    fn of_threads_that_try_again_one_succeeds_in_each_round_trip() {
        let tries = |retried: f64| alone(&Subject { atomic_retried: retried, ..streams(1e6) });
        let (few, many) = (tries(200.0), tries(2000.0));
        assert_eq!(few.bound(), Bound::Atomics);
        assert!(few.ms > 200.0 * 0.2e-3, "{few:?}");
        // Each waits for more of the others.
        assert!(many.ms > 15.0 * few.ms, "{} {}", many.ms, few.ms);
    }

    #[test]
    fn what_a_lone_block_waits_at_its_barriers_is_added_and_what_one_of_eight_waits_is_not() {
        let blocks = 132.0;
        let work = |resident: f64, chain_global: f64| Subject {
            blocks: blocks * resident,
            threads: 256.0,
            resident,
            shared_passes: blocks * 1e6,
            chain_barriers: blocks * resident,
            chain_global: blocks * resident * chain_global,
            ..Subject::default()
        };
        let added = |resident: f64| alone(&work(resident, 1000.0)).ms / alone(&work(resident, 0.0)).ms;
        assert!(added(1.0) > 1.03 && added(8.0) < 1.01, "{} {}", added(1.0), added(8.0));
    }

    #[test]
    fn a_kernel_that_takes_a_lock_is_not_predicted_nor_is_what_it_is_a_part_of() {
        let locks = Subject { locking_loops: 1.0, kernel: "k".into(), ..streams(1e6) };
        let waits = Err(NotPredicted::Waits { kernel: "k".into() });
        assert_eq!(predict(&locks, &part()), waits);
        let both = [Repeated { count: 1, subject: streams(1e6) }, Repeated { count: 1, subject: locks }];
        assert_eq!(in_all(&both, &part()), waits);
    }

    #[test]
    fn one_more_block_than_a_wave_holds_takes_another_wave() {
        let wave = |blocks: f64| {
            let subject = Subject { blocks, resident: 2.0, chain_arithmetic: blocks * 1e5, ..Subject::default() };
            alone(&subject).ms
        };
        assert!((wave(264.0) / wave(263.0) - 1.0).abs() < 0.01);
        assert!(wave(265.0) > 1.8 * wave(264.0));
    }

    #[test]
    fn launches_one_after_another_pay_the_first_launch_once() {
        let one = Repeated { count: 1, subject: streams(1e6) };
        let many = Repeated { count: 100, subject: streams(1e6) };
        let (one, many) = (in_all(&[one], &part()).unwrap(), in_all(&[many], &part()).unwrap());
        assert!(many.ms > 30.0 * one.ms && many.ms < 100.0 * one.ms, "{} {}", one.ms, many.ms);
        assert_eq!(in_all(&[], &part()), Err(NotPredicted::NoLaunch));
        let (first, next) = (many.terms[0].ms, many.terms[1].ms);
        assert_eq!((many.bound(), many.ahead()), (many.terms[0].bound, first / next));
    }
}
