//! Patterns of shared-memory addresses, which an instruction remembers from one execution to the next.
//!
//! Kernels go over shared memory in tiles: from one warp to the next, and from one trip of a loop to the next, the
//! lanes' addresses move together and keep their distances. The bank conflicts, and where the lanes' words lie in what
//! is read, depend on these distances only. So each instruction remembers its last pattern and what follows from it.
//! While the pattern holds, an access costs a comparison of 32 differences.

use super::banks::bank_conflicts;
use crate::checks::{Halves, Layout};
use crate::lane::{ALL, LANES};

/// How the addresses of a pattern lie, as far as there is a fast way to move the data.
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

/// The number of bytes that one permutation of a register can reach.
pub(crate) const WINDOW: u64 = 128;

/// How the addresses of 32 lanes lie relative to each other.
pub(crate) struct Pattern {
    /// From the first lane's address to each lane's.
    pub from_first: [u64; LANES],
    /// From the lowest address to each lane's.
    pub at: [u32; LANES],
    /// From the first lane's address to the lowest.
    pub lowest: u64,
    /// From the lowest address to the highest.
    pub span: u64,
    /// The offset of the lowest address in its word. Only narrow accesses have one other than 0; it decides which lanes
    /// share a word.
    pub phase: u64,
    /// The passes over the banks, the passes that the width demands at least, and the ways of the worst bank.
    pub waves: u32,
    pub ideal: u32,
    pub ways: u32,
    pub shape: Shape,
    /// For the checks.
    halves: Halves,
}

impl Pattern {
    /// A pattern that no addresses have, as the first lane's distance from itself is not 0.
    pub fn none() -> Pattern {
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
            halves: Halves::default(),
        }
    }

    /// Whether these addresses have another pattern. Written out for the host's vectors, because the compiler makes
    /// good code of a loop only by chance.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn differs<const W: u8>(&self, address: &[u64; LANES]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if W == 4 {
            use std::arch::x86_64::*;
            // SAFETY: the caller's contract; eight lanes are read at a time.
            unsafe {
                let first = _mm512_set1_epi64(address[0] as i64);
                let mut differ = 0;
                for (part, expected) in address.chunks_exact(8).zip(self.from_first.chunks_exact(8)) {
                    let distance = _mm512_sub_epi64(_mm512_loadu_si512(part.as_ptr().cast()), first);
                    differ |= _mm512_cmpneq_epi64_mask(distance, _mm512_loadu_si512(expected.as_ptr().cast()));
                }
                return differ != 0;
            }
        }
        let mut differ = 0;
        for i in 0..LANES {
            differ |= address[i].wrapping_sub(address[0]) ^ self.from_first[i];
        }
        differ != 0
    }

    /// How the addresses lie when the lowest is at this offset, for the checks.
    pub fn layout(&self, low: u64) -> Layout {
        Layout {
            low,
            high: low + self.span,
            row: self.shape == Shape::Row,
            halves: self.halves.from(low + u64::from(self.at[0]), low + u64::from(self.at[16])),
        }
    }

    /// Learns the pattern of these offsets in shared memory, all of which lie inside. `one` says that the access is a
    /// load of one element, which all lanes may share whatever its width.
    pub fn learn(&mut self, address: &[u64; LANES], size: u32, one: bool) {
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
        self.halves = Halves::of(address, size);
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

impl Pattern {
    /// Learns a pattern of accesses of `size` bytes that count as one of `width` bytes, a multiple of that.
    pub fn learn_as(&mut self, address: &[u64; LANES], size: u32, width: u32) {
        self.learn(address, size, false);
        (self.waves, self.ideal, self.ways) = bank_conflicts(address, ALL, width);
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
            out[i] = table.cast::<u8>().add(index[i] as usize & (WINDOW as usize - 1)).cast::<u32>().read_unaligned();
        }
        to.cast::<[u32; LANES]>().write_unaligned(out);
    }
}
