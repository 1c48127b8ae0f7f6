//! Barriers of the block, and what lanes of a warp do together.

use super::{Flow, State, Warp};
use crate::finding::{Access, Kind, What};
use crate::lane::LANES;
use crate::machine::Fault;
use crate::program::Op;

/// What a barrier instruction does besides waiting; in the low bits of its `imm`.
pub(crate) mod mode {
    /// Waits.
    pub const SYNC: u64 = 0;
    /// Counts the predicates that hold.
    pub const POPC: u64 = 1;
    /// Whether all hold.
    pub const AND: u64 = 2;
    /// Whether any holds.
    pub const OR: u64 = 3;
    /// Arrives without waiting.
    pub const ARRIVE: u64 = 4;
    /// These bits.
    pub const MASK: u64 = 7;
    /// Has a thread count in `b`.
    pub const COUNTED: u64 = 8;
    /// The predicate is negated.
    pub const NOT: u64 = 16;
    /// Whole warps must come together (`bar`, `barrier.aligned`).
    pub const ALIGNED: u64 = 32;
}

/// A block barrier: number in `a` (32 bits), threads in `b`, predicate in `d2`, result to `d`; ends its block.
pub(crate) unsafe fn barrier(warp: &mut Warp, op: &Op) -> Flow {
    if warp.mask != warp.live && op.imm & mode::ALIGNED != 0 {
        // Lanes that spin before this barrier have had their share, no more: the others wait for them here, as they do
        // wherever lanes come back together. (A lane that waits for those at the barrier ends at the budget.)
        let spins = |g: &super::Group| g.state == State::Deferred && g.pc < op.site;
        if warp.groups.iter().any(spins) {
            return warp.park(op.site, State::Deferred);
        }
    }
    warp.count(op.e, op.c);
    let mask = warp.mask();
    let lane = mask.trailing_zeros() as usize & 31;
    let how = op.imm & mode::MASK;
    // SAFETY: 32-bit registers and a predicate, as above.
    let (id, expected, held) = unsafe {
        let id = (*warp.reg::<[u32; LANES]>(op.a))[lane];
        let expected = if op.imm & mode::COUNTED != 0 {
            (*warp.reg::<[u32; LANES]>(op.b))[lane]
        } else {
            0
        };
        let held = if matches!(how, mode::POPC | mode::AND | mode::OR) {
            let not = if op.imm & mode::NOT != 0 { u32::MAX } else { 0 };
            ((*warp.reg::<u32>(op.d2) ^ not) & mask).count_ones()
        } else {
            0
        };
        (id, expected, held)
    };
    // SAFETY: the block outlives its warps; the reference ends before the warp is used again by the scheduler.
    let block = unsafe { &mut *warp.block };
    let wrong = id >= super::block::BARRIERS as u32
        || (op.imm & mode::COUNTED != 0
            && (expected == 0 || !expected.is_multiple_of(LANES as u32)));
    if wrong {
        let place = warp.program().place_of(op.site);
        let access = warp.located(Access::at(What::Barrier, place), lane);
        let kind = Kind::InvalidBarrier { barrier: id };
        return warp.fault(Fault::IllegalInstruction, kind, vec![access], None);
    }
    if warp.checking {
        warp.arrived(id, expected != 0);
    }
    if mask != warp.live && op.imm & mode::ALIGNED != 0 && warp.worker().launch().sync_check {
        warp.apart(op, id);
    }
    let whole = mask == warp.live;
    // A warp with fewer threads than lanes counts as a whole one where threads are given.
    let arriving = if expected != 0 && whole {
        LANES as u32
    } else {
        mask.count_ones()
    };
    let live = block.live;
    let state = &mut block.barriers[id as usize];
    state.arrived += arriving;
    state.held += held;
    if expected != 0 {
        state.expected = expected;
    }
    let needed = if state.expected != 0 {
        state.expected
    } else {
        live
    };
    let open = state.arrived >= needed;
    if open {
        let (held, arrived) = (state.held, state.arrived);
        barrier_result(warp, op.site, mask, held, arrived);
        block.open(id, warp, how != mode::ARRIVE);
        return warp.jump(op.site + 1);
    }
    if how == mode::ARRIVE {
        return warp.jump(op.site + 1);
    }
    block.waiting |= 1 << id;
    warp.park(op.site, State::Barrier(id))
}

