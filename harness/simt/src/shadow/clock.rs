//! Who has synchronised with whom: the order that the race check reads.
//!
//! Inside a block, barriers count *epochs* and warp-level synchronisation counts *ticks* of a warp since its last barrier. Between
//! blocks, and between warps of one epoch, order comes from publication: one side fences after its access, the other performs
//! an atomic or volatile access after it (release and acquire as CUDA programs write them: `__threadfence()` and a flag). The rule
//! is deliberately generous: it asks for a fence and a flag, not for the right ones, so that a correct protocol is never accused.

use crate::lane::LANES;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Times of a launch. One exists for the whole device, since launches follow one another.
#[derive(Debug, Default)]
pub(crate) struct Time(AtomicU64);

impl Time {
    /// The present.
    pub fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
    /// A new moment, later than all before.
    pub fn advance(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// What other warps and blocks can see of each warp's and block's fences, for a whole launch.
#[derive(Debug)]
pub(crate) struct Publications {
    warps_per_block: u32,
    /// For each warp of the grid: time of its last fence.
    fences: Vec<AtomicU64>,
    /// For each block: epoch of its last fence, plus one.
    epochs: Vec<AtomicU32>,
    /// Time at which the launch began: what happened before is ordered.
    pub start: u64,
}

impl Publications {
    /// For a launch of `blocks` blocks that begins now.
    pub fn new(blocks: u64, warps_per_block: u32, time: &Time) -> Self {
        let warps = blocks as usize * warps_per_block as usize;
        Publications {
            warps_per_block,
            fences: (0..warps).map(|_| AtomicU64::new(0)).collect(),
            epochs: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            start: time.advance(),
        }
    }

    /// A warp of the grid executes a fence, or a release.
    pub fn fence(&self, warp: u32, epoch: u32, time: &Time) {
        let now = time.advance();
        self.fences[warp as usize].store(now, Ordering::Release);
        self.epochs[(warp / self.warps_per_block) as usize].fetch_max(epoch + 1, Ordering::AcqRel);
    }

    /// Whether what warp `warp` did at `time` in its block's epoch `epoch` has been followed by a fence: its own, or one in its
    /// block behind a barrier.
    pub fn published(&self, warp: u32, epoch: u32, time: u64) -> bool {
        self.fences[warp as usize].load(Ordering::Acquire) > time
            || self.epochs[(warp / self.warps_per_block) as usize].load(Ordering::Acquire)
                > epoch + 1
    }

    /// Warps of one block.
    pub fn warps_per_block(&self) -> u32 {
        self.warps_per_block
    }
}

/// A block's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockClock {
    /// Barriers that all its threads have passed.
    pub epoch: u32,
    /// Time of the last strong access in an earlier epoch.
    acquired_before: u64,
    /// And in this one.
    acquired_now: u64,
}

impl BlockClock {
    /// All threads of the block have met.
    pub fn barrier(&mut self) {
        self.epoch += 1;
        self.acquired_before = self.acquired_before.max(self.acquired_now);
    }
}

/// Ticks of a warp beyond this one are not told apart.
const LAST_TICK: u32 = u16::MAX as u32;

/// A warp's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarpClock {
    /// Its number in the grid.
    pub warp: u32,
    /// Warp-level synchronisations since the last barrier.
    tick: u32,
    /// The last that named all live lanes.
    all: u32,
    /// The last that named both of two lanes, once one named only some.
    pairs: Option<Box<[[u32; LANES]; LANES]>>,
    /// Time of its last strong access.
    acquired: u64,
    /// It makes a strong access, which takes effect after the check of it.
    pending: bool,
}

impl WarpClock {
    /// The clock of a warp that starts.
    pub fn start(&mut self, warp: u32) {
        *self = WarpClock {
            warp,
            ..WarpClock::default()
        };
    }

    /// The present tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The lanes of `mask`, out of those alive, meet.
    pub fn sync(&mut self, mask: u32, live: u32) {
        if self.tick < LAST_TICK {
            self.tick += 1;
        }
        if live & !mask == 0 {
            self.all = self.tick;
            return;
        }
        let pairs = self
            .pairs
            .get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        for (a, row) in pairs.iter_mut().enumerate() {
            if mask & (1 << a) != 0 {
                for (b, last) in row.iter_mut().enumerate() {
                    if mask & (1 << b) != 0 {
                        *last = self.tick;
                    }
                }
            }
        }
    }

    /// The block has passed a barrier.
    pub fn barrier(&mut self) {
        self.tick = 0;
        self.all = 0;
        self.pairs = None;
    }

    /// Whether lanes `a` and `b` have met since `tick` (of this epoch).
    pub fn met(&self, a: u32, b: u32, tick: u32) -> bool {
        let last = self
            .pairs
            .as_ref()
            .map_or(0, |pairs| pairs[a as usize][b as usize])
            .max(self.all);
        last > tick || last == LAST_TICK
    }

    /// Whether all lanes have met since `tick` (of this epoch).
    pub fn all_met(&self, tick: u32) -> bool {
        self.all > tick
    }

    /// A strong access is about to be made.
    pub fn acquire(&mut self) {
        self.pending = true;
    }

    /// The last access has been made: if it was strong, everything published before may be relied on from here.
    pub fn settle(&mut self, block: &mut BlockClock, time: &Time) {
        if self.pending {
            self.pending = false;
            self.acquired = time.advance();
            block.acquired_now = self.acquired;
        }
    }

    /// Whether this warp, or a thread of its block before the last barrier, has looked at a flag since `time`.
    pub fn acquired_since(&self, block: &BlockClock, time: u64) -> bool {
        self.acquired.max(block.acquired_before) > time
    }
}
