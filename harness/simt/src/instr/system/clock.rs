//! Clocks, and waiting by the clock.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, TIME_SLICE, Warp};
use crate::instr::code::{Inst, OperandSlot};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, codes, operands};
use crate::lane::lanes;
use ptx::ast::{self, Special};

codes! {
    /// The kinds of clocks.
    enum Clock {
        /// Cycles since the launch began, at the profile's clock rate.
        Cycles,
        /// The high half of the cycles.
        CyclesHigh,
        /// Nanoseconds since the launch began.
        Nanoseconds,
        /// The high half of the nanoseconds.
        NanosecondsHigh,
    }
}

operands! {
    /// Operands of a clock reading.
    struct Reading {
        /// The time, or its low half if the register has 32 bits.
        to: write(Any) in d,
        /// Whether the register has 64 bits.
        wide: number(bool) in b,
        /// The kind of clock.
        clock: number(Clock) in imm,
    }
}

fn clock(special: Special) -> Option<Clock> {
    Some(match special {
        Special::Clock | Special::Clock64 => Clock::Cycles,
        Special::ClockHi => Clock::CyclesHigh,
        Special::GlobalTimer | Special::GlobalTimerLo => Clock::Nanoseconds,
        Special::GlobalTimerHi => Clock::NanosecondsHigh,
        _ => return None,
    })
}

/// Whether a special register changes while a warp runs.
pub(crate) fn changes(special: Special) -> bool {
    clock(special).is_some()
}

/// Returns the instruction that reads a special register into a register of `width` bytes a lane, if it is a clock.
pub(crate) fn reading(special: Special, to: OperandSlot, width: u32) -> Option<Inst> {
    let reading = Reading { to, wide: width == 8, clock: clock(special)? };
    Some(reading.pack(read))
}

unsafe fn read(warp: &mut Warp, op: &Op) -> Flow {
    let Reading { to, wide, clock } = Reading::unpack(op);
    warp.block.get_mut().timed = true;
    let launch = warp.launch();
    let nanoseconds = launch.began.elapsed().as_nanos() as u64;
    let cycles = (u128::from(nanoseconds) * u128::from(launch.profile.clock_khz) / 1_000_000) as u64;
    let value = match clock {
        Clock::Cycles => cycles,
        Clock::CyclesHigh => cycles >> 32,
        Clock::Nanoseconds => nanoseconds,
        Clock::NanosecondsHigh => nanoseconds >> 32,
    };
    // SAFETY: the register was unpacked from this instruction.
    unsafe {
        for lane in lanes(warp.mask()) {
            if wide {
                (*to.holding::<u64>().lanes(warp))[lane] = value;
            } else {
                (*to.holding::<u32>().lanes(warp))[lane] = value as u32;
            }
        }
    }
    Flow::Next
}

/// Lowers `nanosleep`.
pub(super) fn nanosleep(cx: &mut dyn Context, _: &ast::Inst) -> Result<()> {
    cx.emit(Inst::plain(sleep))
}

/// Executes `nanosleep`: yields to other warps.
unsafe fn sleep(warp: &mut Warp, _: &Op) -> Flow {
    warp.slice_left -= TIME_SLICE;
    warp.penalty += TIME_SLICE;
    Flow::Next
}
