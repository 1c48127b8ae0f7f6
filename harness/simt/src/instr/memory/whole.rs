//! Indivisible accesses of 16 bytes: strong loads and stores of `.b128`.

use crate::engine::warp::program::Op;
use crate::engine::warp::request::{Pointers, Request};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Inst, Opnd};
use crate::instr::operands::{Register, operands};
use crate::lane::{LANES, lanes};
use portable_atomic::{AtomicU128, Ordering};

/// Bytes of an access.
pub(super) const BYTES: u32 = 16;

operands! {
    /// Operands of a load.
    struct Load {
        /// The address.
        address: address in a,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// The low half.
        low: write(u64) in d,
        /// The high half.
        high: write(u64) in d2,
    }
}

operands! {
    /// Operands of a store.
    struct Store {
        /// The address.
        address: address in a,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// The low half.
        low: read(u64) in b,
        /// The high half.
        high: read(u64) in c,
    }
}

/// Creates a strong load.
pub(super) fn load(address: (Opnd, u64), space: Space, [low, high]: [Opnd; 2]) -> Inst {
    Load { address, space, low, high }.pack(run_load)
}

/// Creates a strong store.
pub(super) fn store(address: (Opnd, u64), space: Space, [low, high]: [Opnd; 2]) -> Inst {
    Store { address, space, low, high }.pack(run_store)
}

/// Returns the lanes' addresses, if they are valid.
///
/// # Safety
/// `op` is an access of this file.
pub(super) unsafe fn places(warp: &mut Warp, op: &Op, space: Space, what: AccessKind) -> Option<Pointers> {
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
pub(super) unsafe fn shared_word<'a>(at: u64) -> &'a AtomicU128 {
    // SAFETY: the caller's contract.
    unsafe { AtomicU128::from_ptr(at as *mut u128) }
}

/// # Safety
/// The registers were unpacked from an instruction of the program that the warp runs.
pub(super) unsafe fn value(warp: &Warp, [low, high]: [Register<u64>; 2], lane: usize) -> u128 {
    // SAFETY: the caller's contract.
    unsafe { u128::from((*low.lanes(warp))[lane]) | (u128::from((*high.lanes(warp))[lane]) << 64) }
}

/// # Safety
/// As for [`value`].
pub(super) unsafe fn set(warp: &Warp, [low, high]: [Register<u64>; 2], lane: usize, value: u128) {
    // SAFETY: the caller's contract.
    unsafe {
        (*low.lanes(warp))[lane] = value as u64;
        (*high.lanes(warp))[lane] = (value >> 64) as u64;
    }
}

unsafe fn run_load(warp: &mut Warp, op: &Op) -> Flow {
    let Load { space, low, high, .. } = Load::unpack(op);
    // SAFETY: the registers were unpacked from this instruction; the addresses have been checked.
    unsafe {
        let Some(at) = places(warp, op, space, AccessKind::Read) else {
            return Flow::Stop;
        };
        for lane in lanes(warp.mask()) {
            set(warp, [low, high], lane, shared_word(at[lane]).load(Ordering::SeqCst));
        }
    }
    Flow::Next
}

unsafe fn run_store(warp: &mut Warp, op: &Op) -> Flow {
    let Store { space, low, high, .. } = Store::unpack(op);
    // SAFETY: as for loads.
    unsafe {
        let Some(at) = places(warp, op, space, AccessKind::Write) else {
            return Flow::Stop;
        };
        for lane in lanes(warp.mask()) {
            shared_word(at[lane]).store(value(warp, [low, high], lane), Ordering::SeqCst);
        }
    }
    Flow::Next
}
