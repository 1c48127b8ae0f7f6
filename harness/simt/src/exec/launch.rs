//! A launch: its workers, what they share, and what they leave behind.

use super::check::{Bounds, Races};
use super::worker::{Tally, Worker};
use crate::counters::Counters;
use crate::finding::{Finding, Findings, Kind};
use crate::lane::LANES;
use crate::machine::{Fault, Launch, Param, Report, Settings};
use crate::memory::{Memory, View};
use crate::profile::{Profile, occupancy};
use crate::program::{Order, Program};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A count that all workers change, in a cache line of its own: what they only read must not travel with it.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Count(pub AtomicU64);

/// What the workers of a launch share.
pub(crate) struct Shared<'l> {
    pub program: &'l Program,
    /// The same, for what outlives the launch.
    pub kernel_program: &'l Arc<Program>,
    pub view: Arc<View>,
    pub params: Vec<u8>,
    /// Where each parameter lies in them.
    pub param_list: &'l [Param],
    pub profile: &'l Profile,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    pub shared_bytes: u32,
    pub dynamic_shared: u32,
    /// Where the dynamic part of shared memory begins.
    pub dynamic_start: u32,
    pub counting: bool,
    pub sync_check: bool,
    /// Whether what the memory check finds without a fault is reported.
    pub memory_check: bool,
    /// The race check, if it is on.
    pub races: Option<Races>,
    /// Whether reads of what nobody wrote are looked for.
    pub init: bool,
    /// How each instruction orders memory, when one of these two is on.
    pub orders: Vec<Order>,
    /// For each instruction, when the memory check is on beside one of them: where its addresses may lie, if that is known.
    pub bounds: Vec<Option<Bounds>>,
    pub seed: u64,
    pub budget: u64,
    /// Blocks that a worker may have resident.
    pub resident: usize,
    pub spent: Count,
    pub stop: AtomicBool,
    /// When it began, for the clocks.
    pub began: Instant,
    /// What `malloc` allocates from.
    pub heap: Option<&'l crate::memory::Heap>,
    /// Address of the workspace of a cooperative grid.
    pub workspace: u64,
    fault: Mutex<Option<Fault>>,
    next: Count,
    blocks: u64,
    /// Blocks that a worker takes at once: neighbours, since their data are, and what one processor fetches ahead another should
    /// not be about to write.
    batch: u64,
    printed: Mutex<BTreeMap<u64, Vec<u8>>>,
}

/// A small generator, enough to permute.
pub(crate) fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The order that a seed gives to `0..order.len()`.
pub(crate) fn shuffle(order: &mut [u32], seed: u64) {
    for (i, o) in order.iter_mut().enumerate() {
        *o = i as u32;
    }
    let mut state = seed;
    for i in (1..order.len()).rev() {
        order.swap(i, (scramble(&mut state) % (i as u64 + 1)) as usize);
    }
}

/// Blocks that a seed may move past each other: fewer than any device holds at once, so that a kernel which relies on the
/// order of blocks as devices give it still ends.
const WINDOW: u64 = 64;

/// Batches of blocks for each worker, at least: none should be left alone with the last one for long.
const BATCHES: u64 = 16;
/// Blocks of the largest batch.
const LARGEST_BATCH: u64 = 16;

impl Shared<'_> {
    /// The number of the next block, or none if all are taken. `batch` is what the worker has taken, and not yet begun.
    pub fn take(&self, batch: &mut Range<u64>) -> Option<u64> {
        if batch.is_empty() {
            let first = self.next.0.fetch_add(self.batch, Ordering::Relaxed);
            *batch = first..self.blocks.min(first + self.batch);
        }
        let n = batch.next()?;
        if self.seed == 0 {
            return Some(n);
        }
        let first = n / WINDOW * WINDOW;
        let len = WINDOW.min(self.blocks - first) as usize;
        let mut order = [0u32; WINDOW as usize];
        shuffle(&mut order[..len], self.seed ^ first);
        Some(first + u64::from(order[(n - first) as usize]))
    }

    /// Whether no block is left to take.
    pub fn taken(&self) -> bool {
        self.next.0.load(Ordering::Relaxed) >= self.blocks
    }

    /// Keeps what a block printed.
    pub fn print(&self, block: u64, text: Vec<u8>) {
        if !text.is_empty() {
            let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            printed.entry(block).or_default().extend(text);
        }
    }

    /// Stops the launch; the first fault counts.
    pub fn fail(&self, fault: Fault) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Threads that the settings ask for.
fn workers(settings: &Settings, blocks: u64) -> usize {
    let asked = if settings.workers > 0 {
        settings.workers
    } else {
        let host = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        std::env::var("WARPLAB_WORKERS")
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|n| *n > 0)
            .unwrap_or_else(host)
    };
    asked.min(blocks.max(1) as usize).max(1)
}

