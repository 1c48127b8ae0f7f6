//! Serialization of atomics: the steps of a request, and the longest chain at one piece of memory.

use super::hash::PieceTable;
use super::l1_request::most_of_a_bank;
use super::scattered::Packed;
use crate::costs::Serial;
use crate::lane::{LANES, lanes};
use std::collections::BTreeMap;

/// Bytes of memory whose atomics are serialized with each other, as a power of two: one slice of the L2 cache serves a
/// piece of this size. On an H200, random additions to 2 KiB are twice as fast as the same steps at 512 bytes or less,
/// and those to 4096 words are 16 times as fast as to 32.
const PIECE: u32 = 9;
/// The alignment of all allocations, as a power of two. Atomics are counted in units of this size, and the units are
/// combined into pieces once the start of each allocation is known.
const UNIT: u32 = crate::memory::ALIGNMENT.trailing_zeros();

/// Words of a unit.
const UNIT_WORDS: usize = 1 << (UNIT - 2);

/// Words within this window, of eight sectors, are counted without sorting.
const NEAR: usize = 64;
/// Words within a window of this many words are counted in a table.
const WIDE: usize = 1 << 12;
/// The number of separate counters for neighbouring lanes, so that they do not wait for each other.
const APART: usize = 4;
/// Once fewer lanes than this meet at a bank of shared memory, the remaining banks are counted by a table.
const MANY: u32 = 4;
/// Shared memory is counted in rows of one word per bank. Up to this many rows, distinct words are found without
/// comparing each lane with the others.
const ROWS: usize = 31;
/// Fewer rows than this are counted by code that the compiler vectorizes.
const FEW: u64 = 8;

/// For a piece of memory: the lanes of a request that meet at each word, the most at any word of each sector, and the
/// sum of these for each unit. All are 0 between two requests.
struct Met {
    words: [u8; WIDE],
    sectors: [u8; WIDE / 8],
    units: [u8; WIDE / UNIT_WORDS],
}

impl Default for Met {
    fn default() -> Met {
        Met { words: [0; WIDE], sectors: [0; WIDE / 8], units: [0; WIDE / UNIT_WORDS] }
    }
}

/// Counts the atomics of a worker's blocks.
#[derive(Default)]
pub(crate) struct Chains {
    /// Steps at each unit of global memory: all, and those on floating-point numbers.
    units: PieceTable<(u64, u64)>,
    /// Requests at each word, if the kernel has retry loops (compare-and-swap).
    tries: Option<PieceTable<u64>>,
    /// Allocated on first use.
    met: Option<Box<Met>>,
    shared: u64,
    /// Whether the last atomic on shared memory took one step.
    at_once: bool,
}

impl Chains {
    /// Creates empty counts. `retries`: the kernel has loops that retry until no other thread was faster.
    pub fn new(retries: bool) -> Chains {
        Chains { tries: retries.then(PieceTable::default), ..Chains::default() }
    }

    /// Counts an atomic on global memory.
    #[inline(always)]
    pub fn global(&mut self, request: &Packed, float: bool) {
        let (address, (low, high)) = (request.all(), request.ends());
        if low == high {
            self.meet(low >> 5, address.len() as u64, float);
            return self.tried(low >> 2);
        }
        let (sector, unit) = (low >> 5 << 3, low >> UNIT << (UNIT - 2));
        match ((high >> 2).wrapping_sub(sector), (high >> 2).wrapping_sub(unit)) {
            (near, _) if near < NEAR as u64 => self.near(sector, address, float),
            (_, last) if last < WIDE as u64 => self.wide(unit, last as usize, address, float),
            _ => self.sorted(address, float),
        }
    }

