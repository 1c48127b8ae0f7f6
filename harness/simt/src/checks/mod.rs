//! The race check: the shadow memory of every byte that a kernel accesses, and the rules for comparing accesses.
//!
//! This module does not depend on warps or programs: the engine ([`crate::engine::watch`]) describes each access as an
//! [`Event`], and only if the check is on.

pub(crate) mod bounds;
pub(crate) mod clock;
pub(crate) mod copies;
pub(crate) mod global;
pub(crate) mod in_flight;
pub(crate) mod launch;
pub(crate) mod lines;
mod locks;
pub(crate) mod proxies;
pub(crate) mod race;
mod reads;
pub(crate) mod shared;
pub(crate) mod unread;

use crate::finding::AccessKind;
use crate::lane::LANES;

/// The addresses of a warp's lanes: a register's values plus a constant number of bytes.
#[derive(Clone, Copy)]
pub(crate) struct Addresses<'a> {
    pub base: &'a [u64; LANES],
    pub offset: u64,
}

impl<'a> Addresses<'a> {
    /// Wraps exactly these addresses.
    pub fn of(base: &'a [u64; LANES]) -> Self {
        Addresses { base, offset: 0 }
    }

    /// Returns the address of one lane.
    #[inline(always)]
    pub fn at(self, lane: usize) -> u64 {
        self.base[lane].wrapping_add(self.offset)
    }

    /// Returns the addresses of all lanes.
    pub fn all(self) -> [u64; LANES] {
        std::array::from_fn(|lane| self.at(lane))
    }
}

/// One memory instruction of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    /// Load, store or atomic.
    pub what: AccessKind,
    /// Whether it is volatile, relaxed or stronger, or atomic: an access that may be part of a protocol between
    /// threads.
    pub strong: bool,
    /// Whether it is volatile, and is not a loop's wait for a flag. Such accesses are typical of code that relies on
    /// lanes in lockstep.
    pub volatile: bool,
    /// Whether it is strong only inside the thread's block (`.cta`).
    pub narrow: bool,
    /// Whether it is in shared memory.
    pub block_local: bool,
    /// Program counter.
    pub pc: u32,
    /// The lanes that execute it.
    pub mask: u32,
    /// Bytes per lane.
    pub size: u32,
    /// Addresses, valid in those lanes.
    pub address: Addresses<'a>,
    /// For a store, returns whether a conflict with an earlier store is not reported, or not yet.
    pub excuses: Option<&'a dyn Fn(&race::Conflict) -> bool>,
    /// The layout of the addresses. It is not a copy, because reading what was just written in several parts would
    /// stall the host's processor.
    pub layout: &'a Layout,
}

/// The pattern of the addresses of half a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Half {
    /// In lane order, they are the 16 words of two lines of the race check's shadow memory.
    Line,
    /// All lanes access one word.
    Word,
    /// Any other pattern, or not all lanes take part.
    #[default]
    Any,
}

impl Half {
    #[inline(always)]
    fn from_code(code: u8) -> Half {
        match code {
            0 => Half::Line,
            1 => Half::Word,
            _ => Half::Any,
        }
    }

    /// Returns the pattern of the half of a warp that begins with this lane.
    #[inline(always)]
    fn of(address: &[u64; LANES], start: usize, size: u32) -> Half {
        let (mut line, mut word) = (0, 0);
        for i in 0..16 {
            let distance = address[start + i].wrapping_sub(address[start]);
            line |= distance ^ (4 * i as u64);
            word |= distance;
        }
        match (size, line, word) {
            (4, 0, _) => Half::Line,
            (4, _, 0) => Half::Word,
            _ => Half::Any,
        }
    }

    /// Returns the pattern if the first lane is at `address`.
    #[inline(always)]
    pub fn from(self, address: u64) -> Half {
        if self == Half::Line && address & (lines::LINE - 1) != 0 {
            return Half::Any;
        }
        self
    }
}

/// The patterns of both halves of a warp. They are one number, because writing two numbers and reading both together
/// would stall the host's processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves(u16);

impl Halves {
    /// Combines the halves in order.
    #[inline(always)]
    pub const fn new(first: Half, second: Half) -> Halves {
        Halves(first as u16 | (second as u16) << 8)
    }

