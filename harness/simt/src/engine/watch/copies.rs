//! Asynchronous copies in the race check.

use crate::checks::copies::{Bulk, CopyConflict, Until};
use crate::checks::proxies::Stored;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{Access, AccessKind, Allocation, Finding, FindingKind, Scope, Space};
use crate::lane::LANES;

impl Warp<'_> {
    /// Compares an access to shared memory with the pending copies. `copies`: the access is such a copy itself. Returns
    /// true if it is a race.
    #[inline(always)]
    pub(super) fn meets_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        let none = self.block.get().copies.is_empty();
        (copies || !none) && self.check_copies(op, event, copies)
    }

    #[inline(never)]
    fn check_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        let races = &self.launch().races;
        let block = self.block.get_mut();
        if !copies && let Some((lane, copy)) = block.copies.bulk_conflict(event, self.clock.warp) {
            let copy = copy.clone();
            self.bulk_race(op, event, lane, &copy);
            return true;
        }
        let now = races.as_ref().map_or(0, |races| block.clock.now(&races.time));
        let (under_way, epoch) = (&mut block.copies, block.clock.epoch);
        let found = under_way.conflict(event, self.index);
        if copies && races.is_some() {
            let moment = (now, epoch, self.clock.tick());
            under_way.begin(event, self.index, moment);
        }
        if let Some(conflict) = found {
            let (mut now, allocation) = self.describe(op, event, Space::Shared, conflict.lane);
            if copies {
                now.what = AccessKind::Copy;
            }
            self.copy_race(conflict, now, allocation);
        }
        found.is_some()
    }

    #[cold]
    fn copy_race(&mut self, conflict: CopyConflict, now: Access, allocation: Option<Allocation>) {
        let CopyConflict { address, size, .. } = conflict;
        let place = self.program().place_of(conflict.pc);
        let mut copy = Access::memory(AccessKind::Copy, Space::Shared, size, address, place);
        self.nearest_shared(address, &mut copy);
        let [x, y, _] = self.launch().geometry.block;
        let linear = conflict.warp * LANES as u32 + conflict.by as u32;
        let copy = copy.by(now.block, [linear % x, linear / x % y, linear / x / y]);
        let scope = conflict.scope;
        let space = Space::Shared;
        let kind = FindingKind::Race { space, scope };
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

    /// Records that an access races with a bulk copy that has not been waited for.
    #[cold]
    fn bulk_race(&mut self, op: &Op, event: &Event<'_>, lane: usize, copy: &Bulk) {
        let (now, allocation) = self.describe(op, event, Space::Shared, lane);
        let Some(races) = &self.launch().races else { return };
        let (block, warp) = (copy.warp / races.warps_per_block(), copy.warp % races.warps_per_block());
        let place = self.program().place_of(copy.pc);
        let mut other = Access::memory(AccessKind::Copy, Space::Shared, copy.bytes as u32, copy.start, place);
        self.nearest_shared(copy.start, &mut other);
        let ([x, y, _], [gx, gy, _]) = (self.launch().geometry.block, self.launch().geometry.grid);
        let linear = warp * LANES as u32 + copy.lane;
        let other =
            other.by([block % gx, block / gx % gy, block / gx / gy], [linear % x, linear / x % y, linear / x / y]);
        let scope = match (u64::from(block) == self.block.get().number, warp == self.index, lane as u32 == copy.lane) {
            (false, ..) => Scope::Grid,
            (true, true, true) => Scope::Thread,
            (true, true, false) => Scope::Warp,
            (true, false, _) => Scope::Block,
        };
        let kind = FindingKind::Race { space: Space::Shared, scope };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(other);
        finding.allocation = allocation;
        let remedy = match (copy.until, copy.what) {
            (Until::Phase(..), _) => {
                "wait for the phase of the mbarrier to which the copy reports (wait of a cuda::barrier, mbarrier.try_wait) before its bytes are used: every thread that uses them waits, or one does and a barrier of the block follows"
            }
            (Until::Group(_), AccessKind::Read) => {
                "wait until the copy has read its bytes before they are changed: cp.async.bulk.commit_group and cp.async.bulk.wait_group.read by the thread that began it, then a barrier"
            }
            _ => {
                "wait for the copy (cp.async.bulk.commit_group and cp.async.bulk.wait_group by the thread that began it) before its bytes are used"
            }
        };
        finding.remedy = Some(remedy.into());
        self.record(finding);
    }

    /// Records that a bulk copy reads what a thread has stored, without a fence that orders the store before copies.
    #[cold]
    pub(super) fn misses_fence(&mut self, op: &Op, event: &Event<'_>, (address, stored): (u64, Stored)) {
        let lane = event.mask.trailing_zeros() as usize & 31;
        let (mut now, allocation) = self.describe(op, event, Space::Shared, lane);
        now.what = AccessKind::Copy;
        let place = self.program().place_of(stored.pc);
        let [x, y, _] = self.launch().geometry.block;
        let linear = stored.by.0 * LANES as u32 + stored.by.1;
        let mut earlier = Access::memory(AccessKind::Write, Space::Shared, event.size, address, place);
        earlier.variable.clone_from(&now.variable);
        let earlier = earlier.by(now.block, [linear % x, linear / x % y, linear / x / y]);
        let scope = match (stored.by.0 == self.index, stored.by.1 == lane as u32) {
            (true, true) => Scope::Thread,
            (true, false) => Scope::Warp,
            (false, _) => Scope::Block,
        };
        let kind = FindingKind::Race { space: Space::Shared, scope };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(earlier);
        finding.allocation = allocation;
        finding.notes.push("a barrier alone does not order plain stores before bulk copies".into());
        finding.remedy = Some(
            "let each thread put fence.proxy.async.shared::cta (cuda::ptx::fence_proxy_async(space_shared)) behind its stores and before the barrier that the copying thread passes"
                .into(),
        );
        self.record(finding);
    }

    /// Records that the running lanes have waited for their copies.
    #[cold]
    pub(crate) fn waited(&mut self, keep: Option<u32>) {
        let Some(races) = &self.launch().races else {
            return;
        };
        let mask = self.mask();
        let block = self.block.get_mut();
        let done = block.copies.wait(self.index, mask, keep);
        self.clock.settle(&mut block.clock, &races.time);
        let now = (block.clock.now(&races.time), block.clock.epoch, self.clock.tick());
        // If nothing has happened since a copy began, the write recorded at that time is ordered already.
        for copy in done.iter().filter(|copy| copy.moment != now) {
            let layout = if copy.lanes == copy.began {
                copy.layout
            } else {
                Layout::of(Addresses::of(&copy.address), copy.lanes, copy.size)
            };
            let event = Event {
                what: AccessKind::Write,
                strong: false,
                volatile: false,
                narrow: false,
                block_local: true,
                pc: copy.pc,
                mask: copy.lanes,
                size: copy.size,
                address: Addresses::of(&copy.address),
                excuses: None,
                layout: &layout,
            };
            let clocks = races.clocks(&block.clock, &self.clock, block.clock.start);
            // Accesses that conflict with the copy have been reported already.
            block.races.access(&clocks, &event);
        }
    }
}
