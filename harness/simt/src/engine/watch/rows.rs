//! A fast path for plain loads and stores of rows of global memory by whole warps, its most frequent accesses: the same
//! checks as [`super::access`], in fewer steps.

use super::written::range_at;
use crate::checks::race::Conflict;
use crate::checks::{Addresses, Event, Half, Layout};
use crate::engine::traffic::request::Request;
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{AccessKind, Space};
use crate::lane::{ALL, LANES};

impl Warp<'_> {
    /// Passes an access to the checks if all lanes access one row, or each half of the warp accesses one, inside a
    /// single allocation and the array meant, and it reads only what has been written. Otherwise does nothing and
    /// returns false.
    #[inline(always)]
    pub(super) fn note_rows(&mut self, op: &Op, request: Request, address: Addresses<'_>, layout: &Layout) -> bool {
        let Request { space, size, what } = request;
        let launch = self.launch();
        let (Space::Global, Some(races), Some(room)) = (space, &launch.races, launch.rooms.get(op.site as usize))
        else {
            return false;
        };
        let Layout { low, high, row, halves } = *layout;
        let end = high.saturating_add(size.into());
        let usual =
            (row || halves.each() == [Half::Line; 2]) && self.mask() == ALL && room.start <= low && end <= room.end;
        if !usual {
            return false;
        }
        let Some(at) = range_at(launch, self.scratch.get_mut(), op.site, low) else {
            return false;
        };
        let range = launch.view.ranges()[at];
        if !range.contains(low, end - low) {
            return false;
        }
        if launch.init
            && let Some(written) = launch.view.written(at)
        {
            let half = u64::from(size) * LANES as u64 / 2;
            let [one, two] =
                if row { [(low, end - low), (low, 0)] } else { [0, LANES / 2].map(|lane| (address.at(lane), half)) };
            if what == AccessKind::Write {
                written.write(one.0 - range.start, one.1);
                written.write(two.0 - range.start, two.1);
            } else if written.unwritten(one.0 - range.start, one.1).is_some()
                || written.unwritten(two.0 - range.start, two.1).is_some()
            {
                return false;
            }
        }
        self.begin_store(op, what, space, size, address);
        let store = (what == AccessKind::Write).then(|| self.store(op, space, size, address));
        let excuses = store.as_ref().map(|store| |conflict: &Conflict| store.excuses(conflict));
        let block = self.block.get_mut();
        block.clock.catch_up(&races.time);
        if !block.clock.is_in_time(&races.time) {
            return true;
        }
        self.clock.settle(&mut block.clock, &races.time);
        if range.writable {
            let clocks = races.clocks(&block.clock, &self.clock, races.publications.start);
            let (strong, volatile, narrow, block_local) = (false, false, false, false);
            let (pc, mask) = (op.site, ALL);
            let excuses = excuses.as_ref().map(|excuses| excuses as _);
            let event = Event { what, strong, volatile, narrow, block_local, pc, mask, size, address, excuses, layout };
            let memory = races.global(at, range.start, range.end - range.start);
            let found = memory.access(&clocks, &event, mask);
            // Only stores to shared memory leave conflicts for later.
            _ = store.as_ref().map(|store| self.end_store(store));
            if let Some(conflict) = found {
                self.race(op, &event, space, conflict);
            }
        }
        true
    }
}
