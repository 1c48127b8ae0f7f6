//! Races: two accesses to one place, at least one a write and at least one not atomic, that nothing orders.
//!
//! For every four bytes the last write is kept, and the last reads by two different warps; every access is held against them.
//! That finds a race even when the two accesses happen not to collide in this run's schedule.

use super::Event;
use super::clock::{BlockClock, Publications, Time, WarpClock};
use crate::finding::{Scope, What};
use crate::lane::LANES;

/// An access that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past {
    /// Time, from [`Time::now`], as far as 32 bits go: what came later counts as ordered. 0: none.
    time: u32,
    /// Warp of the grid.
    warp: u32,
    /// Epoch of the block, and tick of the warp, each in 16 bits.
    moment: u32,
    /// Program counter (21 bits), atomic (1), lane (5), strong (1), bytes of the cell (4).
    what: u32,
}

pub(super) const NONE: Past = Past {
    time: 0,
    warp: 0,
    moment: 0,
    what: 0,
};

impl Past {
    pub fn lane(self) -> u32 {
        (self.what >> 5) & 31
    }
    /// The same by a lane further up.
    pub fn lanes_on(self, lanes: u32) -> Past {
        Past {
            what: if self.time == 0 {
                self.what
            } else {
                self.what + (lanes << 5)
            },
            ..self
        }
    }
    /// The same to these bytes of the cell, if it was to none.
    pub fn over(self, bytes: u32) -> Past {
        Past {
            what: self.what | bytes,
            ..self
        }
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
    pub fn bytes(self) -> u32 {
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
pub(super) struct Cell {
    pub write: Past,
    /// The last read, and the last by another warp.
    pub reads: [Past; 2],
}

pub(super) const EMPTY: Cell = Cell {
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
        let time = u64::from(past.time);
        if time < self.launch.start {
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
        (past.strong() || self.launch.published(past.warp, past.epoch(), time))
            && self.warp.acquired_since(self.block, time)
    }

    /// Whether `past` is no matter to any lane of this access, as far as that is quickly seen. `lane_for_lane`: what each lane did
    /// then, it alone is held against now.
    #[inline(always)]
    pub(super) fn settled(&self, past: Past, event: &Event<'_>, lane_for_lane: bool) -> bool {
        if u64::from(past.time) < self.launch.start {
            return true;
        }
        let own = past.warp == self.warp.warp;
        if past.strong() && event.strong {
            // As in `touch`: a protocol between threads.
            return !event.block_local || !own || (past.atomic() && event.what == What::Atomic);
        }
        if own {
            return past.epoch() != self.block.epoch & 0xffff
                || lane_for_lane
                || self.warp.all_met(past.tick());
        }
        let warps = self.launch.warps_per_block();
        // What a block remembers of its shared memory is its own.
        past.epoch() != self.block.epoch & 0xffff
            && (event.block_local || past.warp / warps == self.warp.warp / warps)
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
pub(super) fn touch(
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
    if event.what != What::Read {
        for read in cell.reads {
            if found.is_none() && against(read) {
                found = Some(conflict(read, What::Read));
            }
        }
    }
    cell.remember(event.what, now);
    found
}

impl Cell {
    /// Remembers an access.
    #[inline(always)]
    pub fn remember(&mut self, what: What, now: Past) {
        if what == What::Read {
            if self.reads[0].warp != now.warp && self.reads[0].time != 0 {
                self.reads[1] = self.reads[0];
            }
            self.reads[0] = now;
            return;
        }
        self.write = now;
        if self.reads[0].time != 0 {
            self.reads = [NONE; 2];
        }
    }
}

pub(super) fn present(clocks: &Clocks<'_>, event: &Event<'_>, lane: usize, bytes: u32) -> Past {
    Past {
        time: u32::try_from(clocks.time.now()).unwrap_or(u32::MAX),
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
pub(super) fn bytes_of(cell: u64, address: u64, size: u64) -> u32 {
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

#[cfg(test)]
mod tests;
