//! A worker: a host thread that runs blocks.

use super::access::{Pointers, Request};
use super::atomic_hot::Touched;
use super::block::{Block, Progress, lanes_of};
use super::buffer::Buffer;
use super::launch::Shared;
use super::pattern::Pattern;
use super::special::Fill;
use super::{BlockCount, Group, Site, State, Status, Warp};
use crate::finding::{Access, Finding, Findings, Kind, What};
use crate::isa::dispatch::Isa;
use crate::lane::LANES;
use crate::machine::Fault;
use crate::program::{Op, Program};
use crate::shadow::Layout;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// A place for a warp: its register file and local memory.
pub(crate) struct Slot {
    /// Registers, the constant area first.
    pub regs: Buffer,
    /// Local memory of 32 lanes, one after another.
    pub local: Option<Buffer>,
    /// Bits of the branches that the warp executed, and at which it diverged.
    pub seen: Vec<u64>,
    /// The block and the warp in it whose special registers are filled in.
    pub block: u64,
    pub warp: u32,
}

/// What a worker counted.
#[derive(Default)]
pub(crate) struct Tally {
    pub counts: Vec<BlockCount>,
    pub sites: Vec<Site>,
    pub divergent: Vec<u64>,
    pub branch_warps: Vec<u64>,
    pub diverged_warps: Vec<u64>,
    pub blocks: u64,
    pub findings: Findings,
}

/// The function that finds the host's addresses, compiled for the processor at hand.
pub(crate) type Resolve = unsafe fn(&mut Warp, &Op, Request, &mut Pointers) -> bool;

/// The function that finds how addresses lie, likewise.
pub(crate) type LayoutOf = fn(&[u64; LANES], u32, u32) -> Layout;

/// A host thread's state.
pub(crate) struct Worker<'l> {
    launch: &'l Shared<'l>,
    pub resolve: Resolve,
    pub layout: LayoutOf,
    pub counts: Vec<BlockCount>,
    pub sites: Vec<Site>,
    /// Times that warps diverged, by branch.
    pub divergent: Vec<u64>,
    pub branch_warps: Vec<u64>,
    pub diverged_warps: Vec<u64>,
    /// Words of one of the two bit sets in `Slot::seen`.
    pub seen_words: usize,
    /// Warp instructions executed and not yet reported.
    pub spent: u64,
    /// When it has to be reported.
    pub account: u64,
    #[expect(clippy::vec_box, reason = "a slot moves between here and its warp")]
    free: Vec<Box<Slot>>,
    fill: Fill,
    #[expect(
        clippy::vec_box,
        reason = "warps point at their block, so it must not move"
    )]
    spare: Vec<Box<Block>>,
    pub findings: Findings,
    /// For the checks: the live range that each instruction accessed last.
    pub ranges: Vec<u32>,
    /// What sites in shared memory point at.
    #[expect(clippy::vec_box, reason = "pointed at, so they must not move")]
    pub patterns: Vec<Box<Pattern>>,
    /// For each word of shared memory, the last atomic that touched it.
    pub touched: Touched,
    blocks: u64,
}

#[cfg(target_arch = "x86_64")]
fn layout_v3(address: &[u64; LANES], mask: u32, size: u32) -> Layout {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn inner(address: &[u64; LANES], mask: u32, size: u32) -> Layout {
        Layout::of(address, mask, size)
    }
    // SAFETY: chosen for a processor that has them.
    unsafe { inner(address, mask, size) }
}
#[cfg(target_arch = "x86_64")]
fn layout_v4(address: &[u64; LANES], mask: u32, size: u32) -> Layout {
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
    )]
    fn inner(address: &[u64; LANES], mask: u32, size: u32) -> Layout {
        Layout::of(address, mask, size)
    }
    // SAFETY: chosen for a processor that has them.
    unsafe { inner(address, mask, size) }
}
unsafe fn resolve_base(w: &mut Warp, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn resolve_v3(w: &mut Warp, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
)]
unsafe fn resolve_v4(w: &mut Warp, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}

