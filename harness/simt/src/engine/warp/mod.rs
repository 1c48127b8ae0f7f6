//! The runtime data: the decoded program, a warp, its block, and what all blocks of a launch share.
//!
//! A handler executes one decoded instruction ([`program::Op`]) for one [`Warp`]. Everything that it may access is
//! reached through the warp: its registers, the launch, and, during the warp's turn, its block and the scratch of the
//! host thread that runs it.

pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod cluster;
pub(crate) mod fetched;
pub(crate) mod groups;
pub mod handler;
pub(crate) mod loan;
pub(crate) mod mbarrier;
pub(crate) mod printed;
pub mod program;
pub(crate) mod rng;
pub(crate) mod shared;
pub(crate) mod slot;
pub(crate) mod step_recorder;
pub(crate) mod sums;
pub mod tables;
pub(crate) mod touched;
pub(crate) mod undefined;
pub(crate) mod warpgroup;
pub(crate) mod worker_scratch;

use self::block::Block;
use self::fetched::Fetched;
pub use self::groups::Flow;
pub(crate) use self::groups::{Group, Reason, State, Status, Turn};
use self::loan::Loan;
use self::program::{Op, Program};
use self::shared::Shared;
use self::slot::WarpSlot;
use self::step_recorder::RecordedWarp;
use self::undefined::Undefined;
use self::warpgroup::Products;
use self::worker_scratch::WorkerScratch;
use crate::checks::clock::WarpClock;
use crate::checks::{Addresses, Layout};
use crate::engine::traffic::counts::{self, BlockCount, Site};
use crate::engine::traffic::request::{Pointers, Request};
use crate::finding::Space;
use crate::lane::LANES;
use crate::memory::Written;
use smallvec::SmallVec;

/// The time slice: the number of instructions that a warp runs before others get their turn.
pub(crate) const TIME_SLICE: i64 = 1 << 20;
/// The part of the time slice that an unsuccessful poll of a lock or flag costs.
const POLL: i64 = TIME_SLICE / 16;

