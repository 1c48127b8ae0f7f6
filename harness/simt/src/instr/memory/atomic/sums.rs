//! Sums of 32-bit numbers, the most frequent atomics: fast paths for the usual cases of [`super::general`].

use super::change::Change;
use super::general::{Atomic, General};
use crate::checks::Layout;
use crate::engine::traffic::banks::word_atomic_passes;
use crate::engine::traffic::request::Request;
use crate::engine::warp::handler::{Exec, apart};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::lane::{ALL, LANES, lanes};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

/// A sum of 32-bit numbers.
pub(super) trait Sum: Change<Word = u32> {
    /// Adds the lanes' numbers to a number in memory, one after another: stores each lane's previous value in `old`,
    /// and returns the final one.
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, global: bool, old: &mut [u32; LANES]) -> u32;
    /// Returns whether adding the lanes' numbers changes memory, if the numbers alone decide it.
    fn changes(b: &[u32; LANES], mask: u32) -> Option<bool>;
    /// Returns the sum of the lanes' numbers, if a single addition to memory has the same result.
    fn total(b: &[u32; LANES], mask: u32) -> Option<u32>;
    /// Returns the terms for [`Sum::add`]. A lane that does not run contributes nothing.
    fn terms(b: &[u32; LANES], mask: u32) -> [u32; LANES];
    /// Adds the terms to a word in global memory, one after another.
    fn add(seen: u32, terms: &[u32; LANES]) -> u32;
}

/// Executes a sum, trying the usual cases first.
pub(super) struct Quick<C>(PhantomData<C>);
impl<C: Sum> Exec for Quick<C> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // Operands are unpacked where they are used, as for loads. SAFETY: the registers were unpacked from this
        // instruction; memory is checked before it is accessed.
        unsafe {
            let seed = warp.launch().seed;
            if seed != 0 {
                return General::<C>::exec(warp, op);
            }
            if Atomic::unpack(op).deferred
                && let Some(turns) = &warp.launch().turns
            {
                // Host memory may be read by the host at any time.
                if (*warp.sites.add(op.site as usize)).delta != 0 {
                    return apart::<Kept<C>, W>(warp, op);
                }
                warp.scratch.get_mut().sums.finish(turns);
            }
            let done = match Atomic::unpack(op).space {
                Space::Shared => shared::<C>(warp, op),
                Space::Global => global::<C>(warp, op),
                _ => None,
            };
            done.unwrap_or_else(|| General::<C>::exec(warp, op))
        }
    }
}

/// The control flow after the instruction. `None`: this is not one of the usual cases, and nothing has been done.
type Done = Option<Flow>;

/// Executes it in the block's shared memory, which no other thread can see now.
#[inline(always)]
unsafe fn shared<C: Sum>(warp: &mut Warp, op: &Op) -> Done {
    // SAFETY: see `Quick`.
    unsafe { if warp.mask() == ALL { shared_by::<C, true>(warp, op) } else { shared_by::<C, false>(warp, op) } }
}

/// The same, specialised with `WHOLE` for the case that all lanes of the warp run.
#[inline(always)]
unsafe fn shared_by<C: Sum, const WHOLE: bool>(warp: &mut Warp, op: &Op) -> Done {
    let mask = if WHOLE { ALL } else { warp.mask() };
    // SAFETY: see `Quick`.
    unsafe {
        let addr = &*Atomic::unpack(op).address.base.lanes(warp);
        // Minimum and maximum are those of 32 bits, because vectors of x86-64-v3 have no others.
        let (mut at, mut bits, mut low, mut high) = ([0u32; LANES], 0u64, u32::MAX, 0u32);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            let a = addr[i].wrapping_add(Atomic::unpack(op).address.offset) & on;
            bits |= a;
            at[i] = a as u32;
            low = low.min(at[i] | !on as u32);
            high = high.max(at[i]);
        }
        if bits & 3 != 0 || bits > u32::MAX.into() {
            return None;
        }
        let (low, high) = (u64::from(low), u64::from(high));
        let memory = warp.shared_words(high)?;
        if warp.checking && !warp.note_atomics(op, &at, (low, high)) {
            // The layout of the warp's halves matters only where atomics meet other accesses.
            look(warp, op, Space::Shared, Some(&Layout { low, high, ..Layout::default() }));
        }
        let b = Atomic::unpack(op).value.holding::<u32>().lanes(warp).cast_const().cast::<u32>();
        // A lane's old value is written to its register immediately, as nothing reads that register later: it may be
        // one of the instruction's sources, but the lane's part of those has been read by then.
        let old = Atomic::unpack(op).old.map(|old| old.holding::<u32>().lanes(warp).cast::<u32>());
        let changes = C::changes(&*b.cast::<[u32; LANES]>(), mask);
        let mut change = 0;
        let mut step = |i: usize| {
            let to = memory.at(at[i]);
            let seen = to.read();
            let new = C::new(seen, b.add(i).read(), 0, false);
            to.write(new);
            if changes.is_none() {
                change |= seen ^ new;
            }
            seen
        };
        match old {
            Some(old) => each::<WHOLE>(mask, |i| old.add(i).write(step(i))),
            None => each::<WHOLE>(mask, |i| _ = step(i)),
        }
        // A separate loop: both together would need more registers than the host has.
        let mut met = 0;
        if warp.counting {
            let (stamp, touched) = warp.scratch.get_mut().touched.begin();
            each::<WHOLE>(mask, |i| {
                let last = touched.add(at[i] as usize / 4);
                met += u32::from(last.read() == stamp);
                last.write(stamp);
            });
            let site = &mut *warp.sites.add(op.site as usize);
            site.sectors += u64::from(word_atomic_passes(&at, mask));
            site.ideal += 1;
        }
        count(warp, op, met);
        if !changes.unwrap_or(change != 0) {
            // The values the lanes found are still in memory.
            poll(warp, op, |i| memory.at(at[i]).read());
        }
        Some(Flow::Next)
    }
}

