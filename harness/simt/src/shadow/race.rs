//! Races: two accesses to one place, at least one a write and at least one not atomic, that nothing orders.
//!
//! For every four bytes the last write is kept, and the last reads by two different warps; every access is held against them.
//! That finds a race even when the two accesses happen not to collide in this run's schedule.

use super::Event;
use super::clock::{BlockClock, Publications, Time, WarpClock};
use crate::finding::{Scope, What};
use crate::lane::LANES;
use std::sync::{Mutex, PoisonError};

/// An access that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Past {
    /// Time, from [`Time::now`]; 0: none.
    time: u64,
    /// Warp of the grid.
    warp: u32,
    /// Epoch of the block, and tick of the warp, each in 16 bits.
    moment: u32,
    /// Program counter (21 bits), atomic (1), lane (5), strong (1), bytes of the cell (4).
    what: u32,
}

const NONE: Past = Past {
    time: 0,
    warp: 0,
    moment: 0,
    what: 0,
};

impl Past {
    fn lane(self) -> u32 {
        (self.what >> 5) & 31
    }
    fn pc(self) -> u32 {
        self.what >> 11
    }
    fn atomic(self) -> bool {
        self.what & (1 << 10) != 0
    }
    fn strong(self) -> bool {
        self.what & 16 != 0
    }
    fn bytes(self) -> u32 {
        self.what & 15
    }
    fn tick(self) -> u32 {
        self.moment & 0xffff
    }
    fn epoch(self) -> u32 {
        self.moment >> 16
    }
}

/// What is remembered of four bytes.
#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Past,
    /// The last read, and the last by another warp.
    reads: [Past; 2],
}

const EMPTY: Cell = Cell {
    write: NONE,
    reads: [NONE; 2],
};

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
}

/// The clocks by which an access is judged.
pub(crate) struct Clocks<'a> {
    pub time: &'a Time,
    pub launch: &'a Publications,
    pub block: &'a BlockClock,
    pub warp: &'a WarpClock,
}

impl Clocks<'_> {
    /// Whether `past` comes before what lane `lane` of the running warp does now.
    fn ordered(&self, past: Past, lane: u32, lockstep: bool) -> bool {
        if past.time < self.launch.start {
            return true;
        }
        let warps = self.launch.warps_per_block();
        let epoch = self.block.epoch & 0xffff;
        if past.warp / warps == self.warp.warp / warps {
            if past.epoch() != epoch {
                return true;
            }
            if past.warp == self.warp.warp
                && (past.lane() == lane || self.warp.met(past.lane(), lane, past.tick()))
            {
                return true;
            }
        }
        if lockstep {
            return false;
        }
        // A strong access publishes itself; what others did needs a fence behind it.
        (past.strong() || self.launch.published(past.warp, past.epoch(), past.time))
            && self.warp.acquired_since(self.block, past.time)
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

/// Holds one lane's access to (part of) a cell against the past, and remembers it.
#[inline(always)]
fn touch(
    cell: &mut Cell,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    lane: usize,
    bytes: u32,
    now: Past,
) -> Option<Conflict> {
    let conflict = |past: Past, what: What| Conflict {
        scope: clocks.scope(past),
        lane,
        what,
        pc: past.pc(),
        earlier_lane: past.lane(),
        earlier_warp: past.warp,
    };
    let mut found = None;
    // Two strong accesses are part of a protocol between threads, a flag or a lock. Not so volatile ones to shared memory in one
    // warp: that is how code looks that relies on lanes in lockstep.
    let protocol = |past: Past| {
        !event.block_local || past.warp != now.warp || (past.atomic() && event.what == What::Atomic)
    };
    let against = |past: Past| {
        past.bytes() & bytes != 0
            && !(past.strong() && event.strong && protocol(past))
            && !clocks.ordered(
                past,
                lane as u32,
                past.strong() && event.strong && !protocol(past),
            )
    };
    // Lanes of one instruction: two stores of different values to one place, which `same_instruction` looks at.
    let same =
        |past: Past| past.warp == now.warp && past.moment == now.moment && past.pc() == now.pc();
    if against(cell.write) && !same(cell.write) {
        let what = if cell.write.atomic() {
            What::Atomic
        } else {
            What::Write
        };
        found = Some(conflict(cell.write, what));
    }
    if event.what == What::Read {
        if cell.reads[0].warp != now.warp && cell.reads[0].time != 0 {
            cell.reads[1] = cell.reads[0];
        }
        cell.reads[0] = now;
        return found;
    }
    for read in cell.reads {
        if found.is_none() && against(read) {
            found = Some(conflict(read, What::Read));
        }
    }
    *cell = Cell {
        write: now,
        reads: [NONE; 2],
    };
    found
}

fn present(clocks: &Clocks<'_>, event: &Event<'_>, lane: usize, bytes: u32) -> Past {
    Past {
        time: clocks.time.now(),
        warp: clocks.warp.warp,
        moment: (clocks.block.epoch << 16) | clocks.warp.tick(),
        what: (event.pc << 11)
            | (u32::from(event.what == What::Atomic) << 10)
            | ((lane as u32) << 5)
            | (u32::from(event.strong) << 4)
            | bytes,
    }
}

/// The bytes of the cell at `cell * 4` that `[address, address + size)` covers.
fn bytes_of(cell: u64, address: u64, size: u64) -> u32 {
    let start = address.saturating_sub(cell * 4).min(4);
    let end = (address + size).saturating_sub(cell * 4).min(4);
    ((1 << end) - 1) & !((1 << start) - 1)
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

/// Holds a warp's access against the cells that `find` gives by number, in runs of lanes.
fn sweep(
    cells: &mut [Cell],
    first: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    mask: u32,
) -> Option<Conflict> {
    let mut found = None;
    let size = u64::from(event.size);
    let mut rest = mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let address = event.address[lane];
        for number in address / 4..(address + size).div_ceil(4) {
            let Some(cell) = number
                .checked_sub(first)
                .and_then(|i| cells.get_mut(i as usize))
            else {
                continue;
            };
            let bytes = if size == 4 {
                15
            } else {
                bytes_of(number, address, size)
            };
            let now = present(clocks, event, lane, bytes);
            let conflict = touch(cell, clocks, event, lane, bytes, now);
            found = found.or(conflict);
        }
    }
    found
}

/// The memory of a block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    cells: Vec<Cell>,
}

