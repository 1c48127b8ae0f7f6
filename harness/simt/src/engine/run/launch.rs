//! A launch: its workers, their shared state, and its results.

use super::tally::{costs, expand};
use super::worker::{Tally, Worker};
use crate::checks::clock::Sharing;
use crate::checks::launch::LaunchRaces;
use crate::counters::Counters;
use crate::engine::findings::barriers;
use crate::engine::warp::program::Program;
use crate::engine::warp::shared::{Blocks, CostProbes, Count, EndedLaunch, Nowhere, Outcome, ParamBytes, Shared};
use crate::engine::warp::sums::Turns;
use crate::engine::warp::tables::Order;
use crate::engine::watch::bounds::bounds;
use crate::engine::watch::costs::looks;
use crate::engine::watch::recorded_ops;
use crate::engine::watch::usual::rooms;
use crate::finding::{Finding, FindingKind, Findings};
use crate::kernel::{Fault, Kernel, Launch, Report, Settings, Watch};
use crate::lane::LANES;
use crate::memory::{self, Memory, View};
use crate::occupancy::occupancy;
use gpu::{LOCAL_BYTES, Part};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, LazyLock};
use std::thread::Builder;
use std::time::Instant;

/// Each worker gets at least this many batches of blocks. With fewer, one worker could be left alone with the last
/// batch for a long time.
const BATCHES: u64 = 16;
/// The number of blocks in the largest batch.
const LARGEST_BATCH: u64 = 16;
/// Bytes of the host that the blocks among which fetched work is shared may take.
const SHARING_BYTES: u64 = 1 << 28;
/// Bytes that the race check may remember of one byte of shared memory.
const HISTORY: u64 = 24;
/// Threads of the largest block.
const MOST_THREADS: u64 = 1024;

/// The host's processors. The number is read only once: on Linux the query reads several files, which takes longer than
/// a small launch.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// Returns the number of host threads, by the settings.
fn workers(settings: &Settings, blocks: u64) -> usize {
    let asked = match settings.workers {
        0 => *PROCESSORS,
        asked => asked,
    };
    asked.min(blocks.max(1) as usize).max(1)
}

/// Returns why this launch cannot run, if it cannot. The driver should have refused it.
fn refusal(launch: &Launch<'_, Arc<Program>>) -> Option<String> {
    let (kernel, geometry) = (launch.kernel, launch.geometry);
    let (blocks, threads) = (geometry.blocks(), geometry.threads());
    if blocks == 0 || threads == 0 || threads > MOST_THREADS {
        return Some(format!("a launch of {blocks} blocks of {threads} threads reached the machine"));
    }
    if let Some(dims) = geometry.cluster
        && !std::iter::zip(geometry.grid, dims).all(|(blocks, of)| of > 0 && blocks.is_multiple_of(of))
    {
        return Some(format!(
            "a launch reached the machine whose grid {:?} has no whole clusters of {dims:?}",
            geometry.grid
        ));
    }
    if kernel.local_bytes > LOCAL_BYTES {
        return Some(format!(
            "a launch with {} bytes of local memory a thread reached the machine, which gives {LOCAL_BYTES} at most",
            kernel.local_bytes
        ));
    }
    if launch.params.len() < kernel.param_bytes as usize {
        return Some(format!(
            "{} bytes of parameters reached the machine where the kernel has {}",
            launch.params.len(),
            kernel.param_bytes
        ));
    }
    None
}

/// Returns the bytes of each block's shared memory, including what the system reserves, and the start of the dynamic
/// part.
fn shared_memory(program: &Program, dynamic: u32) -> (u32, u32) {
    let end = program.reserved_shared + program.static_shared;
    let start = if dynamic > 0 { end.next_multiple_of(program.dynamic_align.max(1)) } else { end };
    (start + dynamic, start)
}

/// Returns how each instruction of a program orders memory.
fn orders(program: &Program) -> Vec<Order> {
    let mut orders = vec![Order::default(); program.ops.len()];
    for access in &program.accesses {
        orders[access.pc as usize] = access.order;
    }
    orders
}

