//! Sums of 32-bit numbers, the most frequent atomics: quick ways for the usual cases of what [`super::general`] does.

use super::change::Change;
use super::general::{Atomic, General};
use crate::checks::Layout;
use crate::engine::warp::handler::{Exec, apart};
use crate::engine::warp::program::Op;
use crate::engine::warp::request::Request;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Space, What};
use crate::lane::{LANES, lanes};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

/// A sum of 32-bit numbers.
pub(super) trait Sum: Change<Word = u32> {
    /// Adds the lanes' numbers to one in memory, one after another: what each lane finds, and what is left.
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, global: bool, old: &mut [u32; LANES]) -> u32;
    /// What the lanes add together, if memory may be changed by that at once.
    fn total(b: &[u32; LANES], mask: u32) -> Option<u32>;
    /// What [`Sum::add`] takes of the lanes' numbers. A lane that does not run changes nothing.
    fn terms(b: &[u32; LANES], mask: u32) -> [u32; LANES];
    /// Adds them to a word in global memory, one after another.
    fn add(seen: u32, terms: &[u32; LANES]) -> u32;
}

/// Executes a sum, the usual cases first.
pub(super) struct Quick<C>(PhantomData<C>);
impl<C: Sum> Exec for Quick<C> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // Operands are unpacked where they are used, as for loads.
        // SAFETY: the registers were unpacked from this instruction; memory is checked before it is touched.
        unsafe {
            let seed = warp.launch().seed;
            if seed != 0 {
                return General::<C>::exec(warp, op);
            }
            if Atomic::unpack(op).deferred
                && let Some(turns) = &warp.launch().turns
            {
                // The host may look at its own memory at any time.
                if (*warp.sites.add(op.site as usize)).delta != 0 {
                    return apart::<Kept<C>, W>(warp, op);
                }
                warp.notes.get_mut().sums.finish(turns);
            }
            let done = match Atomic::unpack(op).space {
                Space::Shared => shared::<C>(warp, op),
                Space::Global => global::<C>(warp, op),
                _ => None,
            };
            let Some((old, changed)) = done else {
                return General::<C>::exec(warp, op);
            };
            let mask = warp.mask();
            if !changed {
                let digest = lanes(mask).fold(0u64, |d, i| d.rotate_left(7) ^ u64::from(old[i]));
                warp.polled(op.site, digest);
            }
            if let Some(to) = Atomic::unpack(op).old {
                let to = &mut *to.holding::<u32>().lanes(warp);
                for i in 0..LANES {
                    let keep = ((mask >> i) & 1).wrapping_sub(1);
                    to[i] = (to[i] & keep) | (old[i] & !keep);
                }
            }
        }
        Flow::Next
    }
}

/// What the lanes find, and whether memory has changed. None: this is not one of the usual cases, and nothing has been
/// done.
type Done = Option<([u32; LANES], bool)>;

/// Executes it in the block's shared memory, which nobody else can see now.
#[inline(always)]
unsafe fn shared<C: Sum>(warp: &mut Warp, op: &Op) -> Done {
    let mask = warp.mask();
    // SAFETY: see `Quick`.
    unsafe {
        let addr = &*Atomic::unpack(op).address.base.lanes(warp);
        let (mut at, mut bits, mut low, mut high) = ([0u32; LANES], 0u64, u64::MAX, 0u64);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            let a = addr[i].wrapping_add(Atomic::unpack(op).address.offset) & on;
            bits |= a;
            low = low.min(a | !on);
            high = high.max(a);
            at[i] = a as u32;
        }
        if bits & 3 != 0 || high >= warp.shared_len || warp.shared_len - high < 4 {
            return None;
        }
        // How the halves of the warp lie matters only where atomics meet other accesses.
        look(warp, op, Space::Shared, Some(&Layout { low, high, ..Layout::default() }));
        let b = &*Atomic::unpack(op).value.holding::<u32>().lanes(warp);
        let memory = warp.shared;
        let (stamp, touched) = warp.notes.get_mut().touched.begin();
        let mut old = [0u32; LANES];
        let (mut change, mut met) = (0u32, 0u32);
        let mut step = |i: usize| {
            let offset = at[i] as usize;
            let to = memory.add(offset).cast::<u32>();
            let seen = to.read();
            let new = C::new(seen, b[i], 0, false);
            to.write(new);
            old[i] = seen;
            change |= seen ^ new;
            let last = touched.add(offset / 4);
            met += u32::from(last.read() == stamp);
            last.write(stamp);
        };
        if mask == u32::MAX {
            for i in 0..LANES {
                step(i);
            }
        } else {
            for i in lanes(mask) {
                step(i);
            }
        }
        count(warp, op, met);
        Some((old, change != 0))
    }
}