    /// Counts words at arbitrary addresses.
    #[inline(never)]
    fn sorted(&mut self, address: &[u64], float: bool) {
        let mut words = [u64::MAX; LANES];
        let count = address.len().min(LANES);
        let words = &mut words[..count];
        for (word, address) in words.iter_mut().zip(address) {
            *word = address >> 2;
        }
        if !words.is_sorted() {
            words.sort_unstable();
        }
        let mut at = 0;
        while at < count {
            // The most lanes at one word of the sector.
            let sector = words[at] >> 3;
            let (mut most, mut same) = (0, 0);
            let mut word = u64::MAX;
            while at < count && words[at] >> 3 == sector {
                same = if words[at] == word { same + 1 } else { 1 };
                if same == 1 {
                    self.tried(words[at]);
                }
                (word, most) = (words[at], most.max(same));
                at += 1;
            }
            self.meet(sector, most, float);
        }
    }

    /// Counts words that lie in one piece of memory, which begins with a unit.
    #[inline(always)]
    fn wide(&mut self, first: u64, last: usize, address: &[u64], float: bool) {
        let mut met = self.met.take().unwrap_or_default();
        for address in address {
            let at = ((address >> 2) - first) as usize % WIDE;
            met.words[at] += 1;
            let more = u8::from(met.words[at] > met.sectors[at / 8]);
            met.sectors[at / 8] += more;
            met.units[at / UNIT_WORDS] += more;
        }
        if self.tries.is_some() {
            let words = (first..).zip(&met.words[..=last]);
            words.filter(|(_, lanes)| **lanes > 0).for_each(|(word, _)| self.tried(word));
        }
        for (unit, steps) in (first / UNIT_WORDS as u64..).zip(&mut met.units[..=last / UNIT_WORDS]) {
            match std::mem::take(steps) {
                0 => {}
                steps => self.steps(unit, steps.into(), float),
            }
        }
        met.words[..=last].fill(0);
        met.sectors[..=last / 8].fill(0);
        self.met = Some(met);
    }

    /// Counts words that are near each other, beginning with a sector: most atomics are like that.
    #[inline(always)]
    fn near(&mut self, first: u64, address: &[u64], float: bool) {
        let mut met = [0u8; NEAR];
        for address in address {
            met[((address >> 2) - first) as usize % NEAR] += 1;
        }
        for (sector, lanes) in (first >> 3..).zip(met.as_chunks::<8>().0) {
            let most = lanes.iter().copied().fold(0, u8::max);
            if most > 0 {
                self.meet(sector, u64::from(most), float);
                if self.tries.is_some() {
                    let met = (sector << 3..).zip(lanes).filter(|(_, lanes)| **lanes > 0);
                    met.for_each(|(word, _)| self.tried(word));
                }
            }
        }
    }

    /// Records that `most` lanes of a request meet at the busiest word of a sector.
    #[inline(always)]
    fn meet(&mut self, sector: u64, most: u64, float: bool) {
        self.steps(sector >> (UNIT - 5), most, float);
    }

    /// Records `steps` steps at a unit.
    #[inline(always)]
    fn steps(&mut self, unit: u64, steps: u64, float: bool) {
        let unit = self.units.entry(unit, Default::default);
        unit.0 += steps;
        unit.1 += if float { steps } else { 0 };
    }

    /// Records a request at a word.
    #[inline(always)]
    fn tried(&mut self, word: u64) {
        if let Some(tries) = &mut self.tries {
            *tries.entry(word, u64::default) += 1;
        }
    }

    /// Counts an atomic on shared memory. `counts`: it only counts the lanes that meet at a word, for which the
    /// hardware has an instruction (ATOMS.POPC.INC): so only different words of a bank are serialized.
    #[inline(always)]
    pub fn shared(&mut self, address: &[u64; LANES], mask: u32, counts: bool) {
        let steps = match counts {
            // An atomic after one of a single step usually takes a single step, too.
            _ if self.at_once && has_a_bank_each(address, mask) => 1,
            true => different(address, mask),
            false => at_a_bank(address, mask),
        };
        self.at_once = steps == 1;
        self.shared += u64::from(steps);
    }

