//! The L1 cache cost of a request whose addresses do not repeat an earlier layout: it is computed directly, and nothing
//! is remembered.

use super::l1_request::most_of_a_bank;
use crate::checks::Addresses;
use crate::lane::{ALL, LANES, lanes};

/// Banks of the cache, one word wide each.
const BANKS: usize = 32;
/// The sizes of a cache line, of a sector, and of 64 sectors in bytes, as powers of two.
const LINE: u32 = 7;
const SECTOR: u32 = 5;
const PIECE: u32 = SECTOR + 6;
/// Up to this many rows of banks, words in ascending order are counted by bits.
const ROWS: usize = 4;

/// The addresses of the active lanes, one after another. The rest of the array repeats the last one, which requests
/// nothing new.
pub(crate) struct Packed {
    address: [u64; LANES],
    count: usize,
    low: u64,
    high: u64,
}

impl Packed {
    /// Packs the addresses of the lanes of a mask, which must not be 0.
    #[inline(always)]
    pub fn from_addresses(address: Addresses<'_>, mask: u32) -> Packed {
        let mut all = address.all();
        let mut count = LANES;
        if mask != ALL {
            count = 0;
            for lane in lanes(mask) {
                all[count] = all[lane];
                count += 1;
            }
            let last = all[count.wrapping_sub(1) % LANES];
            all[count..].fill(last);
        }
        // Two loops, which the compiler vectorizes.
        let low = all.iter().copied().fold(u64::MAX, u64::min);
        let high = all.iter().copied().fold(0, u64::max);
        Packed { address: all, count, low, high }
    }

    /// Returns the addresses.
    #[inline(always)]
    pub fn all(&self) -> &[u64] {
        &self.address[..self.count.min(LANES)]
    }

    /// Returns the lowest and the highest address.
    #[inline(always)]
    pub fn ends(&self) -> (u64, u64) {
        (self.low, self.high)
    }

    /// Reports the 128-byte lines that the accesses touch, in lane order, each with a mask of its sectors. What
    /// neighbouring lanes touch in the same line is reported once.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn lines<const W: u8>(&self, mut tell: impl FnMut(u64, u8)) {
        // SAFETY: the caller's contract.
        let mut rest = unsafe { self.others::<W>(SECTOR) };
        let (mut line, mut sectors) = (self.address[0] >> LINE, 1u8 << (self.address[0] >> SECTOR & 3));
        while rest != 0 {
            let sector = self.address[rest.trailing_zeros() as usize & 31] >> SECTOR;
            rest &= rest - 1;
            if sector >> 2 != line {
                tell(line, sectors);
                (line, sectors) = (sector >> 2, 0);
            }
            sectors |= 1 << (sector & 3);
        }
        tell(line, sectors);
    }

    /// Returns the touched sectors, if they are near each other: the number of a piece of memory, and two masks, for
    /// its 64 sectors and for those of the next piece.
    #[inline(always)]
    pub fn sectors(&self) -> Option<(u64, [u64; 2])> {
        let piece = self.low >> PIECE;
        if (self.high >> PIECE) - piece > 1 {
            return None;
        }
        let first = piece << (PIECE - SECTOR);
        if self.low == self.high {
            return Some((piece, [1 << ((self.low >> SECTOR) - first), 0]));
        }
        Some((piece, bits(&self.address, |address| (address >> SECTOR) - first)))
    }

    /// Returns the cache passes: a pass serves two lines, and one word of each bank. A word that neighbouring lanes
    /// share is requested once. All words of an access, of `size` bytes, are in the same passes.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn passes<const W: u8>(&self, size: u32) -> u32 {
        if self.low == self.high {
            return 1;
        }
        // SAFETY: the caller's contract.
        let lines = 1 + unsafe { self.others::<W>(LINE) }.count_ones();
        // SAFETY: the caller's contract.
        lines.div_ceil(2).max(unsafe { self.of_banks::<W>(size) })
    }

    /// Returns the passes that the banks need.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn of_banks<const W: u8>(&self, size: u32) -> u32 {
        let window = (self.high >> 2) - (self.low >> 2) + u64::from(size.div_ceil(4));
        if window <= BANKS as u64 {
            return 1;
        }
        // SAFETY: the caller's contract.
        if window <= (ROWS * BANKS) as u64 && size <= 4 && unsafe { self.ascends::<W>() } {
            // Each word is requested once. Each word has a bit; the bits of a row are the banks.
            let first = self.low >> 2;
            let words = bits(&self.address, |address| (address >> 2) - first);
            return most_of_a_bank::<3>(words.into_iter().flat_map(|two| [two as u32, (two >> 32) as u32]));
        }
        let shift = size.max(4).trailing_zeros();
        let start = self.low >> shift;
        let last = (BANKS as u64 - 1) >> (shift - 2);
        let (mut latest, mut asked) = ([u64::MAX; BANKS], [0u8; BANKS]);
        for address in self.all() {
            let access = (address >> shift) - start;
            let bank = (access & last) as usize % BANKS;
            asked[bank] += u8::from(latest[bank] != access);
            latest[bank] = access;
        }
        asked.iter().copied().fold(0, u8::max).into()
    }

    /// Returns the indices whose address lies in another piece of memory (2^`shift` bytes) than the address before.
    /// Written explicitly for the host's vectors: the addresses have just been written, and loads across two such
    /// vectors would stall on store forwarding.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    unsafe fn others<const W: u8>(&self, shift: u32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if W == 4 {
            use std::arch::x86_64::*;
            // SAFETY: the caller's contract; eight addresses are read at a time.
            unsafe {
                let upper = _mm512_set1_epi64((u64::MAX << shift) as i64);
                let mut left = _mm512_set1_epi64(self.address[0] as i64);
                let mut bits = 0u32;
                for (at, part) in self.address.chunks_exact(8).enumerate() {
                    let here = _mm512_loadu_si512(part.as_ptr().cast());
                    let before = _mm512_alignr_epi64::<7>(here, left);
                    let other = _mm512_test_epi64_mask(_mm512_xor_si512(before, here), upper);
                    bits |= u32::from(other) << (8 * at);
                    left = here;
                }
                return bits;
            }
        }
        let mut bits = 0u32;
        for i in 1..LANES {
            bits |= u32::from((self.address[i - 1] ^ self.address[i]) >> shift != 0) << i;
        }
        bits
    }

    /// Returns whether the addresses are in ascending order.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    unsafe fn ascends<const W: u8>(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if W == 4 {
            use std::arch::x86_64::*;
            // SAFETY: the caller's contract; eight addresses are read at a time.
            unsafe {
                let mut left = _mm512_set1_epi64(self.address[0] as i64);
                let mut lower = 0;
                for part in self.address.chunks_exact(8) {
                    let here = _mm512_loadu_si512(part.as_ptr().cast());
                    lower |= _mm512_cmplt_epu64_mask(here, _mm512_alignr_epi64::<7>(here, left));
                    left = here;
                }
                return lower == 0;
            }
        }
        self.address.is_sorted()
    }
}

