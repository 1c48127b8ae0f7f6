//! What a request costs in the L1 cache: lines, the sectors in them, and passes.
//!
//! From one execution of an instruction to the next, its lanes' addresses usually move together and keep their
//! distances, as in `traffic::pattern`. So each instruction remembers its last request, split into pieces, and the
//! passes it needs: while the distances hold, only the lines of these pieces at their new location remain to be found.
//! Requests of many pieces are split only if their distances occur twice in a row: see [`super::scattered`] for the
//! others.

use super::scattered::Packed;
use crate::checks::Addresses;
#[cfg(any(target_arch = "x86_64", test))]
use crate::lane::ALL;
use crate::lane::LANES;

/// With more runs than this, the pieces of a request are runs of neighbouring sectors instead, and the banks are
/// counted lane by lane.
const RUNS: u32 = 8;
/// Banks of the cache, one word wide each.
const BANKS: usize = 32;
/// Backoff: after `MISS_STREAK` consecutive requests that did not repeat the previous one, the distances of the next
/// `BACKOFF` requests are not remembered; then `RETRY` requests are tried again.
const MISS_STREAK: u8 = 8;
const BACKOFF: u8 = 30;
const RETRY: u8 = 2;

/// The last request of an instruction, and what was derived from the distances between its lanes' addresses.
pub(crate) struct L1Request {
    /// The lanes that took part; 0 if no request is remembered.
    mask: u32,
    /// The distances from the first of these lanes' address to each lane's.
    from_first: [u64; LANES],
    /// The address of the first of these lanes.
    first: u64,
    /// The bits of that address on which the pieces depend. With few pieces, these are only the bits inside a word.
    fixed: u64,
    /// The distance from the first lane's address to the lowest address. `span` is the distance from there to the
    /// highest.
    lowest: u64,
    span: u64,
    /// The touched pieces of memory, in lane order: the distances from the first lane's address to the first and to the
    /// last access or sector of each.
    pieces: [(u64, u64); LANES],
    /// The number of pieces; 0 if the request has not been split.
    count: u32,
    /// If there is a single piece, how often in a row it is touched; otherwise 1.
    times: u32,
    /// The passes that the banks need. They do not depend on where the request lies, since consecutive words use the
    /// banks in rotation.
    passes: u32,
    /// What is touched for one position of the first lane's address in its line.
    whole: Whole,
    /// Consecutive requests that did not repeat the one before, as far as they were tried.
    miss_streak: u8,
    /// The address with which [`L1Request::next`] was last called.
    latest: u64,
}

/// What a whole request touches.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    /// The offset of the first lane's address in its line; [`NOWHERE`] if not yet known.
    place: u64,
    /// A mask of the sectors: those of the line with the lowest address, and of the next 15 lines. 0 if they are
    /// further apart.
    pub sectors: u64,
    /// The passes that the cache needs.
    pub passes: u32,
}

/// An offset that is outside of every line.
const NOWHERE: u64 = LINE;
/// Bytes of a line.
const LINE: u64 = 128;

impl Default for L1Request {
    fn default() -> L1Request {
        L1Request {
            mask: 0,
            from_first: [0; LANES],
            first: 0,
            fixed: 0,
            lowest: 0,
            span: 0,
            pieces: [(0, 0); LANES],
            count: 0,
            times: 1,
            passes: 0,
            whole: Whole { place: NOWHERE, sectors: 0, passes: 0 },
            miss_streak: 0,
            latest: 0,
        }
    }
}

