//! Atomics of 16 bytes: `exch` and `cas` of `.b128`.

use super::general::collisions;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Field, Inst, Opnd};
use crate::instr::memory::whole::{places, set, shared_word, value};
use crate::instr::operands::operands;
use crate::lane::lanes;
use portable_atomic::Ordering;

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
pub(super) fn atomic(compares: bool, address: (Opnd, u64), space: Space, new: [Opnd; 2], old: [Opnd; 2]) -> Inst {
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
