//! Finds violations of the rules for warpgroups.

use crate::checks::proxies::PIECE;
use crate::engine::warp::program::Op;
use crate::engine::warp::warpgroup::{Apart, WARPS, Warpgroup};
use crate::engine::warp::{Status, Warp};
use crate::finding::{Access, AccessKind, Finding, FindingKind, Space, WarpgroupMisuse};
use crate::lane::LANES;

impl Warp<'_> {
    /// Records that the warp executes a product of its warpgroup. `sums` is the position of its accumulators' registers
    /// in the program's lists, and their number.
    pub(crate) fn in_warpgroup(&mut self, op: &Op, lane: usize, sums: (u32, u32)) {
        let lists = &self.launch().program.lists;
        if !self.products.begin(op.site, sums, lists) {
            self.against_the_group(op.site, lane, WarpgroupMisuse::Unfenced, None);
        }
        let (group, rank) = (self.index as usize / WARPS, self.index as usize % WARPS);
        let warps = (self.launch().threads as usize).div_ceil(LANES);
        if !warps.is_multiple_of(WARPS) && group == warps / WARPS {
            self.against_the_group(op.site, lane, WarpgroupMisuse::Incomplete, None);
            return;
        }
        let apart = self.with_block(|_, block| {
            if block.warpgroups.is_empty() {
                block.warpgroups.resize(warps.div_ceil(WARPS), Warpgroup::default());
                let exited = |warp: &Warp<'_>| warp.status == Status::Done;
                for (at, _) in block.warps.iter().enumerate().filter(|(_, w)| w.as_deref().is_some_and(exited)) {
                    block.warpgroups[at / WARPS].leave(at % WARPS);
                }
            }
            block.warpgroups[group].execute(rank, op.site)
        });
        match apart {
            None => {}
            Some(Apart::Elsewhere(other)) => {
                self.against_the_group(op.site, lane, WarpgroupMisuse::Apart, Some(other));
            }
            Some(Apart::Exited) => self.against_the_group(op.site, lane, WarpgroupMisuse::Exited, None),
        }
    }

    /// Records that the last lanes of the warp, `lane` among them, have exited.
    #[cold]
    pub(crate) fn leaves_warpgroup(&mut self, group: &mut Warpgroup, lane: usize) {
        if let Some(missed) = group.leave(self.index as usize % WARPS) {
            self.against_the_group(missed, lane, WarpgroupMisuse::Exited, None);
        }
    }

    /// Records that the warp uses these registers, which are accumulators of some product.
    pub(crate) fn uses_accumulators(&mut self, op: &Op, registers: &[u32]) {
        if let Some(product) = self.products.holds(registers, &self.launch().program.lists) {
            let lane = self.mask().trailing_zeros() as usize & 31;
            self.against_the_group(op.site, lane, WarpgroupMisuse::Pending, Some(product.site));
        }
    }

    /// Checks that no piece of shared memory that a product reads was written without a fence between the proxies.
    pub(crate) fn reads_through_async_proxy(&mut self, op: &Op, places: &[u64]) {
        let Some((address, by)) = self.block.get().proxies.unfenced(places) else {
            return;
        };
        let lane = self.mask().trailing_zeros() as usize & 31;
        let place = |pc| self.program().place_of(pc);
        let mut read = Access::memory(AccessKind::Read, Space::Shared, PIECE as u32, address, place(op.site));
        let allocation = self.nearest_shared(address, &mut read);
        let kind = FindingKind::InvalidWarpgroup { misuse: WarpgroupMisuse::OtherProxy };
        let finding = Finding::new(kind, self.program().name.clone()).with(self.located(read, lane));
        let mut finding = finding.with(Access::at(AccessKind::Execute, place(by)));
        finding.allocation = allocation;
        self.record(finding);
    }

    /// Records a finding about the product at this program counter, and another one.
    #[cold]
    fn against_the_group(&mut self, site: u32, lane: usize, misuse: WarpgroupMisuse, other: Option<u32>) {
        let kind = FindingKind::InvalidWarpgroup { misuse };
        let access = self.located(Access::at(AccessKind::Execute, self.program().place_of(site)), lane);
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        if let Some(other) = other {
            finding = finding.with(Access::at(AccessKind::Execute, self.program().place_of(other)));
        }
        self.record(finding);
    }
}