/// Allocates the workspace that the threads of a cooperative grid use as their barrier. Returns its address, or 0 if
/// the launch is not cooperative.
fn workspace(memory: &Memory, cooperative: bool) -> Result<u64, String> {
    if !cooperative {
        return Ok(0);
    }
    let bytes = 256;
    let start = memory
        .alloc(bytes, 256, memory::MemoryKind::Device, "grid workspace")
        .map_err(|error| format!("no workspace for a cooperative grid: {error}"))?;
    let host = memory.host(start, bytes).map_err(|error| error.to_string())?;
    // SAFETY: it was just allocated with `bytes` bytes.
    unsafe { host.write_bytes(0, bytes as usize) };
    memory.wrote(start, bytes);
    Ok(start)
}

/// Runs a kernel to its end, to a fault, or until the caller's watch stops it.
pub(crate) fn run(
    memory: &Memory,
    profile: &Part,
    settings: &Settings,
    launch: &Launch<'_, Arc<Program>>,
    watch: &Watch<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Report {
    if let Some(what) = refusal(launch) {
        return refused(launch.kernel, what);
    }
    let workspace = match workspace(memory, launch.geometry.cooperative) {
        Ok(address) => address,
        Err(what) => return refused(launch.kernel, what),
    };
    // The steps of several blocks are recorded in the order of their execution, which one worker makes reproducible.
    let count = if watch.record.is_some() { 1 } else { workers(settings, launch.geometry.blocks()) };
    let shared = shared(memory, profile, settings, launch, (count, workspace, *watch));
    let mut tallies = work(&shared, count);
    if workspace != 0 {
        // The workspace belongs to this launch, so nothing else can have freed it.
        let _ = memory.free(workspace);
    }
    let EndedLaunch { fault, printed, asserted } = shared.outcome.end();
    let finished: u64 = tallies.iter().map(|tally| tally.blocks).sum();
    // Without a fault, blocks are left unfinished only if the launch was stopped from outside.
    let cut = finished < launch.geometry.blocks();
    let fault = fault.or(cut.then_some(Fault::LaunchTimeout));
    printed.write(out);
    let recorder = tallies.first_mut().and_then(|tally| Some((tally.steps.take()?, &tally.findings)));
    let recorded = recorder.map(|(steps, findings)| {
        recorded_ops::recorded(*steps, &launch.kernel.code, (&shared.view, shared.shared_bytes), findings)
    });
    let mut findings = Findings::default();
    for tally in &tallies {
        findings.extend(tally.findings.list.iter().cloned());
    }
    findings.distill();
    barriers::one_for_each(&mut findings.list, &launch.kernel.code);
    let same_values: BTreeSet<u32> = tallies.iter().flat_map(|tally| &tally.same_values).copied().collect();
    Report {
        counters: counters(launch, settings.lines, &tallies, &shared.view),
        findings: findings.list,
        same_values: same_values.iter().map(|pc| launch.kernel.code.place_of(*pc)).collect(),
        fault,
        asserted,
        recorded,
    }
}

/// Returns the report of a launch that was refused.
fn refused(kernel: &Kernel<Arc<Program>>, what: String) -> Report {
    Report {
        findings: vec![Finding::new(FindingKind::Internal { what }, kernel.name.clone())],
        fault: Some(Fault::LaunchFailed),
        ..Report::default()
    }
}

/// Returns the number of blocks, of `threads` threads each, that share fetched work within the host's memory.
/// `memory` is what a block takes for its shared and local memory.
fn work_sharers(program: &Program, threads: u32, memory: u64) -> usize {
    let registers = u64::from(threads.div_ceil(LANES as u32)) * u64::from(program.file_bytes);
    (SHARING_BYTES / (registers + memory).max(1)) as usize
}

/// What the workers of a launch share. `count` is the number of workers, `workspace` the address of the grid's
/// workspace; `watch` follows the launch.
fn shared<'l>(
    memory: &'l Memory,
    profile: &'l Part,
    settings: &Settings,
    launch: &Launch<'l, Arc<Program>>,
    (count, workspace, watch): (usize, u64, Watch<'l>),
) -> Shared<'l> {
    let Launch { kernel, geometry, .. } = *launch;
    let program = &kernel.code;
    let (blocks, threads) = (geometry.blocks(), geometry.threads() as u32);
    let (shared_bytes, dynamic_start) = shared_memory(program, geometry.dynamic_shared);
    let resident = if geometry.cooperative {
        usize::MAX
    } else {
        let occupancy = occupancy(profile, threads, kernel.registers, shared_bytes - program.reserved_shared);
        let device = u64::from(occupancy.blocks.max(1)) * u64::from(profile.sms);
        device.div_ceil(count as u64).max(1) as usize
    };
    let local_bytes = program.local_bytes
        + settings.stack_bytes.next_multiple_of(16) * (u32::from(program.recursive) + u32::from(program.arrays));
    let history = if settings.checks.race { HISTORY } else { 0 };
    let memory_of_block = u64::from(shared_bytes) * (1 + history) + u64::from(threads) * u64::from(local_bytes);
    // What a worker takes: a cluster, or a block.
    let of = geometry.cluster.map_or(1, |dims| dims.iter().map(|&n| u64::from(n)).product());
    let batch = match settings.seed {
        0 => (blocks / of / (count as u64 * BATCHES)).clamp(1, LARGEST_BATCH),
        _ => 1,
    };
    let params = &launch.params[..kernel.param_bytes as usize];
    let view = memory.view();
    let checks = settings.checks;
    let observed = checks.race || checks.init;
    let bounds = if observed && checks.memory { bounds(program, params, &view) } else { Vec::new() };
    let sharing = match (count, geometry.cluster) {
        (1, _) => Sharing::Alone,
        // Blocks of a cluster access each other's shared memory.
        (_, Some(_)) => Sharing::Together,
        (_, None) => Sharing::Apart,
    };
    // SAFETY: a launch with a single worker runs on this thread. Only blocks of a cluster access each other's memory.
    let races =
        || unsafe { LaunchRaces::new(blocks, threads.div_ceil(LANES as u32), view.ranges().len(), (sharing, count)) };
    Shared {
        program,
        races: checks.race.then(races),
        strict: checks.strict,
        init: checks.init,
        orders: if observed { orders(program) } else { Vec::new() },
        bulk: checks.race && geometry.cluster.is_none() && program.accesses.iter().any(|access| access.order.bulk),
        rooms: if checks.race && geometry.cluster.is_none() {
            rooms(program, &bounds, shared_bytes)
        } else {
            Vec::new()
        },
        bounds,
        looks: if settings.costs { looks(program) } else { CostProbes::default() },
        view,
        objects: memory.objects(),
        params: ParamBytes::new(params),
        param_list: &kernel.params,
        profile,
        geometry,
        threads,
        shared_bytes,
        local_bytes,
        stack_bytes: settings.stack_bytes,
        dynamic_start,
        counting: settings.counters,
        sync_check: checks.sync,
        memory_check: checks.memory,
        // The two other checks keep shadow memory only for allocations.
        nowhere: (settings.keep_going && !checks.race && !checks.init).then(Nowhere::new),
        seed: settings.seed,
        budget: settings.budget,
        resident,
        sharing: resident.min(work_sharers(program, threads, memory_of_block) / count).max(1),
        spent: Count::default(),
        stop: AtomicBool::new(false),
        watch,
        looked: AtomicU32::new(0),
        began: Instant::now(),
        heap: memory.heap(),
        workspace,
        // With one worker, or with a seed, a run is reproducible; no sums are kept then.
        turns: (count > 1 && settings.seed == 0).then(Turns::default),
        blocks: Blocks::new(blocks / of, batch),
        outcome: Outcome::new(settings.print_bytes),
        print_bytes: settings.print_bytes,
    }
}

