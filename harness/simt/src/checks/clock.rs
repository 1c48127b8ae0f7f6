//! Who has synchronised with whom: the order that the race check reads.
//!
//! Inside a block, barriers count *epochs* and warp-level synchronisation counts *ticks* of a warp since its last
//! barrier. Between blocks, and between warps of one epoch, order comes from publication: one side fences after its
//! access, the other performs an atomic or volatile access after it (release and acquire as CUDA programs write them:
//! `__threadfence()` and a flag). The rule is deliberately generous: it asks for a fence and a flag, not for the right
//! ones, so that a correct protocol is never accused.

use crate::lane::LANES;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The logical time of a launch. It has a cache line of its own, as all workers change it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Time {
    now: AtomicU64,
    /// Only one thread changes it, so that the host need not change it atomically.
    alone: bool,
}

impl Time {
    /// The time of a launch that begins. With `alone`, one thread changes it.
    pub fn new(alone: bool) -> Self {
        Time { now: AtomicU64::new(0), alone }
    }
    /// The present time.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }
    /// Advances the time, and returns the new one.
    #[inline(always)]
    pub fn advance(&self) -> u64 {
        if self.alone {
            let next = self.now() + 1;
            self.now.store(next, Ordering::Release);
            return next;
        }
        self.now.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// What other warps and blocks can see of each warp's and block's fences, for a whole launch.
#[derive(Debug)]
pub(crate) struct Publications {
    warps_per_block: u32,
    /// For each warp of the grid, the time of its last fence of the device's scope.
    fences: Vec<AtomicU64>,
    /// For each warp of the grid, the time of its last fence of any scope.
    block_fences: Vec<AtomicU64>,
    /// For each block, the epoch of its last fence plus one.
    epochs: Vec<AtomicU32>,
    /// The time at which the launch began. Everything that happened before is ordered.
    pub start: u64,
}

impl Publications {
    /// For a launch of `blocks` blocks that begins now.
    pub fn new(blocks: u64, warps_per_block: u32, time: &Time) -> Self {
        let warps = blocks as usize * warps_per_block as usize;
        Publications {
            warps_per_block,
            fences: (0..warps).map(|_| AtomicU64::new(0)).collect(),
            block_fences: (0..warps).map(|_| AtomicU64::new(0)).collect(),
            epochs: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            start: time.advance(),
        }
    }

    /// A warp of the grid executes a fence or a release. `narrow` says that its scope is the warp's block, whose clock
    /// is given.
    pub fn fence(&self, warp: u32, block: &BlockClock, narrow: bool, time: &Time) {
        let now = time.advance();
        self.block_fences[warp as usize].store(now, Ordering::Release);
        if !narrow {
            self.fences[warp as usize].store(now, Ordering::Release);
            let number = (warp / self.warps_per_block) as usize;
            self.epochs[number].fetch_max(block.epoch + 1, Ordering::AcqRel);
            // What other warps did is published together with this warp's own accesses if barriers of some threads have
            // ordered it before.
            if let Some(named) = &block.named {
                let first = number * self.warps_per_block as usize;
                let known = named.known[warp as usize - first];
                for (fence, upto) in std::iter::zip(&self.fences[first..], known)
                    .take(self.warps_per_block as usize)
                    .filter(|(_, upto)| *upto > 0)
                {
                    fence.fetch_max(upto + 1, Ordering::AcqRel);
                }
            }
        }
    }

    /// Whether a fence has followed what warp `warp` did at `time` in its block's epoch `epoch`: a fence of its own, or
    /// one in its block behind a barrier. `inside` says that the question comes from its own block, for which a fence
    /// of narrow scope is enough.
    pub fn published(&self, warp: u32, epoch: u32, time: u64, inside: bool) -> bool {
        let fences = if inside { &self.block_fences } else { &self.fences };
        fences[warp as usize].load(Ordering::Acquire) > time
            || self.epochs[(warp / self.warps_per_block) as usize].load(Ordering::Acquire) > epoch + 1
    }

    /// Warps of one block.
    pub fn warps_per_block(&self) -> u32 {
        self.warps_per_block
    }
}

/// Warps of the largest block.
const WARPS: usize = 32;
/// Barriers of a block.
const BARRIERS: usize = 16;

/// What the warps of a block know of each other through barriers that only some of its threads pass. `known[a][b]` is
/// the time up to which everything that warp `b` did is ordered before warp `a`.
#[derive(Clone, Debug)]
struct Named {
    known: [[u64; WARPS]; WARPS],
    /// For each barrier, what the warps know that have arrived at it since it last opened.
    pending: [[u64; WARPS]; BARRIERS],
    /// For each barrier, the time at which one of those warps last looked at a flag.
    acquired: [u64; BARRIERS],
    /// The mbarriers, by their offsets in shared memory.
    phases: HashMap<u32, Phases>,
}

/// What an mbarrier orders.
#[derive(Clone, Debug, Default)]
struct Phases {
    /// How many phases have ended.
    ended: u64,
    /// What the warps know that have arrived in the present phase.
    arriving: Known,
    /// The same of all phases that have ended.
    arrived: Known,
}

/// What warps know of each other.
#[derive(Clone, Debug, Default)]
struct Known {
    known: [u64; WARPS],
    /// The time at which one of them last looked at a flag.
    acquired: u64,
}

impl Known {
    fn join(&mut self, from: &Known) {
        join(&mut self.known, &from.known);
        self.acquired = self.acquired.max(from.acquired);
    }
}

fn join(into: &mut [u64; WARPS], from: &[u64; WARPS]) {
    for (to, from) in std::iter::zip(into, from) {
        *to = (*to).max(*from);
    }
}

/// A block's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockClock {
    /// The number of barriers that all its threads have passed.
    pub epoch: u32,
    /// The time of the last strong access in an earlier epoch.
    acquired_before: u64,
    /// The time of the last strong access in this epoch.
    acquired_now: u64,
    /// It is made when a barrier of some threads is first used.
    named: Option<Box<Named>>,
    /// Time at which the block began.
    pub start: u64,
}

impl BlockClock {
    /// The clock of a block that begins.
    pub fn new(time: &Time) -> Self {
        BlockClock { start: time.advance(), ..BlockClock::default() }
    }

