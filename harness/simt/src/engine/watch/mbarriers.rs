//! Reports the use of mbarriers to the checks: which threads arrive, and which continue after a phase.

use crate::checks::clock::{Release, WarpClock};
use crate::checks::copies::Bulk;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::block::Block;
use crate::engine::warp::mbarrier::Home;
use crate::engine::warp::program::Op;
use crate::finding::AccessKind;
use crate::lane::{LANES, lanes};

impl Warp<'_> {
    /// Records that a lane arrives at an mbarrier, or changes it in another way. If it `releases`, what the warp did
    /// before is ordered before what follows the phase.
    #[inline(always)]
    pub(crate) fn arrives(&mut self, op: &Op, lane: usize, home: Home, releases: bool) {
        if self.checking {
            self.uses_mbarrier(op, lane, home, AccessKind::Atomic);
            self.arrived_at(home, releases);
        }
    }

    /// Records that each lane has tested whether a phase of its mbarrier has ended; it has for the lanes of `done`.
    #[cold]
    pub(crate) fn waits_at(&mut self, op: &Op, homes: &[Home; LANES], done: u32, relaxed: bool) {
        for lane in lanes(self.mask()) {
            self.uses_mbarrier(op, lane, homes[lane], AccessKind::Read);
        }
        let mut rest = if relaxed { 0 } else { done };
        while rest != 0 {
            let home = homes[rest.trailing_zeros() as usize];
            let same = lanes(rest).filter(|&lane| homes[lane] == home).fold(0u32, |m, lane| m | (1 << lane));
            rest &= !same;
            self.passes(home.offset, same);
        }
    }

    /// Records that a lane reads or changes an mbarrier. That alone orders nothing, but the mbarrier must have been
    /// initialised before.
    fn uses_mbarrier(&mut self, op: &Op, lane: usize, home: Home, what: AccessKind) {
        let address = [u64::from(home.offset); LANES];
        let address = Addresses::of(&address);
        let mask = 1 << lane;
        let event = Event {
            what,
            strong: true,
            volatile: false,
            narrow: false,
            block_local: self.launch().geometry.cluster.is_none(),
            pc: op.site,
            mask,
            size: 8,
            address,
            excuses: None,
            layout: &Layout::of(address, mask, 8),
        };
        self.compare_in(op, &event, home.rank);
    }

    fn arrived_at(&mut self, home: Home, releases: bool) {
        let Some(races) = &self.launch().races else {
            return;
        };
        let index = self.index as usize;
        self.with_block(|warp, block| {
            warp.clock.settle(&mut block.clock, &races.time);
            let by = Release { clock: &warp.clock, lanes: warp.mask(), live: warp.live };
            match home.rank {
                None if releases => block.clock.arrive_phase(home.offset, index, &by, &races.time),
                None => {
                    block.clock.phases(home.offset);
                }
                Some(rank) => {
                    if releases {
                        races.publications.fence(&by, &mut block.clock, false, &races.time);
                    }
                    block.with_peer(rank, |_, peer| peer.clock.arrive_from_outside(home.offset, &races.time));
                }
            }
        });
    }

    /// Records that lanes continue after a phase of the mbarrier at this offset in their block's shared memory.
    fn passes(&mut self, offset: u32, lanes: u32) {
        let Some(races) = &self.launch().races else {
            return;
        };
        let index = self.index as usize;
        self.with_block(|warp, block| {
            warp.clock.settle(&mut block.clock, &races.time);
            let ended = block.clock.phases(offset);
            for copy in block.copies.end_phase(offset, ended) {
                warp.arrives_now(block, &copy);
                let warps = races.warps_per_block();
                if u64::from(copy.warp / warps) == block.number {
                    block.clock.publish_phase(offset, (copy.warp % warps) as usize, &races.time);
                }
            }
            block.clock.pass_phase(offset, index, &mut warp.clock);
            warp.clock.sync(lanes, warp.live);
        });
    }

    /// Records what a bulk copy wrote or reduced as a write or an atomic at this moment by the thread that began it.
    pub(super) fn arrives_now(&self, block: &mut Block<'_>, copy: &Bulk) {
        let Some(races) = &self.launch().races else {
            return;
        };
        let warps = races.warps_per_block();
        if copy.what == AccessKind::Read || u64::from(copy.warp / warps) != block.number {
            // A copy by another block's thread was recorded when it began.
            return;
        }
        let clock = WarpClock::of(copy.warp);
        for (at, size) in copy.pieces() {
            let address = [at; LANES];
            let address = Addresses::of(&address);
            let mask = 1 << copy.lane;
            let event = Event {
                what: copy.what,
                strong: copy.what == AccessKind::Atomic,
                volatile: false,
                narrow: false,
                block_local: self.launch().geometry.cluster.is_none(),
                pc: copy.pc,
                mask,
                size,
                address,
                excuses: None,
                layout: &Layout::of(address, mask, size),
            };
            let clocks = races.clocks(&block.clock, &clock, block.clock.start);
            // Accesses that conflict with the copy have been reported already.
            block.races.access(&clocks, &event);
        }
    }
}