    /// Returns the patterns if all lanes access `size` bytes and the first address of each half is at the start of a
    /// line.
    #[inline(always)]
    pub fn of(address: &[u64; LANES], size: u32) -> Halves {
        // No closures: they would not be compiled for the vectors of the function into which this is inlined.
        Halves::new(Half::of(address, 0, size), Half::of(address, 16, size))
    }

    /// Returns the halves in order.
    #[inline(always)]
    pub fn each(self) -> [Half; 2] {
        [Half::from_code(self.0 as u8), Half::from_code((self.0 >> 8) as u8)]
    }

    /// Returns whether one of them has no usual pattern.
    #[inline(always)]
    pub fn is_any_unusual(self) -> bool {
        const UNUSUAL: u16 = Half::Any as u16;
        self.0 & (UNUSUAL | UNUSUAL << 8) != 0
    }

    /// Returns the patterns if these are the first addresses of the halves.
    #[inline(always)]
    pub fn from(self, first: u64, second: u64) -> Halves {
        let [one, two] = self.each();
        Halves::new(one.from(first), two.from(second))
    }
}

impl Default for Halves {
    fn default() -> Halves {
        Halves::new(Half::Any, Half::Any)
    }
}

/// The layout of a warp's addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The lowest address.
    pub low: u64,
    /// The highest address.
    pub high: u64,
    /// Whether all lanes take part, and each lane's address is that of the previous lane plus the size.
    pub row: bool,
    /// The pattern of each half of the warp.
    pub halves: Halves,
}

impl Layout {
    /// Returns the layout of contiguous elements of `size` bytes in lane order, from an address on.
    #[inline(always)]
    pub fn in_a_row(low: u64, size: u32) -> Layout {
        let half = if size == 4 { Half::Line } else { Half::Any };
        let other = low + 16 * u64::from(size);
        let high = low + (LANES as u64 - 1) * u64::from(size);
        Layout { low, high, row: true, halves: Halves::new(half.from(low), half.from(other)) }
    }

    /// Returns the layout of elements of `size` bytes that are contiguous in lane order in each half of the warp, from
    /// these addresses on, but not across the two halves.
    #[inline(always)]
    pub fn in_two_rows([one, two]: [u64; 2], size: u32) -> Layout {
        let half = if size == 4 { Half::Line } else { Half::Any };
        let high = one.max(two) + (LANES as u64 / 2 - 1) * u64::from(size);
        Layout { low: one.min(two), high, row: false, halves: Halves::new(half.from(one), half.from(two)) }
    }

    /// Returns the layout of accesses of `size` bytes by the lanes of `mask`.
    #[inline(always)]
    pub fn of(address: Addresses<'_>, mask: u32, size: u32) -> Layout {
        let (mut low, mut high, mut gaps) = (u64::MAX, 0u64, 0u64);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            low = low.min(address.at(i) | !on);
            high = high.max(address.at(i) & on);
            gaps |= address.at(i).wrapping_sub(address.at(0)) ^ (i as u64 * u64::from(size));
        }
        let whole = [mask & 0xffff == 0xffff, mask >> 16 == 0xffff];
        let halves = Halves::of(address.base, size).each();
        let first = if whole[0] { halves[0].from(address.at(0)) } else { Half::Any };
        let second = if whole[1] { halves[1].from(address.at(16)) } else { Half::Any };
        let halves = Halves::new(first, second);
        Layout { low, high, row: gaps == 0 && mask == u32::MAX, halves }
    }
}

/// Returns the lanes of a mask, in ascending order.
fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::{Addresses, Layout};
    use crate::lane::ALL;

    #[test]
    fn two_rows_lie_as_their_addresses_do() {
        for size in [1, 4, 8] {
            for base in [[4096, 8192], [8192, 4096], [4096, 4096], [4100, 8192], [4096, 8196]] {
                let address = std::array::from_fn(|lane| base[lane / 16] + (lane % 16) as u64 * u64::from(size));
                let layout = Layout::of(Addresses::of(&address), ALL, size);
                assert_eq!(Layout::in_two_rows(base, size), layout, "{base:?}, {size}");
            }
        }
    }
}
