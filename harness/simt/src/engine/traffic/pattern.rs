//! Patterns of shared-memory addresses, which an instruction remembers from one execution to the next.
//!
//! Kernels traverse shared memory in tiles: from one warp to the next, and from one trip of a loop to the next, the
//! lanes' addresses move together and keep their distances. The bank conflicts, and the positions of the lanes' words
//! in the data read, depend only on these distances. So each instruction remembers its last pattern and what follows
//! from it. While the pattern holds, an access costs a comparison of 32 differences.

use super::banks::bank_conflicts;
use crate::checks::{Halves, Layout};
use crate::lane::{ALL, LANES};

/// The layout of a pattern's addresses, as far as there is a fast way to move the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Consecutive words, in lane order.
    Row,
    /// All lanes at the same address.
    Point,
    /// All inside [`WINDOW`] bytes.
    Near,
    /// Anything else.
    Far,
}

/// The number of bytes that one permutation of a register can reach.
pub(crate) const WINDOW: u64 = 128;

/// The kind of access of a pattern: it decides what follows from the lanes' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Bytes a lane.
    pub size: u32,
    /// The bytes a lane that the access counts as: `size`, or a multiple of it if the load is merged with others.
    pub width: u32,
    /// Whether it is a load of one element, which all lanes may share whatever its width.
    pub one: bool,
}

/// The relative layout of the addresses of 32 lanes. Aligned to the host's cache lines, because whole lines of it are
/// read.
#[repr(C, align(64))]
pub(crate) struct Pattern {
    /// The distances from the first lane's address to each lane's.
    from_first: [u64; LANES],
    /// The distances from the lowest address to each lane's.
    pub at: [u32; LANES],
    /// The distance from the first lane's address to the lowest.
    pub lowest: u64,
    /// The distance from the lowest address to the highest.
    pub span: u64,
    /// The offset of the lowest address in its word. It can be nonzero only for narrow accesses; it decides which lanes
    /// share a word.
    pub phase: u64,
    /// The passes over the banks. `ideal` is the minimum for the width, `ways` the conflict of the worst bank.
    pub waves: u32,
    pub ideal: u32,
    pub ways: u32,
    pub shape: Shape,
    /// For the checks: the layout of each half of the warp, if each begins at the start of a line.
    pub halves: Halves,
    /// The kind of access.
    access: Access,
    /// The instruction that has learnt this pattern, and may replace it. Other instructions may share it.
    pub owner: u32,
}

impl Pattern {
    /// Computes the pattern of an instruction's accesses at these offsets in shared memory, all of which are in bounds.
    pub fn from_addresses(address: &[u64; LANES], access: Access, owner: u32) -> Pattern {
        let lowest = address.iter().copied().min().unwrap_or(0);
        let highest = address.iter().copied().max().unwrap_or(0);
        let Access { size, width, one } = access;
        let at: [u32; LANES] = std::array::from_fn(|i| (address[i] - lowest) as u32);
        let span = highest - lowest;
        let step = |each: u32| (0..LANES).all(|i| at[i] == i as u32 * each);
        let shape = if step(size) {
            Shape::Row
        } else if step(0) {
            Shape::Point
        } else if span + u64::from(size) <= WINDOW {
            Shape::Near
        } else {
            Shape::Far
        };
        // Lanes at the same address share a merged load as they share a vector.
        let shared = one && width == size && shape == Shape::Point;
        let (waves, ideal, ways) = if shared { (1, 1, 1) } else { bank_conflicts(address, ALL, width) };
        Pattern {
            from_first: address.map(|a| a.wrapping_sub(address[0])),
            at,
            lowest: lowest.wrapping_sub(address[0]),
            span,
            phase: lowest & 3,
            waves,
            ideal,
            ways,
            shape,
            halves: Halves::of(address, size),
            access,
            owner,
        }
    }

    /// Returns whether accesses with one of these patterns also have the other.
    pub fn is_as(&self, other: &Pattern) -> bool {
        self.access == other.access && self.phase == other.phase && self.from_first == other.from_first
    }

    /// Returns whether these addresses have another pattern. Written explicitly for the host's vectors, because the
    /// compiler vectorizes the loop only by chance.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
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

    /// Returns the layout of the addresses when the lowest is at this offset, for the checks.
    pub fn layout(&self, low: u64) -> Layout {
        Layout {
            low,
            high: low + self.span,
            row: self.shape == Shape::Row,
            halves: self.halves.from(low + u64::from(self.at[0]), low + u64::from(self.at[16])),
        }
    }
}

/// Computes `to[i] = table[index[i] / 4]` in all lanes, for indices below [`WINDOW`].
///
/// # Safety
/// `table` and `to` point to 32 numbers each, which need not be aligned; the processor supports what `W` requires.
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