impl L1Request {
    /// Returns the address of the first lane of `mask`, if the split of the request into pieces is now known.
    ///
    /// `size` must be the same in every call.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn find<const W: u8>(&mut self, address: Addresses<'_>, mask: u32, size: u32) -> Option<u64> {
        debug_assert!(size <= 32, "an access of one sector at most");
        let first = address.at(mask.trailing_zeros() as usize & 31);
        // SAFETY: the caller's contract.
        unsafe {
            let again = mask == self.mask && !self.differs::<W>(address, first);
            let known = again && self.count > 0 && self.fits(first);
            if known || self.learn::<W>(&address.all(), mask, size, again) { Some(first) } else { None }
        }
    }

    /// Like `find`, but only if the split was already known.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn known<const W: u8>(&mut self, address: Addresses<'_>, mask: u32) -> Option<u64> {
        let first = address.at(mask.trailing_zeros() as usize & 31);
        if mask != self.mask || self.count == 0 || !self.fits(first) {
            return None;
        }
        // SAFETY: the caller's contract.
        let differs = unsafe { self.differs::<W>(address, first) };
        if differs {
            return None;
        }
        self.miss_streak = 0;
        Some(first)
    }

    /// Returns the next address of the first lane, if it repeats its last step.
    #[inline(always)]
    pub fn next(&mut self, first: u64) -> u64 {
        let step = first.wrapping_sub(self.latest);
        self.latest = first;
        first.wrapping_add(step)
    }

    /// Returns whether the same pieces apply when the first lane's address is `first`.
    #[inline(always)]
    fn fits(&self, first: u64) -> bool {
        // Addresses that wrap around to 0 before the highest one would be in another order.
        let ordered = first.wrapping_add(self.lowest).checked_add(self.span).is_some();
        (first ^ self.first) & self.fixed == 0 && ordered
    }

    /// Returns whether the remembered lanes' addresses now have other distances. Written explicitly for the host's
    /// vectors, because the compiler vectorizes the loop only by chance.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    unsafe fn differs<const W: u8>(&self, address: Addresses<'_>, first: u64) -> bool {
        let start = first.wrapping_sub(address.offset);
        #[cfg(target_arch = "x86_64")]
        if W == 4 {
            use std::arch::x86_64::*;
            // SAFETY: the caller's contract; eight lanes are read at a time.
            unsafe {
                let start = _mm512_set1_epi64(start as i64);
                let parts = address.base.chunks_exact(8).zip(self.from_first.chunks_exact(8));
                if self.mask == ALL {
                    let mut differ = _mm512_setzero_si512();
                    for (part, expected) in parts {
                        let distance = _mm512_sub_epi64(_mm512_loadu_si512(part.as_ptr().cast()), start);
                        let other = _mm512_xor_si512(distance, _mm512_loadu_si512(expected.as_ptr().cast()));
                        differ = _mm512_or_si512(differ, other);
                    }
                    return _mm512_test_epi64_mask(differ, differ) != 0;
                }
                let mut differ = 0;
                for (at, (part, expected)) in parts.enumerate() {
                    let distance = _mm512_sub_epi64(_mm512_loadu_si512(part.as_ptr().cast()), start);
                    let expected = _mm512_loadu_si512(expected.as_ptr().cast());
                    differ |= u32::from(_mm512_cmpneq_epi64_mask(distance, expected)) << (8 * at);
                }
                return differ & self.mask != 0;
            }
        }
        let mut differ = 0;
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((self.mask >> i) & 1));
            differ |= (address.base[i].wrapping_sub(start) ^ self.from_first[i]) & on;
        }
        differ != 0
    }

    /// Returns the remembered pieces for this address of the first lane: the first and the last sector of each, in lane
    /// order.
    #[inline(always)]
    pub fn pieces(&self, first: u64) -> impl Iterator<Item = (u64, u64)> {
        let pieces = &self.pieces[..(self.count as usize).min(LANES)];
        pieces.iter().map(move |(from, to)| (first.wrapping_add(*from) >> 5, first.wrapping_add(*to) >> 5))
    }

    /// Returns the whole remembered request for this address of the first lane, and the line of the lowest address, if
    /// the request lies in few lines.
    #[inline(always)]
    pub fn whole(&mut self, first: u64) -> Option<(u64, Whole)> {
        if self.whole.place != first % LINE {
            self.lay(first);
        }
        let line = first.wrapping_add(self.lowest) / LINE;
        if self.whole.sectors == 0 { None } else { Some((line, self.whole)) }
    }

    /// Computes what the pieces touch when the first lane's address has the same offset in its line as `first`.
    #[inline(never)]
    fn lay(&mut self, first: u64) {
        let from = first.wrapping_add(self.lowest) / LINE * (LINE / 32);
        let (mut sectors, mut lines, mut latest) = (0u64, 0, u64::MAX);
        self.whole = Whole { place: first % LINE, sectors: 0, passes: 0 };
        for (begin, end) in self.pieces(first) {
            if end - from >= u64::BITS.into() {
                return;
            }
            lines += (end >> 2) - (begin >> 2) + u64::from(begin >> 2 != latest);
            latest = end >> 2;
            sectors |= (u64::MAX >> (63 - (end - begin))) << (begin - from);
        }
        (self.whole.sectors, self.whole.passes) = (sectors, self.passes(lines as u32));
    }

    /// Returns the cache passes for the remembered pieces, which lie in `lines` lines: a pass serves two lines, and one
    /// word of each bank. A word that neighbouring lanes share is requested once.
    #[inline(always)]
    pub fn passes(&self, lines: u32) -> u32 {
        let lines = if lines > 1 { lines * self.times } else { lines };
        self.passes.max(lines.div_ceil(2))
    }

    /// Remembers a request. `again`: these lanes had the same distances the last time. Returns false if the request has
    /// many pieces and its distances are new; then only the distances are remembered.
    ///
    /// Lanes are grouped into runs that ascend without gaps, so that most requests are one run, or a few.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    unsafe fn learn<const W: u8>(&mut self, address: &[u64; LANES], mask: u32, size: u32, again: bool) -> bool {
        // SAFETY: the caller's contract.
        let starts = mask & !unsafe { following::<W>(address, mask, size) };
        let few = starts.count_ones() <= RUNS;
        let first = address[mask.trailing_zeros() as usize & 31];
        self.first = first;
        self.whole.place = NOWHERE;
        self.miss_streak = match self.miss_streak {
            _ if again => 0,
            many if many >= MISS_STREAK + BACKOFF => MISS_STREAK - RETRY,
            few => few + 1,
        };
        // Mask 0 matches no request.
        self.mask = if self.miss_streak > MISS_STREAK { 0 } else { mask };
        if self.mask != 0 {
            for i in 0..LANES {
                self.from_first[i] = address[i].wrapping_sub(first);
            }
        }
        if !few && !again {
            self.count = 0;
            return false;
        }
        let (mut low, mut high) = (u64::MAX, 0);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            low = low.min(address[i] | !on);
            high = high.max(address[i] & on);
        }
        (self.lowest, self.span) = (low.wrapping_sub(first), high.wrapping_sub(low));
        let words = u64::from(size.div_ceil(4));
        let window = (high >> 2) - (low >> 2) + words;
        self.fixed = if few { 3 } else { 31 };
        if few {
            self.cut(address, mask, starts, first);
        } else {
            let sectors = address.map(|address| address & !31);
            // SAFETY: the caller's contract.
            let starts = mask & !unsafe { following::<W>(&sectors, mask, 32) };
            self.cut(&sectors, mask, starts, first);
        }
        self.passes = if window <= BANKS as u64 {
            // Of contiguous words, each lies in another bank than the 31 before it.
            window.div_ceil(BANKS as u64) as u32
        } else if few {
            passes_of(self.pieces[..self.count as usize].iter().map(|(from, to)| {
                let (from, to) = (first.wrapping_add(*from) >> 2, first.wrapping_add(*to) >> 2);
                (from, to - from + words)
            }))
        } else {
            // SAFETY: the caller's contract.
            unsafe { Packed::from_addresses(Addresses::of(address), mask).of_banks::<W>(size) }
        };
        // The rows of a block that is narrower than a warp often read the same row of memory.
        let pieces = &self.pieces[..(self.count as usize).min(LANES)];
        let same = pieces.iter().all(|piece| *piece == pieces[0]);
        (self.count, self.times) = if same { (1, self.count) } else { (self.count, 1) };
        true
    }

    /// Remembers the runs of these accesses, or sectors, as pieces.
    #[inline(always)]
    fn cut(&mut self, address: &[u64; LANES], mask: u32, starts: u32, first: u64) {
        self.count = 0;
        for (from, to) in runs(mask, starts) {
            let piece = (address[from & 31].wrapping_sub(first), address[to & 31].wrapping_sub(first));
            self.pieces[self.count as usize % LANES] = piece;
            self.count += 1;
        }
    }
}

