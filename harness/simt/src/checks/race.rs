//! Races: two unordered accesses to one location, at least one of which is a write and at least one of which is not
//! atomic.
//!
//! For every four bytes (or every byte, after narrower accesses), the check keeps the last plain write, the last strong
//! write, and the last reads by two different warps. Every access is compared with them. This finds a race even if the
//! two accesses do not collide in the schedule of this run.

use super::clock::{BlockClock, Deed, Publications, Time, WarpClock};
use super::{Addresses, Event, Layout};
use crate::finding::{AccessKind, Scope};
use crate::lane::LANES;

/// A past access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShadowAccess {
    /// The time, from [`BlockClock::now`]. 0 means that there was no access.
    pub time: u32,
    /// The number of the warp in the grid.
    pub warp: u32,
    /// The block's epoch and the warp's tick, in 16 bits each.
    pub moment: u32,
    /// From the top: the program counter (23 bits), whether it is volatile, of the block's scope, atomic and strong (1
    /// bit each), and the last lane that made it (5 bits).
    pub what: u32,
    /// The lanes that made it at that moment.
    pub lanes: u32,
}

pub(super) const NONE: ShadowAccess = ShadowAccess { time: 0, warp: 0, moment: 0, what: 0, lanes: 0 };

impl ShadowAccess {
    /// Returns the access that the running warp makes now, without a lane.
    #[inline(always)]
    pub fn now(clocks: &Clocks<'_>, event: &Event<'_>) -> ShadowAccess {
        let what = (event.pc << 9)
            | (u32::from(event.volatile) << 8)
            | (u32::from(event.narrow) << 7)
            | (u32::from(event.what == AccessKind::Atomic) << 6)
            | (u32::from(event.strong) << 5);
        ShadowAccess::doing(clocks, what)
    }
    /// Returns a plain access that the running warp makes now, without a lane.
    #[inline(always)]
    pub fn plain_now(clocks: &Clocks<'_>, pc: u32) -> ShadowAccess {
        ShadowAccess::doing(clocks, pc << 9)
    }
    /// Returns an atomic that the running warp makes now, without a lane.
    #[inline(always)]
    pub fn atomic_now(clocks: &Clocks<'_>, pc: u32) -> ShadowAccess {
        ShadowAccess::doing(clocks, pc << 9 | 64 | 32)
    }
    #[inline(always)]
    fn doing(clocks: &Clocks<'_>, what: u32) -> ShadowAccess {
        ShadowAccess {
            time: clocks.block.now(clocks.time) as u32,
            warp: clocks.warp.warp,
            moment: (clocks.block.epoch << 16) | clocks.warp.tick(),
            what,
            lanes: 0,
        }
    }
    /// Returns the same access, made by a lane.
    #[inline(always)]
    pub fn by(self, lane: u32) -> ShadowAccess {
        ShadowAccess { what: self.what | lane, lanes: 1 << lane, ..self }
    }
    /// Returns the same access, made by several lanes, the highest of them last.
    #[inline(always)]
    pub fn by_all(self, lanes: u32) -> ShadowAccess {
        ShadowAccess { what: self.what | lanes.checked_ilog2().unwrap_or(0), lanes, ..self }
    }
    /// Returns the same access, made by lanes whose numbers are `lanes` higher.
    pub fn up(self, lanes: u32) -> ShadowAccess {
        if self.time == 0 {
            return self;
        }
        ShadowAccess { what: self.what + lanes, lanes: self.lanes << lanes, ..self }
    }
    /// Returns the event of this access to shared memory: a read, or a store.
    pub fn as_access<'a>(
        self,
        what: AccessKind,
        mask: u32,
        size: u32,
        address: Addresses<'a>,
        layout: &'a Layout,
    ) -> Event<'a> {
        let (pc, strong, volatile, narrow) = (self.pc(), self.strong(), self.volatile(), self.narrow());
        Event { what, strong, volatile, narrow, block_local: true, pc, mask, size, address, excuses: None, layout }
    }
    /// Returns whether it is the same instruction at the same moment.
    #[inline(always)]
    pub fn is_again(self, now: ShadowAccess) -> bool {
        self.warp == now.warp && self.moment == now.moment && self.pc() == now.pc()
    }
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
    fn deed(self) -> Deed {
        Deed { warp: self.warp, lanes: self.lanes, time: self.time.into(), moment: self.moment }
    }
    fn tick(self) -> u32 {
        self.moment & 0xffff
    }
    fn epoch(self) -> u32 {
        self.moment >> 16
    }
}