    /// Adds another worker's counts.
    pub fn join(&mut self, other: &Chains) {
        self.shared += other.shared;
        for (word, requests) in other.tries.iter().flat_map(PieceTable::iter) {
            *self.tries.get_or_insert_default().entry(word, u64::default) += requests;
        }
        for (unit, &(all, float)) in other.units.iter() {
            let ours = self.units.entry(unit, Default::default);
            (ours.0, ours.1) = (ours.0 + all, ours.1 + float);
        }
    }

    /// Returns the counts. `start_of` returns the start of the allocation at an address. Pieces begin at that start, so
    /// that the counts do not depend on where an array happens to lie.
    pub fn serial(&self, start_of: impl Fn(u64) -> u64) -> Serial {
        let mut pieces: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
        for (unit, &(all, float)) in self.units.iter() {
            let address = unit << UNIT;
            let start = start_of(address);
            let piece = pieces.entry((start, (address - start) >> PIECE)).or_default();
            (piece.0, piece.1) = (piece.0 + all, piece.1 + float);
        }
        let steps = pieces.values().map(|piece| piece.0).sum();
        let (longest, longest_float) = pieces.values().copied().max().unwrap_or_default();
        let retried = self.tries.iter().flat_map(PieceTable::iter).map(|(_, &requests)| requests).max().unwrap_or(0);
        Serial { steps, longest, longest_float, retried, shared_steps: self.shared }
    }
}

/// Returns whether no two lanes meet at a bank of shared memory.
#[inline(always)]
fn has_a_bank_each(address: &[u64; LANES], mask: u32) -> bool {
    let mut banks = 0u32;
    for i in 0..LANES {
        banks |= (mask >> i & 1) << (address[i] >> 2 & 31);
    }
    banks.count_ones() == mask.count_ones()
}

/// Returns the most lanes that meet at one bank of shared memory.
#[inline(always)]
fn at_a_bank(address: &[u64; LANES], mask: u32) -> u32 {
    // Often many lanes meet at one of a few counters: the lanes of such a bank are counted together.
    let (mut rest, mut most) = (mask, 0);
    while rest != 0 {
        let bank = address[rest.trailing_zeros() as usize & 31] >> 2 & 31;
        let mut same = 0u32;
        for i in 0..LANES {
            same |= u32::from(address[i] >> 2 & 31 == bank) << i;
        }
        let met = (same & rest).count_ones();
        (rest, most) = (rest & !same, most.max(met));
        if met < MANY {
            break;
        }
    }
    if rest == 0 {
        return most;
    }
    // Neighbouring lanes often meet. Separate counters avoid dependencies between them here.
    let mut banks = [[0u8; 32]; APART];
    lanes(rest).for_each(|lane| banks[lane % APART][(address[lane] >> 2) as usize % 32] += 1);
    most.max((0..32).map(|bank| banks.iter().map(|lanes| lanes[bank]).sum()).fold(0, u8::max).into())
}

