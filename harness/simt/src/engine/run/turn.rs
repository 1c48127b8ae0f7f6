//! A warp's turn: it runs the groups of its lanes until the warp has exited, waits, or has used up its time slice.

use crate::engine::warp::block::Block;
use crate::engine::warp::rng::scramble;
use crate::engine::warp::worker_scratch::WorkerScratch;
use crate::engine::warp::{Flow, Group, Reason, State, TIME_SLICE, Turn, Warp};
use crate::lane::LANES;

/// The maximum number of consecutive turns in which the lanes of a warp wait for those that spin.
const MOST_HELD: u32 = 8;

/// Gives a warp its turn. The warp borrows its block and the worker's scratch until the turn is over.
pub(super) fn turn<'l>(warp: &mut Warp<'l>, block: &mut Block<'l>, scratch: &mut WorkerScratch) -> Turn {
    let turn = Lent(warp);
    // SAFETY: `block` and `notes` stay borrowed until this function returns, and `turn` ends the loans before.
    unsafe {
        turn.0.block.begin(block);
        turn.0.scratch.begin(scratch);
    }
    turn.0.turn()
}

/// A warp during its turn.
struct Lent<'w, 'l>(&'w mut Warp<'l>);

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        self.0.block.end();
        self.0.scratch.end();
    }
}

impl Warp<'_> {
    /// Makes the lowest ready group the running one, merged with those at the same program counter. Returns false if no
    /// group is ready.
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
            // A group that has used up its time slice, but is at the same program counter, is merged too.
            if group.pc == lowest && matches!(group.state, State::Ready | State::Deferred) {
                mask |= group.mask;
                return false;
            }
            if group.state == State::Ready {
                next = next.min(group.pc);
            }
            true
        });
        (self.pc, self.next) = (lowest, next);
        self.set_mask(mask);
        true
    }

    /// Runs until the warp has exited, waits, or has used up its time slice.
    fn turn(&mut self) -> Turn {
        self.slice_left = TIME_SLICE;
        self.penalty = 0;
        if self.rng != 0 {
            let roll = scramble(&mut self.rng);
            self.give_way(TIME_SLICE - (64 << (roll % 12)));
        }
        let mut shares = 0;
        let turn = loop {
            if !self.choose() {
                if self.groups.is_empty() {
                    break Turn::Done;
                }
                break if self.ready_deferred() { Turn::Yield } else { Turn::Blocked };
            }
            // SAFETY: the worker has started the warp with this program, and its groups' program counters lie in it.
            unsafe {
                // Lanes that have exited may be computed too, because their registers are not read again.
                match (self.mask() == self.live, self.launch().init) {
                    _ if self.recorded.is_some() => self.go_recorded(),
                    (true, false) => self.go::<true, false>(),
                    (false, false) => self.go::<false, false>(),
                    (true, true) => self.go::<true, true>(),
                    (false, true) => self.go::<false, true>(),
                }
            }
            let (pc, mask) = (self.pc, self.mask());
            match self.reason {
                Reason::Choose => {
                    self.groups.push(Group { pc, mask, state: State::Ready });
                    self.held = 0;
                }
                Reason::TimeSlice => {
                    let is_held = self.holds_others();
                    self.groups.push(Group { pc, mask, state: State::Deferred });
                    self.settle();
                    if is_held && self.ready_deferred() {
                        break Turn::Yield;
                    }
                    // Groups that part and meet again in a loop could keep each other running forever.
                    shares += 1;
                    if shares > LANES && self.ready_deferred() {
                        break Turn::Yield;
                    }
                }
                Reason::Gone => self.held = 0,
                Reason::Fault => break Turn::Fault,
            }
        };
        self.settle();
        if self.checking && turn != Turn::Done {
            self.pause();
        }
        turn
    }

    /// Returns whether the running group, which yields, spins in a loop that only waits for other blocks, while other
    /// lanes of the warp have left the loop or not yet reached it. Those lanes then wait at the reconvergence point, as
    /// on a GPU, until other warps and blocks have had a few turns. They do not wait forever, since the value that the
    /// group waits for may be theirs to write.
    fn holds_others(&mut self) -> bool {
        if self.rng != 0 || self.held >= MOST_HELD || !self.groups.iter().any(|group| group.state == State::Ready) {
            return false;
        }
        // A polled value is compared by the polling instruction itself, or by a separate instruction after it.
        let accesses = &self.program().accesses;
        let looks = accesses.partition_point(|access| access.pc <= self.poll.0).checked_sub(1);
        let spins = self.penalty > 0 && looks.is_some_and(|last| accesses[last].spins);
        self.held += u32::from(spins);
        spins
    }

    /// Makes the groups ready that have used up their time slice. Returns whether there were any.
    fn ready_deferred(&mut self) -> bool {
        let mut any = false;
        for group in &mut self.groups {
            if group.state == State::Deferred {
                group.state = State::Ready;
                any = true;
            }
        }
        any
    }

    /// Adds the executed instructions to the worker's account, and starts a new time slice.
    fn settle(&mut self) {
        let spent = (TIME_SLICE - self.slice_left - self.penalty).max(0) as u64;
        self.scratch.get_mut().spent += spent;
        self.executed += spent;
        self.slice_left = TIME_SLICE;
        self.penalty = 0;
    }

    /// Runs the group until it stops. With `INIT`, it may switch to tracking undefined values.
    ///
    /// # Safety
    /// `pc` is inside the program, all of whose paths end in an instruction that stops or jumps.
    unsafe fn go<const FULL: bool, const INIT: bool>(&mut self) {
        // SAFETY: see above; handlers keep to the contract of `Handler`.
        unsafe {
            if INIT && self.undefined.is_some() {
                self.go_following();
                return;
            }
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
                if INIT && self.undefined.is_some() {
                    self.follow_loaded();
                    self.pc = at.offset_from(ops) as u32;
                    self.go_following();
                    return;
                }
            }
        }
    }
}