/// A function that translates the addresses of a request to host addresses, compiled for this processor. It returns
/// false if one of them must not be accessed; the fault has then been recorded.
pub(crate) type Resolve = unsafe fn(&mut Warp<'_>, &Op, Request, &mut Pointers) -> bool;

/// A function that passes the addresses of a memory instruction to the checks, compiled for this processor: see
/// [`Warp::check_addresses`].
pub(crate) type Show = unsafe fn(&mut Warp<'_>, &Op, Request, Option<&Layout>);

/// A function that finds the layout of a request's addresses, compiled for this processor.
pub(crate) type LayoutOf = fn(Addresses<'_>, u32, u32) -> Layout;

/// A warp: its lanes' registers and program counters.
///
/// The raw pointers lead into buffers of the worker that runs the warp (`counts`, `sites`), of the warp's own slot
/// (`regs`, `seen`, `local`), of its block (`shared`), and of the program or launch (`ops`). The worker sets them when
/// the warp starts. None of these buffers moves, and nothing else accesses their contents, until the warp has finished.
#[repr(C, align(64))]
pub struct Warp<'l> {
    regs: *mut u8,
    mask: u32,
    /// Program counter of the running group, valid at block boundaries and whenever the scheduler has control.
    pub(crate) pc: u32,
    /// The lowest program counter of another group that is ready.
    pub(crate) next: u32,
    /// Lanes that exist and have not exited.
    pub(crate) live: u32,
    /// Instructions that remain of the warp's time slice.
    pub(crate) slice_left: i64,
    pub(crate) ops: *const Op,
    pub(crate) counts: *mut BlockCount,
    /// The sites, one for every instruction of the program, in rows: see [`counts::row_of`].
    pub(crate) sites: *mut Site,
    /// The distance between these rows, see [`Program::row`].
    pub(crate) row: usize,
    /// Two bit sets with one bit for each branch, one after the other: the branches that this warp executed, and those
    /// at which it diverged.
    pub(crate) seen: *mut u64,
    pub(in crate::engine) shared: *mut u8,
    pub(crate) shared_len: u64,
    pub(in crate::engine) local: *mut u8,
    pub(crate) local_len: u64,
    /// Bytes from one lane's local memory to the next lane's: see [`slot::local_stride`].
    pub(in crate::engine) local_stride: usize,
    launch: &'l Shared<'l>,
    /// The warp's block, while the warp has its turn.
    pub(crate) block: Loan<Block<'l>>,
    /// The worker's scratch, while the warp has its turn.
    pub(crate) scratch: Loan<WorkerScratch>,
    /// The three functions below are compiled for this processor's vectors.
    pub(crate) resolve: Resolve,
    pub(crate) layout: LayoutOf,
    pub(crate) show: Show,
    pub(crate) reason: Reason,
    pub(crate) counting: bool,
    /// Whether the race check or the initialisation check is on.
    pub(crate) checking: bool,
    /// The warp's clock, for the race check.
    pub(crate) clock: WarpClock,
    /// For the initialisation check: which bytes of its local memory have been written.
    pub(crate) written: Written,
    /// For the initialisation check: the values that come from unwritten bytes, if there are any.
    pub(crate) undefined: Option<Box<Undefined>>,
    /// Its state for the step recorder, if its block is recorded.
    pub(crate) recorded: Option<Box<RecordedWarp>>,
    /// In a launch with a seed, the state of the generator that decides where other warps get a turn. Otherwise 0.
    pub(crate) rng: u64,
    /// The lanes that went past a barrier at which other lanes of the warp wait, the program counter at which they were
    /// observed, and the barrier's program counter.
    pub(crate) skipped: (u32, u32, u32),
    /// Its number in the block.
    pub(crate) index: u32,
    /// The block's index in the grid.
    pub(crate) ctaid: [u32; 3],
    /// The groups that are not running.
    pub(crate) groups: SmallVec<[Group; 4]>,
    /// The last unsuccessful poll of a lock or flag: its program counter, and a digest of the value.
    pub(crate) poll: (u32, u64),
    /// For how many consecutive turns lanes have waited for others of the warp that spin.
    pub(crate) held: u32,
    /// The lanes whose wait at an mbarrier has timed out.
    pub(crate) late: u32,
    /// The lanes that have arrived at the cluster's barrier, and the phase in which they did.
    pub(crate) met: (u32, u32),
    /// Its warpgroup matrix products.
    pub(crate) products: Products,
    /// What unsuccessful polls took from `slice_left` without being executed instructions.
    pub(crate) penalty: i64,
    /// The pieces of work that it has fetched.
    pub(crate) fetched: Fetched,
    /// Instructions that it has executed in its earlier time slices.
    pub(crate) executed: u64,
    pub(crate) slot: Option<Box<WarpSlot>>,
    pub(crate) status: Status,
}

impl<'l> Warp<'l> {
    /// Returns the register file.
    #[inline(always)]
    pub fn regs(&self) -> *mut u8 {
        self.regs
    }
    /// Returns the lanes that execute.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// Creates a warp of a launch, without registers.
    pub(crate) fn idle(launch: &'l Shared<'l>) -> Warp<'l> {
        Warp {
            regs: std::ptr::null_mut(),
            mask: 0,
            pc: 0,
            next: u32::MAX,
            live: 0,
            slice_left: 0,
            ops: std::ptr::null(),
            counts: std::ptr::null_mut(),
            sites: std::ptr::null_mut(),
            row: 0,
            seen: std::ptr::null_mut(),
            shared: std::ptr::null_mut(),
            shared_len: 0,
            local: std::ptr::null_mut(),
            local_len: 0,
            local_stride: 0,
            launch,
            block: Loan::none(),
            scratch: Loan::none(),
            resolve: |_, _, _, _| false,
            layout: Layout::of,
            show: |_, _, _, _| (),
            reason: Reason::Gone,
            counting: false,
            checking: false,
            clock: WarpClock::default(),
            written: Written::default(),
            undefined: None,
            recorded: None,
            rng: 0,
            skipped: (0, 0, 0),
            index: 0,
            ctaid: [0; 3],
            groups: SmallVec::new(),
            poll: (u32::MAX, 0),
            held: 0,
            late: 0,
            met: (0, 0),
            products: Products::default(),
            penalty: 0,
            fetched: Fetched::default(),
            executed: 0,
            slot: None,
            status: Status::New,
        }
    }

    /// Gives it a register file.
    pub(crate) fn place(&mut self, regs: *mut u8, live: u32) {
        self.regs = regs;
        self.mask = live;
        self.live = live;
    }

    /// Returns a pointer to a register, as the type that holds all its lanes.
    ///
    /// # Safety
    /// `offset` is a register of that type inside the register file.
    #[inline(always)]
    pub(crate) unsafe fn reg<T>(&self, offset: u32) -> *mut T {
        // SAFETY: the caller's contract.
        unsafe { self.regs.add(offset as usize).cast() }
    }

    /// Returns the counters of an instruction's accesses to `space`, if it names the space `declared`.
    ///
    /// # Safety
    /// `op` is a memory instruction of the program, and names the space `declared`.
    #[inline(always)]
    pub(crate) unsafe fn site(&mut self, op: &Op, declared: Space, space: Space) -> &'l mut Site {
        let row = counts::row_of(declared, space) * self.row;
        // SAFETY: every instruction has a site, and there are further rows where addresses are generic.
        unsafe { &mut *self.sites.add(op.site as usize + row) }
    }

    /// Returns the running lanes for which the predicate of a guard holds, and counts them.
    ///
    /// # Safety
    /// `op` is an instruction of the program that runs.
    #[inline(always)]
    pub(crate) unsafe fn guarded(&mut self, op: &Op, holds: u32) -> u32 {
        let on = holds & self.mask;
        // SAFETY: every instruction has a site.
        let site = unsafe { &mut *self.sites.add(op.site as usize) };
        site.requests += 1;
        site.lanes += u64::from((self.mask & !on).count_ones());
        on
    }

    /// Sets the running lanes.
    #[inline(always)]
    pub(crate) fn set_mask(&mut self, mask: u32) {
        self.mask = mask;
    }

    /// Returns what all warps of the launch share.
    #[inline(always)]
    pub(crate) fn launch(&self) -> &'l Shared<'l> {
        self.launch
    }

    /// Cost hook: all lanes of the warp have reached a barrier of the whole block, which ends this basic block.
    pub(crate) fn on_block_barrier(&mut self, block: &mut Block<'_>, at: u32) {
        let (program, counts, live) = (self.program(), self.counts, self.live);
        let costs = &mut self.scratch.get_mut().costs;
        if let Some(slot) = self.slot.as_mut().filter(|_| costs.counts()) {
            // SAFETY: while costs are counted, the warp's slot has a count for each basic block.
            let counts = unsafe { std::slice::from_raw_parts(counts, program.blocks.len()) };
            costs.reached_barrier(&program.costs, (&mut block.under_way, &mut slot.paused), counts, live, at);
        }
    }

    /// Cost hook: some of the warp's lanes have reached a barrier alone.
    #[cold]
    pub(crate) fn on_partial_barrier(&mut self) {
        if let Some(slot) = &mut self.slot {
            slot.paused.parts();
        }
    }

    /// Returns the program that runs.
    #[inline(always)]
    pub(crate) fn program(&self) -> &'l Program {
        self.launch.program
    }

    /// Calls `act` with the warp and its block; during the call, the block cannot be reached through the warp.
    #[inline(always)]
    pub(crate) fn with_block<R>(&mut self, act: impl FnOnce(&mut Self, &mut Block<'l>) -> R) -> R {
        let mut block = std::mem::replace(&mut self.block, Loan::none());
        let result = act(self, block.get_mut());
        self.block = block;
        result
    }

    /// Returns the lanes that this warp started with.
    pub(crate) fn started(&self) -> u32 {
        lanes_of(self.launch.threads, self.index)
    }

    /// Continues at `to`, unless another group comes first or the time slice is used up.
    #[inline(always)]
    pub(crate) fn jump(&mut self, to: u32) -> Flow {
        self.pc = to;
        if to >= self.next {
            self.reason = Reason::Choose;
            return Flow::Stop;
        }
        if self.slice_left < 0 {
            self.reason = Reason::TimeSlice;
            return Flow::Stop;
        }
        Flow::Jump
    }

    /// Counts an execution of a basic block of `length` instructions. Its terminator calls this.
    #[inline(always)]
    pub(crate) fn count(&mut self, block: u32, length: u32) {
        // SAFETY: there are as many counts as the program has blocks.
        let count = unsafe { &mut *self.counts.add(block as usize) };
        count.executions += 1;
        count.lanes += u64::from(self.mask.count_ones());
        self.slice_left -= i64::from(length);
    }

    /// Records an unsuccessful poll of memory. The same poll twice in a row counts as spinning.
    #[inline(always)]
    pub(crate) fn polled(&mut self, site: u32, digest: u64) {
        let poll = (site, digest ^ (u64::from(self.mask) << 32));
        if self.poll == poll {
            self.give_way(POLL);
        }
        // A program that polls flags between its waits at an mbarrier may wait for another block.
        self.block.get_mut().expired = 0;
        self.poll = poll;
    }

    /// Shortens the rest of the time slice by `instructions`, which are not executed.
    #[inline(always)]
    pub(crate) fn give_way(&mut self, instructions: i64) {
        self.slice_left -= instructions;
        self.penalty += instructions;
    }

    /// Marks a point where threads act on each other. In a launch with a seed, other warps may get their turn here.
    pub(crate) fn switch_point(&mut self) {
        if self.rng != 0 && rng::scramble(&mut self.rng).is_multiple_of(4) {
            self.give_way(self.slice_left.max(-1) + 1);
        }
    }

    /// Moves the running group to the waiting groups.
    pub(crate) fn park(&mut self, pc: u32, state: State) -> Flow {
        let mask = self.mask;
        self.groups.push(Group { pc, mask, state });
        self.reason = Reason::Gone;
        Flow::Stop
    }
}

/// Returns the lanes that exist in a warp of a block of `threads` threads.
pub(crate) fn lanes_of(threads: u32, warp: u32) -> u32 {
    let left = threads.saturating_sub(warp * LANES as u32);
    if left >= LANES as u32 { u32::MAX } else { (1 << left) - 1 }
}