/// Sets a bit for each number, all of which are below 128. The compiler vectorizes it.
#[inline(always)]
fn bits(address: &[u64; LANES], number: impl Fn(u64) -> u64) -> [u64; 2] {
    let (mut first, mut second) = (0u64, 0u64);
    for &address in address {
        let number = number(address);
        let bit = 1u64 << (number & 63);
        let low = 0u64.wrapping_sub(u64::from(number < 64));
        first |= bit & low;
        second |= bit & !low;
    }
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::costs::random::random;
    use crate::lane::HostVectors;

    /// Returns the sectors of these lines, each once.
    fn sectors_of(lines: &[(u64, u8)]) -> Vec<u64> {
        let of =
            |&(line, sectors): &(u64, u8)| (0..4).filter(move |at| sectors >> at & 1 != 0).map(move |at| line * 4 + at);
        let mut all: Vec<_> = lines.iter().flat_map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn bits_of_sectors_are_those_of_the_lines() {
        let mut random = random(1);
        let (mut near, mut far) = (0, 0);
        for _ in 0..10_000 {
            let (start, spread) = (random(1 << 20) * 4, 1 << random(13));
            let address = std::array::from_fn(|_| start + random(spread) * 4);
            let mask = random(1 << 31) as u32 | 1 << random(32);
            let packed = Packed::from_addresses(Addresses::of(&address), mask);
            let active: Vec<_> = lanes(mask).map(|lane| address[lane]).collect();
            assert_eq!(packed.all(), active);
            let mut told = Vec::new();
            // SAFETY: every processor supports `W` = 0.
            unsafe { packed.lines::<0>(|line, sectors| told.push((line, sectors))) };
            let Some((piece, bits)) = packed.sectors() else {
                far += 1;
                continue;
            };
            near += 1;
            let bits = u128::from(bits[0]) | u128::from(bits[1]) << 64;
            let sectors: Vec<_> = (0..128).filter(|at| bits >> at & 1 != 0).map(|at| piece * 64 + at).collect();
            assert_eq!(sectors, sectors_of(&told));
        }
        assert!(near > 1000 && far > 1000, "{near} {far}");
    }

    #[test]
    fn the_hosts_vectors_count_like_loops() {
        if !matches!(HostVectors::detect(), HostVectors::V4) {
            return;
        }
        let mut random = random(1);
        for round in 0..10_000 {
            let (size, spread) = (1 << random(6), 1 << random(12));
            let mut address: [u64; LANES] = std::array::from_fn(|_| 4096 + random(spread) * size);
            if round % 2 == 0 {
                address.sort_unstable();
            }
            let packed = Packed::from_addresses(Addresses::of(&address), random(1 << 31) as u32 | 1 << random(32));
            let (mut loops, mut vectors) = (Vec::new(), Vec::new());
            // SAFETY: every processor supports `W` = 0, and this one `W` = 4.
            unsafe {
                packed.lines::<0>(|line, sectors| loops.push((line, sectors)));
                packed.lines::<4>(|line, sectors| vectors.push((line, sectors)));
                assert_eq!(packed.passes::<0>(size as u32), packed.passes::<4>(size as u32), "{address:?} {size}");
            }
            assert_eq!(loops, vectors);
        }
    }
}
