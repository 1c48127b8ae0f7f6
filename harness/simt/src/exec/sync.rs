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
    if warp.checking {
        warp.settled();
    }
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
    if mask != warp.live && op.imm & mode::ALIGNED != 0 && warp.worker().launch().sync_check {
        warp.divergent_barrier(op, id);
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
        block.open(id, warp);
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
    #[cold]
    fn divergent_barrier(&mut self, op: &Op, id: u32) {
        let program = self.program();
        let lane = self.mask().trailing_zeros() as usize;
        let mut here = Access::at(What::Barrier, program.place_of(op.site));
        here.threads = self.mask().count_ones();
        let mut finding = crate::finding::Finding::new(
            Kind::DivergentBarrier { barrier: id },
            program.name.clone(),
        )
        .with(self.located(here, lane));
        for group in &self.groups {
            let what = match group.state {
                State::Barrier(_) => What::Barrier,
                State::Lanes(_) | State::Warp(_) => What::SyncWarp,
                _ => What::Execute,
            };
            let mut there = Access::at(what, program.place_of(group.pc));
            there.threads = group.mask.count_ones();
            finding = finding.with(self.located(there, group.mask.trailing_zeros() as usize));
        }
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
