//! The race check's memory of a whole launch.

use super::clock::{BlockClock, Publications, Time};
use super::global::GlobalRaces;
use std::sync::OnceLock;

/// What the race check shares between all blocks of a launch.
pub(crate) struct LaunchRaces {
    pub time: Time,
    pub publications: Publications,
    /// One entry for each live range, made when the range is first touched.
    globals: Vec<OnceLock<GlobalRaces>>,
}

impl LaunchRaces {
    /// For a launch that begins, with memory of so many live ranges.
    pub fn new(blocks: u64, warps_per_block: u32, ranges: usize) -> Self {
        let time = Time::default();
        // Everything before the launch is ordered. Its first moment must be later than 0, which stands for "never".
        time.advance();
        LaunchRaces {
            publications: Publications::new(blocks, warps_per_block, &time),
            time,
            globals: (0..ranges).map(|_| OnceLock::new()).collect(),
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
        self.globals[range].get_or_init(|| GlobalRaces::new(start, bytes))
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
