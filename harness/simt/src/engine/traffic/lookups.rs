//! What a request asks of the L1 cache: lines, the sectors in them, and passes.

use crate::lane::{LANES, lanes};

/// With more runs than that, lanes are looked at one by one.
const RUNS: u32 = 8;
/// Banks of the cache, of a word each.
const BANKS: usize = 32;

/// Tells the 128-byte lines that the accesses of the lanes of `mask` touch, in the order of the lanes, each with its
/// sectors as bits; what neighbouring lanes touch in one line is told at once. Returns how many passes the cache needs:
/// one for two lines, or for a word of each bank. A word that neighbouring lanes share is asked for once.
///
/// Lanes are taken in runs that ascend without gaps, so that most requests are one run, or a few.
#[inline(always)]
pub(crate) fn look_up(address: &[u64; LANES], mask: u32, size: u32, mut tell: impl FnMut(u64, u8)) -> u32 {
    debug_assert!(size <= 32, "an access of one sector at most");
    let starts = mask & !following(address, mask, size);
    if starts.is_power_of_two() {
        // One run, of the first lane to the last: most requests are.
        let (from, to) = (address[mask.trailing_zeros() as usize], address[mask.ilog2() as usize]);
        return row(from, to, size, tell);
    }
    let (mut line, mut sectors, mut lines) = (u64::MAX, 0u8, 0u32);
    let (mut low, mut high) = (u64::MAX, 0);
    for (first, last) in runs(mask, starts) {
        let (from, to) = (address[first], address[last]);
        (low, high) = (low.min(from), high.max(to));
        for (here, bits) in pieces(from >> 5, to >> 5) {
            if here != line {
                if sectors != 0 {
                    tell(line, sectors);
                }
                (line, sectors) = (here, 0);
                lines += 1;
            }
            sectors |= bits;
        }
    }
    if sectors != 0 {
        tell(line, sectors);
    }
    let words = u64::from(size.div_ceil(4));
    let window = (high >> 2) - (low >> 2) + words;
    let passes = if window <= BANKS as u64 {
        // Words among those side by side, each in another bank than the 31 before it.
        window.div_ceil(BANKS as u64) as u32
    } else if starts.count_ones() <= RUNS {
        let all = runs(mask, starts).map(|(first, last)| {
            let (from, to) = (address[first] >> 2, address[last] >> 2);
            (from, to - from + words)
        });
        if all.clone().all(|(_, count)| count <= BANKS as u64) {
            rows(all)
        } else {
            let mut banks = Banks::default();
            all.for_each(|(from, count)| banks.row(from, count));
            banks.passes()
        }
    } else {
        let mut banks = Banks::default();
        lanes(mask).for_each(|lane| banks.few(address[lane] >> 2, words));
        banks.passes()
    };
    passes.max(lines.div_ceil(2))
}

/// The same for accesses that lie side by side, the first of them at `from`, the last at `to`.
#[inline(always)]
fn row(from: u64, to: u64, size: u32, mut tell: impl FnMut(u64, u8)) -> u32 {
    let mut lines = 0u32;
    for (line, sectors) in pieces(from >> 5, to >> 5) {
        tell(line, sectors);
        lines += 1;
    }
    let window = (to >> 2) - (from >> 2) + u64::from(size.div_ceil(4));
    (window.div_ceil(BANKS as u64) as u32).max(lines.div_ceil(2))
}

/// The lanes whose access is that of the lane before, or follows it without a gap.
#[inline(always)]
fn following(address: &[u64; LANES], mask: u32, size: u32) -> u32 {
    let mut bits = 0u32;
    for i in 1..LANES {
        let (before, here) = (address[i - 1], address[i]);
        // Behind the last address the sum wraps round to 0, which follows nothing.
        let next = before.wrapping_add(u64::from(size)) == here && here >= u64::from(size);
        bits |= u32::from(before == here || next) << i;
    }
    bits & mask << 1
}

/// The first and the last lane of each run.
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

