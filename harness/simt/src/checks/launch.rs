//! The race check's memory of a whole launch.

use super::clock::{BlockClock, Publications, Time, WarpClock};
use super::global::GlobalRaces;
use super::race::Clocks;
use std::sync::OnceLock;

/// What the race check shares between all blocks of a launch.
pub(crate) struct LaunchRaces {
    pub time: Time,
    pub publications: Publications,
    /// One entry for each live range, made when the range is first touched.
    globals: Vec<OnceLock<GlobalRaces>>,
    /// The launch has a single worker.
    alone: bool,
}

impl LaunchRaces {
    /// For a launch that begins, with memory of so many live ranges.
    ///
    /// # Safety
    /// With `alone`, no two threads use it at the same time.
    pub unsafe fn new(blocks: u64, warps_per_block: u32, ranges: usize, alone: bool) -> Self {
        let time = Time::new(alone);
        // Everything before the launch is ordered. Its first moment must be later than 0, which stands for "never".
        time.advance();
        LaunchRaces {
            publications: Publications::new(blocks, warps_per_block, &time),
            time,
            globals: (0..ranges).map(|_| OnceLock::new()).collect(),
            alone,
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
        self.globals[range].get_or_init(|| unsafe { GlobalRaces::new(start, bytes, self.alone) })
    }

    /// Whether times still fit into the 32 bits in which they are kept. After the last of them, races are missed, but
    /// no correct kernel is accused.
    #[inline(always)]
    pub fn is_in_time(&self) -> bool {
        u32::try_from(self.time.now()).is_ok()
    }

    /// The clocks by which an access of a warp of a block is judged. All that happened before `start` is ordered.
    #[inline(always)]
    pub fn clocks<'a>(&'a self, block: &'a BlockClock, warp: &'a WarpClock, start: u64) -> Clocks<'a> {
        Clocks { time: &self.time, launch: &self.publications, block, warp, start }
    }

    /// The clock of a block that begins.
    pub fn block(&self) -> BlockClock {
        BlockClock::new(&self.time)
    }

    /// The number of warps in a block.
    pub fn warps_per_block(&self) -> u32 {
        self.publications.warps_per_block()
    }
}
