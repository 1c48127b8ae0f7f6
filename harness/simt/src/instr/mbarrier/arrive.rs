//! Arrivals at an mbarrier, and the bytes that its phase waits for.

use super::reach::Modifiers;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Number, operands};
use crate::lane::lanes;
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

/// How a lane arrives.
#[derive(Clone, Copy)]
struct ArriveForm {
    /// The space that the instruction names.
    space: Space,
    /// Whether later phases expect fewer arrivals.
    drops: bool,
    /// Whether it orders nothing.
    relaxed: bool,
}

impl Number for ArriveForm {
    fn code(self) -> u64 {
        self.space.code() | (self.drops.code() << 3) | (self.relaxed.code() << 4)
    }
    fn from_code(code: u64) -> ArriveForm {
        ArriveForm {
            space: Space::from_code(code & 7),
            drops: bool::from_code(code & (1 << 3)),
            relaxed: bool::from_code(code & (1 << 4)),
        }
    }
}

operands! {
    /// Operands of an arrival.
    struct Arrive {
        /// The address of the mbarrier.
        address: address in a,
        /// The number of arrivals.
        count: read(u32) in b,
        /// The bytes that the phase must wait for in addition.
        bytes: maybe_read(u32) in c,
        /// How it arrives.
        how: number(ArriveForm) in e,
        /// The previous state of the mbarrier.
        state: maybe_write(u64) in d,
    }
}

operands! {
    /// Operands of `mbarrier.expect_tx` and `mbarrier.complete_tx`.
    struct Transfer {
        /// The address of the mbarrier.
        address: address in a,
        /// The number of bytes.
        bytes: read(u32) in b,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// Whether they have arrived.
        completes: number(bool) in c,
    }
}

/// Lowers `mbarrier.arrive` and `mbarrier.arrive_drop`.
pub(super) fn arrive(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let modifiers = Modifiers::parse(cx, inst)?;
    let (expects, completes) = (inst.has(Modifier::ExpectTx), !inst.has(Modifier::NoComplete));
    let (state, address, number) = match inst.operands.as_slice() {
        [state, address @ (Operand::Mem(..) | Operand::Vec(_))] if !expects && completes => {
            (Some(state), address, None)
        }
        [address @ Operand::Mem(..), number] => (None, address, Some(number)),
        [address @ Operand::Mem(..)] if !expects && completes => (None, address, None),
        [state, address, number] => (Some(state), address, Some(number)),
        _ => return Err(cx.wrong(inst)),
    };
    let space = modifiers.space();
    let state = match state {
        None | Some(Operand::Discard) => None,
        Some(state) => Some(cx.dest(state, 8)?),
    };
    let number = number.map(|number| cx.source(number, Type::U32)).transpose()?;
    let (count, bytes) = match number {
        Some(bytes) if expects => (cx.bits(1, 4), Some(bytes)),
        Some(count) => (count, None),
        None => (cx.bits(1, 4), None),
    };
    let drops = inst.opcode == Opcode::MbarrierArriveDrop;
    let how = ArriveForm { space, drops, relaxed: modifiers.relaxed };
    let origin = cx.origin(address);
    let arrive = Arrive { address: cx.address(address)?, count, bytes, how, state };
    cx.emit(arrive.pack(run_arrive).role(Role::Access(AccessKind::Atomic, space, 8)).from(origin))
}

/// Lowers `mbarrier.expect_tx` and `mbarrier.complete_tx`.
pub(super) fn transfer(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let space = Modifiers::parse(cx, inst)?.space();
    let [address, bytes] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let origin = cx.origin(address);
    let completes = inst.opcode == Opcode::MbarrierCompleteTx;
    let transfer = Transfer { address: cx.address(address)?, bytes: cx.source(bytes, Type::U32)?, space, completes };
    cx.emit(transfer.pack(run_transfer).role(Role::Access(AccessKind::Atomic, space, 8)).from(origin))
}

/// Executes `mbarrier.arrive` and `mbarrier.arrive_drop`.
unsafe fn run_arrive(warp: &mut Warp, op: &Op) -> Flow {
    let Arrive { address, count, bytes, how, state } = Arrive::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (base, count, bytes) =
        unsafe { (*address.base.lanes(warp), *count.lanes(warp), bytes.map(|bytes| *bytes.lanes(warp))) };
    for lane in lanes(warp.mask()) {
        let at = (how.space, base[lane].wrapping_add(address.offset));
        let at = match warp.reach(op, lane, at, AccessKind::Atomic) {
            Ok(at) => at,
            Err(flow) => return flow,
        };
        warp.arrives(op, lane, at.home, !how.relaxed);
        let changed = warp.change_mbarrier(op, lane, at, |barrier| {
            if let Some(bytes) = bytes {
                barrier.expect(bytes[lane].into())?;
            }
            barrier.arrive(count[lane], how.drops)
        });
        let before = match changed {
            Ok(before) => before,
            Err(flow) => return flow,
        };
        if let Some(state) = state {
            // SAFETY: as above.
            unsafe { (*state.lanes(warp))[lane] = before };
        }
    }
    warp.switch_point();
    Flow::Next
}

/// Executes `mbarrier.expect_tx` and `mbarrier.complete_tx`.
unsafe fn run_transfer(warp: &mut Warp, op: &Op) -> Flow {
    let Transfer { address, bytes, space, completes } = Transfer::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (base, bytes) = unsafe { (*address.base.lanes(warp), *bytes.lanes(warp)) };
    for lane in lanes(warp.mask()) {
        let at = (space, base[lane].wrapping_add(address.offset));
        let at = match warp.reach(op, lane, at, AccessKind::Atomic) {
            Ok(at) => at,
            Err(flow) => return flow,
        };
        warp.arrives(op, lane, at.home, false);
        let bytes = if completes { -i64::from(bytes[lane]) } else { bytes[lane].into() };
        if let Err(flow) = warp.change_mbarrier(op, lane, at, |barrier| barrier.expect(bytes)) {
            return flow;
        }
    }
    Flow::Next
}