/// Calls `act` for each lane of a mask in turn; `WHOLE` if these are all lanes of the warp.
#[inline(always)]
fn each<const WHOLE: bool>(mask: u32, mut act: impl FnMut(usize)) {
    if WHOLE {
        (0..LANES).for_each(act);
    } else {
        for i in lanes(mask) {
            act(i);
        }
    }
}

/// Records that an atomic has changed nothing: it may be polling a flag.
#[cold]
fn poll(warp: &mut Warp, op: &Op, found: impl Fn(usize) -> u32) {
    let digest = lanes(warp.mask()).fold(0u64, |d, i| d.rotate_left(7) ^ u64::from(found(i)));
    warp.polled(op.site, digest);
}

/// Writes the previous values to the running lanes, if they are used.
#[inline(always)]
unsafe fn give(warp: &mut Warp, op: &Op, old: &[u32; LANES]) {
    let mask = warp.mask();
    if let Some(to) = Atomic::unpack(op).old {
        // SAFETY: see `Quick`.
        let to = unsafe { &mut *to.holding::<u32>().lanes(warp) };
        for i in 0..LANES {
            let keep = ((mask >> i) & 1).wrapping_sub(1);
            to[i] = (to[i] & keep) | (old[i] & !keep);
        }
    }
}

/// Returns the word in global memory that all lanes name, if there is a single one.
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

/// Keeps a sum for later, if all lanes name one word in global memory. Otherwise adds the kept sums first, because they
/// precede this one.
struct Kept<C>(PhantomData<C>);
impl<C: Sum> Exec for Kept<C> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: see `Quick`. The word is not moved or freed until the launch has ended.
        unsafe {
            let Some(turns) = &warp.launch().turns else {
                return General::<C>::exec(warp, op);
            };
            let Some(word) = word(warp, op) else {
                warp.scratch.get_mut().sums.finish(turns);
                return General::<C>::exec(warp, op);
            };
            look(warp, op, Space::Global, None);
            let mask = warp.mask();
            let b = &*Atomic::unpack(op).value.holding::<u32>().lanes(warp);
            let terms = C::terms(b, mask);
            warp.scratch.get_mut().sums.keep(word, C::add, terms, turns);
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
            // The word's cache line moves between the processors of two workers once per sum, without failed attempts.
            // Reading the word first and replacing it then would fetch the line twice, and again whenever the other
            // worker was faster.
            let seen = if total == 0 { word.load(Ordering::Relaxed) } else { word.fetch_add(total, Ordering::SeqCst) };
            C::chain(seen, b, mask, true, &mut old);
            count(warp, op, mask.count_ones() - 1);
            if total == 0 {
                poll(warp, op, |i| old[i]);
            }
            give(warp, op, &old);
            return Some(Flow::Next);
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
        if !changed {
            poll(warp, op, |i| old[i]);
        }
        give(warp, op, &old);
        Some(Flow::Next)
    }
}

/// Passes the access to the checks, if they need every address.
#[inline(always)]
unsafe fn look(warp: &mut Warp, op: &Op, space: Space, layout: Option<&Layout>) {
    if warp.checking {
        let request = Request { space, size: 4, what: AccessKind::Atomic };
        // SAFETY: this is a memory instruction.
        unsafe { warp.check_addresses(op, request, layout) };
    }
}

/// Counts a request in which `met` lanes collided with others.
#[inline(always)]
unsafe fn count(warp: &mut Warp, op: &Op, met: u32) {
    // SAFETY: every instruction has a site.
    let site = unsafe { &mut *warp.sites.add(op.site as usize) };
    site.requests += 1;
    site.lanes += u64::from(warp.mask().count_ones());
    if warp.counting {
        site.extra += u64::from(met);
    }
}
