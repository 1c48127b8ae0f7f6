//! Clocks, and what the machine provides in place of the driver's device functions.

use super::control::lanes;
use super::{Flow, Warp};
use crate::lane::LANES;
use crate::program::Op;
use crate::ptx::ast::Special;

/// What `clock` reads, from the special register.
pub(crate) fn clock_kind(special: Special) -> u64 {
    match special {
        Special::Clock => 0,
        Special::ClockHi => 1,
        Special::Clock64 => 2,
        Special::GlobalTimerLo => 3,
        Special::GlobalTimerHi => 4,
        _ => 5,
    }
}

/// `membar`, `fence`: what was written before is seen before what is written after.
/// `imm` is 1 where that is asked for inside the block only.
pub(crate) unsafe fn fence(warp: &mut Warp, op: &Op) -> Flow {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    if warp.checking {
        warp.fenced(op.imm == 1);
    }
    warp.switch_point();
    Flow::Next
}

/// Reads a clock into `d`, `b` bytes a lane: cycles (at the profile's clock rate) or nanoseconds since the launch began.
pub(crate) unsafe fn clock(warp: &mut Warp, op: &Op) -> Flow {
    let launch = warp.worker().launch();
    let nanoseconds = launch.began.elapsed().as_nanos() as u64;
    let cycles =
        (u128::from(nanoseconds) * u128::from(launch.profile.clock_khz) / 1_000_000) as u64;
    let value = match op.imm {
        0 | 2 => cycles,
        1 => cycles >> 32,
        4 => nanoseconds >> 32,
        _ => nanoseconds,
    };
    // SAFETY: `d` is a register of `b` bytes a lane.
    unsafe {
        for lane in lanes(warp.mask()) {
            if op.b == 8 {
                (*warp.reg::<[u64; LANES]>(op.d))[lane] = value;
            } else {
                (*warp.reg::<[u32; LANES]>(op.d))[lane] = value as u32;
            }
        }
    }
    Flow::Next
}

/// After a load with which other threads' writes may be awaited, into `a` of `b` bytes a lane: the same value again and again is
/// spinning.
pub(crate) unsafe fn look(warp: &mut Warp, op: &Op) -> Flow {
    let mut digest = 0u64;
    for lane in lanes(warp.mask()) {
        // SAFETY: `a` is a register of `b` bytes a lane.
        let value = unsafe {
            match op.b {
                8 => (*warp.reg::<[u64; LANES]>(op.a))[lane],
                4 => u64::from((*warp.reg::<[u32; LANES]>(op.a))[lane]),
                _ => u64::from((*warp.reg::<[u16; LANES]>(op.a))[lane]),
            }
        };
        digest = digest.rotate_left(7) ^ value;
    }
    warp.polled(op.site, digest);
    warp.switch_point();
    Flow::Next
}