    /// The number of the section, the stretch from the block's last barrier to the next. It is unique in the launch and
    /// never 0.
    pub fn section(&self) -> u64 {
        (self.start << 32) | (u64::from(self.epoch) + 1)
    }

    /// All threads of the block have met at a barrier.
    pub fn barrier(&mut self) {
        self.epoch += 1;
        self.acquired_before = self.acquired_before.max(self.acquired_now);
    }

    /// A warp of the block arrives at a barrier of some threads, whether it waits or not.
    pub fn arrive(&mut self, barrier: usize, warp: usize, clock: &WarpClock, time: &Time) {
        let named = self.named();
        let pending = &mut named.pending[barrier];
        join(pending, &named.known[warp]);
        pending[warp] = time.now();
        named.acquired[barrier] = named.acquired[barrier].max(clock.acquired);
        // What the warp does from here on is not ordered by this barrier.
        time.advance();
    }

    fn named(&mut self) -> &mut Named {
        self.named.get_or_insert_with(|| {
            Box::new(Named {
                known: [[0; WARPS]; WARPS],
                pending: [[0; WARPS]; BARRIERS],
                acquired: [0; BARRIERS],
                phases: HashMap::new(),
            })
        })
    }

    /// A warp of the block arrives at the mbarrier at this offset.
    pub fn arrive_phase(&mut self, offset: u32, warp: usize, clock: &WarpClock, time: &Time) {
        let named = self.named();
        let known = named.known[warp];
        let arriving = &mut named.phases.entry(offset).or_default().arriving;
        join(&mut arriving.known, &known);
        arriving.known[warp] = time.now();
        arriving.acquired = arriving.acquired.max(clock.acquired);
        time.advance();
    }

    /// A warp of another block arrives there. Its own fence publishes what it did; whoever waits has seen a flag.
    pub fn arrive_from_outside(&mut self, offset: u32, time: &Time) {
        let arriving = &mut self.named().phases.entry(offset).or_default().arriving;
        arriving.acquired = time.advance();
    }

    /// What warp `warp` of the block did up to now is ordered before whoever has waited for the mbarrier.
    pub fn publish_phase(&mut self, offset: u32, warp: usize, time: &Time) {
        let arrived = &mut self.named().phases.entry(offset).or_default().arrived;
        arrived.known[warp] = time.now();
        time.advance();
    }

    /// The mbarrier at this offset ends a phase.
    pub fn completed(&mut self, offset: u32) {
        if let Some(phases) = self.named.as_mut().and_then(|named| named.phases.get_mut(&offset)) {
            phases.ended += 1;
            let arriving = std::mem::take(&mut phases.arriving);
            phases.arrived.join(&arriving);
        }
    }

    /// How many phases the mbarrier at this offset has ended.
    pub fn phases(&mut self, offset: u32) -> u64 {
        self.named().phases.entry(offset).or_default().ended
    }

    /// A warp goes on behind a phase of the mbarrier at this offset.
    pub fn pass_phase(&mut self, offset: u32, warp: usize, clock: &mut WarpClock) {
        let Some(named) = &mut self.named else { return };
        if let Some(phases) = named.phases.get(&offset) {
            join(&mut named.known[warp], &phases.arrived.known);
            clock.acquired = clock.acquired.max(phases.arrived.acquired);
            // The block's next barrier passes it on to the other warps.
            self.acquired_now = self.acquired_now.max(clock.acquired);
        }
    }