/// Runs a kernel to its end, or to a fault.
pub(crate) fn run(
    memory: &Memory,
    profile: &Profile,
    settings: &Settings,
    launch: &Launch<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Report {
    let kernel = launch.kernel;
    let program = &*kernel.program;
    let refuse = |what: String| {
        let finding = Finding::new(Kind::Internal { what }, kernel.name.clone());
        Report {
            findings: vec![finding],
            fault: Some(Fault::LaunchFailed),
            ..Report::default()
        }
    };
    let blocks = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let threads = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
    if blocks == 0 || threads == 0 || threads > 1024 {
        return refuse(format!(
            "a launch of {blocks} blocks of {threads} threads reached the machine"
        ));
    }
    if launch.params.len() < kernel.param_bytes as usize {
        return refuse(format!(
            "{} bytes of parameters reached the machine where the kernel has {}",
            launch.params.len(),
            kernel.param_bytes
        ));
    }
    let threads = threads as u32;
    let dynamic_start = program
        .static_shared
        .next_multiple_of(program.dynamic_align.max(1));
    let dynamic_start = if launch.dynamic_shared > 0 {
        dynamic_start
    } else {
        program.static_shared
    };
    let shared_bytes = dynamic_start + launch.dynamic_shared;
    let count = workers(settings, blocks);
    let occupancy = occupancy(profile, threads, kernel.registers, shared_bytes);
    let device = u64::from(occupancy.blocks.max(1)) * u64::from(profile.sms);
    let resident = if launch.cooperative {
        usize::MAX
    } else {
        device.div_ceil(count as u64).max(1) as usize
    };
    let workspace = launch
        .cooperative
        .then(|| memory.alloc(256, 256, crate::memory::Kind::Device, "grid workspace"));
    let workspace = match workspace {
        Some(Ok(address)) => address,
        Some(Err(error)) => return refuse(format!("no workspace for a cooperative grid: {error}")),
        None => 0,
    };
    let view = memory.view();
    let checks = settings.checks;
    let mut orders = Vec::new();
    if checks.race || checks.init {
        orders.resize(program.ops.len(), Order::default());
        for access in &program.accesses {
            orders[access.pc as usize] = access.order;
        }
    }
    let bounds = if checks.memory && !orders.is_empty() {
        super::check::bounds(
            program,
            &launch.params[..kernel.param_bytes as usize],
            &view,
        )
    } else {
        Vec::new()
    };
    let shared = Shared {
        program,
        kernel_program: &kernel.program,
        races: checks
            .race
            .then(|| Races::new(blocks, threads.div_ceil(LANES as u32), &view)),
        init: checks.init,
        orders,
        bounds,
        view,
        params: launch.params[..kernel.param_bytes as usize].to_vec(),
        param_list: &kernel.params,
        profile,
        grid: launch.grid,
        block: launch.block,
        threads,
        shared_bytes,
        dynamic_shared: launch.dynamic_shared,
        dynamic_start,
        counting: settings.counters,
        sync_check: checks.sync,
        memory_check: checks.memory,
        seed: settings.seed,
        budget: settings.budget,
        resident,
        spent: Count::default(),
        stop: AtomicBool::new(false),
        began: Instant::now(),
        heap: memory.heap(),
        workspace,
        fault: Mutex::new(None),
        next: Count::default(),
        blocks,
        batch: if settings.seed == 0 {
            (blocks / (count as u64 * BATCHES)).clamp(1, LARGEST_BATCH)
        } else {
            1
        },
        printed: Mutex::new(BTreeMap::new()),
    };
    let tallies: Vec<Tally> = if count == 1 {
        vec![Worker::new(&shared).work()]
    } else {
        std::thread::scope(|scope| {
            let shared = &shared;
            let others: Vec<_> = (1..count)
                .map(|_| scope.spawn(move || Worker::new(shared).work()))
                .collect();
            let mut all = vec![Worker::new(shared).work()];
            for other in others {
                match other.join() {
                    Ok(tally) => all.push(tally),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    };
    if workspace != 0 {
        // Its owner is this launch, so nobody else can have freed it.
        let _ = memory.free(workspace);
    }
    let printed = shared
        .printed
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    for text in printed.values() {
        out(text);
    }
    let mut findings = Findings::default();
    for tally in &tallies {
        findings.extend(tally.findings.list.iter().cloned());
    }
    findings.distill();
    Report {
        counters: counters(program, &tallies, threads),
        findings: findings.list,
        fault: shared
            .fault
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    }
}

fn counters(program: &Program, tallies: &[Tally], threads: u32) -> Counters {
    let blocks: u64 = tallies.iter().map(|t| t.blocks).sum();
    let warps = blocks * u64::from(threads.div_ceil(LANES as u32));
    let mut counters = Counters {
        blocks,
        warps,
        threads: blocks * u64::from(threads),
        ..Counters::default()
    };
    super::tally::expand(program, tallies, &mut counters);
    counters
}
