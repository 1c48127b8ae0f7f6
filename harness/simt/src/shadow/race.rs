//! Races: two accesses to one place, at least one a write and at least one not atomic, that nothing orders.
//!
//! For every four bytes (single ones, where narrower accesses are seen) the last plain write, the last strong one, and the last
//! reads by two different warps are kept; every access is held against them. That finds a race even when the two accesses happen
//! not to collide in this run's schedule.

use super::Event;
use super::clock::{BlockClock, Publications, Time, WarpClock};
use crate::finding::{Scope, What};
use crate::lane::LANES;
use std::sync::{Mutex, PoisonError};

/// An access that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Past {
    /// Time, from [`Time::now`]; 0: none.
    time: u32,
    /// Warp of the grid.
    warp: u32,
    /// Epoch of the block, and tick of the warp, each in 16 bits.
    moment: u32,
    /// Program counter (23 bits), volatile (1), of the block's scope (1), atomic (1), strong (1), lane that did it last (5).
    what: u32,
    /// The lanes that did it at that moment.
    lanes: u32,
}

const NONE: Past = Past {
    time: 0,
    warp: 0,
    moment: 0,
    what: 0,
    lanes: 0,
};

impl Past {
    fn pc(self) -> u32 {
        self.what >> 9
    }
    fn volatile(self) -> bool {
        self.what & 256 != 0
    }
    fn narrow(self) -> bool {
        self.what & 128 != 0
    }
    fn atomic(self) -> bool {
        self.what & 64 != 0
    }
    fn strong(self) -> bool {
        self.what & 32 != 0
    }
    fn lane(self) -> u32 {
        self.what & 31
    }
    fn tick(self) -> u32 {
        self.moment & 0xffff
    }
    fn epoch(self) -> u32 {
        self.moment >> 16
    }
}

/// What is remembered of one place.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The last plain write.
    write: Past,
    /// The last strong write since then. It does not take the plain one's place: who is ordered behind it may not be behind that.
    strong: Past,
    /// The last read, and the last by another warp.
    reads: [Past; 2],
}

const EMPTY: Cell = Cell {
    write: NONE,
    strong: NONE,
    reads: [NONE; 2],
};

/// The places of one piece of memory.
#[derive(Debug, Default)]
struct Cells {
    all: Vec<Cell>,
    /// Each stands for one byte, not four.
    bytewise: bool,
}

impl Cells {
    /// Bytes of a place, as a power of two.
    fn shift(&self) -> u32 {
        if self.bytewise { 0 } else { 2 }
    }

    /// Makes room for `bytes` bytes, and for accesses of that size.
    fn prepare(&mut self, bytes: u64, size: u32) {
        if size < 4 && !self.bytewise {
            self.bytewise = true;
            let wide = std::mem::take(&mut self.all);
            self.all = wide.into_iter().flat_map(|cell| [cell; 4]).collect();
        }
        let count = bytes.div_ceil(1 << self.shift()) as usize;
        if self.all.len() < count {
            self.all.resize(count, EMPTY);
        }
    }
}

/// An access that a race was found with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// How far apart the two threads are.
    pub scope: Scope,
    /// The lane of the present access.
    pub lane: usize,
    /// What the earlier one did, where,
    pub what: What,
    pub pc: u32,
    /// and which lane of which warp of the grid did it.
    pub earlier_lane: u32,
    pub earlier_warp: u32,
    /// Both are strong, but one of them only inside its block, where the other is not.
    pub narrow: bool,
    /// A flag has been looked at since, but no fence stands before it.
    pub unfenced: bool,
}

/// The clocks by which an access is judged.
pub(crate) struct Clocks<'a> {
    pub time: &'a Time,
    pub launch: &'a Publications,
    pub block: &'a BlockClock,
    pub warp: &'a WarpClock,
    /// What happened before this time is ordered.
    pub start: u64,
}

