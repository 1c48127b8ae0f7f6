//! The usual accesses to shared memory: accesses that cannot violate a check, and only need to be recorded.

use crate::checks::bounds::Bounds;
use crate::checks::launch::LaunchRaces;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::pattern::Pattern;
use crate::engine::traffic::request::Request;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Op, Order, Program};
use crate::finding::{AccessKind, Space};
use crate::lane::LANES;
use std::ops::Range;

/// Returns, for each instruction, the memory range in which its accesses may be usual ones; empty if they never are.
/// See also [`super::rows`]. For instructions that name shared memory, of which a block has `bytes` bytes, the range
/// lies there; for others, in global memory.
pub(crate) fn rooms(program: &Program, bounds: &[Option<Bounds>], bytes: u32) -> Vec<Range<u64>> {
    let mut rooms = vec![0..0; program.ops.len()];
    for access in &program.accesses {
        let Order { strong, volatile, release, narrow, asynchronous, bulk, range } = access.order;
        let shared = access.space == Space::Shared;
        let may_be_usual = match access.what {
            AccessKind::Atomic => shared && access.size == 4,
            AccessKind::Read | AccessKind::Write => !strong && (shared || !narrow),
            _ => false,
        };
        if may_be_usual && !(volatile || release || asynchronous || bulk || range) {
            let pc = access.pc as usize;
            let (space, room) = if shared { (Space::Shared, 0..bytes.into()) } else { (Space::Global, 0..u64::MAX) };
            let known = bounds.get(pc).copied().flatten().filter(|known| known.space == space);
            rooms[pc] = known.map_or(room.clone(), |known| known.start..known.end.min(room.end));
        }
    }
    // Such a load touches fewer bytes than it reads.
    for (pc, _) in &program.used_bytes {
        rooms[*pc as usize] = 0..0;
    }
    rooms
}

/// An access to shared memory, as far as needed to decide whether it is a usual one.
struct Usual {
    /// Its program counter.
    pc: u32,
    what: AccessKind,
    /// The offset of its first byte. `end` is one past its last.
    low: u64,
    end: u64,
}

impl Warp<'_> {
    /// Returns whether an access to shared memory is a usual one: all bytes that it touches have been written and
    /// belong to the array meant, and since the last barrier the block has made only accesses of this kind. Then the
    /// accesses before it are settled, and it only needs to be recorded; a store may not even need that, see
    /// [`crate::checks::shared::SharedRaces::note_row`].
    #[inline(always)]
    fn is_usual(&mut self, races: &LaunchRaces, Usual { pc, what, low, end }: Usual) -> bool {
        // SAFETY: every instruction has a site.
        let site = unsafe { &*self.sites.add(pc as usize) };
        let lies_in_room = low >= site.start && end <= site.start + site.len;
        let init = self.launch().init;
        let block = self.block.get_mut();
        let usual = lies_in_room
            && (!init || (block.stretch.start <= low && end <= block.stretch.end))
            && block.copies.is_empty()
            && block.unread.is_empty()
            && (what == AccessKind::Read || block.proxies.is_off())
            && block.clock.is_in_time(&races.time)
            && block.races.notes(block.clock.section(), what);
        if usual {
            self.clock.settle(&mut block.clock, &races.time);
        }
        usual
    }

    /// Records a read of, or atomics on, shared memory if they are usual ones. Otherwise does nothing and returns
    /// false.
    #[inline(always)]
    pub(super) fn note_usual(&mut self, op: &Op, request: Request, address: Addresses<'_>, layout: &Layout) -> bool {
        let Request { space, size, what } = request;
        let (Space::Shared, AccessKind::Read | AccessKind::Atomic, Some(races)) = (space, what, &self.launch().races)
        else {
            return false;
        };
        let (pc, low, end) = (op.site, layout.low, layout.high.saturating_add(size.into()));
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let mask = self.mask();
        let block = self.block.get_mut();
        let strong = what == AccessKind::Atomic;
        if strong {
            self.clock.acquire(&mut block.clock, false, &races.time);
        }
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        let (volatile, narrow, block_local) = (false, false, true);
        let event =
            Event { what, strong, volatile, narrow, block_local, pc, mask, size, address, excuses: None, layout };
        block.races.note(&clocks, &event);
        true
    }

    /// Records a read of shared memory by all lanes, `size` bytes each, if it is a usual one. The addresses have this
    /// pattern, from the offset `low` on. Otherwise does nothing and returns false. A separate call: inlined into the
    /// handler, it would take registers from unchecked loads.
    #[inline(never)]
    pub(crate) fn note_read(&mut self, op: &Op, size: u32, low: u64, pattern: &Pattern) -> bool {
        let (Some(races), false) = (&self.launch().races, pattern.halves.is_any_unusual()) else {
            return false;
        };
        let (pc, what, end) = (op.site, AccessKind::Read, low + pattern.span + u64::from(size));
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let block = self.block.get_mut();
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        let start = [pattern.at[0], pattern.at[LANES / 2]].map(|at| low as u32 + at);
        block.races.note_halves(&clocks, (pc, size), pattern.halves, start);
        true
    }

    /// Records atomics of the running lanes on words of shared memory, if they are usual ones. The offsets of other
    /// lanes are arbitrary; `low` and `high` are the lowest and the highest of the running lanes. Otherwise does
    /// nothing and returns false.
    #[inline(always)]
    pub(crate) fn note_atomics(&mut self, op: &Op, at: &[u32; LANES], (low, high): (u64, u64)) -> bool {
        let Some(races) = &self.launch().races else {
            return false;
        };
        let (pc, what) = (op.site, AccessKind::Atomic);
        if !self.is_usual(races, Usual { pc, what, low, end: high + 4 }) {
            return false;
        }
        let mask = self.mask();
        let block = self.block.get_mut();
        self.clock.acquire(&mut block.clock, false, &races.time);
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        block.races.note_words(&clocks, (pc, mask), at, (low, high));
        true
    }

    /// Records a store of a word by each lane, to consecutive words from the offset `low` on, if it is a usual one.
    /// Otherwise does nothing and returns false. A separate call, as for reads.
    #[inline(never)]
    pub(crate) fn note_row(&mut self, op: &Op, low: u64) -> bool {
        let Some(races) = &self.launch().races else {
            return false;
        };
        let (pc, what, end) = (op.site, AccessKind::Write, low + 4 * LANES as u64);
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let block = self.block.get_mut();
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        block.races.note_row(&clocks, pc, low)
    }
}