/// Returns the passes that a few runs need. Each run is its first word, and its number of words.
#[inline(always)]
fn passes_of(runs: impl Iterator<Item = (u64, u64)> + Clone) -> u32 {
    if runs.clone().all(|(_, count)| count <= BANKS as u64) {
        return rows(runs);
    }
    let mut banks = Banks::default();
    runs.for_each(|(from, count)| banks.row(from, count));
    banks.passes()
}

/// Returns the lanes whose access equals that of the lane before, or follows it without a gap. Written explicitly for
/// the host's vectors: the addresses have just been written, and loads across two such vectors would stall on store
/// forwarding.
///
/// # Safety
/// The processor supports what `W` requires.
#[inline(always)]
unsafe fn following<const W: u8>(address: &[u64; LANES], mask: u32, size: u32) -> u32 {
    let size = u64::from(size);
    let mut bits = 0u32;
    #[cfg(target_arch = "x86_64")]
    if W == 4 {
        use std::arch::x86_64::*;
        // SAFETY: the caller's contract; eight lanes are read at a time.
        unsafe {
            let step = _mm512_set1_epi64(size as i64);
            let mut left = _mm512_setzero_si512();
            for (at, part) in address.chunks_exact(8).enumerate() {
                let here = _mm512_loadu_si512(part.as_ptr().cast());
                let before = _mm512_alignr_epi64::<7>(here, left);
                let same = _mm512_cmpeq_epi64_mask(before, here);
                let next = _mm512_cmpeq_epi64_mask(_mm512_add_epi64(before, step), here);
                // After the last address the sum wraps around to 0, which does not count as following.
                let next = next & _mm512_cmpge_epu64_mask(here, step);
                bits |= u32::from(same | next) << (8 * at);
                left = here;
            }
            return bits & mask << 1 & mask;
        }
    }
    for i in 1..LANES {
        let (before, here) = (address[i - 1], address[i]);
        let next = before.wrapping_add(size) == here && here >= size;
        bits |= u32::from(before == here || next) << i;
    }
    bits & mask << 1 & mask
}

