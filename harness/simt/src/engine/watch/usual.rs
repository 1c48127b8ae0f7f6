//! The usual accesses to shared memory: those about which the checks have nothing to say, and only take note.

use crate::checks::bounds::Bounds;
use crate::checks::launch::LaunchRaces;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::pattern::Pattern;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Op, Order, Program};
use crate::engine::warp::request::Request;
use crate::finding::{Space, What};
use crate::lane::LANES;
use std::ops::Range;

/// For each instruction, the memory in which its accesses may be usual ones, see also [`super::rows`]: empty if they
/// never are. For those that name shared memory, of which a block has `bytes` bytes, it lies there; for others it lies
/// in global memory.
pub(crate) fn rooms(program: &Program, bounds: &[Option<Bounds>], bytes: u32) -> Vec<Range<u64>> {
    let mut rooms = vec![0..0; program.ops.len()];
    for access in &program.accesses {
        let Order { strong, volatile, release, narrow, asynchronous, bulk } = access.order;
        let shared = access.space == Space::Shared;
        let may_be_usual = match access.what {
            What::Atomic => shared && access.size == 4,
            What::Read | What::Write => !strong && (shared || !narrow),
            _ => false,
        };
        if may_be_usual && !(volatile || release || asynchronous || bulk) {
            let pc = access.pc as usize;
            let (space, room) = if shared { (Space::Shared, 0..bytes.into()) } else { (Space::Global, 0..u64::MAX) };
            let known = bounds.get(pc).copied().flatten().filter(|known| known.space == space);
            rooms[pc] = known.map_or(room.clone(), |known| known.start..known.end.min(room.end));
        }
    }
    // What such a load touches is not all that it reads.
    for (pc, _) in &program.used_bytes {
        rooms[*pc as usize] = 0..0;
    }
    rooms
}

/// An access to shared memory, as far as it matters for whether it is a usual one.
struct Usual {
    /// Its program counter.
    pc: u32,
    what: What,
    /// The offset of its first byte, and one past that of its last.
    low: u64,
    end: u64,
}

impl Warp<'_> {
    /// Whether an access to shared memory is a usual one: all that it touches has been written and belongs to the array
    /// meant, and since the last barrier the block has made accesses of this kind only. Then the accesses before it are
    /// settled, and it need only be noted; a store perhaps not, see [`crate::checks::shared::SharedRaces::note_row`].
    #[inline(always)]
    fn is_usual(&mut self, races: &LaunchRaces, Usual { pc, what, low, end }: Usual) -> bool {
        // SAFETY: there is a site for every instruction.
        let site = unsafe { &*self.sites.add(pc as usize) };
        let lies_in_room = low >= site.start && end <= site.start + site.len;
        let init = self.launch().init;
        let block = self.block.get_mut();
        let usual = lies_in_room
            && (!init || (block.stretch.start <= low && end <= block.stretch.end))
            && block.copies.is_empty()
            && (what == What::Read || block.proxies.is_off())
            && block.clock.is_in_time(&races.time)
            && block.races.notes(block.clock.section(), what);
        if usual {
            self.clock.settle(&mut block.clock, &races.time);
        }
        usual
    }

    /// Notes a read of shared memory or atomics there if they are usual ones. Otherwise returns false, and nothing has
    /// been done.
    #[inline(always)]
    pub(super) fn note_usual(&mut self, op: &Op, request: Request, address: Addresses<'_>, layout: &Layout) -> bool {
        let Request { space, size, what } = request;
        let (Space::Shared, What::Read | What::Atomic, Some(races)) = (space, what, &self.launch().races) else {
            return false;
        };
        let (pc, low, end) = (op.site, layout.low, layout.high.saturating_add(size.into()));
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let mask = self.mask();
        let block = self.block.get_mut();
        let strong = what == What::Atomic;
        if strong {
            self.clock.acquire(&mut block.clock, false, &races.time);
        }
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        let (volatile, narrow, block_local) = (false, false, true);
        let event = Event { what, strong, volatile, narrow, block_local, pc, mask, size, address, same: None, layout };
        block.races.note(&clocks, &event);
        true
    }

    /// Notes a read of shared memory by all lanes, `size` bytes each, if it is a usual one. They lie as the pattern has
    /// it, from the offset `low` on. Otherwise returns false, and nothing has been done. A call of its own: inside the
    /// handler, it would take registers from loads that nobody checks.
    #[inline(never)]
    pub(crate) fn note_read(&mut self, op: &Op, size: u32, low: u64, pattern: &Pattern) -> bool {
        let (Some(races), false) = (&self.launch().races, pattern.halves.is_any_unusual()) else {
            return false;
        };
        let (pc, what, end) = (op.site, What::Read, low + pattern.span + u64::from(size));
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let block = self.block.get_mut();
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        let start = [pattern.at[0], pattern.at[LANES / 2]].map(|at| low as u32 + at);
        block.races.note_halves(&clocks, (pc, size), pattern.halves, start);
        true
    }

    /// Notes atomics of the running lanes on words of shared memory, if they are usual ones. In the lanes that do not
    /// run, the offsets can be any; `low` and `high` are the lowest and the highest of the others. Otherwise returns
    /// false, and nothing has been done.
    #[inline(always)]
    pub(crate) fn note_atomics(&mut self, op: &Op, at: &[u32; LANES], (low, high): (u64, u64)) -> bool {
        let Some(races) = &self.launch().races else {
            return false;
        };
        let (pc, what) = (op.site, What::Atomic);
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

    /// Notes a store of a word by each lane, lane after lane from the offset `low` on, if it is a usual one. Otherwise
    /// returns false, and it has not been noted. A call of its own, as for reads.
    #[inline(never)]
    pub(crate) fn note_row(&mut self, op: &Op, low: u64) -> bool {
        let Some(races) = &self.launch().races else {
            return false;
        };
        let (pc, what, end) = (op.site, What::Write, low + 4 * LANES as u64);
        if !self.is_usual(races, Usual { pc, what, low, end }) {
            return false;
        }
        let block = self.block.get_mut();
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        block.races.note_row(&clocks, pc, low)
    }
}
