//! The lanes that take part.
//!
//! The `.sync` forms wait until every lane that a mask names, and that has not exited, has reached the same instruction
//! (`bar.warp.sync`: any instruction of its kind). The forms without `.sync` are executed by the lanes that happen to
//! be active.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Group, Reason, State, Warp};
use crate::finding::{Access, AccessKind, Finding, FindingKind};
use crate::instr::code::OperandSlot;
use crate::instr::context::{Context, Result as Lowered};
use crate::instr::operands::Register;
use crate::lane::{ALL, LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The register with each lane's mask of the lanes that take part; the forms without `.sync` have none.
pub(super) type Members = Option<Register<u32>>;

/// Returns the operands of an instruction that has `count` of them besides the mask, and the mask of the lanes that
/// take part.
pub(super) fn members<'i>(
    cx: &mut dyn Context,
    inst: &'i ast::Inst,
    count: usize,
) -> Lowered<(&'i [Operand], Option<OperandSlot>)> {
    let mut rest = inst.operands.as_slice();
    let mut members = None;
    if inst.has(Modifier::Sync) {
        let Some((mask, others)) = rest.split_last() else {
            return Err(cx.wrong(inst));
        };
        members = Some(cx.source(mask, Type::B32)?);
        rest = others;
    }
    if rest.len() != count {
        return Err(cx.wrong(inst));
    }
    Ok((rest, members))
}

/// Returns the destination of an instruction, and the second one if it has a pair of them.
pub(super) fn destinations(operand: &Operand) -> (&Operand, Option<&Operand>) {
    match operand {
        Operand::Pair(first, second) => (first, Some(second)),
        one => (one, None),
    }
}

impl Warp<'_> {
    /// Whether all 32 lanes are here and each names all of them.
    ///
    /// # Safety
    /// `members` is a register of the program that runs.
    #[inline(always)]
    pub(super) unsafe fn whole(&mut self, members: Members) -> bool {
        if self.mask() != ALL {
            return false;
        }
        if let Some(members) = members {
            // SAFETY: the caller's contract.
            let named = unsafe { &*members.lanes(self) };
            if named.iter().fold(ALL, |all, mask| all & mask) != ALL {
                return false;
            }
            if self.checking {
                self.clock.sync(ALL, self.live);
            }
        }
        true
    }

    /// Waits for the lanes that the running ones name. Returns `Ok` with each lane's mask when they are here.
    ///
    /// # Safety
    /// As for [`Warp::whole`].
    #[inline(always)]
    pub(super) unsafe fn gather(&mut self, op: &Op, members: Members, what: AccessKind) -> Result<[u32; LANES], Flow> {
        let mask = self.mask();
        let Some(members) = members else {
            return Ok([mask; LANES]);
        };
        // SAFETY: the caller's contract.
        let named = unsafe { *members.lanes(self) };
        let (mut absent, mut outside) = (0u32, 0u32);
        for i in 0..LANES {
            let on = 0u32.wrapping_sub((mask >> i) & 1);
            absent |= named[i] & self.live & !mask & on;
            outside |= (!named[i] & (1 << i)) & on;
        }
        if outside != 0 {
            self.undeclared(op, what, named[outside.trailing_zeros() as usize], outside);
        }
        if absent == 0 {
            if self.checking {
                self.met(&named);
            }
            return Ok(named);
        }
        Err(self.wait_for(op, &named))
    }

    /// Waits for all lanes of the warp that have not exited, for an instruction that needs the whole warp
    /// (`.sync.aligned` without a mask). Returns `Ok` when they are here. Lanes that have exited, or that the block
    /// does not have, are missing; that is an error, but the others continue.
    #[inline(always)]
    pub(in crate::instr) fn gather_all(&mut self, op: &Op) -> Result<(), Flow> {
        match self.mask() {
            ALL => Ok(()),
            mask if self.live & !mask != 0 => Err(self.wait_for_all(op)),
            _ => {
                self.partial(op);
                Ok(())
            }
        }
    }

    /// Returns the running lanes, and those that already wait at this instruction in a matching state, which join them.
    fn come_along(&mut self, op: &Op, waits: impl Fn(State) -> bool) -> u32 {
        let mut here = self.mask();
        self.groups.retain(|g| {
            let same = g.pc == op.site && waits(g.state);
            if same {
                here |= g.mask;
            }
            !same
        });
        here
    }

    /// Some lanes of the warp are elsewhere: those that are here wait, unless all are here now.
    #[cold]
    fn wait_for_all(&mut self, op: &Op) -> Flow {
        let mask = self.come_along(op, |state| state == State::Whole);
        let state = if self.live & !mask == 0 { State::Ready } else { State::Whole };
        self.groups.push(Group { pc: op.site, mask, state });
        self.reason = Reason::Gone;
        Flow::Stop
    }

    /// Some named lanes are elsewhere: those whose named lanes are all here and can continue do so alone; the others
    /// wait. `named` holds the masks of all lanes.
    #[cold]
    fn wait_for(&mut self, op: &Op, named: &[u32; LANES]) -> Flow {
        let here = self.come_along(op, |state| matches!(state, State::Lanes(_)));
        // Lanes continue together: a lane that names a waiting lane has to wait, too.
        let mut ready = here;
        loop {
            let with_all = |lane: &usize| named[*lane] & self.live & !ready == 0;
            let fewer = lanes(ready).filter(with_all).fold(0u32, |m, lane| m | (1 << lane));
            if fewer == ready {
                break;
            }
            ready = fewer;
        }
        if ready != 0 {
            self.groups.push(Group { pc: op.site, mask: ready, state: State::Ready });
        }
        let waiting = here & !ready;
        if waiting != 0 {
            let wanted = lanes(waiting).fold(0, |m, lane| m | named[lane]);
            self.groups.push(Group { pc: op.site, mask: waiting, state: State::Lanes(wanted) });
        }
        self.reason = Reason::Gone;
        Flow::Stop
    }

    /// Executes an instruction that needs the whole warp with the remaining lanes.
    #[cold]
    fn partial(&mut self, op: &Op) {
        if !self.launch().sync_check {
            return;
        }
        let arrived = self.mask();
        let exited = self.started() & !self.live;
        let mut access = Access::at(AccessKind::Execute, self.program().place_of(op.site));
        access.threads = arrived.count_ones();
        let access = self.located(access, arrived.trailing_zeros() as usize & 31);
        let kind = FindingKind::PartialWarp { arrived, exited };
        let finding = Finding::new(kind, self.program().name.clone()).with(access);
        self.scratch.get_mut().findings.add(finding);
    }

    #[cold]
    pub(super) fn undeclared(&mut self, op: &Op, what: AccessKind, mask: u32, outside: u32) {
        if !self.launch().sync_check {
            return;
        }
        let lane = outside.trailing_zeros();
        let place = self.program().place_of(op.site);
        let mut access = Access::at(what, place);
        access.threads = outside.count_ones();
        let access = self.located(access, lane as usize);
        let finding = Finding::new(FindingKind::UndeclaredLane { mask, lane }, self.program().name.clone());
        self.scratch.get_mut().findings.add(finding.with(access));
    }

    #[cold]
    pub(super) fn inactive(&mut self, op: &Op, reader: usize, lane: u32) {
        if !self.launch().sync_check {
            return;
        }
        let place = self.program().place_of(op.site);
        let access = self.located(Access::at(AccessKind::Shuffle, place), reader);
        let finding = Finding::new(FindingKind::InactiveLane { lane }, self.program().name.clone());
        self.scratch.get_mut().findings.add(finding.with(access));
    }
}
