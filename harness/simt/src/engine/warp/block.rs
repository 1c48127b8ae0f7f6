//! A resident block: its warps, shared memory and barriers.

use super::buffer::Buffer;
use super::loan::Loan;
use super::printed::Text;
use super::program::Op;
use super::rng::shuffle;
use super::shared::Shared;
use super::warpgroup::{WARPS, Warpgroup};
use super::{Group, State, Status, Warp};
use crate::checks::clock::BlockClock;
use crate::checks::copies::Copies;
use crate::checks::proxies::Proxies;
use crate::checks::shared::SharedRaces;
use crate::checks::unread::Unread;
use crate::engine::costs::chains::UnderWay;
use crate::engine::traffic::pattern::WINDOW;
use crate::finding::Finding;
use crate::lane::LANES;
use crate::memory::Written;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The number of barriers that a block has.
pub(crate) const BARRIERS: usize = 16;

/// A barrier of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived, waiting or not.
    pub arrived: u32,
    /// The number of threads that it waits for; 0 means all threads that have not exited.
    pub expected: u32,
    /// The number of arrived threads whose predicate holds.
    pub held: u32,
    /// Writes the results for the lanes that the barrier releases.
    pub results: Option<Results>,
}

/// A function that writes the result of the barrier `op` into the lanes of `mask`. `held` is the number of predicates
/// that hold, `arrived` the number of threads that have arrived.
pub(crate) type Results = fn(warp: &Warp<'_>, op: &Op, mask: u32, held: u32, arrived: u32);

/// A cluster whose blocks are resident.
#[derive(Default)]
pub(crate) struct Cluster<'l> {
    /// Its blocks by rank. The running block is taken out; those that have finished stay.
    pub blocks: Vec<Option<Box<Block<'l>>>>,
    /// Its barrier.
    pub meeting: Meeting,
}

/// The barrier of a cluster (`barrier.cluster`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meeting {
    /// Threads that have arrived in the current phase.
    pub arrived: u32,
    /// The number of the current phase.
    pub phase: u32,
    /// For the race check, the time at which that phase began.
    pub began: u64,
}

/// A resident block.
pub(crate) struct Block<'l> {
    /// Its number in the grid, x fastest.
    pub number: u64,
    /// Its index.
    pub ctaid: [u32; 3],
    /// Its warps. The warp whose turn it is is taken out.
    pub warps: Vec<Option<Box<Warp<'l>>>>,
    /// The order in which they take turns.
    pub order: Vec<u32>,
    /// The number of warps that have exited.
    pub done: u32,
    /// The number of threads that have not exited.
    pub live: u32,
    /// Shared memory.
    pub shared: Buffer,
    /// Barriers.
    pub barriers: [Barrier; BARRIERS],
    /// A mask of the barriers at which groups wait.
    pub waiting: u32,
    /// How often in a row its waits at mbarriers have timed out.
    pub expired: u32,
    /// The time of the first of these timeouts.
    pub expired_since: Option<Instant>,
    /// Whether its threads have read a clock, so that they may wait for a time.
    pub timed: bool,
    /// One of its warps has fetched a piece of work since the block's turn began.
    pub fetched: bool,
    /// Its rank in its cluster.
    pub rank: u32,
    /// The other blocks of its cluster while it runs, if the launch has clusters.
    pub cluster: Loan<Cluster<'l>>,
    /// The barrier of its cluster, if the cluster has no other block.
    pub meeting: Meeting,
    /// Its warpgroups, once one of them has executed a matrix product.
    pub warpgroups: Vec<Warpgroup>,
    /// What its threads printed and the launch has not received yet.
    pub printed: Text,
    /// What its warps have executed, if the launch's costs are counted.
    pub under_way: UnderWay,
    /// For the race check: the block's clock, and the shadow memory of its shared memory.
    pub clock: BlockClock,
    pub races: SharedRaces,
    /// For the race check: the races whose locations have not been read.
    pub unread: Unread,
    /// For the race check: the asynchronous copies that have not been waited for.
    pub copies: Copies,
    /// For the race check: what was stored without a fence before bulk copies and matrix products.
    pub proxies: Proxies,
    /// For the initialisation check: which bytes of its shared memory have been written.
    pub written: Written,
    /// The loads of unwritten memory whose values were stored to shared memory, by the addresses there, as they are
    /// reported if the values are used.
    pub stored_unset: HashMap<u64, Arc<Finding>>,
    /// A range of it in which every byte is known to be written, so that most accesses need not check the bytes.
    pub stretch: Range<u64>,
}

