//! Execution: a warp runs the groups of its lanes, a block its warps, a worker its blocks.
//!
//! A group is a set of lanes at one program counter. The lowest program counter runs first and groups that meet are merged;
//! the lowering lays the code out so that this order brings diverged lanes back together where the source does. A group that spins
//! gives way to the others of its warp, then to other warps, then to other blocks: lanes make progress one by one, as they
//! do from Volta on.

pub(crate) mod access;
mod arguments;
pub(crate) mod async_copy;
pub(crate) mod atomic;
pub(crate) mod atomic_hot;
pub(crate) mod banks;
mod block;
pub(crate) mod buffer;
pub(crate) mod check;
pub(crate) mod control;
pub(crate) mod fragment;
pub(crate) mod heap;
pub(crate) mod launch;
pub(crate) mod load_store;
pub(crate) mod matrix;
pub(crate) mod pattern;
pub(crate) mod print;
pub(crate) mod special;
pub(crate) mod sync;
pub(crate) mod system;
pub(crate) mod tally;
pub(crate) mod warp_ops;
pub(crate) mod worker;

use crate::isa::dispatch::{Handler, Isa};
use crate::program::{Op, Program};
use crate::shadow::clock::WarpClock;
use crate::shadow::init::Written;
use block::Block;
use smallvec::SmallVec;
use worker::Worker;

/// What to do after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Flow {
    /// Go on with the next one.
    Next,
    /// Go on at the warp's program counter.
    Jump,
    /// Go on with the one after the next.
    Skip,
    /// Give control back to the scheduler.
    Stop,
}

/// Why control came back to the scheduler, and what became of the running group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The group is ready at the warp's program counter; another may come first.
    Choose,
    /// The group is ready, and has had its share.
    Share,
    /// The group has left: its lanes have exited, or it has been put among the waiting.
    Gone,
    /// A fault was recorded.
    Fault,
}

/// What a group that is not running waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its turn.
    Ready,
    /// Its turn, after the others: it has spun.
    Deferred,
    /// A block barrier.
    Barrier(u32),
    /// Other lanes of the warp, at a warp-level instruction that names these lanes.
    Lanes(u32),
    /// The same at a barrier of the warp, whose instructions stand for each other.
    Warp(u32),
}

/// Lanes at one program counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub pc: u32,
    pub mask: u32,
    pub state: State,
}

/// Executions of a basic block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCount {
    /// By warps.
    pub executions: u64,
    /// By threads.
    pub lanes: u64,
}

/// What is known and counted at an instruction that accesses memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Site {
    /// The allocation that it accessed last: first address,
    pub start: u64,
    /// bytes (0: none yet, or it may not be accessed this way),
    pub len: u64,
    /// and the distance to the host's address. In shared memory: the pattern of its addresses, a [`pattern::Pattern`].
    pub delta: u64,
    /// Warp instructions.
    pub requests: u64,
    /// Lanes.
    pub lanes: u64,
    /// Sectors (shared memory: wavefronts).
    pub sectors: u64,
    /// The least that would have done.
    pub ideal: u64,
    /// Shared memory: the most ways of a request. Atomics: colliding lanes.
    pub extra: u64,
}

/// Instructions that a warp runs before others get a turn.
pub(crate) const SHARE: i64 = 1 << 20;
/// What an unsuccessful look at a lock or flag costs of that.
pub(crate) const POLL: i64 = SHARE / 16;

/// A warp: its lanes' registers and where they are.
#[repr(C)]
pub struct Warp {
    regs: *mut u8,
    mask: u32,
    /// Program counter of the running group, valid at block boundaries and whenever the scheduler is in charge.
    pub(crate) pc: u32,
    /// The lowest program counter of another group that is ready.
    pub(crate) next: u32,
    /// Lanes that exist and have not exited.
    pub(crate) live: u32,
    pub(crate) fuel: i64,
    pub(crate) ops: *const Op,
    pub(crate) counts: *mut BlockCount,
    pub(crate) sites: *mut Site,
    /// One bit a branch: executed by this warp, then as many: diverged in this warp.
    pub(crate) seen: *mut u64,
    pub(crate) shared: *mut u8,
    pub(crate) shared_len: u64,
    pub(crate) local: *mut u8,
    pub(crate) local_len: u64,
    pub(crate) worker: *mut Worker<'static>,
    pub(crate) block: *mut Block,
    pub(crate) reason: Reason,
    pub(crate) counting: bool,
    /// The race or the initialisation check is on.
    pub(crate) checking: bool,
    /// For the race check.
    pub(crate) clock: WarpClock,
    /// For the initialisation check: which bytes of its local memory have been written.
    pub(crate) written: Written,
    /// Decides where others get a turn, in a launch with a seed.
    pub(crate) dice: u64,
    /// Lanes that have gone past a barrier at which others of the warp wait, where they stood then, and the barrier.
    pub(crate) skipped: (u32, u32, u32),
    /// Its number in the block.
    pub(crate) index: u32,
    pub(crate) groups: SmallVec<[Group; 4]>,
    /// The last unsuccessful look at a lock or flag: where, and what was seen.
    pub(crate) poll: (u32, u64),
    /// What polls took from `fuel`.
    pub(crate) penalty: i64,
    pub(crate) slot: Option<Box<worker::Slot>>,
    pub(crate) status: Status,
}