impl Clocks<'_> {
    /// The first of the lanes of `past` that nothing orders before what lane `lane` of the running warp does now.
    fn unordered(&self, past: Past, lane: u32, lockstep: bool) -> Option<u32> {
        if u64::from(past.time) < self.start {
            return None;
        }
        let (time, same_warp) = (u64::from(past.time), past.warp == self.warp.warp);
        let mut first = past.lane();
        if self.same_block(past) {
            if past.epoch() != self.block.epoch & 0xffff {
                return None;
            }
            if same_warp {
                let tick = past.tick();
                let mut others = super::lanes(past.lanes & !(1 << lane));
                first = others.find(|&other| !self.warp.met(other, lane, tick))?;
            }
            let warps = self.launch.warps_per_block();
            let of_block = |warp: u32| (warp % warps) as usize;
            if self
                .block
                .behind(of_block(past.warp), of_block(self.warp.warp), time)
            {
                return None;
            }
        }
        let acquired = self.warp.acquired_since(self.block, time, same_warp);
        (lockstep || !acquired || !self.published(past)).then_some(first)
    }

    fn same_block(&self, past: Past) -> bool {
        let warps = self.launch.warps_per_block();
        past.warp / warps == self.warp.warp / warps
    }

    /// A strong access publishes itself, as far as its scope goes; what others did needs a fence behind it.
    fn published(&self, past: Past) -> bool {
        let inside = self.same_block(past);
        (past.strong() && (inside || !past.narrow()))
            || self
                .launch
                .published(past.warp, past.epoch(), past.time.into(), inside)
    }

    fn scope(&self, past: Past) -> Scope {
        let warps = self.launch.warps_per_block();
        if past.warp == self.warp.warp {
            Scope::Warp
        } else if past.warp / warps == self.warp.warp / warps {
            Scope::Block
        } else {
            Scope::Grid
        }
    }
}

/// Holds one lane's access to a place against the past, and remembers it.
#[inline(always)]
fn touch(
    cell: &mut Cell,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    lane: u32,
    now: Past,
) -> Option<Conflict> {
    // Two strong accesses are part of a protocol between threads, a flag or a lock. Not so volatile ones to shared memory in one
    // warp: that is how code looks that relies on lanes in lockstep.
    let lockstep = |past: Past| {
        event.block_local && past.warp == now.warp && past.volatile() && event.volatile
    };
    let wide_enough = |past: Past| !(event.narrow || past.narrow()) || clocks.same_block(past);
    let against = |past: Past, what: What| {
        if past.time == 0 {
            return None;
        }
        let both = past.strong() && event.strong;
        if both && !lockstep(past) && wide_enough(past) {
            return None;
        }
        let earlier_lane = clocks.unordered(past, lane, both && lockstep(past))?;
        let scope = clocks.scope(past);
        let plain = !event.strong && !past.strong();
        let acquired = || {
            clocks
                .warp
                .acquired_since(clocks.block, past.time.into(), false)
        };
        Some(Conflict {
            scope,
            lane: lane as usize,
            what,
            pc: past.pc(),
            earlier_lane,
            earlier_warp: past.warp,
            narrow: both && scope == Scope::Grid,
            unfenced: plain && scope != Scope::Warp && !clocks.published(past) && acquired(),
        })
    };
    // Lanes of one instruction: two stores of different values to one place, which `same_instruction` looks at.
    let same =
        |past: Past| past.warp == now.warp && past.moment == now.moment && past.pc() == now.pc();
    let mut found = None;
    if !same(cell.write) {
        found = against(cell.write, What::Write);
    }
    if found.is_none() && !same(cell.strong) {
        let what = if cell.strong.atomic() {
            What::Atomic
        } else {
            What::Write
        };
        found = against(cell.strong, what);
    }
    if event.what == What::Read {
        remember(&mut cell.reads, now);
        return found;
    }
    for read in cell.reads {
        if found.is_none() {
            found = against(read, What::Read);
        }
    }
    if event.strong {
        let last = cell.strong;
        let lanes = if same(last) { last.lanes } else { 0 };
        cell.strong = Past {
            lanes: lanes | now.lanes,
            ..now
        };
    } else {
        *cell = Cell {
            write: now,
            ..EMPTY
        };
    }
    found
}

/// Keeps a read: beside others of the same instruction, else in place of an older one, of this warp if there is one.
fn remember(reads: &mut [Past; 2], now: Past) {
    let same = |past: &&mut Past| {
        (past.warp, past.moment, past.what & !31) == (now.warp, now.moment, now.what & !31)
    };
    if let Some(known) = reads.iter_mut().find(same) {
        let lanes = known.lanes | now.lanes;
        *known = Past { lanes, ..now };
        return;
    }
    let [last, other] = reads;
    let keep_other = other.time != 0 && other.warp != now.warp;
    if last.warp == now.warp && last.time != 0 && keep_other {
        // Two of this warp do not fit beside that of another: they are kept as one.
        let lanes = if last.moment == now.moment {
            last.lanes
        } else {
            0
        };
        *last = Past {
            lanes: lanes | now.lanes,
            ..now
        };
    } else {
        if last.time != 0 {
            *other = *last;
        }
        *last = now;
    }
}

