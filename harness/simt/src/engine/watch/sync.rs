//! Reports barriers, fences and the ends of turns to the race check.

use crate::checks::clock::Release;
use crate::engine::warp::Warp;
use crate::lane::{LANES, lanes};

impl Warp<'_> {
    /// Records that the warp arrives at a barrier of the block, so its earlier accesses have been made. `some`: the
    /// barrier does not include all threads of the block.
    #[inline(never)]
    pub(crate) fn arrived(&mut self, barrier: u32, some: bool) {
        if let Some(races) = &self.launch().races {
            let block = self.block.get_mut();
            self.clock.settle(&mut block.clock, &races.time);
            if some {
                let (barrier, warp) = (barrier as usize, self.index as usize);
                block.clock.arrive(barrier, warp, &self.clock, &races.time);
            }
        }
    }

    /// Records that the warp's turn ends, so its accesses have been made.
    #[cold]
    pub(crate) fn pause(&mut self) {
        if let Some(races) = &self.launch().races {
            let block = self.block.get_mut();
            self.clock.settle(&mut block.clock, &races.time);
        }
    }

    /// Records that the running lanes continue after the cluster's barrier.
    #[cold]
    pub(crate) fn met_in_cluster(&mut self) {
        if let Some(races) = &self.launch().races {
            let mask = self.mask();
            let block = self.block.get_mut();
            let began = block.meeting().began;
            self.clock.settle(&mut block.clock, &races.time);
            self.clock.acquire_at(&mut block.clock, began);
            self.clock.sync(mask, self.live);
        }
    }

    /// Records that each running lane synchronises with the lanes that it names.
    #[cold]
    pub(crate) fn met(&mut self, named: &[u32; LANES]) {
        let mask = self.mask();
        let mut rest = mask;
        while rest != 0 {
            let first = named[rest.trailing_zeros() as usize];
            let same = lanes(rest).filter(|&l| named[l] == first);
            rest &= !same.fold(0u32, |m, l| m | (1 << l));
            self.clock.sync(first & mask, self.live);
        }
    }

    /// Records that the warp executes a fence.
    #[cold]
    pub(crate) fn fenced(&mut self, narrow: bool) {
        let shared = self.launch();
        if let Some(races) = &shared.races {
            let mask = self.mask();
            let block = self.block.get_mut();
            let by = Release { clock: &self.clock, lanes: mask, live: self.live };
            races.publications.fence(&by, &mut block.clock, narrow, &races.time);
        }
    }
}