/// The lines of neighbouring sectors, each with its sectors as bits.
#[inline(always)]
fn pieces(from: u64, to: u64) -> impl Iterator<Item = (u64, u8)> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let sector = next?;
        let line = sector >> 2;
        let is_last = line == to >> 2;
        let end = if is_last { to & 3 } else { 3 };
        next = (!is_last).then_some((line + 1) << 2);
        Some((line, (0xf << (sector & 3) & 0xf >> (3 - end)) as u8))
    })
}

/// The most words that a few runs ask of a bank: each run is the first of its words, and how many there are, as many as
/// there are banks at most. A bit of the masks is a bank.
#[inline(always)]
fn rows(runs: impl Iterator<Item = (u64, u64)>) -> u32 {
    let ones = |from: u64, count: u64| (u32::MAX >> (BANKS as u64 - count)).rotate_left((from % BANKS as u64) as u32);
    let mut before = [(0u64, 0u64, 0u32); RUNS as usize];
    // How often each bank has been asked: a number of four bits, whose first bits are in the first mask.
    let mut asked = [0u32; 4];
    for (at, (from, count)) in runs.enumerate() {
        let own = ones(from, count);
        let (mut new, mut open) = (own, own);
        for &(other, length, banks) in before[..at].iter().rev() {
            // In a bank that was asked for the same word last, nothing is new.
            let (low, high) = (from.max(other), (from + count).min(other + length));
            let same = if low < high { ones(low, high - low) } else { 0 };
            (new, open) = (new & !(same & open), open & !banks);
        }
        before[at] = (from, count, own);
        for bit in &mut asked {
            (*bit, new) = (*bit ^ new, *bit & new);
        }
    }
    let (mut most, mut banks) = (0, u32::MAX);
    for (at, bit) in asked.iter().enumerate().rev() {
        if banks & bit != 0 {
            (most, banks) = (most | 1 << at, banks & bit);
        }
    }
    most
}

/// The words that a request asks of each bank.
struct Banks {
    latest: [u64; BANKS],
    words: [u64; BANKS],
}

impl Default for Banks {
    fn default() -> Banks {
        // No word has that number.
        Banks { latest: [u64::MAX; BANKS], words: [0; BANKS] }
    }
}

impl Banks {
    /// So many words from this one on, fewer than there are banks.
    #[inline(always)]
    fn few(&mut self, word: u64, count: u64) {
        for word in word..word + count {
            let bank = word as usize % BANKS;
            self.words[bank] += u64::from(self.latest[bank] != word);
            self.latest[bank] = word;
        }
    }

    /// So many words from this one on: all banks at once.
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
    use super::*;
    use crate::lane::ALL;

    /// The same, lane by lane: the lines that are told, and the passes.
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

    fn check(address: &[u64; LANES], mask: u32, size: u32) {
        let mut told = Vec::new();
        let passes = look_up(address, mask, size, |line, sectors| told.push((line, sectors)));
        assert_eq!((told, passes), by_lanes(address, mask, size), "{address:?} {mask:#x} {size}");
    }

    #[test]
    fn whole_runs_are_counted_like_lane_after_lane() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..20_000 {
            let size = 1 << random(6);
            let mask = match round % 4 {
                0 => ALL,
                1 => ALL >> random(31),
                _ => random(1 << 31) as u32 | 1 << random(32),
            };
            // Tiles: rows of so many lanes, of which some are broadcast, and rows may lie anywhere.
            let (width, pitch, spread) = (1 + random(32), random(300) * size, 1 << random(14));
            let start = if round % 64 == 0 { 0u64.wrapping_sub(16 * size) } else { random(1 << 20) * size };
            let step = random(4).min(2) * size;
            let mut row = [0; LANES];
            row.fill_with(|| random(spread) * size * u64::from(round % 3 == 0));
            let address = std::array::from_fn(|lane| {
                let (x, y) = (lane as u64 % width, lane as u64 / width);
                start.wrapping_add(x * step + y * pitch + row[y as usize]) & !(size - 1)
            });
            check(&address, mask, size as u32);
        }
    }

    #[test]
    fn a_row_is_one_run_and_scattered_lanes_are_many() {
        let told = |at: &dyn Fn(u64) -> u64, size| {
            let address = std::array::from_fn(|lane| at(lane as u64));
            check(&address, ALL, size);
            let mut lines = 0;
            (look_up(&address, ALL, size, |_, _| lines += 1), lines)
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
