//! Barriers of the block.

use super::end::End;
use crate::engine::warp::block::BARRIERS;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Group, State, Warp};
use crate::finding::{Access, AccessKind, Finding, FindingKind};
use crate::instr::code::{Field, Inst};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, Number, codes, operands};
use crate::kernel::Fault;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

codes! {
    /// What a barrier does besides ordering memory.
    enum Mode {
        /// Waits.
        Sync,
        /// Arrives without waiting.
        Arrive,
        /// Counts the predicates that hold.
        Popc,
        /// Returns whether all predicates hold.
        And,
        /// Returns whether any predicate holds.
        Or,
    }
}

/// The operation of a barrier, and its participants.
#[derive(Clone, Copy)]
struct BarrierForm {
    mode: Mode,
    /// Whether whole warps must arrive together (`bar`, `barrier.aligned`).
    aligned: bool,
}

impl Number for BarrierForm {
    #[inline(always)]
    fn code(self) -> u64 {
        self.mode.code() | (self.aligned.code() << 8)
    }
    #[inline(always)]
    fn from_code(code: u64) -> BarrierForm {
        BarrierForm { mode: Mode::from_code(code & 0xff), aligned: bool::from_code(code >> 8) }
    }
}

operands! {
    /// Operands of a barrier of the block. It ends its basic block, see [`End`].
    struct Barrier {
        /// The number of the barrier.
        number: read(u32) in a,
        /// The number of threads that it is for, if not for all.
        threads: maybe_read(u32) in b,
        /// The predicate that is reduced.
        predicate: maybe_read(bool) in d2,
        /// The result of a reduction: a 32-bit count, or a predicate.
        result: maybe_write(Any) in d,
        /// Its operation.
        how: number(BarrierForm) in imm,
    }
}

/// Lowers `bar` and `barrier`.
pub(super) fn bar(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    use Modifier::{Aligned, And, Arrive, Or, Popc, Red, Sync};
    let modifiers = inst.modifiers().strip_prefix(&[Modifier::Cta]).unwrap_or(inst.modifiers());
    let known = [Sync, Arrive, Red, Popc, And, Or, Aligned, Modifier::Type(Type::U32), Modifier::Type(Type::Pred)];
    let apart = modifiers.iter().position(|modifier| *modifier == Red).is_some_and(|at| at > 0);
    if apart || !modifiers.iter().all(|modifier| known.contains(modifier)) {
        return Err(cx.missing(inst));
    }
    let mode = match (inst.has(Arrive), inst.has(Red), inst.has(Sync)) {
        (true, ..) => Mode::Arrive,
        (_, true, _) if inst.has(Popc) => Mode::Popc,
        (_, true, _) if inst.has(And) => Mode::And,
        (_, true, _) => Mode::Or,
        (.., true) => Mode::Sync,
        _ => return Err(cx.missing(inst)),
    };
    let how = BarrierForm { mode, aligned: inst.opcode == Opcode::Bar || inst.has(Aligned) };
    let mut rest = inst.operands.as_slice();
    let (mut result, mut predicate) = (None, None);
    if matches!(mode, Mode::Popc | Mode::And | Mode::Or) {
        let Some((to, more)) = rest.split_first() else {
            return Err(cx.invalid("a barrier without operands".into()));
        };
        result = Some(cx.dest(to, if mode == Mode::Popc { 4 } else { 0 })?);
        let Some((value, more)) = more.split_last() else {
            return Err(cx.invalid("a barrier without a predicate".into()));
        };
        predicate = Some(cx.source(value, Type::Pred)?);
        rest = more;
    }
    let (number, threads) = match rest {
        [] => (cx.bits(0, 4), None),
        [number] => (cx.source(number, Type::U32)?, None),
        [number, threads] => {
            let number = cx.source(number, Type::U32)?;
            (number, Some(cx.source(threads, Type::U32)?))
        }
        _ => return Err(cx.invalid("a barrier with too many operands".into())),
    };
    let barrier = Barrier { number, threads, predicate, result, how };
    cx.end_with_barrier(barrier.pack(arrive));
    Ok(())
}

/// Whether all threads of a block wait at a barrier: it specifies no other number of them.
pub(crate) fn is_of_all(barrier: &Inst) -> bool {
    barrier.uses & 1 << Field::B as u8 == 0 && BarrierForm::from_code(barrier.imm).mode != Mode::Arrive
}