/// Holds a warp's access against places of memory that begin at `low`.
fn sweep(
    cells: &mut Cells,
    low: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    mask: u32,
) -> Option<Conflict> {
    let mut found = None;
    let (size, shift) = (u64::from(event.size), cells.shift());
    let now = Past {
        time: clocks.time.now() as u32,
        warp: clocks.warp.warp,
        moment: (clocks.block.epoch << 16) | clocks.warp.tick(),
        what: (event.pc << 9)
            | (u32::from(event.volatile) << 8)
            | (u32::from(event.narrow) << 7)
            | (u32::from(event.what == What::Atomic) << 6)
            | (u32::from(event.strong) << 5),
        lanes: 0,
    };
    for lane in super::lanes(mask) {
        let from = event.address[lane as usize];
        let first = from.saturating_sub(low) >> shift;
        let last = (from + size).saturating_sub(low).div_ceil(1 << shift);
        let now = Past {
            what: now.what | lane,
            lanes: 1 << lane,
            ..now
        };
        for number in first..last {
            let Some(cell) = cells.all.get_mut(number as usize) else {
                break;
            };
            let conflict = touch(cell, clocks, event, lane, now);
            found = found.or(conflict);
        }
    }
    found
}

/// Two lanes of one store that write different values (their bits) to one place. Lanes that write the same value do not race.
pub(crate) fn same_instruction(
    mask: u32,
    address: &[u64; LANES],
    values: &[u64; LANES],
) -> Option<(usize, usize)> {
    let mut seen: smallvec::SmallVec<[(u64, usize); LANES]> = (0..LANES)
        .filter(|lane| mask & (1 << lane) != 0)
        .map(|lane| (address[lane], lane))
        .collect();
    if seen.is_sorted_by(|a, b| a.0 < b.0) {
        return None;
    }
    seen.sort_unstable();
    seen.windows(2)
        .find(|w| w[0].0 == w[1].0 && values[w[0].1] != values[w[1].1])
        .map(|w| (w[0].1, w[1].1))
}

/// The memory of a block's shared memory. What an earlier block did there lies before the present one's start.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    cells: Cells,
    bytes: u64,
}

impl SharedRaces {
    /// For a block that starts, with `bytes` of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Remembers an access (addresses are offsets); gives the first conflict.
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        self.cells.prepare(self.bytes, event.size);
        sweep(&mut self.cells, 0, clocks, event, event.mask)
    }
}

/// Bytes of one lock.
const CHUNK: u64 = 4096;

/// The memory of one allocation in global memory; places exist from the first access on.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    start: u64,
    chunks: Vec<Mutex<Cells>>,
}

impl GlobalRaces {
    /// For the allocation of `bytes` bytes at `start`.
    pub fn new(start: u64, bytes: u64) -> Self {
        // Chunks begin at multiples of a word, wherever the allocation begins.
        let start = start & !3;
        let chunks = (bytes + 4).div_ceil(CHUNK);
        GlobalRaces {
            start,
            chunks: (0..chunks).map(|_| Mutex::default()).collect(),
        }
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation; gives the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk go together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = (event.address[lane] - self.start) / CHUNK;
            let low = self.start + chunk * CHUNK;
            let high = low + CHUNK;
            let here = super::lanes(rest)
                .filter(|&l| (low..high).contains(&event.address[l as usize]))
                .fold(0u32, |m, l| m | (1 << l));
            rest &= !here;
            let size = u64::from(event.size);
            // An access that begins before the chunk's end and runs over it is seen in the next one, too.
            let spill = super::lanes(here)
                .filter(|&l| event.address[l as usize] + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            for (chunk, low, mask) in [(chunk, low, here), (chunk + 1, high, spill)] {
                if mask != 0
                    && let Some(cells) = self.chunks.get(chunk as usize)
                {
                    let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
                    cells.prepare(CHUNK, event.size);
                    let conflict = sweep(&mut cells, low, clocks, event, mask);
                    found = found.or(conflict);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
