//! The race check's shadow memory of a whole launch.

use super::clock::{BlockClock, Publications, Sharing, Time, WarpClock};
use super::global::GlobalRaces;
use super::in_flight::StoresInFlight;
use super::race::Clocks;
use std::sync::OnceLock;

/// The race check's state that all blocks of a launch share.
pub(crate) struct LaunchRaces {
    pub time: Time,
    pub publications: Publications,
    /// One entry for each live range, created when the range is first accessed.
    globals: Vec<OnceLock<GlobalRaces>>,
    sharing: Sharing,
    /// `None` with a single worker, whose stores are made before it records the next.
    pub in_flight: Option<StoresInFlight>,
}

impl LaunchRaces {
    /// Creates the state for a new launch by `workers` workers, with memory of `ranges` live ranges.
    ///
    /// # Safety
    /// With [`Sharing::Alone`], no two threads use it at the same time. With [`Sharing::Apart`], no block accesses the
    /// shared memory of another.
    pub unsafe fn new(blocks: u64, warps_per_block: u32, ranges: usize, (sharing, workers): (Sharing, usize)) -> Self {
        let time = Time::new(sharing);
        // Everything before the launch is ordered. The launch's first moment must be later than 0, which stands for
        // "never".
        time.advance();
        LaunchRaces {
            publications: Publications::new(blocks, warps_per_block, &time),
            time,
            globals: (0..ranges).map(|_| OnceLock::new()).collect(),
            sharing,
            in_flight: (sharing != Sharing::Alone).then(|| StoresInFlight::new(workers)),
        }
    }

    /// Forgets the accesses to some bytes of the live range with this index.
    pub fn forget(&self, range: usize, address: u64, bytes: u64) {
        if let Some(memory) = self.globals.get(range).and_then(OnceLock::get) {
            memory.forget(address, bytes);
        }
    }

    /// Returns the history of the live range with this index, which has `bytes` bytes from `start` on.
    pub fn global(&self, range: usize, start: u64, bytes: u64) -> &GlobalRaces {
        // SAFETY: the contract for the launch also holds for its parts.
        self.globals[range].get_or_init(|| unsafe { GlobalRaces::new(start, bytes, self.sharing == Sharing::Alone) })
    }

    /// Returns the clocks by which an access of a warp of a block is checked. Everything before `start` is ordered.
    #[inline(always)]
    pub fn clocks<'a>(&'a self, block: &'a BlockClock, warp: &'a WarpClock, start: u64) -> Clocks<'a> {
        Clocks { time: &self.time, launch: &self.publications, block, warp, start }
    }

    /// Returns the number of warps per block.
    pub fn warps_per_block(&self) -> u32 {
        self.publications.warps_per_block()
    }
}