/// Iterates over the first and the last lane of each run.
#[inline(always)]
fn runs(mask: u32, mut starts: u32) -> impl Iterator<Item = (usize, usize)> + Clone {
    let further = mask & !starts;
    std::iter::from_fn(move || {
        if starts == 0 {
            return None;
        }
        let first = starts.trailing_zeros();
        starts &= starts - 1;
        Some((first as usize, (first + (further >> first >> 1).trailing_ones()) as usize))
    })
}

/// Returns the most words that a few runs request of one bank. Each run is its first word and its number of words, at
/// most the number of banks. Each bit of the masks is a bank.
#[inline(always)]
fn rows(runs: impl Iterator<Item = (u64, u64)>) -> u32 {
    let ones = |from: u64, count: u64| (u32::MAX >> (BANKS as u64 - count)).rotate_left((from % BANKS as u64) as u32);
    let mut before = [(0u64, 0u64, 0u32); RUNS as usize];
    // The requests of each bank as a four-bit number; the first mask has the lowest bits.
    let mut asked = [0u32; 4];
    let mut end = 0;
    for (at, (from, count)) in runs.enumerate() {
        let own = ones(from, count);
        let (mut new, mut open) = (own, own);
        // Words beyond all earlier words are new.
        let so_far = if from >= end { 0 } else { at };
        end = end.max(from + count);
        for &(other, length, banks) in before[..so_far].iter().rev() {
            // A word that an earlier run has already requested is not new.
            let (low, high) = (from.max(other), (from + count).min(other + length));
            let same = if low < high { ones(low, high - low) } else { 0 };
            (new, open) = (new & !(same & open), open & !banks);
        }
        before[at] = (from, count, own);
        for bit in &mut asked {
            (*bit, new) = (*bit ^ new, *bit & new);
        }
    }
    largest(&asked)
}

/// Returns the most words of one bank in these rows, which must be fewer than 2^`BITS`. A row has a bit for each word.
#[inline(always)]
pub(super) fn most_of_a_bank<const BITS: usize>(rows: impl Iterator<Item = u32>) -> u32 {
    // The words of each bank as a `BITS`-bit number; the first mask has the lowest bits.
    let mut sums = [0u32; BITS];
    for row in rows {
        let mut carry = row;
        for bit in &mut sums {
            (*bit, carry) = (*bit ^ carry, *bit & carry);
        }
    }
    largest(&sums)
}

