//! A resident block: its warps, shared memory and barriers.

use super::async_copy::Copies;
use super::buffer::Buffer;
use super::worker::Worker;
use super::{Group, State, Status, Turn, Warp};
use crate::finding::{Access, Finding, Kind, What};
use crate::lane::LANES;
use crate::machine::Fault;
use crate::program::Program;
use crate::shadow::clock::BlockClock;
use crate::shadow::init::Written;
use crate::shadow::lines::SharedRaces;

/// Barriers that a block has.
pub(crate) const BARRIERS: usize = 16;

/// Places at which threads wait that the finding of a deadlock tells.
const MOST_PLACES: usize = 16;

/// A barrier of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived, waiting ones or not.
    pub arrived: u32,
    /// Threads that it waits for; 0: all that have not exited.
    pub expected: u32,
    /// Over the predicates of the arrived: how many held.
    pub held: u32,
}

/// A resident block.
pub(crate) struct Block {
    /// Its number in the grid, x fastest.
    pub number: u64,
    /// Its index.
    pub ctaid: [u32; 3],
    /// Its warps.
    pub warps: Vec<Warp>,
    /// The order in which they take turns.
    pub order: Vec<u32>,
    /// Warps that have exited.
    pub done: u32,
    /// Threads that have not exited.
    pub live: u32,
    /// Threads in all.
    pub threads: u32,
    /// Shared memory.
    pub shared: Buffer,
    /// Barriers.
    pub barriers: [Barrier; BARRIERS],
    /// A bit for each barrier at which groups wait.
    pub waiting: u32,
    /// What its threads printed.
    pub printed: Vec<u8>,
    /// For the race check: its clock, and what is remembered of its shared memory.
    pub clock: BlockClock,
    pub races: SharedRaces,
    /// And the asynchronous copies that have not been waited for.
    pub copies: Copies,
    /// For the initialisation check: which bytes of its shared memory have been written.
    pub written: Written,
}

/// How far a block got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All threads have exited.
    Finished,
    /// All that can run spin, or have had their share.
    Yielded,
    /// It was stopped.
    Stopped,
}

impl Block {
    /// An empty block with room for `shared` bytes and `warps` warps.
    pub fn new(warps: usize, shared: usize) -> Block {
        Block {
            number: 0,
            ctaid: [0; 3],
            warps: (0..warps).map(|_| Warp::idle()).collect(),
            order: (0..warps as u32).collect(),
            done: 0,
            live: 0,
            threads: 0,
            // Loads may read a window's worth from the last byte on.
            shared: Buffer::new(shared + super::pattern::WINDOW as usize),
            barriers: [Barrier::default(); BARRIERS],
            waiting: 0,
            printed: Vec::new(),
            clock: BlockClock::default(),
            races: SharedRaces::default(),
            copies: Copies::default(),
            written: Written::default(),
        }
    }

    /// Runs until it has finished or nothing in it makes progress.
    ///
    /// # Safety
    /// Both are valid, and nobody else uses them meanwhile. They are pointers because the instructions of a warp reach its block
    /// and its worker, too.
    pub unsafe fn run(this: *mut Block, worker: *mut Worker<'_>) -> Progress {
        // SAFETY: each reference made here ends before a warp runs.
        unsafe {
            loop {
                let (mut ran, mut advanced) = (false, false);
                for i in 0..(*this).order.len() {
                    let index = (&(*this).order)[i] as usize;
                    let warp = (*this).warps.as_mut_ptr().add(index);
                    match (*warp).status {
                        Status::New => (*worker).start(&mut *this, index),
                        Status::Ready => {}
                        Status::Blocked | Status::Done => continue,
                    }
                    ran = true;
                    match (*warp).turn() {
                        Turn::Done => {
                            (*warp).status = Status::Done;
                            (*this).done += 1;
                            (*worker).finish(&mut *warp);
                            advanced = true;
                        }
                        Turn::Blocked => {
                            (*warp).status = Status::Blocked;
                            advanced = true;
                        }
                        Turn::Yield => {}
                        Turn::Fault => return Progress::Stopped,
                    }
                    if (*worker).spent > (*worker).account && (*worker).over_budget(&*warp) {
                        return Progress::Stopped;
                    }
                }
                if (*this).done as usize == (*this).order.len() {
                    return Progress::Finished;
                }
                if !ran {
                    (*this).deadlock(&mut *worker);
                    return Progress::Stopped;
                }
                if !advanced {
                    return Progress::Yielded;
                }
                if (*worker).stopped() {
                    return Progress::Stopped;
                }
            }
        }
    }