/// Runs the blocks with `count` workers, one of them on this thread; with fewer if the system cannot start more
/// threads.
fn work(shared: &Shared<'_>, count: usize) -> Vec<Tally> {
    if count == 1 {
        return vec![Worker::new(shared, 0).work()];
    }
    std::thread::scope(|scope| {
        let start = |index| Builder::new().spawn_scoped(scope, move || Worker::new(shared, index).work()).ok();
        let others: Vec<_> = (1..count).map_while(start).collect();
        let mut all = vec![Worker::new(shared, 0).work()];
        for other in others {
            match other.join() {
                Ok(tally) => all.push(tally),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

fn counters(launch: &Launch<'_, Arc<Program>>, lines: bool, tallies: &[Tally], memory: &View) -> Counters {
    let threads = launch.geometry.threads();
    let blocks: u64 = tallies.iter().map(|t| t.blocks).sum();
    let mut counters = Counters {
        blocks,
        warps: blocks * threads.div_ceil(LANES as u64),
        threads: blocks * threads,
        longest_warp: tallies.iter().map(|t| t.longest_warp).max().unwrap_or(0),
        ..Counters::default()
    };
    expand(&launch.kernel.code, tallies, lines, &mut counters);
    counters.costs = costs(&launch.kernel.code, tallies, memory);
    counters
}