/// The shadow cell of one location.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShadowCell {
    /// The last plain write.
    pub write: ShadowAccess,
    /// The last strong write since then. It does not replace the plain write, because a thread that is ordered after it
    /// need not be ordered after the plain write.
    pub strong: ShadowAccess,
    /// The last read, and the last one by another warp.
    pub reads: [ShadowAccess; 2],
    /// The section ([`Clocks::section`]) of the whole cell.
    pub section: u64,
    /// Whether only atomics have accessed the location.
    pub calm: bool,
}

pub(super) const EMPTY: ShadowCell = ShadowCell { write: NONE, strong: NONE, reads: [NONE; 2], section: 0, calm: true };

/// The history of cells that consecutive lanes accessed in order: the accesses of the lane at the first cell. It
/// contains no strong write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShadowRange {
    /// The last write.
    write: ShadowAccess,
    /// The last reads by two warps.
    reads: [ShadowAccess; 2],
}

impl ShadowRange {
    pub const EMPTY: ShadowRange = ShadowRange { write: NONE, reads: [NONE; 2] };

    /// Creates a history of only these reads.
    pub fn of_reads(reads: [ShadowAccess; 2]) -> ShadowRange {
        ShadowRange { reads, ..ShadowRange::EMPTY }
    }

    /// Returns the same history, as seen from the cell that is `places` cells further on.
    pub fn up(&self, places: u32) -> ShadowRange {
        ShadowRange { write: self.write.up(places), reads: self.reads.map(|read| read.up(places)) }
    }

    /// Returns the shadow cell of one location.
    pub fn part(&self, place: usize) -> ShadowCell {
        let ShadowRange { write, reads } = self.up(place as u32);
        ShadowCell { write, reads, calm: *self == ShadowRange::EMPTY, ..EMPTY }
    }

    /// Returns whether all its accesses were before a time.
    pub fn before(&self, time: u64) -> bool {
        let old = |past: ShadowAccess| u64::from(past.time) < time;
        old(self.write) && old(self.reads[0]) && old(self.reads[1])
    }

    /// Records that lanes access the cells in order again. `now` is the access of the first of them. Returns false and
    /// records nothing if that may be a conflict, or cannot be kept in this form.
    #[inline(always)]
    pub fn go_over(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: ShadowAccess) -> bool {
        let writes = event.what != AccessKind::Read;
        // If two different lanes have read the cell, each of the two reads may conflict.
        let own = if now.lanes.is_power_of_two() { now.lanes } else { 0 };
        let fine = |past: ShadowAccess| clocks.settled(past, event, own);
        let settled = fine(self.write) && (!writes || (fine(self.reads[0]) && fine(self.reads[1])));
        if !settled || (writes && event.strong) {
            return false;
        }
        self.remember(event, now);
        true
    }

    /// Records the access of the first of the lanes that access the cells. It must not be a strong write.
    #[inline(always)]
    pub fn remember(&mut self, event: &Event<'_>, now: ShadowAccess) {
        if event.what == AccessKind::Read {
            remember_read(&mut self.reads, now);
        } else {
            (self.write, self.reads) = (now, [NONE; 2]);
        }
    }
}

/// A race: the earlier access that conflicts with the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The smallest scope that contains both threads.
    pub scope: Scope,
    /// The lane of the current access.
    pub lane: usize,
    /// The address of the word or byte that both accessed, if it is known.
    pub at: Option<u64>,
    /// The kind of the earlier access, and its program counter.
    pub what: AccessKind,
    pub pc: u32,
    /// The warp in the grid and the lane of the earlier access.
    pub earlier_lane: u32,
    pub earlier_warp: u32,
    /// Whether both accesses are strong, but one of them only inside its own block, and the other thread is in another
    /// block.
    pub narrow: bool,
    /// Whether another lane of the earlier thread's warp has released its own accesses, without having synchronised
    /// with that thread.
    pub elected: bool,
    /// Whether the thread has performed an acquire since, but there was no fence before the flag was set.
    pub unfenced: bool,
}

/// The clocks by which an access is checked.
pub(crate) struct Clocks<'a> {
    pub time: &'a Time,
    pub launch: &'a Publications,
    pub block: &'a BlockClock,
    pub warp: &'a WarpClock,
    /// Everything before this time is ordered.
    pub start: u64,
}

