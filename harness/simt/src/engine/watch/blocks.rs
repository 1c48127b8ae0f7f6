//! Checks accesses to the shared memory of other blocks of the cluster.

use crate::checks::clock::Release;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::request::home_of;
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{AccessKind, Space};
use crate::lane::lanes;

impl Warp<'_> {
    /// Compares an access to the shared memory of several blocks with their shadow memory. `event` has the addresses as
    /// the program names them.
    #[cold]
    pub(super) fn check_in_cluster(&mut self, op: &Op, event: &Event<'_>) {
        let launch = self.launch();
        let order = launch.orders[op.site as usize];
        if let Some(races) = launch.races.as_ref().filter(|_| order.release) {
            let block = self.block.get_mut();
            let by = Release { clock: &self.clock, lanes: event.mask, live: self.live };
            races.publications.fence(&by, &mut block.clock, order.narrow, &races.time);
        }
        let own = self.block.get().rank;
        let home = event.address.all().map(home_of);
        let address = home.map(|(_, offset)| offset);
        let mut rest = event.mask;
        while rest != 0 {
            let rank = home[rest.trailing_zeros() as usize].0.filter(|rank| *rank != own);
            let here = |&lane: &usize| home[lane].0.filter(|rank| *rank != own) == rank;
            let mask = lanes(rest).filter(here).fold(0u32, |m, lane| m | (1 << lane));
            rest &= !mask;
            let layout = Layout::of(Addresses::of(&address), mask, event.size);
            let event = Event { mask, address: Addresses::of(&address), layout: &layout, ..*event };
            if launch.init {
                self.see_in(op, &event, rank);
            }
            self.compare_in(op, &event, rank);
        }
        if let Some(races) = launch.races.as_ref().filter(|_| event.strong) {
            self.clock.acquire(&mut self.block.get_mut().clock, true, &races.time);
        }
    }

    /// Passes an access to one block's shared memory to the initialisation check: its own, or that of the block with
    /// this rank.
    fn see_in(&mut self, op: &Op, event: &Event<'_>, rank: Option<u32>) {
        let Some(rank) = rank else {
            self.check_written(op, event, Space::Shared);
            return;
        };
        let element = self.element(op.site);
        let unwritten = self.with_block(|_, block| {
            block.with_peer(rank, |_, peer| {
                let see = |lane: &usize| {
                    let (offset, size) = (event.address.at(*lane), u64::from(event.size));
                    let missing = event.what != AccessKind::Write && peer.written.has_blank(offset, size, element);
                    if event.what != AccessKind::Read {
                        peer.written.write(offset, size);
                    }
                    missing
                };
                lanes(event.mask).filter(see).fold(0u32, |m, lane| m | (1 << lane))
            })
        });
        if let Some(bad) = unwritten.filter(|bad| *bad != 0) {
            self.unwritten(op, event, Space::Shared, bad);
        }
    }

    /// Compares an access to one block's shared memory, its own or that of the block with this rank, with the shadow
    /// memory.
    pub(super) fn compare_in(&mut self, op: &Op, event: &Event<'_>, rank: Option<u32>) {
        let shared = self.launch();
        let Some(races) = &shared.races else {
            return;
        };
        if !self.block.get().clock.is_in_time(&races.time) {
            return;
        }
        let found = self.with_block(|warp, block| {
            warp.clock.settle(&mut block.clock, &races.time);
            match rank {
                None => {
                    let start = block.clock.start;
                    let clocks = races.clocks(&block.clock, &warp.clock, start);
                    block.races.access(&clocks, event)
                }
                Some(rank) => block
                    .with_peer(rank, |own, peer| {
                        let start = peer.clock.start;
                        let clocks = races.clocks(&own.clock, &warp.clock, start);
                        peer.races.access(&clocks, event)
                    })
                    .flatten(),
            }
        });
        if let Some(conflict) = found {
            self.race(op, event, Space::Shared, conflict);
        }
    }
}
