//! Findings of races.

use crate::checks::race::{Conflict, same_instruction};
use crate::checks::{Addresses, Event, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::engine::warp::request::{Request, space_of};
use crate::finding::{Access, AccessKind, Finding, FindingKind, Scope, Space};
use crate::lane::LANES;

/// The remedy for a race between blocks of a cluster.
const BETWEEN_BLOCKS: &str = "put cluster.sync() (barrier.cluster.arrive and wait) between the two accesses, or order them by an mbarrier with release and acquire of the cluster's scope";

/// The remedy for a race with a bulk copy.
const AROUND_COPY: &str = "let the threads that use these bytes wait for the copy (its mbarrier, or its groups and then a barrier), and begin it only after a barrier behind their earlier use";

impl Warp<'_> {
    /// Records a race.
    pub(super) fn race(&mut self, op: &Op, event: &Event<'_>, space: Space, conflict: Conflict) {
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
        self.record(finding);
    }

    /// Returns the bytes a lane of a plain access.
    fn size_at(&self, pc: u32) -> Option<u32> {
        let accesses = &self.program().accesses;
        let at = accesses.binary_search_by_key(&pc, |access| access.pc).ok()?;
        Some(accesses[at].size)
    }

    /// Finds two lanes of a store that write different values to the same address, which is a race. `at` holds the
    /// lanes' host addresses, `values` the values that they are about to write.
    #[inline(never)]
    pub(crate) fn check_store(&mut self, op: &Op, request: Request, at: &[u64; LANES], values: &[u64; LANES]) {
        let launch = self.launch();
        if launch.races.is_none() || launch.orders[op.site as usize].strong {
            return;
        }
        let Some((one, two)) = same_instruction(self.mask(), at, values) else {
            return;
        };
        let (base, offset) = op.address();
        // SAFETY: `a` is the address register.
        let addr = unsafe { *self.reg::<[u64; LANES]>(base) };
        let address = addr.map(|a| a.wrapping_add(offset));
        let (space, offset) = match request.space {
            Space::Generic => space_of(address[one]),
            space => (space, address[one]),
        };
        let event = Event {
            what: AccessKind::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: space == Space::Shared,
            pc: op.site,
            mask: self.mask(),
            size: request.size,
            address: Addresses { base: &[offset; LANES], offset: 0 },
            same: None,
            layout: &Layout::default(),
        };
        let (now, allocation) = self.describe(op, &event, space, two);
        let (other, _) = self.describe(op, &event, space, one);
        let kind = FindingKind::Race { space, scope: Scope::Warp };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(now).with(other);
        finding.allocation = allocation;
        finding.remedy = Some(self.remedy_of_one_store(op.site).into());
        self.record(finding);
    }
}
