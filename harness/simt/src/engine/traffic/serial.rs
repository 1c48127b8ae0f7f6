//! Where atomics wait for each other: the steps of a request, and the longest chain at one piece of memory.

use super::hash::Table;
use crate::costs::Serial;
use crate::lane::{LANES, lanes};
use std::collections::BTreeMap;

/// Bytes of memory whose atomics wait for each other, as a power of two: so much goes to one part of the L2 cache. On
/// an H200, random additions to 2 KiB are twice as fast as the same steps at 512 bytes or less, and those to 4096 words
/// are 16 times as fast as to 32.
const PIECE: u32 = 9;
/// All allocations begin at multiples of so many bytes, a power of two. Atomics are counted by such units, and pieces
/// are made of them once it is known where an allocation begins.
const UNIT: u32 = crate::memory::ALIGNMENT.trailing_zeros();

/// Words that are near each other are counted without sorting: eight sectors.
const NEAR: usize = 64;

/// The atomics of a worker's blocks.
#[derive(Default)]
pub(crate) struct Chains {
    /// Steps at each unit of global memory, all of them and those on floating-point numbers.
    units: Table<(u64, u64)>,
    /// Requests at each word, if the kernel's loops try again until no other thread was faster.
    tries: Option<Table<u64>>,
    shared: u64,
}

impl Chains {
    /// None yet. `retries`: the kernel's loops try again until no other thread was faster.
    pub fn new(retries: bool) -> Chains {
        Chains { tries: retries.then(Table::default), ..Chains::default() }
    }

    /// Notes an atomic on global memory.
    pub fn global(&mut self, address: &[u64; LANES], mask: u32, float: bool) {
        let mut words = [u64::MAX; LANES];
        let mut count = 0;
        for lane in lanes(mask) {
            words[count] = address[lane] >> 2;
            count += 1;
        }
        let words = &mut words[..count];
        let (low, high) = words.iter().fold((u64::MAX, 0), |(low, high), word| (low.min(*word), high.max(*word)));
        let first = low & !7;
        if count > 0 && high - first < NEAR as u64 {
            return self.near(first, words, float);
        }
        if !words.is_sorted() {
            words.sort_unstable();
        }
        let mut at = 0;
        while at < count {
            // The lanes at one sector, and the most of them at one word of it.
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

    /// The same for words that lie near each other, from the first of a sector on: most atomics are such.
    fn near(&mut self, first: u64, words: &[u64], float: bool) {
        let mut lanes = [0u8; NEAR];
        for word in words {
            lanes[(word - first) as usize % NEAR] += 1;
        }
        for (sector, lanes) in (first >> 3..).zip(lanes.as_chunks::<8>().0) {
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

    /// Notes that so many lanes of a request meet at the busiest word of a sector.
    fn meet(&mut self, sector: u64, most: u64, float: bool) {
        let unit = self.units.entry(sector >> (UNIT - 5), Default::default);
        unit.0 += most;
        unit.1 += if float { most } else { 0 };
    }

    /// Notes a request at a word.
    fn tried(&mut self, word: u64) {
        if let Some(tries) = &mut self.tries {
            *tries.entry(word, u64::default) += 1;
        }
    }

    /// Notes an atomic on shared memory. `counts`: it only counts the lanes that meet at a word, for which the hardware
    /// has an instruction (ATOMS.POPC.INC): so only different words of a bank wait for each other.
    pub fn shared(&mut self, address: &[u64; LANES], mask: u32, counts: bool) {
        let mut banks = [0u8; 32];
        if counts {
            // For each bank, the lanes with different words.
            let mut different = [0u32; 32];
            for lane in lanes(mask) {
                let word = address[lane] >> 2;
                let met = &mut different[word as usize % 32];
                if lanes(*met).all(|other| address[other] >> 2 != word) {
                    *met |= 1 << lane;
                    banks[word as usize % 32] += 1;
                }
            }
        } else {
            lanes(mask).for_each(|lane| banks[(address[lane] >> 2) as usize % 32] += 1);
        }
        self.shared += u64::from(banks.into_iter().max().unwrap_or(0));
    }

    /// Adds another worker's.
    pub fn join(&mut self, other: &Chains) {
        self.shared += other.shared;
        for (word, requests) in other.tries.iter().flat_map(Table::iter) {
            *self.tries.get_or_insert_default().entry(word, u64::default) += requests;
        }
        for (unit, &(all, float)) in other.units.iter() {
            let ours = self.units.entry(unit, Default::default);
            (ours.0, ours.1) = (ours.0 + all, ours.1 + float);
        }
    }

    /// The counts. `start_of` tells where the allocation of an address begins: a piece of memory begins there, too, so
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
        let retried = self.tries.iter().flat_map(Table::iter).map(|(_, &requests)| requests).max().unwrap_or(0);
        Serial { steps, longest, longest_float, retried, shared_steps: self.shared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::ALL;

    fn steps(at: impl Fn(u64) -> u64) -> Serial {
        let mut chains = Chains::default();
        chains.global(&std::array::from_fn(|lane| at(lane as u64)), ALL, false);
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
        chains.global(&[64; LANES], 0b111, true);
        chains.global(&[64; LANES], 0b1, false);
        let mut other = Chains::default();
        other.global(&[68; LANES], ALL, false);
        chains.join(&other);
        assert_eq!(chains.serial(|_| 0), Serial { steps: 36, longest: 36, longest_float: 3, ..Serial::default() });
    }

    #[test]
    fn requests_at_one_word_are_counted_where_they_are_tried_again() {
        for retries in [false, true] {
            let (mut chains, mut other) = (Chains::new(retries), Chains::new(retries));
            chains.global(&[64; LANES], ALL, false);
            chains.global(&[64; LANES], 0b11, false);
            other.global(&std::array::from_fn(|lane| 64 + lane as u64 % 2 * 4), ALL, false);
            chains.join(&other);
            assert_eq!(chains.serial(|_| 0).retried, if retries { 3 } else { 0 });
        }
    }

    #[test]
    fn atomics_near_each_other_are_counted_like_those_far_apart() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..2000 {
            // In the first half of the rounds all lie within eight sectors, and one lane far away does not change that
            // for the others.
            let start = 4096 + random(1000) * 4;
            let mut address: [u64; LANES] = std::array::from_fn(|_| start + random(8) * random(8) * 4);
            let (mut near, mut far) = (Chains::new(true), Chains::new(true));
            let mask = (random(1 << 31) as u32 | 2) & !1;
            near.global(&address, mask, round % 2 == 0);
            address[0] = 1 << 30;
            far.global(&address, mask | 1, round % 2 == 0);
            let told = |chains: &Chains| chains.serial(|address| if address < 1 << 20 { 0 } else { 1 << 30 });
            let (near, far) = (told(&near), told(&far));
            assert_eq!((near.steps + 1, near.longest, near.retried), (far.steps, far.longest, far.retried));
        }
    }

    #[test]
    fn where_an_array_lies_does_not_change_which_of_its_words_wait() {
        let longest = |start: u64| {
            let mut chains = Chains::default();
            chains.global(&std::array::from_fn(|lane| start + lane as u64 * 32), ALL, false);
            chains.serial(|_| start).longest
        };
        assert_eq!((longest(4096), longest(4096 + 512)), (16, 16), "two pieces");
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