/// What a warp's scheduler sees of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Has not started.
    New,
    /// Has a group that can run.
    Ready,
    /// All groups wait.
    Blocked,
    /// All lanes have exited.
    Done,
}

/// How a warp's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Done,
    Blocked,
    /// It spins or has had its share.
    Yield,
    Fault,
}

impl Warp {
    /// The register file.
    #[inline(always)]
    pub fn regs(&self) -> *mut u8 {
        self.regs
    }
    /// The lanes that execute.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// A warp without a place to run.
    pub(crate) fn idle() -> Warp {
        Warp {
            regs: std::ptr::null_mut(),
            mask: 0,
            pc: 0,
            next: u32::MAX,
            live: 0,
            fuel: 0,
            ops: std::ptr::null(),
            counts: std::ptr::null_mut(),
            sites: std::ptr::null_mut(),
            seen: std::ptr::null_mut(),
            shared: std::ptr::null_mut(),
            shared_len: 0,
            local: std::ptr::null_mut(),
            local_len: 0,
            worker: std::ptr::null_mut(),
            block: std::ptr::null_mut(),
            reason: Reason::Gone,
            counting: false,
            checking: false,
            clock: WarpClock::default(),
            written: Written::default(),
            dice: 0,
            skipped: (0, 0, 0),
            index: 0,
            groups: SmallVec::new(),
            poll: (u32::MAX, 0),
            penalty: 0,
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

    /// A register as the type that holds it.
    ///
    /// # Safety
    /// `offset` is a register of that type inside the register file.
    #[inline(always)]
    pub(crate) unsafe fn reg<T>(&self, offset: u32) -> *mut T {
        // SAFETY: the caller's contract.
        unsafe { self.regs.add(offset as usize).cast() }
    }

    /// Sets the running lanes.
    #[inline(always)]
    pub(crate) fn set_mask(&mut self, mask: u32) {
        self.mask = mask;
    }

    /// Goes on at `to`, unless another group comes first.
    #[inline(always)]
    pub(crate) fn jump(&mut self, to: u32) -> Flow {
        self.pc = to;
        if to >= self.next {
            self.reason = Reason::Choose;
            return Flow::Stop;
        }
        if self.fuel < 0 {
            self.reason = Reason::Share;
            return Flow::Stop;
        }
        Flow::Jump
    }

    /// Counts a basic block of `length` instructions at its terminator.
    #[inline(always)]
    pub(crate) fn count(&mut self, block: u32, length: u32) {
        // SAFETY: the counts are as many as the program has blocks.
        let count = unsafe { &mut *self.counts.add(block as usize) };
        count.executions += 1;
        count.lanes += u64::from(self.mask.count_ones());
        self.fuel -= i64::from(length);
    }

    /// An unsuccessful look at memory: seen twice in a row it counts as spinning.
    #[inline(always)]
    pub(crate) fn polled(&mut self, site: u32, digest: u64) {
        let poll = (site, digest ^ (u64::from(self.mask) << 32));
        if self.poll == poll {
            self.fuel -= POLL;
            self.penalty += POLL;
        }
        self.poll = poll;
    }

    /// Shortens what is left of the share by so many instructions that are not executed.
    fn give_way(&mut self, instructions: i64) {
        self.fuel -= instructions;
        self.penalty += instructions;
    }

    /// Where threads act on each other: in a launch with a seed, others may get their turn here.
    pub(crate) fn switch_point(&mut self) {
        if self.dice != 0 && launch::scramble(&mut self.dice).is_multiple_of(4) {
            self.give_way(self.fuel.max(-1) + 1);
        }
    }

    /// Puts the running group among the waiting.
    pub(crate) fn park(&mut self, pc: u32, state: State) -> Flow {
        let mask = self.mask;
        self.groups.push(Group { pc, mask, state });
        self.reason = Reason::Gone;
        Flow::Stop
    }

    /// Takes the lowest ready group, merged with those at the same place, as the running one. False when none is ready.
    fn choose(&mut self) -> bool {
        let mut lowest = u32::MAX;
        let mut found = false;
        for group in &self.groups {
            if group.state == State::Ready && group.pc <= lowest {
                lowest = group.pc;
                found = true;
            }
        }
        if !found {
            return false;
        }
        let (mut mask, mut next) = (0, u32::MAX);
        self.groups.retain(|group| {
            // One that had its share but stands at the same place comes along.
            if group.pc == lowest && matches!(group.state, State::Ready | State::Deferred) {
                mask |= group.mask;
                return false;
            }
            if group.state == State::Ready {
                next = next.min(group.pc);
            }
            true
        });
        (self.pc, self.mask, self.next) = (lowest, mask, next);
        true
    }

    /// Runs until the warp has exited, waits, or has had its share.
    ///
    /// # Safety
    /// The warp has been started by its worker, and nobody else uses it.
    pub(crate) unsafe fn turn(&mut self) -> Turn {
        self.fuel = SHARE;
        self.penalty = 0;
        if self.dice != 0 {
            let roll = launch::scramble(&mut self.dice);
            self.give_way(SHARE - (64 << (roll % 12)));
        }
        let turn = loop {
            if !self.choose() {
                if self.groups.is_empty() {
                    break Turn::Done;
                }
                let mut any = false;
                for group in &mut self.groups {
                    if group.state == State::Deferred {
                        group.state = State::Ready;
                        any = true;
                    }
                }
                break if any { Turn::Yield } else { Turn::Blocked };
            }
            // SAFETY: the program is the one the warp was started with.
            unsafe {
                // Lanes that have exited may be computed along: nobody looks at them again.
                if self.mask == self.live {
                    self.go::<true>();
                } else {
                    self.go::<false>();
                }
            }
            let (pc, mask) = (self.pc, self.mask);
            match self.reason {
                Reason::Choose => self.groups.push(Group {
                    pc,
                    mask,
                    state: State::Ready,
                }),
                Reason::Share => {
                    self.groups.push(Group {
                        pc,
                        mask,
                        state: State::Deferred,
                    });
                    self.settle();
                }
                Reason::Gone => {}
                Reason::Fault => break Turn::Fault,
            }
        };
        self.settle();
        if self.checking && turn != Turn::Done {
            self.pause();
        }
        turn
    }

    /// Books what has been executed, and starts a new share.
    fn settle(&mut self) {
        let spent = SHARE - self.fuel - self.penalty;
        // SAFETY: the worker outlives its warps.
        unsafe { (*self.worker).spent += spent.max(0) as u64 };
        self.fuel = SHARE;
        self.penalty = 0;
    }

    /// # Safety
    /// `pc` is inside the program, all of whose paths end in an instruction that stops or jumps.
    unsafe fn go<const FULL: bool>(&mut self) {
        // SAFETY: see above; handlers keep to the contract of `Handler`.
        unsafe {
            let ops = self.ops;
            let mut at = ops.add(self.pc as usize);
            loop {
                let op = &*at;
                let run = if FULL { op.full } else { op.part };
                match run(self, op) {
                    Flow::Next => at = at.add(1),
                    Flow::Jump => at = ops.add(self.pc as usize),
                    Flow::Skip => at = at.add(2),
                    Flow::Stop => return,
                }
            }
        }
    }

    /// The running worker.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn worker(&self) -> &mut Worker<'static> {
        // SAFETY: a warp runs on its worker's thread, one instruction at a time; no other reference to the worker is in use then.
        unsafe { &mut *self.worker }
    }

    /// The program that runs.
    pub(crate) fn program(&self) -> &Program {
        self.worker().program()
    }
}

/// An instruction that is compiled for each width of the host's vectors.
pub(crate) trait Exec {
    /// `W` says how wide they are: see [`crate::lane::Lane`].
    ///
    /// # Safety
    /// As [`Handler`]; the processor has what `W` promises.
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow;
}

unsafe fn base<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<0>(warp, op) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<3>(warp, op) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
)]
unsafe fn v4<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<4>(warp, op) }
}

/// The handler of an instruction for a processor.
pub(crate) fn handler<X: Exec>(isa: Isa) -> Handler {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::V3 => v3::<X>,
        #[cfg(target_arch = "x86_64")]
        Isa::V4 => v4::<X>,
        _ => base::<X>,
    }
}
