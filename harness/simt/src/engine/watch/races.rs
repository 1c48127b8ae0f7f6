//! Findings of races.

use crate::checks::race::{Conflict, same_instruction};
use crate::checks::unread::Stores;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::request::{Request, space_of};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{Access, AccessKind, Finding, FindingKind, Scope, Space};
use crate::lane::LANES;

/// The remedy for a race between blocks of a cluster.
const BETWEEN_BLOCKS: &str = "put cluster.sync() (barrier.cluster.arrive and wait) between the two accesses, or order them by an mbarrier with release and acquire of the cluster's scope";

/// The remedy for a race with a bulk copy.
const AROUND_COPY: &str = "let the threads that use these bytes wait for the copy (its mbarrier, or its groups and then a barrier), and begin it only after a barrier behind their earlier use";

impl Warp<'_> {
    /// Records a race.
    pub(super) fn race(&mut self, op: &Op, event: &Event<'_>, space: Space, conflict: Conflict) {
        let finding = self.finding_of_race(op, event, space, conflict);
        self.record(finding);
    }

    /// Returns the finding about a race.
    fn finding_of_race(&mut self, op: &Op, event: &Event<'_>, space: Space, conflict: Conflict) -> Finding {
        let (mut now, allocation) = self.describe(op, event, space, conflict.lane);
        let launch = self.launch();
        let bulk = [op.site, conflict.pc].map(|pc| launch.orders[pc as usize].bulk);
        if bulk[0] {
            now.what = AccessKind::Copy;
        }
        let warps = launch.races.as_ref().map_or(1, |races| u64::from(races.warps_per_block()));
        let [gx, gy, _] = launch.geometry.grid.map(u64::from);
        let [bx, by, _] = launch.geometry.block;
        let block = u64::from(conflict.earlier_warp) / warps;
        let linear = (u64::from(conflict.earlier_warp) % warps) as u32 * LANES as u32 + conflict.earlier_lane;
        // The earlier access may have another size, and then contains the word that both accessed.
        let size = self.size_at(conflict.pc).filter(|size| *size != event.size && size.is_power_of_two());
        let (size, address) = match (size, conflict.at) {
            (Some(size), Some(at)) => (size, at & !(u64::from(size) - 1)),
            _ => (event.size, event.address.at(conflict.lane)),
        };
        let mut earlier = Access::memory(
            if bulk[1] { AccessKind::Copy } else { conflict.what },
            space,
            size,
            address,
            self.program().place_of(conflict.pc),
        )
        .by(
            [(block % gx) as u32, (block / gx % gy) as u32, (block / gx / gy) as u32],
            [linear % bx, linear / bx % by, linear / bx / by],
        );
        earlier.variable = now.variable.clone().map(|(name, offset)| {
            let before = address.wrapping_sub(event.address.at(conflict.lane));
            (name, offset.wrapping_add(before))
        });
        let kind = FindingKind::Race { space, scope: conflict.scope };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(earlier);
        finding.allocation = allocation;
        self.advise(&mut finding, [op.site, conflict.pc], &conflict);
        if space == Space::Shared && conflict.scope == Scope::Grid {
            finding.remedy = Some(BETWEEN_BLOCKS.into());
        } else if bulk != [false; 2] {
            finding.remedy = Some(AROUND_COPY.into());
        }
        finding
    }

    /// Handles an access to bytes at which stores of a warp have met: the races at the bytes that it reads are
    /// reported. `races` has its own conflicts with earlier stores of its warp.
    #[inline(always)]
    pub(super) fn follow_unread(&mut self, op: &Op, event: &Event<'_>, space: Space, races: &[Conflict]) {
        if space == Space::Shared && !(races.is_empty() && self.block.get().unread.is_empty()) {
            self.follow_bytes(op, event, races);
        }
    }

    #[cold]
    fn follow_bytes(&mut self, op: &Op, event: &Event<'_>, races: &[Conflict]) {
        let block = self.block.get_mut();
        if event.what == AccessKind::Write {
            block.unread.overwrite(event, block.clock.section());
        } else {
            block.unread.read(event).into_iter().for_each(|race| self.record(race));
        }
        for conflict in races {
            let finding = |warp: &mut Self| warp.finding_of_race(op, event, Space::Shared, *conflict);
            self.keep_unread(event, conflict.lane, conflict.pc, finding);
        }
    }

    /// Keeps the race of a lane's store with an earlier one until the location is read.
    fn keep_unread(&mut self, event: &Event<'_>, lane: usize, earlier: u32, race: impl FnOnce(&mut Self) -> Finding) {
        let stores = Stores { warp: self.clock.warp, pcs: [event.pc, earlier] };
        let known = self.block.get().unread.find(stores);
        let finding = if known.is_none() { Some(race(self)) } else { None };
        let block = self.block.get_mut();
        if let Some(race) = known.or_else(|| finding.map(|finding| block.unread.add(stores, finding))) {
            block.unread.keep(race, event, lane, block.clock.section());
        }
    }

    /// Returns the bytes a lane of a plain access.
    fn size_at(&self, pc: u32) -> Option<u32> {
        let accesses = &self.program().accesses;
        let at = accesses.binary_search_by_key(&pc, |access| access.pc).ok()?;
        Some(accesses[at].size)
    }

    /// Finds lanes of a store that write different values to the same address, which is a race; strictly, the same
    /// value is one as well. `at` holds the lanes' host addresses, `values` the values that they are about to write.
    #[inline(never)]
    pub(crate) fn check_store(&mut self, op: &Op, request: Request, at: &[u64; LANES], values: &[u64; LANES]) {
        let launch = self.launch();
        if launch.races.is_none() || launch.orders[op.site as usize].strong {
            return;
        }
        let mut pairs = same_instruction(self.mask(), at);
        if !launch.strict {
            let all = pairs.len();
            pairs.retain(|(one, two)| values[*one] != values[*two]);
            if pairs.len() < all {
                self.scratch.get_mut().same_values.insert(op.site);
            }
        }
        if pairs.is_empty() {
            return;
        }
        let (base, offset) = op.address();
        // SAFETY: `a` is the address register.
        let addr = unsafe { *self.reg::<[u64; LANES]>(base) };
        let places = addr.map(|a| match request.space {
            Space::Generic => space_of(a.wrapping_add(offset)),
            space => (space, a.wrapping_add(offset)),
        });
        let address = places.map(|place| place.1);
        for (one, two) in pairs {
            let space = places[one].0;
            let event = Event {
                what: AccessKind::Write,
                strong: false,
                volatile: false,
                narrow: false,
                block_local: space == Space::Shared,
                pc: op.site,
                mask: self.mask(),
                size: request.size,
                address: Addresses::of(&address),
                excuses: None,
                layout: &Layout::default(),
            };
            let finding = |warp: &mut Self| warp.finding_of_one_store(op, &event, space, [one, two]);
            if !launch.may_be_spare(op, space) {
                let finding = finding(self);
                self.record(finding);
                return;
            }
            self.keep_unread(&event, one, op.site, finding);
        }
    }

    /// Returns the finding about two lanes of a store that write to the same address.
    fn finding_of_one_store(&self, op: &Op, event: &Event<'_>, space: Space, [one, two]: [usize; 2]) -> Finding {
        let (now, allocation) = self.describe(op, event, space, two);
        let (other, _) = self.describe(op, event, space, one);
        let kind = FindingKind::Race { space, scope: Scope::Warp };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(other);
        finding.allocation = allocation;
        finding.remedy = Some(self.remedy_of_one_store(op.site).into());
        finding
    }
}