/// Returns the most different words of one bank of shared memory that lanes access.
#[inline(always)]
fn different(address: &[u64; LANES], mask: u32) -> u32 {
    let (mut low, mut high) = (u64::MAX, 0);
    for i in 0..LANES {
        let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
        low = low.min(address[i] | !on);
        high = high.max(address[i] & on);
    }
    let (first, last) = (low >> 7, high >> 7);
    match last.wrapping_sub(first) {
        0..=1 => {
            // Bits for the words of two rows; the compiler vectorizes it.
            let mut words = 0u64;
            for i in 0..LANES {
                words |= u64::from((mask >> i) & 1) << ((address[i] >> 2).wrapping_sub(first << 5) & 63);
            }
            return u32::from(words != 0) + u32::from(words as u32 & (words >> 32) as u32 != 0);
        }
        2..FEW => {
            // The same for up to eight rows.
            let mut words = [0u64; FEW as usize / 2];
            for i in 0..LANES {
                let word = (address[i] >> 2).wrapping_sub(first << 5);
                let bit = u64::from((mask >> i) & 1) << (word & 63);
                for (two, words) in words.iter_mut().enumerate() {
                    *words |= if word >> 6 == two as u64 { bit } else { 0 };
                }
            }
            return most_of_a_bank::<4>(words.into_iter().flat_map(|two| [two as u32, (two >> 32) as u32]));
        }
        rows if rows >= ROWS as u64 => return different_anywhere(address, mask),
        _ => {}
    }
    // Each word has a bit; the bits of a row are the banks.
    let mut rows = [0u32; ROWS + 1];
    for lane in lanes(mask) {
        rows[((address[lane] >> 7) - first) as usize % (ROWS + 1)] |= 1 << (address[lane] >> 2 & 31);
    }
    most_of_a_bank::<5>(rows[..=(last - first) as usize % (ROWS + 1)].iter().copied())
}

