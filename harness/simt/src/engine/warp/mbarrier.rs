//! The contents of an mbarrier: eight bytes in shared memory.
//!
//! PTX leaves the layout open; this one is specific to this machine. Two bits are a mark that distinguishes an mbarrier
//! from other memory contents.

use crate::finding::MbarrierMisuse;

/// The maximum number of arrivals in a phase, and of expected bytes.
pub(crate) const MOST: u32 = (1 << 20) - 1;

const COUNT_BITS: u32 = 20;
const BYTES_BITS: u32 = 21;
const PHASE_BIT: u32 = 61;
const MARK: u64 = 0b10 << 62;

/// The location of an mbarrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    /// The rank of the block whose shared memory contains it, if that is another block of the cluster.
    pub rank: Option<u32>,
    /// Its offset there.
    pub offset: u32,
}

/// An mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    /// Arrivals that the current phase still waits for.
    pub pending: u32,
    /// Arrivals of the next phase.
    pub expected: u32,
    /// Bytes that the current phase still waits for. Negative if bytes arrived before they were expected.
    pub bytes: i32,
    /// Whether the current phase is odd; the first one has number 0.
    pub odd: bool,
}

impl Mbarrier {
    /// Creates one with `count` arrivals per phase.
    ///
    /// # Errors
    /// When `count` is 0, or too large.
    pub fn new(count: u32) -> Result<Mbarrier, MbarrierMisuse> {
        if count == 0 || count > MOST {
            return Err(MbarrierMisuse::Count);
        }
        Ok(Mbarrier { pending: count, expected: count, bytes: 0, odd: false })
    }

    /// Decodes eight bytes.
    ///
    /// # Errors
    /// When they are not an mbarrier.
    pub fn from_word(word: u64) -> Result<Mbarrier, MbarrierMisuse> {
        if word >> 62 != MARK >> 62 {
            return Err(MbarrierMisuse::NotInitialised);
        }
        let unused = 64 - BYTES_BITS;
        let bytes = ((word >> (2 * COUNT_BITS)) << unused) as i64 >> unused;
        Ok(Mbarrier {
            pending: pending_of(word),
            expected: (word >> COUNT_BITS) as u32 & MOST,
            bytes: bytes as i32,
            odd: is_odd(word),
        })
    }

    /// Encodes it as eight bytes.
    pub fn word(self) -> u64 {
        let bytes = self.bytes as u64 & ((1 << BYTES_BITS) - 1);
        u64::from(self.pending)
            | (u64::from(self.expected) << COUNT_BITS)
            | (bytes << (2 * COUNT_BITS))
            | (u64::from(self.odd) << PHASE_BIT)
            | MARK
    }

    /// Records `count` arrivals. With `drops`, all later phases expect that many fewer.
    ///
    /// # Errors
    /// When the phase waits for fewer.
    pub fn arrive(&mut self, count: u32, drops: bool) -> Result<(), MbarrierMisuse> {
        if count == 0 || count > self.pending || (drops && count > self.expected) {
            return Err(MbarrierMisuse::Arrivals);
        }
        self.pending -= count;
        if drops {
            self.expected -= count;
        }
        Ok(())
    }

    /// Makes the phase wait for `bytes` more bytes; for fewer if the number is negative.
    ///
    /// # Errors
    /// When the number is out of range.
    pub fn expect(&mut self, bytes: i64) -> Result<(), MbarrierMisuse> {
        let sum = i64::from(self.bytes) + bytes;
        if sum.unsigned_abs() > u64::from(MOST) {
            return Err(MbarrierMisuse::Bytes);
        }
        self.bytes = sum as i32;
        Ok(())
    }

    /// Ends the phase if it waits for nothing else. Returns whether it did.
    pub fn complete(&mut self) -> bool {
        let done = self.pending == 0 && self.bytes == 0;
        if done {
            (self.pending, self.odd) = (self.expected, !self.odd);
        }
        done
    }
}

/// Returns the pending arrivals in a word.
pub(crate) fn pending_of(word: u64) -> u32 {
    word as u32 & MOST
}

/// Returns whether the phase in a word is odd.
pub(crate) fn is_odd(word: u64) -> bool {
    word >> PHASE_BIT & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_all_of_it() {
        for (pending, bytes, odd) in [(1, 0, false), (7, 1 << 19, true), (MOST, -5, true), (0, -(MOST as i32), false)] {
            let barrier = Mbarrier { pending, expected: MOST - pending, bytes, odd };
            assert_eq!(Mbarrier::from_word(barrier.word()), Ok(barrier));
        }
        assert_eq!(Mbarrier::from_word(0), Err(MbarrierMisuse::NotInitialised));
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival_and_byte() {
        let mut barrier = Mbarrier::new(2).expect("two are fine");
        barrier.arrive(1, false).expect("one of two");
        barrier.expect(16).expect("it can count 16");
        assert!(!barrier.complete());
        barrier.arrive(1, true).expect("the other one");
        assert!(!barrier.complete(), "16 bytes are missing");
        barrier.expect(-16).expect("they have come");
        assert!(barrier.complete());
        assert_eq!(barrier, Mbarrier { pending: 1, expected: 1, bytes: 0, odd: true });
    }

    #[test]
    fn what_it_cannot_count_is_refused() {
        assert_eq!(Mbarrier::new(0), Err(MbarrierMisuse::Count));
        assert_eq!(Mbarrier::new(MOST + 1), Err(MbarrierMisuse::Count));
        let mut barrier = Mbarrier::new(1).expect("one is fine");
        assert_eq!(barrier.arrive(2, false), Err(MbarrierMisuse::Arrivals));
        assert_eq!(barrier.expect(1 << 20), Err(MbarrierMisuse::Bytes));
    }
}