impl<'l> Block<'l> {
    /// An empty block of a launch.
    pub fn new(launch: &'l Shared<'l>) -> Block<'l> {
        let warps = launch.threads.div_ceil(LANES as u32);
        Block {
            number: 0,
            ctaid: [0; 3],
            warps: (0..warps).map(|_| Some(Box::new(Warp::idle(launch)))).collect(),
            order: (0..warps).collect(),
            done: 0,
            live: 0,
            // A load may read a whole window that begins at the last byte.
            shared: Buffer::new(launch.shared_bytes as usize + WINDOW as usize),
            barriers: [Barrier::default(); BARRIERS],
            waiting: 0,
            expired: 0,
            expired_since: None,
            timed: false,
            fetched: false,
            rank: 0,
            cluster: Loan::none(),
            meeting: Meeting::default(),
            warpgroups: Vec::new(),
            printed: Text::default(),
            under_way: UnderWay::default(),
            clock: BlockClock::default(),
            races: SharedRaces::default(),
            unread: Unread::default(),
            copies: Copies::default(),
            proxies: Proxies::default(),
            written: Written::default(),
            stored_unset: HashMap::new(),
            stretch: 0..0,
        }
    }

    /// Prepares it for the block of the grid with this number.
    pub fn begin(&mut self, launch: &Shared<'_>, number: u64) {
        let [gx, gy, _] = launch.geometry.grid.map(u64::from);
        self.number = number;
        (self.expired, self.timed, self.rank, self.meeting) = (0, false, 0, Meeting::default());
        self.fetched = false;
        self.ctaid = [(number % gx) as u32, (number / gx % gy) as u32, (number / gx / gy) as u32];
        (self.done, self.live, self.waiting) = (0, launch.threads, 0);
        self.barriers.fill(Barrier::default());
        self.warpgroups.clear();
        self.under_way.begin();
        for warp in self.warps.iter_mut().flatten() {
            warp.status = Status::New;
        }
        if let Some(races) = &launch.races {
            self.clock = self.clock.next(&races.time);
            self.races.start(u64::from(launch.shared_bytes));
            self.unread.clear();
            self.copies.reset(launch.shared_bytes.into());
            let looks = launch.bulk || launch.program.products;
            self.proxies.reset(if looks { launch.shared_bytes.into() } else { 0 });
        }
        if launch.init {
            self.written.reset(u64::from(launch.shared_bytes));
            self.stretch = 0..0;
            self.stored_unset.clear();
        }
        // The system leaves zeros in the reserved part, and groups of several warps keep their barriers there.
        let reserved = launch.program.reserved_shared;
        if reserved > 0 {
            // SAFETY: the shared memory begins with the reserved part, and no warp of the block runs yet.
            unsafe { self.shared.ptr().write_bytes(0, reserved as usize) };
            self.written.write(0, reserved.into());
        }
        if launch.seed != 0 {
            shuffle(&mut self.order, launch.seed ^ number.rotate_left(32));
        }
    }

    /// Records that every byte of a range of shared memory has been written.
    pub fn has_written(&mut self, piece: Range<u64>) {
        let Range { start, end } = self.stretch;
        if piece.start <= end && start <= piece.end {
            self.stretch = start.min(piece.start)..end.max(piece.end);
        } else if piece.end - piece.start > end - start {
            self.stretch = piece;
        }
    }

    /// Records that `threads` threads have exited, and opens the barriers that waited only for them.
    pub fn left(&mut self, by: &mut Warp<'l>, threads: u32) {
        self.live -= threads;
        self.expired = 0;
        if by.live == 0
            && let Some(group) = self.warpgroups.get_mut(by.index as usize / WARPS)
        {
            by.leaves_warpgroup(group, by.mask().trailing_zeros() as usize & 31);
        }
        if self.meeting.arrived != 0 || self.cluster.is_lent() {
            self.left_cluster(by);
        }
        let mut waiting = self.waiting;
        while waiting != 0 {
            let id = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let barrier = self.barriers[id as usize];
            if barrier.expected == 0 && self.live > 0 && barrier.arrived >= self.live {
                self.open(id, by, false);
            }
        }
    }

    /// Opens a barrier: the waiting groups get their results and continue after it. `passes` says whether the warp that
    /// opened it continues, too.
    pub fn open(&mut self, id: u32, by: &mut Warp<'l>, passes: bool) {
        self.expired = 0;
        let barrier = &mut self.barriers[id as usize];
        let opened = *barrier;
        let some = barrier.expected != 0;
        *barrier = Barrier::default();
        self.waiting &= !(1 << id);
        if !some {
            self.clock.barrier();
        }
        let released = release(by, id, opened) | passes;
        self.ordered(id, by, some, released);
        for i in 0..self.warps.len() {
            // The running warp is not in the list; it has been handled above.
            let Some(mut warp) = self.warps[i].take() else {
                continue;
            };
            let released = release(&mut warp, id, opened);
            self.ordered(id, &mut warp, some, released);
            if released && warp.status == Status::Blocked {
                warp.status = Status::Ready;
            }
            self.warps[i] = Some(warp);
        }
        if some {
            self.clock.opened(id as usize);
        }
    }

    /// Records what an open barrier orders for a warp. A barrier of the whole block orders everything. A barrier of
    /// some threads (`some`) orders what the arrived threads did before it, for the threads that waited.
    fn ordered(&mut self, id: u32, warp: &mut Warp<'_>, some: bool, released: bool) {
        if !some {
            warp.clock.barrier();
        } else if released && warp.checking {
            warp.clock.sync(warp.live, warp.live);
            let index = warp.index as usize;
            self.clock.pass(id as usize, index, &mut warp.clock);
        }
    }
}

/// Releases the groups of a warp that wait at a barrier. Returns true if there were any.
fn release(warp: &mut Warp<'_>, id: u32, opened: Barrier) -> bool {
    let mut any = false;
    for i in 0..warp.groups.len() {
        let Group { pc, mask, state } = warp.groups[i];
        if state == State::Barrier(id) {
            if let Some(give) = opened.results {
                // SAFETY: the group waits at this instruction of the program.
                let op = unsafe { &*warp.ops.add(pc as usize) };
                give(warp, op, mask, opened.held, opened.arrived);
            }
            warp.skipped = (0, 0, 0);
            warp.groups[i].state = State::Ready;
            warp.groups[i].pc = pc + 1;
            warp.next = warp.next.min(pc + 1);
            any = true;
        }
    }
    any
}