    /// The mbarrier at this offset is initialised, or is none any more.
    pub fn forget_phases(&mut self, offset: u32) {
        if let Some(named) = &mut self.named {
            named.phases.remove(&offset);
        }
    }

    /// A warp goes on behind a barrier of some threads.
    pub fn pass(&mut self, barrier: usize, warp: usize, clock: &mut WarpClock) {
        if let Some(named) = &mut self.named {
            join(&mut named.known[warp], &named.pending[barrier]);
            clock.acquired = clock.acquired.max(named.acquired[barrier]);
        }
    }

    /// A barrier of some threads has opened, and may be used again.
    pub fn opened(&mut self, barrier: usize) {
        if let Some(named) = &mut self.named {
            named.pending[barrier] = [0; WARPS];
            named.acquired[barrier] = 0;
        }
    }

    /// Whether barriers of some threads order what warp `past` of the block did at `time` before what warp `now` does.
    pub fn behind(&self, past: usize, now: usize, time: u64) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|named| named.known[now][past] >= time)
    }
}

/// Later ticks of a warp are not distinguished.
const LAST_TICK: u32 = u16::MAX as u32;

/// A warp's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarpClock {
    /// Its number in the grid.
    pub warp: u32,
    /// The number of warp-level synchronisations since the last barrier.
    tick: u32,
    /// The last of them that named all live lanes.
    all: u32,
    /// Exists once a synchronisation has named only some lanes: for each lane, the tick up to which everything that
    /// each other lane did is ordered before it.
    known: Option<Box<[[u32; LANES]; LANES]>>,
    /// The time by which its last strong access had been made.
    acquired: u64,
    /// The time at which that access began.
    looked: u64,
    /// The time at which a strong access began that has been checked but not made yet.
    pending: Option<u64>,
}

impl WarpClock {
    /// The clock of a warp that starts.
    pub fn start(&mut self, warp: u32) {
        *self = WarpClock { warp, ..WarpClock::default() };
    }

    /// The clock of a warp by which something is remembered that it began earlier.
    pub fn of(warp: u32) -> WarpClock {
        WarpClock { warp, ..WarpClock::default() }
    }

    /// The present tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The lanes of `mask` meet, `live` being all lanes that have not exited.
    pub fn sync(&mut self, mask: u32, live: u32) {
        if self.tick < LAST_TICK {
            self.tick += 1;
        }
        if live & !mask == 0 {
            self.all = self.tick;
            return;
        }
        // Each of these lanes now knows what any of them knew, as lanes may meet in a chain.
        let known = self.known.get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        let mut all = [0; LANES];
        for (lane, row) in known.iter().enumerate() {
            if mask & (1 << lane) != 0 {
                for (to, tick) in all.iter_mut().zip(row) {
                    *to = (*to).max(*tick);
                }
            }
        }
        for (lane, to) in all.iter_mut().enumerate() {
            if mask & (1 << lane) != 0 {
                *to = self.tick;
            }
        }
        for lane in (0..LANES).filter(|lane| mask & (1 << lane) != 0) {
            known[lane] = all;
        }
    }

    /// The block has passed a barrier.
    pub fn barrier(&mut self) {
        self.tick = 0;
        self.all = 0;
        self.known = None;
    }

    /// Whether what lane `past` did at `tick` (of this epoch) is ordered before what lane `now` does: they have met
    /// since, directly or in a chain of other lanes.
    pub fn met(&self, past: u32, now: u32, tick: u32) -> bool {
        let last = self.known.as_ref().map_or(0, |known| known[now as usize][past as usize]).max(self.all);
        last > tick || last == LAST_TICK
    }

    /// Whether all lanes have met since `tick` (of this epoch).
    pub fn all_met(&self, tick: u32) -> bool {
        self.all > tick
    }

    /// A strong access is about to be made.
    pub fn acquire(&mut self, time: &Time) {
        self.pending = Some(time.now());
    }

    /// The warp may rely from here on on everything that was published before that time.
    pub fn acquire_at(&mut self, block: &mut BlockClock, time: u64) {
        self.looked = self.looked.max(time);
        self.acquired = self.acquired.max(time);
        block.acquired_now = block.acquired_now.max(self.acquired);
    }

    /// The last access has been made. If it was strong, the warp may rely from here on on everything that was published
    /// before it.
    pub fn settle(&mut self, block: &mut BlockClock, time: &Time) {
        if let Some(began) = self.pending.take() {
            self.looked = began;
            self.acquired = time.advance();
            block.acquired_now = self.acquired;
        }
    }

    /// Whether this warp, or a thread of its block before the last barrier, has looked at a flag since `time`. `own`
    /// asks about something that a lane of this warp did; then the look must have begun after `time`, because the lanes
    /// of one instruction do not see what others do in it.
    pub fn acquired_since(&self, block: &BlockClock, time: u64, own: bool) -> bool {
        let here = if own { self.looked } else { self.acquired };
        here.max(block.acquired_before) > time
    }
}