impl<'l> Worker<'l> {
    pub fn new(launch: &'l Shared<'l>) -> Worker<'l> {
        let program = launch.program;
        let branches = program.branches.len();
        let (resolve, layout): (Resolve, LayoutOf) = match Isa::detect() {
            #[cfg(target_arch = "x86_64")]
            Isa::V4 => (resolve_v4, layout_v4),
            #[cfg(target_arch = "x86_64")]
            Isa::V3 => (resolve_v3, layout_v3),
            _ => (resolve_base, Layout::of),
        };
        Worker {
            launch,
            resolve,
            layout,
            counts: vec![BlockCount::default(); program.blocks.len()],
            sites: vec![Site::default(); program.ops.len()],
            divergent: vec![0; branches],
            branch_warps: vec![0; branches],
            diverged_warps: vec![0; branches],
            seen_words: branches.div_ceil(64).max(1),
            spent: 0,
            account: (super::SHARE as u64).min(launch.budget),
            free: Vec::new(),
            fill: Fill::new(launch),
            spare: Vec::new(),
            findings: Findings::default(),
            ranges: vec![u32::MAX; program.ops.len()],
            patterns: Vec::new(),
            touched: Touched::new(launch.shared_bytes),
            blocks: 0,
        }
    }

    /// What all workers of the launch share.
    pub fn launch(&self) -> &'l Shared<'l> {
        self.launch
    }

    /// The program.
    pub fn program(&self) -> &'l Program {
        self.launch.program
    }

    /// Takes blocks and runs them until none is left, or the launch is stopped.
    pub fn work(mut self) -> Tally {
        let mut resident: VecDeque<Box<Block>> = VecDeque::new();
        let mut batch = 0..0;
        let mut fruitless = 0;
        // With a seed some blocks run at once from the start, and give way to each other often.
        let (eager, patience) = if self.launch.seed == 0 {
            (1, 1)
        } else {
            (4, 32)
        };
        while !self.stopped() {
            let room = resident.len() < self.launch.resident;
            let few = resident.len() < eager && !self.launch.taken();
            let must_take =
                resident.is_empty() || (room && (few || fruitless >= resident.len() * patience));
            if must_take {
                if let Some(number) = self.launch.take(&mut batch) {
                    let block = self.admit(number);
                    resident.push_front(block);
                    fruitless = 0;
                } else if resident.is_empty() {
                    break;
                } else {
                    // Others must move first.
                    std::thread::yield_now();
                    fruitless = 0;
                }
            }
            let Some(mut block) = resident.pop_front() else {
                break;
            };
            // SAFETY: both are this thread's own, and not used otherwise until it returns.
            let progress = unsafe { Block::run(&raw mut *block, &raw mut self) };
            match progress {
                Progress::Finished => {
                    self.blocks += 1;
                    if !block.printed.is_empty() {
                        let printed = std::mem::take(&mut block.printed);
                        self.launch.print(block.number, printed);
                    }
                    self.spare.push(block);
                    fruitless = 0;
                }
                Progress::Yielded => {
                    fruitless += 1;
                    resident.push_back(block);
                }
                Progress::Stopped => {
                    let printed = std::mem::take(&mut block.printed);
                    self.launch.print(block.number, printed);
                    break;
                }
            }
        }
        for mut block in resident {
            let printed = std::mem::take(&mut block.printed);
            self.launch.print(block.number, printed);
        }
        self.launch.spent.0.fetch_add(self.spent, Ordering::Relaxed);
        Tally {
            counts: self.counts,
            sites: self.sites,
            divergent: self.divergent,
            branch_warps: self.branch_warps,
            diverged_warps: self.diverged_warps,
            blocks: self.blocks,
            findings: self.findings,
        }
    }

    /// Makes a block resident.
    fn admit(&mut self, number: u64) -> Box<Block> {
        let launch = self.launch;
        let threads = launch.threads;
        let warps = threads.div_ceil(LANES as u32) as usize;
        let mut block = self
            .spare
            .pop()
            .unwrap_or_else(|| Box::new(Block::new(warps, launch.shared_bytes as usize)));
        let [gx, gy, _] = launch.grid.map(u64::from);
        block.number = number;
        block.ctaid = [
            (number % gx) as u32,
            (number / gx % gy) as u32,
            (number / gx / gy) as u32,
        ];
        (block.done, block.live, block.threads) = (0, threads, threads);
        block.waiting = 0;
        block.barriers.fill(super::block::Barrier::default());
        for warp in &mut block.warps {
            warp.status = Status::New;
        }
        if let Some(races) = &launch.races {
            block.clock = races.block();
            block.races.start(u64::from(launch.shared_bytes));
            block.copies.reset(launch.shared_bytes.into());
        }
        if launch.init {
            block.written.reset(u64::from(launch.shared_bytes));
        }
        if launch.seed != 0 {
            super::launch::shuffle(&mut block.order, launch.seed ^ number.rotate_left(32));
        }
        block
    }

    /// Starts a warp of a block.
    pub fn start(&mut self, block: &mut Block, index: usize) {
        let program = self.launch.program;
        let mut slot = self.free.pop().unwrap_or_else(|| {
            let slot = Slot {
                regs: Buffer::new(program.file_bytes as usize),
                local: (program.local_bytes > 0)
                    .then(|| Buffer::new(program.local_bytes as usize * LANES)),
                seen: vec![0; self.seen_words * 2],
                block: u64::MAX,
                warp: u32::MAX,
            };
            self.fill.launch(&slot);
            Box::new(slot)
        });
        if slot.block != block.number {
            self.fill.block(&slot, block.ctaid, block.number);
            slot.block = block.number;
        }
        if slot.warp != index as u32 {
            self.fill.warp(&slot, index as u32);
            slot.warp = index as u32;
        }
        let live = lanes_of(block.threads, index as u32);
        let this: *mut Worker<'l> = &raw mut *self;
        let owner_number = block.number;
        let owner: *mut Block = block;
        let warp = &mut block.warps[index];
        warp.place(slot.regs.ptr(), live);
        warp.local = slot
            .local
            .as_ref()
            .map_or(std::ptr::null_mut(), Buffer::ptr);
        warp.local_len = u64::from(program.local_bytes);
        warp.seen = slot.seen.as_mut_ptr();
        warp.slot = Some(slot);
        warp.ops = program.ops.as_ptr();
        warp.counts = self.counts.as_mut_ptr();
        warp.sites = self.sites.as_mut_ptr();
        warp.shared = block.shared.ptr();
        warp.shared_len = u64::from(self.launch.shared_bytes);
        warp.worker = this.cast();
        warp.block = owner;
        warp.counting = self.launch.counting;
        warp.checking = self.launch.init || self.launch.races.is_some();
        if let Some(races) = &self.launch.races {
            let number = owner_number * u64::from(races.warps_per_block()) + index as u64;
            warp.clock.start(number as u32);
        }
        if self.launch.init {
            warp.written.reset(warp.local_len * LANES as u64);
        }
        warp.index = index as u32;
        warp.skipped = (0, 0, 0);
        let seed = self.launch.seed;
        warp.dice = match seed {
            0 => 0,
            _ => seed.rotate_left(32) ^ (owner_number << 10) ^ index as u64 | 1,
        };
        warp.poll = (u32::MAX, 0);
        warp.groups.clear();
        warp.groups.push(Group {
            pc: program.entry,
            mask: live,
            state: State::Ready,
        });
        warp.next = u32::MAX;
        warp.status = Status::Ready;
    }

    /// Takes a warp's place back, and its bits.
    pub fn finish(&mut self, warp: &mut Warp) {
        if let Some(mut slot) = warp.slot.take() {
            let words = self.seen_words;
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

    /// Whether the launch has been stopped.
    pub fn stopped(&self) -> bool {
        self.launch.stop.load(Ordering::Relaxed)
    }

    /// Reports what was spent; records the finding if it is too much.
    #[cold]
    pub fn over_budget(&mut self, warp: &Warp) -> bool {
        let spent = self.launch.spent.0.fetch_add(self.spent, Ordering::Relaxed) + self.spent;
        self.spent = 0;
        if spent <= self.launch.budget {
            return self.stopped();
        }
        let budget = self.launch.budget;
        let mut finding = Finding::new(
            Kind::EndlessLoop { budget },
            self.launch.program.name.clone(),
        );
        if let Some(group) = warp.groups.first() {
            let place = self.launch.program.place_of(group.pc);
            let mut access = Access::at(What::Loop, place);
            access.threads = group.mask.count_ones();
            finding = finding.with(warp.located(access, group.mask.trailing_zeros() as usize));
        }
        // SAFETY: the warp's block outlives it, and is not running.
        let block = unsafe { &*warp.block };
        let waits = |state| matches!(state, State::Barrier(_) | State::Lanes(_) | State::Warp(_));
        let waiting = block.places(self.launch.program, waits);
        finding.accesses.extend(waiting);
        self.fail(Fault::LaunchTimeout, finding);
        true
    }

    /// Stops the launch.
    #[cold]
    pub fn fail(&mut self, fault: Fault, mut finding: Finding) {
        finding.seed = self.launch.seed;
        self.launch.fail(fault);
        self.findings.add(finding);
    }
}
