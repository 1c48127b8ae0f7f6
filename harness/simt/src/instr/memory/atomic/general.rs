//! The general execution of an atomic.
//!
//! Lanes are processed in ascending order, or in another order if the launch has a seed. Global memory is changed by
//! atomics of the host; a block's shared memory belongs to a single host thread.

use super::change::{Change, Word};
use crate::engine::traffic::request::{Pointers, Request};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::operands::{Any, operands};
use crate::lane::{LANES, lanes};
use std::marker::PhantomData;

operands! {
    /// Operands of an atomic.
    pub(super) struct Atomic {
        /// The address.
        address: address in a,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// The operand.
        value: read(Any) in b,
        /// The second operand, the value that `cas` stores; a copy of the first for operations that have only one.
        second: read(Any) in c,
        /// The previous value, if it is used.
        old: maybe_write(Any) in d,
        /// Whether it may be deferred, because the time at which it happens cannot be observed.
        deferred: number(bool) in d2,
    }
}

/// Executes any atomic, whatever its addresses.
pub(super) struct General<C>(PhantomData<C>);
impl<C: Change> General<C> {
    pub(super) unsafe fn exec(warp: &mut Warp, op: &Op) -> Flow {
        let atomic = Atomic::unpack(op);
        let request = Request { space: atomic.space, size: size_of::<C::Word>() as u32, what: AccessKind::Atomic };
        let mut at: Pointers = [0; LANES];
        // SAFETY: the registers were unpacked from this instruction; the addresses have been checked.
        unsafe {
            let resolve = warp.resolve;
            if !resolve(warp, op, request, &mut at) {
                return Flow::Stop;
            }
            let mask = warp.mask();
            let b = &*atomic.value.holding::<C::Word>().lanes(warp);
            let c = &*atomic.second.holding::<C::Word>().lanes(warp);
            let first = mask.trailing_zeros() as usize & 31;
            // Only this host thread uses the shared memory of the block; all threads use global memory.
            let own = warp.is_own_shared(at[first]);
            let mut old = [C::Word::default(); LANES];
            let mut differ = 0u64;
            for i in 0..LANES {
                let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
                differ |= (at[i] ^ at[first]) & on;
            }
            let seed = warp.launch().seed;
            let rotate =
                if seed == 0 { 0 } else { (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 + warp.index } & 31;
            let mut changed = false;
            if differ == 0 {
                // A single address: applies the lanes' changes one after another, then changes the memory once.
                let to = at[first] as *mut C::Word;
                let mut seen = if own { to.read() } else { C::Word::load(to) };
                loop {
                    let mut value = seen;
                    for lane in in_order(mask, rotate) {
                        old[lane] = value;
                        value = C::new(value, b[lane], c[lane], !own);
                    }
                    changed = value != seen;
                    if !changed {
                        break;
                    }
                    if own {
                        to.write(value);
                        break;
                    }
                    match C::Word::swap_if(to, seen, value) {
                        Ok(_) => break,
                        Err(now) => seen = now,
                    }
                }
            } else {
                for lane in in_order(mask, rotate) {
                    let to = at[lane] as *mut C::Word;
                    if own {
                        let seen = to.read();
                        old[lane] = seen;
                        let new = C::new(seen, b[lane], c[lane], false);
                        changed |= new != seen;
                        to.write(new);
                        continue;
                    }
                    let mut seen = C::Word::load(to);
                    loop {
                        let new = C::new(seen, b[lane], c[lane], true);
                        if new == seen {
                            break;
                        }
                        match C::Word::swap_if(to, seen, new) {
                            Ok(_) => {
                                changed = true;
                                break;
                            }
                            Err(now) => seen = now,
                        }
                    }
                    old[lane] = seen;
                }
            }
            if warp.counting {
                let collisions = collisions(&at, mask, differ == 0);
                let space = if own { Space::Shared } else { Space::Global };
                warp.site(op, atomic.space, space).extra += u64::from(collisions);
            }
            if !changed {
                let digest = lanes(mask).fold(0u64, |d, lane| d.rotate_left(7) ^ old[lane].wide());
                warp.polled(op.site, digest);
            }
            warp.switch_point();
            if let Some(to) = atomic.old {
                let to = &mut *to.holding::<C::Word>().lanes(warp);
                for lane in lanes(mask) {
                    to[lane] = old[lane];
                }
            }
        }
        Flow::Next
    }
}

/// Iterates over the lanes of a mask in ascending order from a lane on, and then over those below it.
#[inline(always)]
fn in_order(mask: u32, from: u32) -> impl Iterator<Item = usize> {
    lanes(mask.rotate_right(from)).map(move |lane| (lane + from as usize) & 31)
}

/// Up to this many words from the lowest address on, collisions are counted without sorting.
const NEAR: usize = 1 << 10;

/// Counts the lanes that have the same address as a lane before them.
pub(super) fn collisions(at: &Pointers, mask: u32, same: bool) -> u32 {
    let count = mask.count_ones();
    if same {
        return count - 1;
    }
    let bits = lanes(mask).fold(0u64, |b, lane| b | 1 << ((at[lane] >> 2) & 63));
    if bits.count_ones() == count {
        return 0;
    }
    let (mut low, mut high, mut parts) = (u64::MAX, 0, 0);
    let first = at[mask.trailing_zeros() as usize & 31];
    for i in 0..LANES {
        let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
        low = low.min(at[i] | !on);
        high = high.max(at[i] & on);
        parts |= (at[i] ^ first) & 3 & on;
    }
    if (high >> 2) - (low >> 2) < NEAR as u64 && parts == 0 {
        // One bit for each word. No two different addresses are in the same word.
        let mut words = [0u64; NEAR / 64];
        for lane in lanes(mask) {
            let word = ((at[lane] >> 2) - (low >> 2)) as usize % NEAR;
            words[word / 64] |= 1 << (word % 64);
        }
        return count - words.iter().map(|bits| bits.count_ones()).sum::<u32>();
    }
    sorted(at, mask)
}

/// The same for arbitrary addresses.
#[inline(never)]
fn sorted(at: &Pointers, mask: u32) -> u32 {
    let mut all = [0u64; LANES];
    let mut n = 0;
    for lane in lanes(mask) {
        all[n] = at[lane];
        n += 1;
    }
    all[..n].sort_unstable();
    all[..n].windows(2).filter(|w| w[0] == w[1]).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::costs::random::random;

    #[test]
    fn collisions_are_counted_as_by_sorting() {
        let mut random = random(5);
        for _ in 0..10_000 {
            let (spread, unit) = ([1, 8, 256, 1024, 1025, 9000][random(6) as usize], 1 << random(4));
            let start = 4096 + random(100) * unit;
            let at: Pointers = std::array::from_fn(|_| start + random(spread * 4 / unit.min(4)) * unit);
            let mask = random(1 << 32) as u32 | 1 << random(32);
            assert_eq!(collisions(&at, mask, false), sorted(&at, mask), "{at:?} {mask:#x}");
        }
    }
}
