//! The race check's memory of a whole launch.

use super::clock::{BlockClock, Publications, Sharing, Time, WarpClock};
use super::global::GlobalRaces;
use super::race::Clocks;
use std::sync::OnceLock;

/// What the race check shares between all blocks of a launch.
pub(crate) struct LaunchRaces {
    pub time: Time,
    pub publications: Publications,
    /// One entry for each live range, made when the range is first touched.
    globals: Vec<OnceLock<GlobalRaces>>,
    sharing: Sharing,
}

impl LaunchRaces {
    /// For a launch that begins, with memory of so many live ranges.
    ///
    /// # Safety
    /// With [`Sharing::Alone`], no two threads use it at the same time. With [`Sharing::Apart`], no block accesses the
    /// shared memory of another.
    pub unsafe fn new(blocks: u64, warps_per_block: u32, ranges: usize, sharing: Sharing) -> Self {
        let time = Time::new(sharing);
        // Everything before the launch is ordered. Its first moment must be later than 0, which stands for "never".
        time.advance();
        LaunchRaces {
            publications: Publications::new(blocks, warps_per_block, &time),
            time,
            globals: (0..ranges).map(|_| OnceLock::new()).collect(),
            sharing,
        }
    }

    /// Forgets what was done to some bytes of the live range with this index.
    pub fn forget(&self, range: usize, address: u64, bytes: u64) {
        if let Some(memory) = self.globals.get(range).and_then(OnceLock::get) {
            memory.forget(address, bytes);
        }
    }

    /// The history of the live range with this index, which has `bytes` bytes from `start` on.
    pub fn global(&self, range: usize, start: u64, bytes: u64) -> &GlobalRaces {
        // SAFETY: what holds for the launch holds for its parts.
        self.globals[range].get_or_init(|| unsafe { GlobalRaces::new(start, bytes, self.sharing == Sharing::Alone) })
    }

    /// The clocks by which an access of a warp of a block is judged. All that happened before `start` is ordered.
    #[inline(always)]
    pub fn clocks<'a>(&'a self, block: &'a BlockClock, warp: &'a WarpClock, start: u64) -> Clocks<'a> {
        Clocks { time: &self.time, launch: &self.publications, block, warp, start }
    }

    /// The number of warps in a block.
    pub fn warps_per_block(&self) -> u32 {
        self.publications.warps_per_block()
    }
}
