//! A worker: a host thread that runs blocks.

use super::constants::Fill;
use super::schedule::{Progress, deadlock, places, run};
use crate::engine::costs::chains::Paused;
use crate::engine::costs::observer::CostObserver;
use crate::engine::costs::recorder::CostRecorder;
use crate::engine::memory::resolve::{layout_for, resolve_for};
use crate::engine::traffic::counts::{BlockCount, Site};
use crate::engine::warp::block::Block;
use crate::engine::warp::buffer::Buffer;
use crate::engine::warp::fetched::Fetched;
use crate::engine::warp::shared::Shared;
use crate::engine::warp::slot::{WarpSlot, local_stride};
use crate::engine::warp::step_recorder::StepRecorder;
use crate::engine::warp::sums::Sums;
use crate::engine::warp::touched::Touched;
use crate::engine::warp::worker_scratch::{LoadCopy, Patterns, WorkerScratch};
use crate::engine::warp::{Group, State, Status, TIME_SLICE, Warp, lanes_of};
use crate::engine::watch::access::show_for;
use crate::engine::watch::recorded_ops::step_recorder;
use crate::finding::{Access, AccessKind, Finding, FindingKind, Findings, Space};
use crate::kernel::Fault;
use crate::lane::{HostVectors, LANES};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;

/// A worker's counts.
#[derive(Default)]
pub(crate) struct Tally {
    pub counts: Vec<BlockCount>,
    pub sites: Vec<Site>,
    pub divergent: Vec<u64>,
    pub branch_warps: Vec<u64>,
    pub diverged_warps: Vec<u64>,
    pub blocks: u64,
    /// The instructions of the warp that executed the most.
    pub longest_warp: u64,
    pub findings: Findings,
    /// The stores that wrote, without order, a value that another thread had stored there.
    pub same_values: BTreeSet<u32>,
    pub costs: CostObserver,
    pub steps: Option<Box<StepRecorder>>,
}

/// The state of a worker's host thread.
pub(super) struct Worker<'l> {
    launch: &'l Shared<'l>,
    /// The part that instructions change. A warp borrows it for its turn.
    pub scratch: WorkerScratch,
    counts: Vec<BlockCount>,
    sites: Vec<Site>,
    /// The distance between the rows of sites.
    row: usize,
    branch_warps: Vec<u64>,
    diverged_warps: Vec<u64>,
    /// The number of spent instructions from which they must be reported to the launch.
    account: u64,
    #[expect(clippy::vec_box, reason = "a slot moves between here and its warp")]
    free: Vec<Box<WarpSlot>>,
    fill: Fill,
    #[expect(clippy::vec_box, reason = "blocks are large, and move between here and the resident ones")]
    spare: Vec<Box<Block<'l>>>,
    vectors: HostVectors,
    blocks: u64,
    longest_warp: u64,
    /// The watch knows where a warp was when the launch was stopped from outside.
    is_place_reported: bool,
}

