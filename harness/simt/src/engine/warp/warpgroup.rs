//! Warpgroups: what their warps have executed together, and their pending matrix products.

use std::collections::VecDeque;

/// Warps of a warpgroup. The rank of the first one in the block is a multiple of this.
pub(crate) const WARPS: usize = 4;
/// The maximum number of products by which a warp may be ahead of another. Beyond that, the comparison stops.
const MOST: usize = 1 << 16;

/// The products that the warps of a warpgroup have executed. All four must execute the same ones in the same order, but
/// the warps do not wait for each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warpgroup {
    /// The number of the first product that not all warps have executed.
    first: u64,
    /// The instructions (program counters) of that product and the following ones.
    sites: VecDeque<u32>,
    /// How many products each warp has executed.
    executed: [u64; WARPS],
    /// Which warps have exited.
    left: [bool; WARPS],
    /// Whether a difference has been reported: the comparison then stops.
    told: bool,
}

/// How a warp differs from others of its warpgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Apart {
    /// Another warp has executed the product at this program counter instead.
    Elsewhere(u32),
    /// Another warp has exited without it.
    Exited,
}

impl Warpgroup {
    /// Records that the warp of this rank executes the product at this program counter.
    pub fn execute(&mut self, rank: usize, site: u32) -> Option<Apart> {
        if self.told {
            return None;
        }
        let at = (self.executed[rank] - self.first) as usize;
        self.executed[rank] += 1;
        let number = self.executed[rank];
        let apart = match self.sites.get(at) {
            Some(&other) => (other != site).then_some(Apart::Elsewhere(other)),
            None => {
                self.sites.push_back(site);
                let gone = (0..WARPS).any(|other| self.left[other] && self.executed[other] < number);
                gone.then_some(Apart::Exited)
            }
        };
        while self.executed.iter().all(|&executed| executed > self.first) {
            self.sites.pop_front();
            self.first += 1;
        }
        self.told = apart.is_some() || self.sites.len() > MOST;
        apart
    }

    /// Records that the warp of this rank has exited. Returns the product that others have executed and this warp has
    /// not.
    pub fn leave(&mut self, rank: usize) -> Option<u32> {
        self.left[rank] = true;
        let at = (self.executed[rank] - self.first) as usize;
        let missed = self.sites.get(at).copied().filter(|_| !self.told);
        self.told |= missed.is_some();
        missed
    }
}

/// A warp's products, as far as the rules for them need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    /// Whether a `wgmma.fence` has been executed.
    fenced: bool,
    /// The number of committed groups.
    committed: u64,
    /// Products that have not been waited for.
    pending: Vec<Pending>,
}

/// A product that has not been waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Its program counter.
    pub site: u32,
    /// The position of its accumulators' registers in the program's lists, and their number.
    pub sums: (u32, u32),
    /// The number of its group.
    group: u64,
}

impl Pending {
    /// Returns its accumulators.
    pub fn registers<'l>(&self, lists: &'l [u32]) -> &'l [u32] {
        &lists[self.sums.0 as usize..][..self.sums.1 as usize]
    }
}

impl Products {
    /// Clears everything for another warp.
    pub fn reset(&mut self) {
        self.pending.clear();
        (self.fenced, self.committed) = (false, 0);
    }

    /// Records a `wgmma.fence`.
    pub fn fence(&mut self) {
        self.fenced = true;
    }

    /// Begins a product. Returns whether it may begin: a fence must have ordered the writes to its registers.
    pub fn begin(&mut self, site: u32, sums: (u32, u32), lists: &[u32]) -> bool {
        let new = Pending { site, sums, group: self.committed };
        // Products with the same accumulators are ordered after each other.
        self.pending.retain(|old| old.registers(lists) != new.registers(lists));
        self.pending.push(new);
        std::mem::replace(&mut self.fenced, true)
    }

    /// Puts the products so far into a group.
    pub fn commit(&mut self) {
        self.committed += 1;
    }

    /// Waits until at most `keep` groups are pending.
    pub fn wait(&mut self, keep: u64) {
        let committed = self.committed;
        self.pending.retain(|product| product.group.saturating_add(keep) >= committed);
    }

    /// Returns the pending product that has one of these registers among its accumulators.
    pub fn holds(&self, registers: &[u32], lists: &[u32]) -> Option<Pending> {
        let held = |product: &&Pending| registers.iter().any(|register| product.registers(lists).contains(register));
        self.pending.iter().find(held).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Apart, Products, Warpgroup};

    #[test]
    fn warps_go_through_the_same_products_at_their_own_pace() {
        let mut group = Warpgroup::default();
        for site in [5, 9, 5] {
            assert_eq!(group.execute(0, site), None);
        }
        for rank in 1..4 {
            for site in [5, 9, 5] {
                assert_eq!(group.execute(rank, site), None);
            }
        }
        assert_eq!((group.first, group.sites.len()), (3, 0));
        assert!((0..4).all(|rank| group.leave(rank).is_none()));
    }

    #[test]
    fn another_product_is_told_once() {
        let mut group = Warpgroup::default();
        assert_eq!(group.execute(2, 5), None);
        assert_eq!(group.execute(3, 7), Some(Apart::Elsewhere(5)));
        assert_eq!(group.execute(1, 8), None);
        assert_eq!(group.leave(0), None);
    }

    #[test]
    fn a_warp_that_exits_too_early_is_told() {
        let mut group = Warpgroup::default();
        assert_eq!(group.execute(0, 5), None);
        assert_eq!(group.leave(1), Some(5));
        let mut group = Warpgroup::default();
        assert_eq!(group.leave(1), None);
        assert_eq!(group.execute(0, 5), Some(Apart::Exited));
    }

    #[test]
    fn products_need_one_fence() {
        let mut products = Products::default();
        assert!(!products.begin(0, (0, 2), &[4, 8]));
        assert!(products.begin(0, (0, 2), &[4, 8]), "one finding is enough");
        products.reset();
        products.fence();
        assert!(products.begin(0, (0, 2), &[4, 8]));
    }

    #[test]
    fn products_hold_their_accumulators_until_their_group_is_waited_for() {
        let lists = [4, 8, 12, 16];
        let mut products = Products::default();
        products.begin(1, (0, 2), &lists);
        products.wait(0);
        assert_eq!(products.holds(&[20, 8], &lists).map(|p| p.site), Some(1), "it is in no group yet");
        products.commit();
        products.begin(2, (2, 2), &lists);
        products.commit();
        products.wait(1);
        assert_eq!(products.holds(&[8], &lists), None);
        assert_eq!(products.holds(&[16], &lists).map(|p| p.site), Some(2));
        products.wait(0);
        assert_eq!(products.holds(&[16], &lists), None);
    }
}