/// Gives the running or released lanes of a barrier their result.
pub(crate) fn barrier_result(warp: &Warp, pc: u32, mask: u32, held: u32, arrived: u32) {
    // SAFETY: the program counter is that of a barrier of this program; its registers are as `barrier` says.
    unsafe {
        let op = &*warp.ops.add(pc as usize);
        let predicate = match op.imm & mode::MASK {
            mode::POPC => {
                let to = &mut *warp.reg::<[u32; LANES]>(op.d);
                for lane in super::control::lanes(mask) {
                    to[lane] = held;
                }
                return;
            }
            mode::AND => held == arrived,
            mode::OR => held > 0,
            _ => return,
        };
        let to = warp.reg::<u32>(op.d);
        *to = if predicate { *to | mask } else { *to & !mask };
    }
}

impl Warp {
    /// Some lanes come to a barrier while others of the warp are elsewhere. That alone is no mistake: they may be on their way, or
    /// about to return. It is one if they wait at another barrier, or turn out never to come.
    #[cold]
    fn apart(&mut self, op: &Op, id: u32) {
        self.skipped.0 &= !self.mask();
        let elsewhere = |g: &&super::Group| matches!(g.state, State::Barrier(_)) && g.pc != op.site;
        if let Some(other) = self.groups.iter().find(elsewhere) {
            let there = (What::Barrier, other.pc, other.mask);
            self.divergent_barrier(id, (op.site, self.mask()), there);
            return;
        }
        let behind = &self.program().behind;
        let ranges = behind.iter().find(|(barrier, _)| *barrier == op.site);
        let past =
            |pc: u32| ranges.is_some_and(|(_, all)| all.iter().any(|r| (r.0..=r.1).contains(&pc)));
        let gone = |g: &&super::Group| !matches!(g.state, State::Barrier(_)) && past(g.pc);
        if let Some(group) = self.groups.iter().find(gone) {
            self.skipped = (group.mask, group.pc, op.site);
        }
    }

    /// Lanes that had gone past a barrier return, while others of the warp still wait at it.
    #[cold]
    pub(crate) fn passed_by(&mut self) {
        let (gone, pc, barrier) = std::mem::take(&mut self.skipped);
        let waits = |g: &&super::Group| g.pc == barrier && matches!(g.state, State::Barrier(_));
        let Some(&super::Group { mask, state, .. }) = self.groups.iter().find(waits) else {
            return;
        };
        if let State::Barrier(id) = state {
            let there = (What::Past, pc, gone & self.mask());
            self.divergent_barrier(id, (barrier, mask), there);
        }
    }

    fn divergent_barrier(&mut self, id: u32, here: (u32, u32), there: (What, u32, u32)) {
        let access = |what: What, pc: u32, mask: u32| {
            let mut access = Access::at(what, self.program().place_of(pc));
            access.threads = mask.count_ones();
            self.located(access, mask.trailing_zeros() as usize & 31)
        };
        let kind = Kind::DivergentBarrier { barrier: id };
        let finding = crate::finding::Finding::new(kind, self.program().name.clone())
            .with(access(What::Barrier, here.0, here.1))
            .with(access(there.0, there.1, there.2));
        self.worker().findings.add(finding);
    }

    /// Lanes have exited: those that wait for them look again.
    pub(crate) fn lanes_left(&mut self) {
        for group in &mut self.groups {
            if matches!(group.state, State::Lanes(_) | State::Warp(_)) {
                group.state = State::Ready;
            }
        }
    }
}