impl<'l> Worker<'l> {
    /// Creates the worker of a launch with this index.
    pub fn new(launch: &'l Shared<'l>, index: usize) -> Worker<'l> {
        let program = launch.program;
        let branches = program.branches.len();
        let mut sites = vec![Site::default(); program.ops.len() + 2 * program.row()];
        for access in program.accesses.iter().filter(|access| access.space == Space::Shared) {
            if let Some(room) = launch.rooms.get(access.pc as usize) {
                let site = &mut sites[access.pc as usize];
                (site.start, site.len) = (room.start, room.end - room.start);
            }
        }
        Worker {
            launch,
            scratch: WorkerScratch {
                worker: index,
                findings: Findings::default(),
                same_values: BTreeSet::new(),
                spent: 0,
                divergent: vec![0; branches],
                seen_words: branches.div_ceil(64).max(1),
                ranges: vec![u32::MAX; program.ops.len()],
                patterns: Patterns::default(),
                touched: Touched::new(launch.shared_bytes),
                copies: Box::new([LoadCopy::default(); LANES]),
                sums: Sums::default(),
                costs: if launch.looks.any() {
                    let looked = launch.looks.ahead.len();
                    CostObserver::with(CostRecorder::new(program.retries, looked, &program.costs.efforts))
                } else {
                    CostObserver::default()
                },
                steps: launch.watch.record.map(|request| Box::new(step_recorder(program, request))),
            },
            counts: vec![BlockCount::default(); program.blocks.len()],
            sites,
            row: program.row(),
            branch_warps: vec![0; branches],
            diverged_warps: vec![0; branches],
            account: (TIME_SLICE as u64).min(launch.budget),
            free: Vec::new(),
            fill: Fill::new(launch),
            spare: Vec::new(),
            vectors: HostVectors::detect(),
            blocks: 0,
            longest_warp: 0,
            is_place_reported: false,
        }
    }

    /// Returns the shared state of the launch.
    pub fn launch(&self) -> &'l Shared<'l> {
        self.launch
    }

    /// Runs blocks, or clusters, until none is left, or the launch is stopped.
    pub fn work(mut self) -> Tally {
        match self.launch.geometry.cluster {
            None => self.run_blocks(),
            Some(dims) => self.run_clusters(dims),
        }
        self.finish_sums();
        self.launch.spent.0.fetch_add(self.scratch.spent, Ordering::Relaxed);
        Tally {
            counts: self.counts,
            sites: self.sites,
            divergent: self.scratch.divergent,
            branch_warps: self.branch_warps,
            diverged_warps: self.diverged_warps,
            blocks: self.blocks,
            longest_warp: self.longest_warp,
            findings: self.scratch.findings,
            same_values: self.scratch.same_values,
            costs: self.scratch.costs,
            steps: self.scratch.steps,
        }
    }

    /// Takes blocks and runs them until none is left, or the launch is stopped.
    fn run_blocks(&mut self) {
        let mut resident: VecDeque<Box<Block<'l>>> = VecDeque::new();
        let mut batch = 0..0;
        let (mut fruitless, mut fetched) = (0, false);
        // In a launch with a seed, several blocks are resident from the start, and give way to each other often.
        let (eager, patience) = if self.launch.seed == 0 { (1, 1) } else { (4, 32) };
        while !self.stopped() {
            let room = resident.len() < self.launch.resident;
            let few = resident.len() < eager && !self.launch.taken();
            let shares = fetched && resident.len() < self.launch.sharing && !(batch.is_empty() && self.launch.taken());
            let must_take = resident.is_empty() || shares || (room && (few || fruitless >= resident.len() * patience));
            fetched = false;
            if must_take {
                if let Some(number) = self.launch.take(&mut batch) {
                    let block = self.admit(number);
                    resident.push_front(block);
                    fruitless = 0;
                } else if resident.is_empty() {
                    break;
                } else {
                    // Other workers' blocks must make progress first.
                    std::thread::yield_now();
                    fruitless = 0;
                }
            }
            let Some(mut block) = resident.pop_front() else {
                break;
            };
            match run(&mut block, self) {
                Progress::Finished => {
                    self.retire(block, true);
                    fruitless = 0;
                }
                Progress::Stuck if !block.expire() => {
                    deadlock(&block, self);
                    self.retire(block, false);
                    break;
                }
                Progress::Yielded | Progress::Stuck => {
                    fruitless += 1;
                    resident.push_back(block);
                }
                Progress::Fetched => {
                    (fruitless, fetched) = (0, true);
                    resident.push_back(block);
                }
                Progress::Stopped => {
                    self.retire(block, false);
                    break;
                }
            }
        }
        for block in resident {
            self.retire(block, false);
        }
    }

    /// Keeps what a block printed and, if it has finished, recycles the block.
    pub(super) fn retire(&mut self, mut block: Box<Block<'l>>, finished: bool) {
        if !block.printed.is_empty() {
            let printed = std::mem::take(&mut block.printed);
            self.launch.print(block.number, printed);
        }
        if finished {
            self.blocks += 1;
            self.scratch.costs.ended_block(&mut block.under_way);
            self.spare.push(block);
        } else if !self.is_place_reported && self.launch.watch.cancel.load(Ordering::Relaxed) {
            let places = (0..block.warps.len()).find_map(|warp| self.whereabouts(&block, warp));
            if let Some(access) = places {
                self.is_place_reported = true;
                (self.launch.watch.stopped)(&access.place);
            }
        }
    }

    /// Makes a block resident.
    pub(super) fn admit(&mut self, number: u64) -> Box<Block<'l>> {
        let spare = self.spare.pop();
        let mut block = spare.unwrap_or_else(|| Box::new(Block::new(self.launch)));
        block.begin(self.launch, number);
        block
    }

    /// Starts a warp of a block: gives it a slot, and sets its pointers.
    pub fn start(&mut self, block: &Block<'l>, warp: &mut Warp<'l>, index: usize) {
        let launch = self.launch;
        let program = launch.program;
        let mut slot = self.slot();
        if slot.block != block.number {
            self.fill.block(&slot, block.ctaid, block.number, block.rank);
            slot.block = block.number;
        }
        if slot.warp != index as u32 {
            self.fill.warp(&slot, index as u32);
            slot.warp = index as u32;
        }
        let live = lanes_of(launch.threads, index as u32);
        warp.place(slot.regs.ptr(), live);
        warp.local = slot.local.as_ref().map_or(std::ptr::null_mut(), Buffer::ptr);
        warp.local_len = u64::from(launch.local_bytes);
        warp.local_stride = local_stride(launch.local_bytes);
        warp.seen = slot.seen.as_mut_ptr();
        // When the chains of warps are counted, each warp has its own counts of basic blocks.
        let slot_counts = slot.counts.as_mut_ptr();
        slot.paused.begin(live);
        if program.recursive {
            // Threads that exited inside calls left their callers' registers there.
            slot.saved.iter_mut().for_each(Vec::clear);
        }
        warp.slot = Some(slot);
        warp.ops = if launch.looks.any() { launch.looks.ops.as_ptr() } else { program.ops.as_ptr() };
        warp.counts = if self.scratch.costs.counts() { slot_counts } else { self.counts.as_mut_ptr() };
        (warp.sites, warp.row) = (self.sites.as_mut_ptr(), self.row);
        warp.shared = block.shared.ptr();
        warp.shared_len = u64::from(launch.shared_bytes);
        warp.resolve = resolve_for(self.vectors);
        warp.layout = layout_for(self.vectors);
        warp.show = show_for(self.vectors);
        warp.counting = launch.counting;
        warp.checking = launch.init || launch.races.is_some();
        if let Some(races) = &launch.races {
            let number = block.number * u64::from(races.warps_per_block()) + index as u64;
            warp.clock.start(number as u32);
        }
        warp.undefined = None;
        let is_recorded = self.scratch.steps.as_ref().is_some_and(|steps| steps.takes(block.number));
        warp.recorded = is_recorded.then(Box::default);
        warp.fetched = Fetched::default();
        if launch.init {
            warp.written.reset(warp.local_len * LANES as u64);
        }
        warp.index = index as u32;
        warp.ctaid = block.ctaid;
        warp.skipped = (0, 0, 0);
        warp.rng = match launch.seed {
            0 => 0,
            seed => seed.rotate_left(32) ^ (block.number << 10) ^ index as u64 | 1,
        };
        (warp.poll, warp.held) = ((u32::MAX, 0), 0);
        (warp.late, warp.met) = (0, (0, 0));
        warp.executed = 0;
        warp.products.reset();
        warp.groups.clear();
        warp.groups.push(Group { pc: program.entry, mask: live, state: State::Ready });
        warp.next = u32::MAX;
        warp.status = Status::Ready;
    }

    /// Returns a slot for a warp, recycled or new.
    fn slot(&mut self) -> Box<WarpSlot> {
        let program = self.launch.program;
        self.free.pop().unwrap_or_else(|| {
            let slot = WarpSlot {
                regs: Buffer::new(program.file_bytes as usize),
                local: (self.launch.local_bytes > 0)
                    .then(|| Buffer::new(local_stride(self.launch.local_bytes) * LANES)),
                saved: Default::default(),
                seen: vec![0; self.scratch.seen_words * 2],
                counts: vec![BlockCount::default(); if self.scratch.costs.counts() { program.blocks.len() } else { 0 }],
                paused: Paused::default(),
                block: u64::MAX,
                warp: u32::MAX,
            };
            self.fill.launch(&slot);
            Box::new(slot)
        })
    }

    /// Takes a warp's slot back, and adds its bit sets to the tallies.
    pub fn finish(&mut self, block: &mut Block<'l>, warp: &mut Warp<'_>) {
        self.longest_warp = self.longest_warp.max(warp.executed);
        if let Some(mut slot) = warp.slot.take() {
            if self.scratch.costs.counts() {
                let tables = &self.launch.program.costs;
                self.scratch.costs.ended_warp(tables, (&mut block.under_way, &mut slot.paused), &slot.counts);
                for (all, own) in self.counts.iter_mut().zip(&mut slot.counts) {
                    let own = std::mem::take(own);
                    (all.executions, all.lanes) = (all.executions + own.executions, all.lanes + own.lanes);
                }
            }
            let words = self.scratch.seen_words;
            for (at, word) in slot.seen.iter_mut().enumerate() {
                let (tally, base) = if at < words {
                    (&mut self.branch_warps, at * 64)
                } else {
                    (&mut self.diverged_warps, (at - words) * 64)
                };
                let mut bits = std::mem::take(word);
                while bits != 0 {
                    tally[base + bits.trailing_zeros() as usize] += 1;
                    bits &= bits - 1;
                }
            }
            self.free.push(slot);
        }
    }

    /// Adds the kept sums to memory: other threads may wait for them.
    #[inline(always)]
    pub fn finish_sums(&mut self) {
        if let Some(turns) = &self.launch.turns {
            self.scratch.sums.finish(turns);
        }
    }

    /// Returns whether the launch has been stopped, by a fault or from outside.
    pub fn stopped(&self) -> bool {
        self.launch.stop.load(Ordering::Relaxed) || self.launch.watch.cancel.load(Ordering::Relaxed)
    }

    /// Returns whether the spent instructions must be reported to the launch.
    pub fn is_due(&self) -> bool {
        self.scratch.spent > self.account
    }

    /// Reports the spent instructions to the launch, and its progress to the watch. If they exceed the budget, records
    /// a finding about this warp of the block. Returns true if the launch stops.
    #[cold]
    pub fn over_budget(&mut self, block: &Block<'_>, warp: usize) -> bool {
        let spent = std::mem::take(&mut self.scratch.spent);
        let spent = self.launch.spent.0.fetch_add(spent, Ordering::Relaxed) + spent;
        let budget = self.launch.budget;
        self.launch.look();
        if spent <= budget {
            return self.stopped();
        }
        let program = self.launch.program;
        let mut finding = Finding::new(FindingKind::EndlessLoop { budget }, program.name.clone());
        finding.accesses.extend(self.whereabouts(block, warp));
        let waits = |state| matches!(state, State::Barrier(_) | State::Lanes(_) | State::Warp(_) | State::Whole);
        finding.accesses.extend(places(block, program, waits));
        self.fail(Fault::LaunchTimeout, finding);
        true
    }

    /// Returns where a warp of a block is: the loop that it executes, and the threads in that loop.
    fn whereabouts(&self, block: &Block<'_>, warp: usize) -> Option<Access> {
        let warp = block.warps[warp].as_ref()?;
        let group = warp.groups.first()?;
        let mut access = Access::at(AccessKind::Loop, self.launch.program.loop_of(group.pc));
        access.threads = group.mask.count_ones();
        Some(warp.located(access, group.mask.trailing_zeros() as usize))
    }

    /// Stops the launch.
    #[cold]
    pub fn fail(&mut self, fault: Fault, finding: Finding) {
        self.launch.fail(fault, finding, &mut self.scratch.findings);
    }
}