/// The word in global memory that all lanes name, if there is one.
#[inline(always)]
unsafe fn word(warp: &mut Warp, op: &Op) -> Option<*mut u32> {
    let mask = warp.mask();
    // SAFETY: see `Quick`.
    unsafe {
        let addr = &*Atomic::unpack(op).address.base.lanes(warp);
        let first = addr[mask.trailing_zeros() as usize & 31];
        let mut differ = 0;
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            differ |= (addr[i] ^ first) & on;
        }
        let address = first.wrapping_add(Atomic::unpack(op).address.offset);
        let site = &*warp.sites.add(op.site as usize);
        let offset = address.wrapping_sub(site.start);
        if differ != 0 || address & 3 != 0 || offset >= site.len || site.len - offset < 4 {
            return None;
        }
        Some(address.wrapping_add(site.delta) as *mut u32)
    }
}

/// Keeps a sum for later, if all lanes name one word in global memory. Else what has been kept is added, as it comes
/// before.
struct Kept<C>(PhantomData<C>);
impl<C: Sum> Exec for Kept<C> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: see `Quick`. The word stays where it is until the launch has ended.
        unsafe {
            let Some(turns) = &warp.launch().turns else {
                return General::<C>::exec(warp, op);
            };
            let Some(word) = word(warp, op) else {
                warp.notes.get_mut().sums.finish(turns);
                return General::<C>::exec(warp, op);
            };
            look(warp, op, Space::Global, None);
            let mask = warp.mask();
            let b = &*Atomic::unpack(op).value.holding::<u32>().lanes(warp);
            let terms = C::terms(b, mask);
            warp.notes.get_mut().sums.keep(word, C::add, terms, turns);
            count(warp, op, mask.count_ones() - 1);
        }
        Flow::Next
    }
}

/// Executes it in global memory, if all lanes name one word there.
#[inline(always)]
unsafe fn global<C: Sum>(warp: &mut Warp, op: &Op) -> Done {
    let mask = warp.mask();
    // SAFETY: see `Quick`.
    unsafe {
        let word = AtomicU32::from_ptr(word(warp, op)?);
        look(warp, op, Space::Global, None);
        let b = &*Atomic::unpack(op).value.holding::<u32>().lanes(warp);
        let mut old = [0u32; LANES];
        if let Some(total) = C::total(b, mask) {
            // The word travels between the processors of two workers once for each sum, and nothing is tried in vain.
            // To read it first and replace it then would fetch it twice, and again whenever the other was quicker.
            let seen = if total == 0 { word.load(Ordering::Relaxed) } else { word.fetch_add(total, Ordering::SeqCst) };
            C::chain(seen, b, mask, true, &mut old);
            count(warp, op, mask.count_ones() - 1);
            return Some((old, total != 0));
        }
        let mut seen = word.load(Ordering::Relaxed);
        let changed = loop {
            let new = C::chain(seen, b, mask, true, &mut old);
            if new == seen {
                break false;
            }
            match word.compare_exchange_weak(seen, new, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => break true,
                Err(now) => seen = now,
            }
        };
        count(warp, op, mask.count_ones() - 1);
        Some((old, changed))
    }
}

/// Shows the access to the checks that want to see every address.
#[inline(always)]
unsafe fn look(warp: &mut Warp, op: &Op, space: Space, layout: Option<&Layout>) {
    if warp.checking {
        let request = Request { space, size: 4, what: What::Atomic };
        // SAFETY: this is a memory instruction.
        unsafe { warp.check_addresses(op, request, layout) };
    }
}

/// Counts a request in which so many lanes met others.
#[inline(always)]
unsafe fn count(warp: &mut Warp, op: &Op, met: u32) {
    // SAFETY: there is a site for every instruction.
    let site = unsafe { &mut *warp.sites.add(op.site as usize) };
    site.requests += 1;
    site.lanes += u64::from(warp.mask().count_ones());
    if warp.counting {
        site.extra += u64::from(met);
    }
}
