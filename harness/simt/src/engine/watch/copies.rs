//! Asynchronous copies in the race check.

use crate::checks::copies::CopyConflict;
use crate::checks::race::Clocks;
use crate::checks::{Event, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{Access, Allocation, Finding, Kind, Scope, Space, What};
use crate::lane::LANES;

impl Warp<'_> {
    /// Compares an access to shared memory with the copies under way. `copies` says whether it is such a copy itself.
    /// Returns true if it is a race.
    #[inline(always)]
    pub(super) fn meets_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        let none = self.block.get().copies.is_empty();
        (copies || !none) && self.check_copies(op, event, copies)
    }

    #[inline(never)]
    fn check_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        let races = &self.launch().races;
        let block = self.block.get_mut();
        let (under_way, epoch) = (&mut block.copies, block.clock.epoch);
        let found = under_way.conflict(event, self.index);
        if copies && let Some(races) = races {
            let moment = (races.time.now(), epoch, self.clock.tick());
            under_way.begin(event, self.index, moment);
        }
        if let Some(conflict) = found {
            let (mut now, allocation) = self.describe(op, event, Space::Shared, conflict.lane);
            if copies {
                now.what = What::Copy;
            }
            self.copy_race(conflict, now, allocation);
        }
        found.is_some()
    }

    #[cold]
    fn copy_race(&mut self, conflict: CopyConflict, now: Access, allocation: Option<Allocation>) {
        let CopyConflict { address, size, .. } = conflict;
        let place = self.program().place_of(conflict.pc);
        let mut copy = Access::memory(What::Copy, Space::Shared, size, address, place);
        self.nearest_shared(address, &mut copy);
        let [x, y, _] = self.launch().geometry.block;
        let linear = conflict.warp * LANES as u32 + conflict.by as u32;
        let copy = copy.by(now.block, [linear % x, linear / x % y, linear / x / y]);
        let scope = conflict.scope;
        let space = Space::Shared;
        let kind = Kind::Race { space, scope };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(copy);
        finding.allocation = allocation;
        finding.remedy = Some(
            match scope {
                Scope::Thread => {
                    "wait for the copy before its bytes are used: cp.async.wait_all, or wait_group with as many groups as may stay under way (__pipeline_wait_prior, or wait of a cuda::pipeline)"
                }
                _ => {
                    "let each thread wait for its own copies (cp.async.wait_all or wait_group, __pipeline_wait_prior), and put __syncthreads() behind that, before the others use what was copied"
                }
            }
            .into(),
        );
        self.record(finding);
    }

    /// The running lanes have waited for their copies.
    #[cold]
    pub(crate) fn waited(&mut self, keep: Option<u32>) {
        let Some(races) = &self.launch().races else {
            return;
        };
        let mask = self.mask();
        let block = self.block.get_mut();
        let done = block.copies.wait(self.index, mask, keep);
        self.clock.settle(&mut block.clock, &races.time);
        let now = (races.time.now(), block.clock.epoch, self.clock.tick());
        // If nothing has happened since a copy began, its write is ordered as it was remembered then.
        for copy in done.iter().filter(|copy| copy.moment != now) {
            let layout =
                if copy.lanes == copy.began { copy.layout } else { Layout::of(&copy.address, copy.lanes, copy.size) };
            let event = Event {
                what: What::Write,
                strong: false,
                volatile: false,
                narrow: false,
                block_local: true,
                pc: copy.pc,
                mask: copy.lanes,
                size: copy.size,
                address: &copy.address,
                layout,
            };
            let clocks = Clocks {
                time: &races.time,
                launch: &races.publications,
                block: &block.clock,
                warp: &self.clock,
                start: block.clock.start,
            };
            // Accesses that conflict with the copy have been reported already.
            block.races.access(&clocks, &event);
        }
    }
}