/// Returns the largest of 32 numbers. Each mask has one bit of every number, lowest bits first.
#[inline(always)]
fn largest(bits: &[u32]) -> u32 {
    let (mut most, mut those) = (0, u32::MAX);
    for (at, bit) in bits.iter().enumerate().rev() {
        if those & bit != 0 {
            (most, those) = (most | 1 << at, those & bit);
        }
    }
    most
}

/// The words that a request needs from each bank.
struct Banks {
    latest: [u64; BANKS],
    words: [u64; BANKS],
}

impl Default for Banks {
    fn default() -> Banks {
        // No word has this number.
        Banks { latest: [u64::MAX; BANKS], words: [0; BANKS] }
    }
}

impl Banks {
    /// Adds `count` consecutive words from this one on, one row of banks at a time.
    #[inline(always)]
    fn row(&mut self, word: u64, count: u64) {
        for (from, count) in (0..count).step_by(BANKS).map(|done| (word + done, count - done)) {
            for bank in 0..BANKS {
                let at = (bank as u64).wrapping_sub(from) % BANKS as u64;
                let asked = at < count;
                let here = if asked { from + at } else { self.latest[bank] };
                self.words[bank] += u64::from(self.latest[bank] != here);
                self.latest[bank] = here;
            }
        }
    }

