//! The atomics that kernels are full of, sums of 32-bit numbers, without detours: what [`super::atomic`] says of them, for the
//! usual cases.

use super::atomic::{Add32, AddF32, Atomic, Change, flush};
use super::control::lanes;
use super::load_store;
use super::{Exec, Flow, Warp};
use crate::finding::Space;
use crate::lane::LANES;
use crate::program::Op;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

/// For each word of shared memory, which atomic touched it last: tells lanes of one instruction that meet.
pub(crate) struct Touched {
    last: Vec<u32>,
    now: u32,
}

impl Touched {
    /// For so many bytes.
    pub fn new(bytes: u32) -> Touched {
        Touched {
            last: vec![0; bytes as usize / 4 + 1],
            now: 0,
        }
    }

    /// The number of the next atomic, and where it leaves it.
    fn begin(&mut self) -> (u32, *mut u32) {
        if self.now == u32::MAX {
            self.last.fill(0);
            self.now = 0;
        }
        self.now += 1;
        (self.now, self.last.as_mut_ptr())
    }
}

/// A change of 32 bits that is worth a path of its own.
pub(super) trait Sum: Change<Word = u32> {
    /// The lanes' changes of one number, one after another: what each of them finds, and what is left.
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, global: bool, old: &mut [u32; LANES]) -> u32;
}

impl Sum for Add32 {
    #[inline(always)]
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, _: bool, old: &mut [u32; LANES]) -> u32 {
        let mut value = seen;
        for i in 0..LANES {
            old[i] = value;
            value = value.wrapping_add(b[i] & 0u32.wrapping_sub((mask >> i) & 1));
        }
        value
    }
}

impl Sum for AddF32 {
    #[inline(always)]
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, global: bool, old: &mut [u32; LANES]) -> u32 {
        // A lane that is off adds -0, which changes no number.
        let mut add = [0f32; LANES];
        for i in 0..LANES {
            let x = f32::from_bits(b[i]);
            let x = if global { flush(x) } else { x };
            add[i] = if (mask >> i) & 1 != 0 { x } else { -0.0 };
        }
        let first = f32::from_bits(seen);
        let mut value = if global { flush(first) } else { first };
        let mut after = [0f32; LANES];
        for i in 0..LANES {
            value += add[i];
            after[i] = value;
        }
        // Neither NaN nor, in global memory, subnormal on the way: then there was nothing to make of the sums.
        let mut odd = false;
        for sum in after {
            odd |= sum.is_nan() | (global & sum.is_subnormal());
        }
        if odd {
            let mut value = seen;
            for lane in lanes(mask) {
                old[lane] = value;
                value = Self::new(value, b[lane], 0, global);
            }
            return value;
        }
        old[0] = seen;
        for i in 1..LANES {
            old[i] = after[i - 1].to_bits();
        }
        // The first lane that is on finds what was there, flushed or not.
        old[mask.trailing_zeros() as usize & 31] = seen;
        value.to_bits()
    }
}

/// An atomic with the usual cases in front.
pub(super) struct Hot<C>(PhantomData<C>);
impl<C: Sum> Exec for Hot<C> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: `a` is a 64-bit register, `b` and `d` have 32 bits; memory is checked before it is touched.
        unsafe {
            let seed = warp.worker().launch().seed;
            if warp.checking || seed != 0 {
                return Atomic::<C>::exec(warp, op);
            }
            let done = match load_store::space(op.e) {
                Space::Shared => shared::<C>(warp, op),
                Space::Global => global::<C>(warp, op),
                _ => None,
            };
            let Some((old, changed)) = done else {
                return Atomic::<C>::exec(warp, op);
            };
            let mask = warp.mask();
            if !changed {
                let digest = lanes(mask).fold(0u64, |d, i| d.rotate_left(7) ^ u64::from(old[i]));
                warp.polled(op.site, digest);
            }
            if op.d != u32::MAX {
                let to = &mut *warp.reg::<[u32; LANES]>(op.d);
                for i in 0..LANES {
                    let keep = ((mask >> i) & 1).wrapping_sub(1);
                    to[i] = (to[i] & keep) | (old[i] & !keep);
                }
            }
        }
        Flow::Next
    }
}

/// What the lanes find, and whether memory has changed. None: this is not one of the usual cases, and nothing has been done.
type Done = Option<([u32; LANES], bool)>;

/// In the block's shared memory, which nobody else can see now.
#[inline(always)]
unsafe fn shared<C: Sum>(warp: &mut Warp, op: &Op) -> Done {
    let mask = warp.mask();
    // SAFETY: see `Hot`.
    unsafe {
        let addr = &*warp.reg::<[u64; LANES]>(op.a);
        let (mut at, mut bits, mut high) = ([0u32; LANES], 0u64, 0u64);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            let a = addr[i].wrapping_add(op.imm) & on;
            bits |= a;
            high = high.max(a);
            at[i] = a as u32;
        }
        if bits & 3 != 0 || high >= warp.shared_len || warp.shared_len - high < 4 {
            return None;
        }
        let b = &*warp.reg::<[u32; LANES]>(op.b);
        let memory = warp.shared;
        let (stamp, touched) = warp.worker().touched.begin();
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

/// In global memory, if all lanes name one word there.
#[inline(always)]
unsafe fn global<C: Sum>(warp: &mut Warp, op: &Op) -> Done {
    let mask = warp.mask();
    // SAFETY: see `Hot`.
    unsafe {
        let addr = &*warp.reg::<[u64; LANES]>(op.a);
        let first = addr[mask.trailing_zeros() as usize & 31];
        let mut differ = 0;
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            differ |= (addr[i] ^ first) & on;
        }
        let address = first.wrapping_add(op.imm);
        let site = &*warp.sites.add(op.site as usize);
        let offset = address.wrapping_sub(site.start);
        if differ != 0 || address & 3 != 0 || offset >= site.len || site.len - offset < 4 {
            return None;
        }
        let word = AtomicU32::from_ptr(address.wrapping_add(site.delta) as *mut u32);
        let b = &*warp.reg::<[u32; LANES]>(op.b);
        let mut old = [0u32; LANES];
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
