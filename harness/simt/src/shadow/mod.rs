//! What the race and initialisation checks remember of every byte that a kernel touches.
//!
//! The executor calls in here only when one of the two checks is on, from the one place that knows an access's addresses.

pub(crate) mod clock;
pub(crate) mod init;
pub(crate) mod lines;
pub(crate) mod race;

use crate::finding::What;
use crate::lane::LANES;

/// One memory instruction of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    /// Load, store or atomic.
    pub what: What,
    /// Volatile, relaxed or stronger, or atomic: an access that may be part of a protocol between threads.
    pub strong: bool,
    /// Volatile, and no loop that waits for a flag: how code looks that relies on lanes in lockstep.
    pub volatile: bool,
    /// Strong only inside the thread's block (`.cta`).
    pub narrow: bool,
    /// In shared memory.
    pub block_local: bool,
    /// Program counter.
    pub pc: u32,
    /// The lanes that execute it.
    pub mask: u32,
    /// Bytes a lane.
    pub size: u32,
    /// Addresses, valid in those lanes.
    pub address: &'a [u64; LANES],
    /// How they lie.
    pub layout: Layout,
}

/// How the addresses of half a warp lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Half {
    /// In order, the 16 words of two lines of the race check's memory.
    Line,
    /// All at one word.
    Word,
    /// Some other way, or not all lanes take part.
    #[default]
    Any,
}

impl Half {
    /// Of both halves of a warp, all of whose lanes access `size` bytes, as if the first of each lay at the start of a line.
    #[inline(always)]
    pub fn both(address: &[u64; LANES], size: u32) -> [Half; 2] {
        [0, 16].map(|start| {
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
        })
    }

    /// The same when the first is at `address`.
    #[inline(always)]
    pub fn from(self, address: u64) -> Half {
        if self == Half::Line && address & (lines::LINE - 1) != 0 {
            return Half::Any;
        }
        self
    }
}

/// How a warp's addresses lie.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// The lowest,
    pub low: u64,
    /// and the highest.
    pub high: u64,
    /// Each lane's is the one before it plus the size, and all lanes take part.
    pub row: bool,
    /// Half by half.
    pub halves: [Half; 2],
}

impl Layout {
    /// Of accesses of `size` bytes by the lanes of `mask`.
    #[inline(always)]
    pub fn of(address: &[u64; LANES], mask: u32, size: u32) -> Layout {
        let (mut low, mut high, mut gaps) = (u64::MAX, 0u64, 0u64);
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            low = low.min(address[i] | !on);
            high = high.max(address[i] & on);
            gaps |= address[i].wrapping_sub(address[0]) ^ (i as u64 * u64::from(size));
        }
        let whole = [mask & 0xffff == 0xffff, mask >> 16 == 0xffff];
        let mut halves = Half::both(address, size);
        for ((half, whole), h) in halves.iter_mut().zip(whole).zip(0..) {
            if !whole {
                *half = Half::Any;
            }
            *half = half.from(address[16 * h]);
        }
        Layout {
            low,
            high,
            row: gaps == 0 && mask == u32::MAX,
            halves,
        }
    }
}

/// The lanes of a mask, ascending.
fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(lane)
    })
}
