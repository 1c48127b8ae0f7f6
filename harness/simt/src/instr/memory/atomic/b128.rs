//! Atomics of 16 bytes: `exch` and `cas` of `.b128`.

use super::general::collisions;
use crate::engine::traffic::request::{Pointers, Request};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Field, Inst, OperandSlot};
use crate::instr::operands::{Register, operands};
use crate::lane::{LANES, lanes};
use portable_atomic::{AtomicU128, Ordering};

/// Bytes of an access.
pub(super) const BYTES: u32 = 16;

operands! {
    /// Operands of an atomic.
    struct Atomic {
        /// The address.
        address: address in a,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// The low half of the stored value.
        low: read(u64) in b,
        /// The high half.
        high: read(u64) in c,
        /// The low half of the previous value. Before execution: that of the value with which `cas` compares.
        old_low: write(u64) in d,
        /// The high half.
        old_high: write(u64) in d2,
    }
}

/// An atomic that stores `new`. `old` receives the previous value; if `compares`, it initially holds the expected one.
pub(super) fn atomic(
    compares: bool,
    address: (OperandSlot, u64),
    space: Space,
    new: [OperandSlot; 2],
    old: [OperandSlot; 2],
) -> Inst {
    let [low, high] = new;
    let [old_low, old_high] = old;
    let atomic = Atomic { address, space, low, high, old_low, old_high };
    if compares {
        atomic.pack(run_atomic::<true>).read(Field::D, old_low).read(Field::D2, old_high)
    } else {
        atomic.pack(run_atomic::<false>)
    }
}

unsafe fn run_atomic<const COMPARES: bool>(warp: &mut Warp, op: &Op) -> Flow {
    let Atomic { space, low, high, old_low, old_high, .. } = Atomic::unpack(op);
    let (new, old) = ([low, high], [old_low, old_high]);
    let mut changed = false;
    let mut digest = 0u64;
    // SAFETY: as for loads.
    unsafe {
        let Some(at) = places(warp, op, space, AccessKind::Atomic) else {
            return Flow::Stop;
        };
        for lane in lanes(warp.mask()) {
            let (word, new) = (shared_word(at[lane]), value(warp, new, lane));
            let seen = if COMPARES {
                let expected = value(warp, old, lane);
                let result = word.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst);
                changed |= result.is_ok() && expected != new;
                result.unwrap_or_else(|seen| seen)
            } else {
                word.swap(new, Ordering::SeqCst)
            };
            changed |= !COMPARES && seen != new;
            digest = digest.rotate_left(7) ^ seen as u64 ^ (seen >> 64) as u64;
            set(warp, old, lane, seen);
        }
        if warp.counting {
            let own = warp.is_own_shared(at[warp.mask().trailing_zeros() as usize & 31]);
            let met = collisions(&at, warp.mask(), false);
            let to = if own { Space::Shared } else { Space::Global };
            warp.site(op, space, to).extra += u64::from(met);
        }
    }
    if !changed {
        warp.polled(op.site, digest);
    }
    warp.switch_point();
    Flow::Next
}

/// Returns the lanes' addresses, if they are valid.
///
/// # Safety
/// `op` is an atomic of this file.
unsafe fn places(warp: &mut Warp, op: &Op, space: Space, what: AccessKind) -> Option<Pointers> {
    let mut at: Pointers = [0; LANES];
    let request = Request { space, size: BYTES, what };
    let resolve = warp.resolve;
    // SAFETY: the caller's contract.
    unsafe { resolve(warp, op, request, &mut at) }.then_some(at)
}

/// Returns the value at a lane's address.
///
/// # Safety
/// The address was resolved for 16 bytes, to which it is aligned.
unsafe fn shared_word<'a>(at: u64) -> &'a AtomicU128 {
    // SAFETY: the caller's contract.
    unsafe { AtomicU128::from_ptr(at as *mut u128) }
}

/// # Safety
/// The registers were unpacked from an instruction of the program that the warp runs.
unsafe fn value(warp: &Warp, [low, high]: [Register<u64>; 2], lane: usize) -> u128 {
    // SAFETY: the caller's contract.
    unsafe { u128::from((*low.lanes(warp))[lane]) | (u128::from((*high.lanes(warp))[lane]) << 64) }
}

/// # Safety
/// As for [`value`].
unsafe fn set(warp: &Warp, [low, high]: [Register<u64>; 2], lane: usize, value: u128) {
    // SAFETY: the caller's contract.
    unsafe {
        (*low.lanes(warp))[lane] = value as u64;
        (*high.lanes(warp))[lane] = (value >> 64) as u64;
    }
}