    #[inline(always)]
    fn passes(&self) -> u32 {
        self.words.iter().copied().fold(0, u64::max) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::footprint::Touch;
    use super::*;
    use crate::engine::costs::random::random;
    use crate::lane::{HostVectors, lanes};

    /// The reference, lane by lane: returns the reported lines and the passes.
    fn by_lanes(address: &[u64; LANES], mask: u32, size: u32) -> (Vec<(u64, u8)>, u32) {
        let mut told: Vec<(u64, u8)> = Vec::new();
        let mut banks: [Vec<u64>; BANKS] = Default::default();
        for lane in lanes(mask) {
            let sector = address[lane] >> 5;
            if told.last().is_none_or(|(line, _)| *line != sector >> 2) {
                told.push((sector >> 2, 0));
            }
            told.last_mut().unwrap().1 |= 1 << (sector & 3);
            for word in (address[lane] >> 2)..(address[lane] >> 2) + u64::from(size.div_ceil(4)) {
                let bank = &mut banks[word as usize % BANKS];
                if bank.last() != Some(&word) {
                    bank.push(word);
                }
            }
        }
        let most = banks.iter().map(Vec::len).max().unwrap_or(0);
        let passes = most.max(told.len().div_ceil(2)) as u32;
        (told, passes)
    }

    /// Returns the lines reported for a request, with their sectors, and the passes. Consecutive reports of the same
    /// line are merged.
    fn asked(
        look_up: &mut L1Request,
        found: Option<u64>,
        address: Addresses<'_>,
        mask: u32,
        size: u32,
    ) -> (Vec<(u64, u8)>, u32) {
        let mut told: Vec<(u64, u8)> = Vec::new();
        let mut tell = |line, sectors| match told.last_mut() {
            Some(last) if last.0 == line => last.1 |= sectors,
            _ => told.push((line, sectors)),
        };
        let Some(first) = found else {
            let packed = Packed::from_addresses(address, mask);
            // SAFETY: every processor supports `W` = 0.
            let passes = unsafe {
                packed.lines::<0>(tell);
                packed.passes::<0>(size)
            };
            return (told, passes);
        };
        let lines = Touch::new().pieces(0, look_up.pieces(first), true);
        if let Some((line, whole)) = look_up.whole(first) {
            let mut touched = 0;
            let first_sector = line << 2;
            look_up.pieces(first).for_each(|(from, to)| (from..=to).for_each(|at| touched |= 1 << (at - first_sector)));
            assert_eq!((whole.sectors, whole.passes), (touched, look_up.passes(lines)));
        }
        for (first, last) in (0..look_up.times).flat_map(|_| look_up.pieces(first)) {
            (first..=last).for_each(|at| tell(at >> 2, 1 << (at & 3)));
        }
        (told, look_up.passes(lines))
    }

    /// Looks a request up, and then others: first one with the same distances, at an offset from `random`; then one in
    /// which a lane has moved; then one without that lane.
    fn check(address: &[u64; LANES], mut mask: u32, size: u32, mut random: impl FnMut(u64) -> u64) {
        let (mut look_up, mut wide) = (L1Request::default(), L1Request::default());
        let (mut address, lane) = (*address, lanes(mask).nth(random(mask.count_ones().into()) as usize).unwrap());
        for round in 0..6 {
            match round {
                4 => address[lane] = address[lane].wrapping_add((1 + random(40)) * u64::from(size)),
                5 if mask.count_ones() > 1 => mask &= !(1 << lane),
                _ => {}
            }
            let far = if round == 0 { 0 } else { random(300) * u64::from(size) };
            // The distances of inactive lanes do not matter.
            let there: [u64; LANES] = std::array::from_fn(|lane| {
                let off = if mask >> lane & 1 == 0 { random(1000) } else { 0 };
                address[lane].wrapping_add(far + off)
            });
            let expected = by_lanes(&there, mask, size);
            let from = Addresses::of(&there);
            // SAFETY: every processor supports `W` = 0.
            let found = unsafe { look_up.find::<0>(from, mask, size) };
            assert_eq!(asked(&mut look_up, found, from, mask, size), expected, "{there:?} {mask:#x} {size}");
            // SAFETY: as above.
            assert!(found.is_none() || unsafe { look_up.known::<0>(from, mask) } == found);
            if matches!(HostVectors::detect(), HostVectors::V4) {
                // SAFETY: this processor supports `W` = 4.
                let (found, known) = unsafe { (wide.find::<4>(from, mask, size), wide.known::<4>(from, mask)) };
                assert_eq!(asked(&mut wide, found, from, mask, size), expected, "{there:?} {mask:#x} {size}");
                assert!(found.is_none() || known == found);
            }
        }
    }

    #[test]
    fn whole_runs_are_counted_like_lane_after_lane() {
        let mut random = random(1);
        for round in 0..20_000 {
            let size = 1 << random(6);
            let mask = match round % 4 {
                0 => ALL,
                1 => ALL >> random(31),
                _ => random(1 << 31) as u32 | 1 << random(32),
            };
            // Tiles: rows of `width` lanes; some rows are broadcast, and rows may lie anywhere.
            let (width, pitch, spread) = (1 + random(32), random(300) * size, 1 << random(14));
            let start = if round % 64 == 0 { 0u64.wrapping_sub(16 * size) } else { random(1 << 20) * size };
            let step = random(4).min(2) * size;
            let mut row = [0; LANES];
            row.fill_with(|| random(spread) * size * u64::from(round % 3 == 0));
            let address = std::array::from_fn(|lane| {
                let (x, y) = (lane as u64 % width, lane as u64 / width);
                start.wrapping_add(x * step + y * pitch + row[y as usize]) & !(size - 1)
            });
            check(&address, mask, size as u32, &mut random);
        }
    }

    #[test]
    fn a_row_is_one_run_and_scattered_lanes_are_many() {
        let told = |at: &dyn Fn(u64) -> u64, size| {
            let address = std::array::from_fn(|lane| at(lane as u64));
            check(&address, ALL, size, |below| below.min(2) - 1);
            let (mut look_up, address) = (L1Request::default(), Addresses::of(&address));
            // SAFETY: every processor supports `W` = 0.
            let found = unsafe { look_up.find::<0>(address, ALL, size) };
            let (lines, passes) = asked(&mut look_up, found, address, ALL, size);
            (passes, lines.len())
        };
        assert_eq!(told(&|lane| 4096 + lane * 4, 4), (1, 1), "a line");
        assert_eq!(told(&|lane| 4096 + lane * 16, 16), (4, 4), "four lines");
        assert_eq!(told(&|_| 4096, 4), (1, 1), "one word");
        assert_eq!(told(&|lane| lane % 16 * 4 + lane / 16 * 4096, 4), (2, 2), "two rows in the same banks");
        assert_eq!(told(&|lane| lane % 16 * 4 + lane / 16 * 4160, 4), (1, 2), "two rows side by side");
        assert_eq!(told(&|lane| 4096 + lane * 128, 4), (32, 32), "one bank");
        assert_eq!(told(&|lane| 4096 + lane * 132, 4), (16, 32), "as many banks as lines");
    }
}
