//! A compact record of reads of stretches that lanes access in order: most of their cost is the host memory that they
//! use.

use super::race::{ShadowAccess, ShadowRange};

/// The read of the lanes at the first cell of a stretch: the first lane of a warp, or of its second half, or both. It
/// consists of two numbers, so that a value in registers is not written in parts and read again as a whole, which would
/// stall the host's processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The time, and the warp from bit 32 on.
    when: u64,
    /// The moment, and from bit 32 on the bits of [`ShadowAccess::what`], except that the last five bits are 1 and 2
    /// for the two lanes, and 4 if the second was the last.
    what: u64,
}

/// The bits of [`Read::what`] that name the two lanes.
const BOTH: u64 = 3 << 32;
/// The bits that name the lanes and the last of them.
const BY: u64 = 31 << 32;

impl Read {
    pub const NONE: Read = Read { when: 0, what: 0 };

    /// Returns whether there was no read.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.when as u32 == 0
    }

    #[inline(always)]
    pub fn pack(past: ShadowAccess) -> Read {
        let ShadowAccess { time, warp, moment, what, lanes } = past;
        debug_assert!(
            lanes & !0x0001_0001 == 0 && matches!(what & 31, 0 | 16),
            "lanes {lanes:#x} at the first place of a stretch"
        );
        let what = (what & !31) | (what & 16) >> 2 | (lanes >> 15 & 2) | (lanes & 1);
        Read { when: u64::from(warp) << 32 | u64::from(time), what: u64::from(what) << 32 | u64::from(moment) }
    }

    #[inline(always)]
    pub fn unpack(self) -> ShadowAccess {
        let (time, warp) = (self.when as u32, self.warp());
        let (moment, what) = (self.moment(), (self.what >> 32) as u32);
        ShadowAccess { time, warp, moment, what: (what & !31) | (what & 4) << 2, lanes: (what & 2) << 15 | (what & 1) }
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        (self.when >> 32) as u32
    }

    #[inline(always)]
    fn moment(self) -> u32 {
        self.what as u32
    }

    /// Returns whether both were made by the same instruction of the same warp at the same moment.
    #[inline(always)]
    fn is_as(self, other: Read) -> bool {
        self.warp() == other.warp() && (self.what ^ other.what) & !BY == 0
    }

    /// Returns the same read, also made by the lanes of the other.
    #[inline(always)]
    fn with(self, other: Read) -> Read {
        Read { what: self.what | other.what & BOTH, ..self }
    }
}

/// The last read of a stretch, and the last one by another warp, in one cache line of the host.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Reads([Read; 2]);

impl Reads {
    /// Creates a record of this read.
    pub fn of(read: Read) -> Reads {
        Reads([read, Read::NONE])
    }

    /// Records another read, as [`remember_read`](super::race::remember_read) does.
    #[inline(always)]
    pub fn remember(&mut self, now: Read) {
        let [last, other] = self.0;
        if last.is_as(now) {
            self.0[0] = now.with(last);
        } else if other.is_as(now) {
            self.0[1] = now.with(other);
        } else if last.warp() == now.warp() && !last.is_none() && !other.is_none() && other.warp() != now.warp() {
            self.0[0] = if last.moment() == now.moment() { now.with(last) } else { now };
        } else {
            if !last.is_none() {
                self.0[1] = last;
            }
            self.0[0] = now;
        }
    }

    /// Returns the history of a stretch that has only been read.
    pub fn run(self) -> ShadowRange {
        ShadowRange::of_reads(self.0.map(Read::unpack))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::race::{NONE, remember_read};

    #[test]
    fn nothing_of_a_read_is_lost() {
        let past = ShadowAccess { time: 7, warp: 0x8000_0001, moment: 0xffff_0003, what: 0x1234_56e0, lanes: 0 };
        for (lanes, last) in [(1, 0), (1 << 16, 16), (0x0001_0001, 16), (0x0001_0001, 0)] {
            let past = ShadowAccess { what: past.what | last, lanes, ..past };
            assert_eq!(Read::pack(past).unpack(), past);
        }
        assert_eq!(Read::pack(NONE), Read::NONE);
        assert!(Read::NONE.is_none());
    }

    #[test]
    fn what_is_packed_is_remembered_as_what_is_not() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..500 {
            let (mut packed, mut plain) = (Reads::of(Read::NONE), [NONE; 2]);
            for time in 1..20 {
                let lane = 16 * random(2);
                let both = random(4) == 0;
                let past = ShadowAccess {
                    time,
                    warp: random(3),
                    moment: random(2) << 16,
                    what: random(2) << 9 | lane,
                    lanes: if both { 0x0001_0001 } else { 1 << lane },
                };
                packed.remember(Read::pack(past));
                remember_read(&mut plain, past);
                assert_eq!(packed.0.map(Read::unpack), plain);
            }
        }
    }
}