    /// Threads have exited: barriers that waited for them may open.
    pub fn left(&mut self, by: &mut Warp, threads: u32) {
        self.live -= threads;
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

    /// Opens a barrier: those that wait at it go on behind it, with its results. `passes`: so does the warp that opened it.
    pub fn open(&mut self, id: u32, by: &mut Warp, passes: bool) {
        let barrier = &mut self.barriers[id as usize];
        let (held, arrived) = (barrier.held, barrier.arrived);
        let some = barrier.expected != 0;
        *barrier = Barrier::default();
        self.waiting &= !(1 << id);
        if !some {
            self.clock.barrier();
        }
        let me = by.index as usize;
        let released = release(by, id, held, arrived) | passes;
        self.ordered(id, by, some, released);
        for i in 0..self.warps.len() {
            // The warp that runs is lent out: it has been seen to.
            if i != me {
                // SAFETY: another element of the vector than the one lent out.
                let warp = unsafe { &mut *self.warps.as_mut_ptr().add(i) };
                let released = release(warp, id, held, arrived);
                self.ordered(id, warp, some, released);
                if released && warp.status == Status::Blocked {
                    warp.status = Status::Ready;
                }
            }
        }
        if some {
            self.clock.opened(id as usize);
        }
    }

    /// What an open barrier orders for a warp: everything, or (`some`) what those did that came to it, for those that waited.
    fn ordered(&mut self, id: u32, warp: &mut Warp, some: bool, released: bool) {
        if !some {
            warp.clock.barrier();
        } else if released && warp.checking {
            warp.clock.sync(warp.live, warp.live);
            let index = warp.index as usize;
            self.clock.pass(id as usize, index, &mut warp.clock);
        }
    }

    /// Where the block's threads stand whose state is as `wanted`, those at one place together.
    pub fn places(&self, program: &Program, wanted: impl Fn(State) -> bool) -> Vec<Access> {
        let mut accesses: Vec<Access> = Vec::new();
        for warp in &self.warps {
            for group in warp.groups.iter().filter(|g| wanted(g.state)) {
                let what = match group.state {
                    State::Barrier(_) => What::Barrier,
                    State::Lanes(_) | State::Warp(_) => What::SyncWarp,
                    State::Ready | State::Deferred => What::Execute,
                };
                let threads = group.mask.count_ones();
                let mut access = Access::at(what, program.place_of(group.pc));
                access.threads = threads;
                let same = |a: &&mut Access| a.what == what && a.place == access.place;
                if let Some(known) = accesses.iter_mut().find(same) {
                    known.threads += threads;
                    known.warps += 1;
                } else if accesses.len() < MOST_PLACES {
                    accesses.push(warp.located(access, group.mask.trailing_zeros() as usize));
                }
            }
        }
        accesses
    }

    /// Everything waits for something that will not come: says where.
    fn deadlock(&mut self, worker: &mut Worker) {
        let mut missing = None;
        let program = worker.program();
        for warp in &self.warps {
            for group in &warp.groups {
                if let State::Lanes(mask) | State::Warp(mask) = group.state {
                    missing.get_or_insert((mask, group.mask, warp.started() & !warp.live));
                }
            }
        }
        let accesses = self.places(program, |_| true);
        let open: Vec<u32> = (0..BARRIERS as u32)
            .filter(|b| self.waiting & (1 << b) != 0)
            .collect();
        let kind = match (missing, open.as_slice()) {
            (Some((mask, arrived, gone)), _) => Kind::MissingLanes {
                mask,
                arrived,
                exited: mask & gone,
            },
            (None, [barrier, _, ..]) => Kind::MismatchedBarrier { barrier: *barrier },
            (None, [barrier]) if self.live < self.threads => Kind::BarrierExited {
                barrier: *barrier,
                waiting: accesses.iter().map(|a| a.threads).sum(),
                exited: self.threads - self.live,
            },
            _ => Kind::Deadlock,
        };
        let mut finding = Finding::new(kind, program.name.clone());
        finding.accesses = accesses;
        if let Kind::BarrierExited { barrier, .. } = finding.kind {
            let Barrier {
                arrived, expected, ..
            } = self.barriers[barrier as usize];
            finding.notes.push(format!(
                "barrier {barrier} waits for {expected} threads, of which {arrived} have come"
            ));
        }
        worker.fail(Fault::Deadlock, finding);
    }
}

impl Warp {
    /// The lanes that this warp started with.
    pub(crate) fn started(&self) -> u32 {
        // SAFETY: the block outlives its warps.
        let threads = unsafe { (*self.block).threads };
        lanes_of(threads, self.index)
    }
}

/// The lanes that exist in a warp of a block of so many threads.
pub(crate) fn lanes_of(threads: u32, warp: u32) -> u32 {
    let left = threads.saturating_sub(warp * LANES as u32);
    if left >= LANES as u32 {
        u32::MAX
    } else {
        (1 << left) - 1
    }
}

/// Lets a warp's groups go on that wait at a barrier. True if there were any.
fn release(warp: &mut Warp, id: u32, held: u32, arrived: u32) -> bool {
    let mut any = false;
    for i in 0..warp.groups.len() {
        let Group { pc, mask, state } = warp.groups[i];
        if state == State::Barrier(id) {
            super::sync::barrier_result(warp, pc, mask, held, arrived);
            warp.skipped = (0, 0, 0);
            warp.groups[i].state = State::Ready;
            warp.groups[i].pc = pc + 1;
            warp.next = warp.next.min(pc + 1);
            any = true;
        }
    }
    any
}
