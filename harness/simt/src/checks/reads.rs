//! Reads of stretches that lanes go over in order, in few bytes: most of what they cost is the host's memory that they
//! take.

use super::race::{Past, Run, remember_read};

/// What the lanes at the first place of a stretch did: the first lane of a warp, or of its second half, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    time: u32,
    warp: u32,
    moment: u32,
    /// As of [`Past::what`], but for the last five bits: 1 and 2 for the two lanes, 4 if the second was the last.
    what: u32,
}

impl Read {
    pub const NONE: Read = Read { time: 0, warp: 0, moment: 0, what: 0 };

    /// Whether there was no read.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.time == 0
    }

    #[inline(always)]
    pub fn pack(past: Past) -> Read {
        let Past { time, warp, moment, what, lanes } = past;
        debug_assert!(
            lanes & !0x0001_0001 == 0 && matches!(what & 31, 0 | 16),
            "lanes {lanes:#x} at the first place of a stretch"
        );
        Read { time, warp, moment, what: (what & !31) | (what & 16) >> 2 | (lanes >> 15 & 2) | (lanes & 1) }
    }

    #[inline(always)]
    pub fn unpack(self) -> Past {
        let Read { time, warp, moment, what } = self;
        Past { time, warp, moment, what: (what & !31) | (what & 4) << 2, lanes: (what & 2) << 15 | (what & 1) }
    }
}

/// The last read of a stretch, and the last by another warp, in one line of the host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Reads([Read; 2]);

impl Reads {
    /// There was this read.
    pub fn of(read: Read) -> Reads {
        Reads([read, Read::NONE])
    }

    /// Remembers another.
    #[inline(always)]
    pub fn remember(&mut self, now: Past) {
        let [last, other] = self.0;
        let mut reads = [last.unpack(), other.unpack()];
        remember_read(&mut reads, now);
        let [last, other] = reads;
        self.0 = [Read::pack(last), Read::pack(other)];
    }

    /// The history of a stretch that has only been read.
    pub fn run(self) -> Run {
        Run::of_reads(self.0.map(Read::unpack))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::race::NONE;

    #[test]
    fn nothing_of_a_read_is_lost() {
        let past = Past { time: 7, warp: 0x8000_0001, moment: 0xffff_0003, what: 0x1234_56e0, lanes: 0 };
        for (lanes, last) in [(1, 0), (1 << 16, 16), (0x0001_0001, 16), (0x0001_0001, 0)] {
            let past = Past { what: past.what | last, lanes, ..past };
            assert_eq!(Read::pack(past).unpack(), past);
        }
        assert_eq!(Read::pack(NONE), Read::NONE);
        assert!(Read::NONE.is_none());
    }
}
