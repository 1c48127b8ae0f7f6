//! The patterns of shared-memory addresses, remembered from one execution of an instruction to the next.
//!
//! Kernels go over shared memory in tiles: from one warp to the next, and from one trip of a loop to the next, the lanes' addresses
//! move together, and stay as they are to each other. What bank conflicts there are, and where the lanes' words lie in what is read,
//! depends on that alone. So each instruction remembers the last such pattern and what follows from it; while it holds, an access
//! costs a comparison of 32 differences.

use super::Warp;
use super::banks::bank_conflicts;
use crate::lane::{ALL, LANES};
use crate::program::Op;

/// How a pattern lies in memory, as far as there are short ways to move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Lane after lane.
    Row,
    /// All lanes at one place.
    Point,
    /// Inside [`WINDOW`] bytes.
    Near,
    /// Anything else.
    Far,
}

/// Bytes that a permutation of a register reaches.
pub(crate) const WINDOW: u64 = 128;

/// Where 32 lanes' addresses lie to each other.
pub(crate) struct Pattern {
    /// From the first lane's address to each lane's.
    from_first: [u64; LANES],
    /// From the lowest address to each lane's.
    pub at: [u32; LANES],
    /// From the first lane's address to the lowest.
    lowest: u64,
    /// From the lowest address to the highest.
    span: u64,
    /// The lowest address's place in its word: only narrow accesses have others than 0, and share words accordingly.
    phase: u64,
    /// Passes over the banks, as many as the width demands, and the ways of the worst bank.
    waves: u32,
    ideal: u32,
    ways: u32,
    pub shape: Shape,
}

impl Pattern {
    /// One that no addresses have: the first lane is not where it is.
    fn none() -> Pattern {
        Pattern {
            from_first: [1; LANES],
            at: [0; LANES],
            lowest: 0,
            span: 0,
            phase: 0,
            waves: 0,
            ideal: 0,
            ways: 0,
            shape: Shape::Far,
        }
    }

    /// What follows from offsets in shared memory, which all lie inside it; `one`: a load of one element, which all lanes may
    /// share whatever its width.
    fn learn(&mut self, address: &[u64; LANES], size: u32, one: bool) {
        let lowest = address.iter().copied().min().unwrap_or(0);
        let highest = address.iter().copied().max().unwrap_or(0);
        let first = address[0];
        for i in 0..LANES {
            self.from_first[i] = address[i].wrapping_sub(first);
            self.at[i] = (address[i] - lowest) as u32;
        }
        self.lowest = lowest.wrapping_sub(first);
        self.span = highest - lowest;
        self.phase = lowest & 3;
        (self.waves, self.ideal, self.ways) = bank_conflicts(address, ALL, size);
        let step = |each: u32| (0..LANES).all(|i| self.at[i] == i as u32 * each);
        self.shape = if step(size) {
            Shape::Row
        } else if step(0) {
            Shape::Point
        } else if self.span + u64::from(size) <= WINDOW {
            Shape::Near
        } else {
            Shape::Far
        };
        if one && self.shape == Shape::Point {
            (self.waves, self.ideal, self.ways) = (1, 1, 1);
        }
    }
}

/// The pattern of an access of `size` bytes a lane by all lanes to shared memory, and the host's address of its lowest byte. The
/// access is inside, aligned and counted. None if it is not, or not by all lanes, or if checks want to see every address.
///
/// # Safety
/// `op.a` is a 64-bit register of this warp, and the instruction's space is shared memory.
#[inline(always)]
pub(crate) unsafe fn find<'w>(
    warp: &mut Warp,
    op: &Op,
    size: u32,
    one: bool,
) -> Option<(*mut u8, &'w Pattern)> {
    if warp.mask() != ALL || warp.checking {
        return None;
    }
    // SAFETY: the caller's contract; there is a site for every instruction, and its pattern lives as long as the worker.
    unsafe {
        let addr = &*warp.reg::<[u64; LANES]>(op.a);
        let site = &mut *warp.sites.add(op.site as usize);
        let first = addr[0];
        let mut pattern = site.delta as *const Pattern;
        let mut differ = u64::from(pattern.is_null());
        if !pattern.is_null() {
            for i in 0..LANES {
                differ |= addr[i].wrapping_sub(first) ^ (*pattern).from_first[i];
            }
        }
        let base = first.wrapping_add(op.imm);
        if size < 4 && !pattern.is_null() {
            differ |= (base.wrapping_add((*pattern).lowest) ^ (*pattern).phase) & 3;
        }
        if differ != 0 {
            pattern = learn(warp, op, size, one)?;
        }
        let pattern = &*pattern;
        let low = base.wrapping_add(pattern.lowest);
        let needed = pattern.span + u64::from(size);
        if low & u64::from(size - 1) != 0
            || low >= warp.shared_len
            || warp.shared_len - low < needed
        {
            return None;
        }
        site.requests += 1;
        site.lanes += LANES as u64;
        site.sectors += u64::from(pattern.waves);
        site.ideal += u64::from(pattern.ideal);
        site.extra = site.extra.max(u64::from(pattern.ways));
        Some((warp.shared.add(low as usize), pattern))
    }
}

/// Learns the pattern of the addresses at hand, if they are aligned and inside.
#[inline(never)]
unsafe fn learn(warp: &mut Warp, op: &Op, size: u32, one: bool) -> Option<*const Pattern> {
    // SAFETY: as for `find`.
    unsafe {
        let addr = *warp.reg::<[u64; LANES]>(op.a);
        let address = addr.map(|a| a.wrapping_add(op.imm));
        let bits = address.iter().fold(0, |bits, a| bits | a);
        let room = warp.shared_len.checked_sub(u64::from(size))?;
        if bits & u64::from(size - 1) != 0 || address.iter().any(|&a| a > room) {
            return None;
        }
        let site = &mut *warp.sites.add(op.site as usize);
        if site.delta == 0 {
            let patterns = &mut warp.worker().patterns;
            patterns.push(Box::new(Pattern::none()));
            let new = patterns.last_mut()?;
            site.delta = &raw mut **new as u64;
        }
        let pattern = site.delta as *mut Pattern;
        (*pattern).learn(&address, size, one);
        Some(pattern)
    }
}

/// `to[i] = table[index[i] / 4]` in all lanes, for indices below [`WINDOW`].
///
/// # Safety
/// `table` and `to` point to 32 numbers each, which need not be aligned; the processor has what `W` promises.
#[inline(always)]
pub(crate) unsafe fn permute<const W: u8>(table: *const u32, index: &[u32; LANES], to: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if W == 4 {
            use std::arch::x86_64::*;
            let low = _mm512_loadu_si512(table.cast());
            let high = _mm512_loadu_si512(table.add(16).cast());
            for half in 0..2 {
                let index = _mm512_loadu_si512(index.as_ptr().add(16 * half).cast());
                let index = _mm512_srli_epi32::<2>(index);
                let out = _mm512_permutex2var_epi32(low, index, high);
                _mm512_storeu_si512(to.add(16 * half).cast(), out);
            }
            return;
        }
        let mut out = [0u32; LANES];
        for i in 0..LANES {
            out[i] = table
                .cast::<u8>()
                .add(index[i] as usize & (WINDOW as usize - 1))
                .cast::<u32>()
                .read_unaligned();
        }
        to.cast::<[u32; LANES]>().write_unaligned(out);
    }
}
