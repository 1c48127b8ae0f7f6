//! Waits for a phase of an mbarrier: `mbarrier.test_wait` and `mbarrier.try_wait`.

use super::reach::Modifiers;
use crate::engine::warp::mbarrier::{Home, Mbarrier, is_odd};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, State, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, Number, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

/// How a lane waits.
#[derive(Clone, Copy)]
struct WaitForm {
    /// The space that the instruction names.
    space: Space,
    /// Whether it names its phase by parity, not by a state.
    parity: bool,
    /// Whether it blocks instead of returning immediately.
    blocks: bool,
    /// Whether it orders nothing.
    relaxed: bool,
}

impl Number for WaitForm {
    fn code(self) -> u64 {
        self.space.code() | (self.parity.code() << 3) | (self.blocks.code() << 4) | (self.relaxed.code() << 5)
    }
    fn from_code(code: u64) -> WaitForm {
        WaitForm {
            space: Space::from_code(code & 7),
            parity: bool::from_code(code & (1 << 3)),
            blocks: bool::from_code(code & (1 << 4)),
            relaxed: bool::from_code(code & (1 << 5)),
        }
    }
}

operands! {
    /// Operands of a wait.
    struct Wait {
        /// The address of the mbarrier.
        address: address in a,
        /// The phase: 64 bits of a state, or a 32-bit parity.
        phase: read(Any) in b,
        /// How it waits.
        how: number(WaitForm) in e,
        /// Whether the phase has ended.
        ended: write(bool) in d,
    }
}

/// Lowers `mbarrier.test_wait` and `mbarrier.try_wait`.
pub(super) fn wait(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let modifiers = Modifiers::parse(cx, inst)?;
    let blocks = inst.opcode == Opcode::MbarrierTryWait;
    let (ended, address, phase) = match inst.operands.as_slice() {
        [ended, address, phase] => (ended, address, phase),
        // The time limit is only a hint.
        [ended, address, phase, _] if blocks => (ended, address, phase),
        _ => return Err(cx.wrong(inst)),
    };
    let parity = inst.has(Modifier::Parity);
    if parity && inst.modifiers().first() != Some(&Modifier::Parity) {
        return Err(cx.missing(inst));
    }
    let how = WaitForm { space: modifiers.space(), parity, blocks, relaxed: modifiers.relaxed };
    let origin = cx.origin(address);
    let wait = Wait {
        address: cx.address(address)?,
        phase: cx.source(phase, if parity { Type::U32 } else { Type::B64 })?,
        how,
        ended: cx.dest(ended, 0)?,
    };
    cx.emit(wait.pack(run).role(Role::Access(AccessKind::Read, how.space, 8)).from(origin))
}

/// Executes `mbarrier.test_wait` and `mbarrier.try_wait`.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Wait { address, phase, how, ended } = Wait::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (base, odd) = unsafe {
        let odd: [bool; LANES] = if how.parity {
            (*phase.holding::<u32>().lanes(warp)).map(|phase| phase & 1 != 0)
        } else {
            (*phase.holding::<u64>().lanes(warp)).map(is_odd)
        };
        (*address.base.lanes(warp), odd)
    };
    let mask = warp.mask();
    let mut homes = [Home::default(); LANES];
    let (mut done, mut one) = (0u32, None);
    for lane in lanes(mask) {
        let at = (how.space, base[lane].wrapping_add(address.offset));
        let at = match warp.reach(op, lane, at, AccessKind::Read) {
            Ok(at) => at,
            Err(flow) => return flow,
        };
        let barrier = match Mbarrier::from_word(at.word()) {
            Ok(barrier) => barrier,
            Err(misuse) => return warp.misused(op, lane, at.home, misuse),
        };
        homes[lane] = at.home;
        done |= u32::from(barrier.odd != odd[lane]) << lane;
        one = match one {
            None => Some(at.home.offset),
            Some(offset) if offset == at.home.offset => one,
            Some(_) => Some(u32::MAX),
        };
    }
    if done == 0 {
        let again = warp.looked_again(op.site);
        let late = std::mem::take(&mut warp.late) & mask != 0;
        // A test that fails twice in a row waits, too, because another thread must run first.
        if !late && (how.blocks || again) {
            return warp.park(op.site, State::Phase(one.unwrap_or(u32::MAX)));
        }
    }
    warp.late &= !mask;
    // SAFETY: as above.
    unsafe { ended.set(warp, mask, done) };
    if warp.checking {
        warp.waits_at(op, &homes, done, how.relaxed);
    }
    warp.switch_point();
    Flow::Next
}

impl Warp<'_> {
    /// Records an unsuccessful test at this instruction. Returns whether the previous unsuccessful test was at this
    /// instruction, too.
    fn looked_again(&mut self, site: u32) -> bool {
        let poll = (site, u64::from(self.mask()));
        let again = self.poll == poll;
        self.poll = poll;
        again
    }
}