/// Executes `bar` and `barrier`.
unsafe fn arrive(warp: &mut Warp, op: &Op) -> Flow {
    let barrier = Barrier::unpack(op);
    let BarrierForm { mode, aligned } = barrier.how;
    if warp.mask() != warp.live && aligned {
        // Lanes that spin before this barrier have only used up their time slice. The other lanes wait for them here,
        // as they do wherever lanes reconverge. (A lane that spins until those at the barrier have moved ends when the
        // budget is spent.)
        let spins = |g: &Group| g.state == State::Deferred && g.pc < op.site;
        if warp.groups.iter().any(spins) {
            return warp.park(op.site, State::Deferred);
        }
    }
    let end = End::unpack(op);
    end.count(warp);
    let mask = warp.mask();
    let lane = mask.trailing_zeros() as usize & 31;
    // SAFETY: the registers were unpacked from this instruction.
    let (id, expected, held) = unsafe {
        let id = (*barrier.number.lanes(warp))[lane];
        let expected = barrier.threads.map(|threads| (*threads.lanes(warp))[lane]);
        let held = barrier.predicate.map_or(0, |predicate| (*predicate.bits(warp) & mask).count_ones());
        (id, expected, held)
    };
    let whole_warps = |threads: u32| threads != 0 && threads.is_multiple_of(LANES as u32);
    if id >= BARRIERS as u32 || !expected.is_none_or(whole_warps) {
        let place = warp.program().place_of(op.site);
        let access = warp.located(Access::at(AccessKind::Barrier, place), lane);
        let kind = FindingKind::InvalidBarrier { barrier: id };
        return warp.fault(Fault::IllegalInstruction, kind, vec![access], None);
    }
    let expected = expected.unwrap_or(0);
    if warp.checking {
        warp.arrived(id, expected != 0);
    }
    if mask != warp.live && aligned && warp.launch().sync_check {
        warp.apart(op, id);
    }
    let whole = mask == warp.live;
    // A warp with fewer threads than lanes counts as a whole one if a number of threads is specified.
    let arriving = if expected != 0 && whole { LANES as u32 } else { mask.count_ones() };
    let waits = mode != Mode::Arrive;
    if !whole {
        warp.on_partial_barrier();
    }
    warp.with_block(|warp, block| {
        if waits && whole && expected == 0 {
            warp.on_block_barrier(block, end.block);
        }
        let live = block.live;
        let state = &mut block.barriers[id as usize];
        state.arrived += arriving;
        state.held += held;
        state.results = Some(give_results);
        if expected != 0 {
            state.expected = expected;
        }
        let needed = if state.expected != 0 { state.expected } else { live };
        let open = state.arrived >= needed;
        if open {
            let (held, arrived) = (state.held, state.arrived);
            give_results(warp, op, mask, held, arrived);
            block.open(id, warp, mode != Mode::Arrive);
            return warp.jump(op.site + 1);
        }
        if mode == Mode::Arrive {
            return warp.jump(op.site + 1);
        }
        block.waiting |= 1 << id;
        warp.park(op.site, State::Barrier(id))
    })
}

/// Writes the results of lanes that a barrier releases; `op` is the barrier.
fn give_results(warp: &Warp, op: &Op, mask: u32, held: u32, arrived: u32) {
    let barrier = Barrier::unpack(op);
    let Some(result) = barrier.result else {
        return;
    };
    let holds = match barrier.how.mode {
        Mode::And => held == arrived,
        Mode::Or => held > 0,
        _ => {
            // SAFETY: the register was unpacked from an instruction of the warp's program.
            let to = unsafe { &mut *result.holding::<u32>().lanes(warp) };
            for lane in lanes(mask) {
                to[lane] = held;
            }
            return;
        }
    };
    let bits = if holds { mask } else { 0 };
    // SAFETY: as above.
    unsafe { result.holding::<bool>().set(warp, mask, bits) };
}

impl Warp<'_> {
    /// Some lanes reach a barrier while others of the warp are elsewhere. That alone is not a mistake: the others may
    /// still arrive, or be about to return. It is a mistake if they wait at another barrier, or never arrive.
    #[cold]
    fn apart(&mut self, op: &Op, id: u32) {
        self.skipped.0 &= !self.mask();
        let elsewhere = |g: &&Group| matches!(g.state, State::Barrier(_)) && g.pc != op.site;
        if let Some(other) = self.groups.iter().find(elsewhere) {
            let there = (AccessKind::Barrier, other.pc, other.mask);
            self.divergent_barrier(id, (op.site, self.mask()), there);
            return;
        }
        let behind = &self.program().behind;
        let ranges = behind.iter().find(|(barrier, _)| *barrier == op.site);
        let past = |pc: u32| ranges.is_some_and(|(_, all)| all.iter().any(|r| (r.0..=r.1).contains(&pc)));
        let gone = |g: &&Group| !matches!(g.state, State::Barrier(_)) && past(g.pc);
        if let Some(group) = self.groups.iter().find(gone) {
            self.skipped = (group.mask, group.pc, op.site);
        }
    }

    /// Lanes that had gone past a barrier return, while others of the warp still wait at it.
    #[cold]
    pub(crate) fn passed_by(&mut self) {
        let (gone, pc, barrier) = std::mem::take(&mut self.skipped);
        let waits = |g: &&Group| g.pc == barrier && matches!(g.state, State::Barrier(_));
        let Some(&Group { mask, state, .. }) = self.groups.iter().find(waits) else {
            return;
        };
        if let State::Barrier(id) = state {
            let there = (AccessKind::Past, pc, gone & self.mask());
            self.divergent_barrier(id, (barrier, mask), there);
        }
    }

    fn divergent_barrier(&mut self, id: u32, here: (u32, u32), there: (AccessKind, u32, u32)) {
        let access = |what: AccessKind, pc: u32, mask: u32| {
            let mut access = Access::at(what, self.program().place_of(pc));
            access.threads = mask.count_ones();
            self.located(access, mask.trailing_zeros() as usize & 31)
        };
        let kind = FindingKind::DivergentBarrier { barrier: id };
        let finding = Finding::new(kind, self.program().name.clone())
            .with(access(AccessKind::Barrier, here.0, here.1))
            .with(access(there.0, there.1, there.2));
        self.scratch.get_mut().findings.add(finding);
    }

    /// Lanes have exited: the lanes that wait for them check again.
    pub(crate) fn lanes_left(&mut self) {
        for group in &mut self.groups {
            if matches!(group.state, State::Lanes(_) | State::Warp(_) | State::Whole) {
                group.state = State::Ready;
            }
        }
    }
}