impl SharedRaces {
    /// For a block that starts, with `bytes` of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.cells.clear();
        self.cells.resize(bytes.div_ceil(4) as usize, EMPTY);
    }

    /// Remembers an access (addresses are offsets); gives the first conflict.
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        sweep(&mut self.cells, 0, clocks, event, event.mask)
    }
}

/// Cells of one lock.
const CHUNK: usize = 1024;

/// The memory of one allocation in global memory; cells exist from the first access on.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    start: u64,
    chunks: Vec<Mutex<Vec<Cell>>>,
}

impl GlobalRaces {
    /// For the allocation of `bytes` bytes at `start`.
    pub fn new(start: u64, bytes: u64) -> Self {
        let chunks = bytes.div_ceil(4).div_ceil(CHUNK as u64) + 1;
        GlobalRaces {
            start,
            chunks: (0..chunks).map(|_| Mutex::new(Vec::new())).collect(),
        }
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation; gives the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let base = self.start / 4;
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk go together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = (event.address[lane] / 4 - base) as usize / CHUNK;
            let low = (base + (chunk * CHUNK) as u64) * 4;
            let high = low + (CHUNK * 4) as u64;
            let mut here = 0;
            for other in lane..LANES {
                let address = event.address[other];
                if rest & (1 << other) != 0 && address >= low && address < high {
                    here |= 1 << other;
                }
            }
            rest &= !here;
            let size = u64::from(event.size);
            {
                let mut cells = self.chunks[chunk]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if cells.is_empty() {
                    cells.resize(CHUNK, EMPTY);
                }
                let conflict = sweep(&mut cells, low / 4, clocks, event, here);
                found = found.or(conflict);
            }
            // An access that begins before the chunk's end and runs over it.
            let spill = (0..LANES)
                .filter(|l| here & (1 << l) != 0 && event.address[*l] + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            if spill != 0
                && let Some(next) = self.chunks.get(chunk + 1)
            {
                let mut cells = next.lock().unwrap_or_else(PoisonError::into_inner);
                if cells.is_empty() {
                    cells.resize(CHUNK, EMPTY);
                }
                let conflict = sweep(&mut cells, high / 4, clocks, event, spill);
                found = found.or(conflict);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
