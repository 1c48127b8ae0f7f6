//! The usual accesses to shared memory: those about which the checks have nothing to say, and only take note.

use crate::checks::bounds::Bounds;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Op, Order, Program};
use crate::engine::warp::request::Request;
use crate::finding::{Space, What};
use std::ops::Range;

/// For each instruction, the shared memory in which its accesses may be usual ones: empty if they never are. A block
/// has `bytes` bytes of it.
pub(crate) fn rooms(program: &Program, bounds: &[Option<Bounds>], bytes: u32) -> Vec<Range<u64>> {
    let mut rooms = vec![0..0; program.ops.len()];
    for access in &program.accesses {
        let Order { strong, volatile, release, narrow: _, asynchronous, bulk } = access.order;
        let may_be_usual = match access.what {
            What::Read => !strong,
            What::Atomic => access.size == 4,
            _ => false,
        };
        if may_be_usual && !(volatile || release || asynchronous || bulk) {
            let pc = access.pc as usize;
            let known = bounds.get(pc).copied().flatten().filter(|known| known.space == Space::Shared);
            rooms[pc] = known.map_or(0..bytes.into(), |known| known.start..known.end.min(bytes.into()));
        }
    }
    rooms
}

impl Warp<'_> {
    /// Notes an access to shared memory if it is a usual one: all that it touches has been written and belongs to the
    /// array meant, and since the last barrier the block has made accesses of this kind only. Otherwise returns false,
    /// and nothing has been done.
    #[inline(always)]
    pub(super) fn note_usual(&mut self, op: &Op, request: Request, address: Addresses<'_>, layout: &Layout) -> bool {
        let Request { space, size, what } = request;
        let launch = self.launch();
        let (Space::Shared, Some(races), Some(room)) = (space, &launch.races, launch.rooms.get(op.site as usize))
        else {
            return false;
        };
        let (low, end) = (layout.low, layout.high.saturating_add(size.into()));
        let lies_in = |piece: &Range<u64>| piece.start <= low && end <= piece.end;
        let (mask, unjudged) = (self.mask(), !self.unjudged.is_empty());
        let block = self.block.get_mut();
        let usual = lies_in(room)
            && (!launch.init || (lies_in(&block.stretch) && !unjudged))
            && block.copies.is_empty()
            && (what == What::Read || block.proxies.is_off())
            && block.clock.is_in_time(&races.time)
            && block.races.notes(block.clock.section(), what);
        if !usual {
            return false;
        }
        self.clock.settle(&mut block.clock, &races.time);
        let strong = what == What::Atomic;
        if strong {
            self.clock.acquire(&mut block.clock, false, &races.time);
        }
        let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
        let (pc, volatile, narrow, block_local) = (op.site, false, false, true);
        let event = Event { what, strong, volatile, narrow, block_local, pc, mask, size, address, layout };
        block.races.note(&clocks, &event);
        true
    }
}