impl Clocks<'_> {
    /// Returns the section of an access: it is compared only with accesses of the same section. A block's shared memory
    /// has a section from each barrier to the next, and all other memory has a single one.
    #[inline(always)]
    pub(super) fn section(&self, event: &Event<'_>) -> u64 {
        if event.block_local { self.block.section() } else { 0 }
    }

    /// Returns the first of the lanes of `past` whose access is not ordered before the current access of lane `lane` of
    /// the running warp.
    fn unordered(&self, past: ShadowAccess, what: AccessKind, lane: u32, lockstep: bool) -> Option<u32> {
        if u64::from(past.time) < self.start {
            return None;
        }
        let same_warp = past.warp == self.warp.warp;
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
            if self.block.behind(of_block(past.warp), of_block(self.warp.warp), past.deed()) {
                return None;
            }
        }
        let acquired = self.acquired_since(past, same_warp);
        (lockstep || !acquired || !self.published(past, what)).then_some(first)
    }

    /// Returns whether `past` certainly does not conflict with the current access of each of `lanes`. This test is
    /// quick; false means that there may be a conflict.
    #[inline(always)]
    pub(super) fn settled(&self, past: ShadowAccess, event: &Event<'_>, lanes: u32) -> bool {
        if past.time == 0 || u64::from(past.time) < self.start {
            return true;
        }
        if past.strong() && event.strong {
            let lockstep = past.volatile() && event.volatile;
            return !(lockstep || past.narrow() || event.narrow);
        }
        let earlier = past.epoch() != self.block.epoch & 0xffff;
        if past.warp == self.warp.warp {
            return earlier || past.lanes & !lanes == 0 || self.warp.all_met(past.tick());
        }
        // All recorded accesses to shared memory since the block began were made by the block itself.
        earlier && (event.block_local || self.same_block(past))
    }

    /// Returns whether the running warp has performed an acquire since `past`, in the sense of
    /// [`WarpClock::acquired_since`].
    fn acquired_since(&self, past: ShadowAccess, own: bool) -> bool {
        if self.same_block(past) {
            self.warp.acquired_since(self.block, past.time.into(), own)
        } else {
            self.warp.acquired_since_other(self.block, past.time.into())
        }
    }

    fn same_block(&self, past: ShadowAccess) -> bool {
        let warps = self.launch.warps_per_block();
        past.warp / warps == self.warp.warp / warps
    }

    /// Returns whether an access has been published. A strong access publishes itself within its scope. Other accesses
    /// need a fence after them; for another block, a read is complete when its own block has passed a barrier and set a
    /// flag.
    fn published(&self, past: ShadowAccess, what: AccessKind) -> bool {
        let inside = self.same_block(past);
        (past.strong() && (inside || !past.narrow()))
            || self.launch.published(past.deed(), inside)
            || (what == AccessKind::Read && !inside && self.launch.has_read(past.deed()))
    }

    /// Returns whether other lanes of the warp have released their accesses, without having synchronised with the lanes
    /// of `past`.
    fn passed_over(&self, past: ShadowAccess) -> bool {
        let warps = self.launch.warps_per_block();
        let inside = self.same_block(past);
        let (was, is) = ((past.warp % warps) as usize, (self.warp.warp % warps) as usize);
        self.launch.passed_over(past.deed(), inside)
            || (inside && was != is && self.block.passed_over(was, is, past.deed()))
    }

    fn scope(&self, past: ShadowAccess) -> Scope {
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

/// Compares one lane's access to a location with the past, and records it.
#[inline(always)]
pub(super) fn touch(
    cell: &mut ShadowCell,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    lane: u32,
    now: ShadowAccess,
) -> Option<Conflict> {
    // Two strong accesses are part of a protocol between threads, such as a flag or a lock. Volatile accesses to shared
    // memory in one warp are not: they are typical of code that relies on lanes in lockstep.
    let lockstep = |past: ShadowAccess| event.block_local && past.warp == now.warp && past.volatile() && event.volatile;
    let wide_enough = |past: ShadowAccess| !(event.narrow || past.narrow()) || clocks.same_block(past);
    let against = |past: ShadowAccess, what: AccessKind| {
        if past.time == 0 {
            return None;
        }
        let both = past.strong() && event.strong;
        if both && !lockstep(past) && wide_enough(past) {
            return None;
        }
        let earlier_lane = clocks.unordered(past, what, lane, both && lockstep(past))?;
        let scope = clocks.scope(past);
        let plain = !event.strong && !past.strong();
        let acquired = || clocks.acquired_since(past, false);
        let conflict = Conflict {
            scope,
            lane: lane as usize,
            at: None,
            what,
            pc: past.pc(),
            earlier_lane,
            earlier_warp: past.warp,
            narrow: both && scope == Scope::Grid,
            elected: scope != Scope::Warp && clocks.passed_over(past),
            unfenced: plain && scope != Scope::Warp && !clocks.published(past, what) && acquired(),
        };
        let stores = what == AccessKind::Write && event.what == AccessKind::Write;
        (!stores || event.excuses.is_none_or(|excuses| !excuses(&conflict))).then_some(conflict)
    };
    // These are lanes of one instruction. `same_instruction` looks for two stores of different values to one location.
    let mut found = None;
    if !cell.write.is_again(now) {
        found = against(cell.write, AccessKind::Write);
    }
    if found.is_none() && !cell.strong.is_again(now) {
        let what = if cell.strong.atomic() { AccessKind::Atomic } else { AccessKind::Write };
        found = against(cell.strong, what);
    }
    if event.what != AccessKind::Read {
        for read in cell.reads {
            if found.is_none() {
                found = against(read, AccessKind::Read);
            }
        }
    }
    cell.remember(event, now);
    found
}

/// Records a read. It is merged with reads of the same instruction, or else replaces an older read, preferably one of
/// this warp.
pub(super) fn remember_read(reads: &mut [ShadowAccess; 2], now: ShadowAccess) {
    let same =
        |past: &&mut ShadowAccess| (past.warp, past.moment, past.what & !31) == (now.warp, now.moment, now.what & !31);
    if let Some(known) = reads.iter_mut().find(same) {
        let lanes = known.lanes | now.lanes;
        *known = ShadowAccess { lanes, ..now };
        return;
    }
    let [last, other] = reads;
    let keep_other = other.time != 0 && other.warp != now.warp;
    if last.warp == now.warp && last.time != 0 && keep_other {
        // There is no room for two reads of this warp next to that of another warp, so they are merged.
        let lanes = if last.moment == now.moment { last.lanes } else { 0 };
        *last = ShadowAccess { lanes: lanes | now.lanes, ..now };
    } else {
        if last.time != 0 {
            *other = *last;
        }
        *last = now;
    }
}

impl ShadowCell {
    /// Returns whether the history of the cell cannot conflict with `now`: see [`Clocks::settled`].
    #[inline(always)]
    pub fn settled(&self, clocks: &Clocks<'_>, event: &Event<'_>, lanes: u32) -> bool {
        let fine = |past: ShadowAccess| clocks.settled(past, event, lanes);
        fine(self.write)
            && fine(self.strong)
            && (event.what == AccessKind::Read || (fine(self.reads[0]) && fine(self.reads[1])))
    }

    /// Returns whether an atomic cannot conflict here: only atomics have accessed the location, and all are strong for
    /// each other's threads.
    #[inline(always)]
    pub fn is_calm_for(&self, event: &Event<'_>) -> bool {
        self.calm && !event.narrow && !self.strong.narrow()
    }

    /// Forgets the history of another section. For a block's shared memory, that is everything before its last barrier.
    #[inline(always)]
    pub fn enter(&mut self, section: u64) {
        if self.section != section {
            *self = ShadowCell { section, ..EMPTY };
        }
    }

    /// Records a strong write.
    #[inline(always)]
    pub fn remember_strong(&mut self, now: ShadowAccess) {
        let last = self.strong;
        let lanes = if last.is_again(now) { last.lanes } else { 0 };
        self.strong = ShadowAccess { lanes: lanes | now.lanes, ..now };
    }

    /// Records the access of the lanes of `now`. The lane that `now` names is the last of them.
    #[inline(always)]
    pub fn remember(&mut self, event: &Event<'_>, now: ShadowAccess) {
        self.calm &= event.what == AccessKind::Atomic;
        if event.what == AccessKind::Read {
            remember_read(&mut self.reads, now);
        } else if event.strong {
            self.remember_strong(now);
        } else {
            let write = ShadowAccess { lanes: 1 << now.lane(), ..now };
            *self = ShadowCell { write, section: self.section, calm: false, ..EMPTY };
        }
    }
}

/// Returns the pairs of lanes of a store that write to one location.
pub(crate) fn same_instruction(mask: u32, address: &[u64; LANES]) -> Vec<(usize, usize)> {
    let mut seen: smallvec::SmallVec<[(u64, usize); LANES]> =
        (0..LANES).filter(|lane| mask & (1 << lane) != 0).map(|lane| (address[lane], lane)).collect();
    if seen.is_sorted_by(|a, b| a.0 < b.0) {
        return Vec::new();
    }
    seen.sort_unstable();
    seen.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| (w[0].1, w[1].1)).collect()
}

#[cfg(test)]
mod tests;