/// The same for words that are far apart: each lane is compared with those at its bank.
#[inline(never)]
fn different_anywhere(address: &[u64; LANES], mask: u32) -> u32 {
    let (mut banks, mut different) = ([0u8; 32], [0u32; 32]);
    for lane in lanes(mask) {
        let word = address[lane] >> 2;
        let met = &mut different[word as usize % 32];
        if lanes(*met).all(|other| address[other] >> 2 != word) {
            *met |= 1 << lane;
            banks[word as usize % 32] += 1;
        }
    }
    banks.into_iter().fold(0, u8::max).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Addresses;
    use crate::engine::costs::random::random;
    use crate::lane::ALL;

    fn from_addresses(address: &[u64; LANES], mask: u32) -> Packed {
        Packed::from_addresses(Addresses::of(address), mask)
    }

    fn steps(at: impl Fn(u64) -> u64) -> Serial {
        let mut chains = Chains::default();
        chains.global(&from_addresses(&std::array::from_fn(|lane| at(lane as u64)), ALL), false);
        chains.serial(|_| 0)
    }

    #[test]
    fn lanes_at_one_word_wait_and_those_at_two_words_of_a_sector_do_not() {
        let told = |serial: Serial| (serial.steps, serial.longest);
        assert_eq!(told(steps(|_| 4096)), (32, 32), "one word");
        assert_eq!(told(steps(|lane| 4096 + lane % 8 * 4)), (4, 4), "one sector");
        assert_eq!(told(steps(|lane| 4096 + lane * 4)), (4, 4), "four sectors of one piece");
        assert_eq!(told(steps(|lane| 4096 + lane * 1024)), (32, 1), "a piece each");
        let mut chains = Chains::default();
        chains.global(&from_addresses(&[64; LANES], 0b111), true);
        chains.global(&from_addresses(&[64; LANES], 0b1), false);
        let mut other = Chains::default();
        other.global(&from_addresses(&[68; LANES], ALL), false);
        chains.join(&other);
        assert_eq!(chains.serial(|_| 0), Serial { steps: 36, longest: 36, longest_float: 3, ..Serial::default() });
    }

    #[test]
    fn requests_at_one_word_are_counted_where_they_are_tried_again() {
        for retries in [false, true] {
            let (mut chains, mut other) = (Chains::new(retries), Chains::new(retries));
            chains.global(&from_addresses(&[64; LANES], ALL), false);
            chains.global(&from_addresses(&[64; LANES], 0b11), false);
            other.global(&from_addresses(&std::array::from_fn(|lane| 64 + lane as u64 % 2 * 4), ALL), false);
            chains.join(&other);
            assert_eq!(chains.serial(|_| 0).retried, if retries { 3 } else { 0 });
        }
    }

    #[test]
    fn atomics_near_each_other_are_counted_like_those_far_apart() {
        let mut random = random(1);
        for round in 0..4000 {
            // All words lie within eight sectors, or within sixty times as much; a single lane far away must not change
            // the result of the others.
            let (start, far) = (4096 + random(1000) * 4, 1 << 30);
            let spread = if round % 4 < 2 { 1 } else { 60 };
            let mut address: [u64; LANES] = std::array::from_fn(|_| start + random(8) * random(8) * spread * 4);
            let (mut near, mut sorted) = (Chains::new(true), Chains::new(true));
            let mask = (random(1 << 31) as u32 | 2) & !1;
            // A request must leave nothing behind that affects the next.
            for _ in 0..2 {
                near.global(&from_addresses(&address, mask), round % 2 == 0);
                near.global(&from_addresses(&[far; LANES], 1), round % 2 == 0);
            }
            address[0] = far;
            sorted.global(&from_addresses(&address, mask | 1), round % 2 == 0);
            sorted.global(&from_addresses(&address, mask | 1), round % 2 == 0);
            assert_eq!(near.serial(|_| 0), sorted.serial(|_| 0), "{address:?} {mask:#x}");
        }
    }

    /// Returns the steps of an atomic on shared memory that follows one of a single step.
    fn steps_after_one(address: &[u64; LANES], mask: u32, counts: bool) -> u64 {
        let mut chains = Chains { at_once: true, ..Chains::default() };
        chains.shared(address, mask, counts);
        chains.shared
    }

    #[test]
    fn different_words_are_counted_like_lane_after_lane() {
        let mut random = random(1);
        for _ in 0..4000 {
            let (start, rows) = (random(1000) * 4, 1 + random(40));
            let stride = [1, 1, 32, 33][random(4) as usize];
            let address = std::array::from_fn(|_| start + random(rows * 32) / stride * stride * 4);
            let mask = random(1 << 31) as u32 | 1 << random(32);
            let expected = different_anywhere(&address, mask);
            assert_eq!(different(&address, mask), expected, "{address:?} {mask:#x}");
            assert_eq!(steps_after_one(&address, mask, true), u64::from(expected), "{address:?} {mask:#x}");
        }
    }

    #[test]
    fn where_an_array_lies_does_not_change_which_of_its_words_wait() {
        let longest = |start: u64| {
            let mut chains = Chains::default();
            chains.global(&from_addresses(&std::array::from_fn(|lane| start + lane as u64 * 32), ALL), false);
            chains.serial(|_| start).longest
        };
        assert_eq!((longest(4096), longest(4096 + 512)), (16, 16), "two pieces");
    }

    #[test]
    fn lanes_at_a_bank_are_counted_like_one_after_another() {
        let mut random = random(1);
        for _ in 0..4000 {
            let words = 1 + random(8) * random(8) * random(8);
            let address = std::array::from_fn(|_| random(words) * random(2) * 4);
            let mask = random(1 << 31) as u32 | 1 << random(32);
            let mut banks = [0; 32];
            lanes(mask).for_each(|lane| banks[(address[lane] >> 2) as usize % 32] += 1);
            let expected = banks.into_iter().max().unwrap_or(0);
            assert_eq!(at_a_bank(&address, mask), expected, "{address:?} {mask:#x}");
            assert_eq!(steps_after_one(&address, mask, false), u64::from(expected), "{address:?} {mask:#x}");
        }
    }

    #[test]
    fn an_atomic_on_shared_memory_takes_as_many_steps_as_lanes_meet_at_a_bank() {
        for (stride, steps, counted) in [(0, 32, 1), (4, 1, 1), (8, 2, 2), (128, 32, 32)] {
            for (counts, steps) in [(false, steps), (true, counted)] {
                let mut chains = Chains::default();
                chains.shared(&std::array::from_fn(|lane| lane as u64 * stride), ALL, counts);
                assert_eq!(chains.serial(|_| 0).shared_steps, steps, "{stride}, {counts}");
            }
        }
    }
}
