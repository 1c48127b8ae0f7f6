//! The logical clocks of the race check: which threads have synchronised with which.
//!
//! Inside a block, barriers count *epochs* and warp-level synchronisation counts *ticks* of a warp since its last
//! barrier. Between blocks, and between warps of one epoch, order comes from publication: one side fences after its
//! access, the other performs an atomic or volatile access after it (release and acquire as CUDA programs write them:
//! `__threadfence()` and a flag). The rule is deliberately generous: it requires any fence and any flag, not the right
//! ones, so that a correct protocol is never reported.
//!
//! A launch has one logical time, which all these events advance. If several workers share the launch, each block
//! counts a time of its own, and synchronises it with the launch's time only at events on which other blocks may rely,
//! or which observe other blocks: fences of the device's scope, and strong accesses to global memory. Then the block's
//! time becomes later than the launch's, and the launch's time catches up. An access to global memory is never earlier
//! than the launch's time. So, between blocks, an event after a fence or a strong access is later than the events
//! before it, and an acquire that came first is not.

use crate::lane::LANES;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The way in which the time of a launch is shared and advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// There is a single worker, so the time need not be changed atomically.
    Alone,
    /// All blocks advance it, at every event.
    #[default]
    Together,
    /// Each block has a time of its own in addition.
    Apart,
}

/// The logical time of a launch.
#[derive(Debug, Default)]
pub(crate) struct Time {
    now: PaddedTime,
    sharing: Sharing,
}

/// A time in a separate cache line, because all workers change it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct PaddedTime(AtomicU64);

impl Time {
    /// Creates the time of a launch that begins.
    pub fn new(sharing: Sharing) -> Self {
        Time { now: PaddedTime::default(), sharing }
    }
    /// Returns whether each block has a time of its own.
    #[inline(always)]
    fn is_apart(&self) -> bool {
        self.sharing == Sharing::Apart
    }
    /// Raises the time to a block's time.
    #[inline(always)]
    fn raise(&self, to: u64) {
        if self.now() < to {
            self.now.0.fetch_max(to, Ordering::AcqRel);
        }
    }
    /// Returns the current time.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.now.0.load(Ordering::Relaxed)
    }
    /// Advances the time, and returns the new one.
    #[inline(always)]
    pub fn advance(&self) -> u64 {
        if self.sharing == Sharing::Alone {
            let next = self.now() + 1;
            self.now.0.store(next, Ordering::Release);
            return next;
        }
        self.now.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// The part of a warp's accesses that is ordered before some event: by time, and by lanes if not all lanes are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Upto {
    /// All accesses until this time are ordered.
    all: u64,
    /// The accesses of these lanes until `some` are ordered. Lanes are only ever added: that hides mistakes, but never
    /// reports a correct program.
    lanes: u32,
    some: u64,
    /// The accesses of all lanes before this moment ([`ShadowAccess::moment`]) are ordered, because the lanes
    /// synchronised then.
    before: u32,
}

/// An access by lanes of a warp: its time, and the warp's moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed {
    /// The warp.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
    /// The time, from [`BlockClock::now`].
    pub time: u64,
    /// The block's epoch and the warp's tick, in 16 bits each.
    pub moment: u32,
}

impl Upto {
    /// Covers everything until a time.
    fn all(time: u64) -> Upto {
        Upto { all: time, ..Upto::default() }
    }

    /// Covers what lanes of a warp release at a time that no barrier joins: their own accesses, and those of other
    /// lanes before they synchronised.
    fn released(by: &Release<'_>, epoch: u32, time: u64) -> Upto {
        if by.live & !by.lanes == 0 {
            return Upto::all(time);
        }
        let tick = by.clock.all.min(LAST_TICK);
        let before = if tick == LAST_TICK { (epoch + 1) << 16 } else { epoch << 16 | tick };
        Upto { all: 0, lanes: by.lanes | by.clock.met_by(by.lanes), some: time, before }
    }

    fn join(&mut self, other: Upto) {
        self.all = self.all.max(other.all);
        self.before = self.before.max(other.before);
        self.lanes |= other.lanes;
        self.some = self.some.max(other.some);
    }

    /// Returns whether other lanes have released something since, but not for the lanes of the deed.
    fn passes_over(&self, deed: Deed) -> bool {
        self.lanes != 0 && self.some >= deed.time && !self.covers(deed)
    }

    /// Returns whether the deed is ordered before this.
    fn covers(&self, deed: Deed) -> bool {
        self.all >= deed.time || self.before > deed.moment || (deed.lanes & !self.lanes == 0 && self.some >= deed.time)
    }
}

/// Lanes of a warp that release: a fence, a store with release, an arrival at an mbarrier.
pub(crate) struct Release<'a> {
    /// The warp's clock.
    pub clock: &'a WarpClock,
    /// The lanes.
    pub lanes: u32,
    /// The warp's lanes that have not exited.
    pub live: u32,
}

/// The fences of a warp, of one scope: an [`Upto`] that other workers read. Its time fits in 32 bits as long as any
/// check is on.
#[derive(Debug, Default)]
struct Fences {
    all: AtomicU64,
    /// The lanes in the high half, and the time in the low half.
    some: AtomicU64,
    before: AtomicU32,
}

impl Fences {
    fn join(&self, upto: Upto) {
        self.all.fetch_max(upto.all, Ordering::AcqRel);
        if upto.lanes != 0 {
            self.before.fetch_max(upto.before, Ordering::AcqRel);
            let with = |old: u64| {
                let time = (old & 0xffff_ffff).max(upto.some);
                (old >> 32 | u64::from(upto.lanes)) << 32 | time
            };
            let _ = self.some.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(with(old)));
        }
    }

    /// Returns what the fences executed so far cover.
    fn upto(&self) -> Upto {
        let some = self.some.load(Ordering::Acquire);
        Upto {
            all: self.all.load(Ordering::Acquire),
            lanes: (some >> 32) as u32,
            some: some & 0xffff_ffff,
            before: self.before.load(Ordering::Acquire),
        }
    }
}

/// The fences of each warp and block, as visible to other warps and blocks, for a whole launch.
#[derive(Debug)]
pub(crate) struct Publications {
    warps_per_block: u32,
    /// For each warp of the grid, its fences of device scope.
    fences: Vec<Fences>,
    /// For each warp of the grid, its fences of any scope.
    block_fences: Vec<Fences>,
    /// For each block, the epoch of its last fence plus one.
    epochs: Vec<AtomicU32>,
    /// For each block, the epoch plus one in which it last wrote to global memory by an atomic or volatile access.
    flags: Vec<AtomicU32>,
    /// The time at which the launch began. Everything before it is ordered.
    pub start: u64,
}

impl Publications {
    /// Creates the publications for a launch of `blocks` blocks that begins now.
    pub fn new(blocks: u64, warps_per_block: u32, time: &Time) -> Self {
        let warps = blocks as usize * warps_per_block as usize;
        Publications {
            warps_per_block,
            fences: (0..warps).map(|_| Fences::default()).collect(),
            block_fences: (0..warps).map(|_| Fences::default()).collect(),
            epochs: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            flags: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            start: time.advance(),
        }
    }

    /// Records that lanes of a warp execute a fence or a release. `narrow` means that its scope is the warp's block,
    /// whose clock is given.
    pub fn fence(&self, by: &Release<'_>, block: &mut BlockClock, narrow: bool, time: &Time) {
        let now = if narrow { block.step(time) } else { block.publish(time) };
        let (warp, upto) = (by.clock.warp as usize, Upto::released(by, block.epoch, now - 1));
        self.block_fences[warp].join(upto);
        if !narrow {
            self.fences[warp].join(upto);
            let number = warp / self.warps_per_block as usize;
            self.epochs[number].fetch_max(block.epoch + 1, Ordering::AcqRel);
            // The accesses of other warps are published together with this warp's own if named barriers have ordered
            // them before.
            if let Some(named) = &block.named {
                let first = number * self.warps_per_block as usize;
                let known = named.known[warp - first];
                for (fence, upto) in std::iter::zip(&self.fences[first..], known)
                    .take(self.warps_per_block as usize)
                    .filter(|(_, upto)| *upto != Upto::default())
                {
                    fence.join(upto);
                }
            }
        }
    }

    /// Records that a block, whose clock is given, writes to global memory by an atomic or volatile access.
    #[inline(always)]
    pub fn flag(&self, warp: u32, block: &BlockClock) {
        let flag = &self.flags[(warp / self.warps_per_block) as usize];
        if flag.load(Ordering::Relaxed) <= block.epoch {
            flag.fetch_max(block.epoch + 1, Ordering::AcqRel);
        }
    }

    /// Returns whether a fence has followed the deed: a fence of its own warp, or one in its block after a barrier.
    /// `inside` means that the observer is in the same block, for which a fence of narrow scope is enough.
    pub fn published(&self, deed: Deed, inside: bool) -> bool {
        let fences = if inside { &self.block_fences } else { &self.fences };
        let epoch = deed.moment >> 16;
        fences[deed.warp as usize].upto().covers(deed)
            || self.epochs[(deed.warp / self.warps_per_block) as usize].load(Ordering::Acquire) > epoch + 1
    }

    /// Returns whether other lanes of the warp have fenced since, without having synchronised with the lanes of the
    /// deed.
    pub fn passed_over(&self, deed: Deed, inside: bool) -> bool {
        let fences = if inside { &self.block_fences } else { &self.fences };
        fences[deed.warp as usize].upto().passes_over(deed)
    }

    /// Returns whether the warp's block has set a flag, with or without a fence, after a barrier that followed the
    /// read: the value had then arrived, so a thread that has seen the flag cannot change what was read.
    pub fn has_read(&self, deed: Deed) -> bool {
        let epoch = deed.moment >> 16;
        self.flags[(deed.warp / self.warps_per_block) as usize].load(Ordering::Acquire) > epoch + 1
    }

    /// Returns the number of warps per block.
    pub fn warps_per_block(&self) -> u32 {
        self.warps_per_block
    }
}

/// Warps of the largest possible block.
const WARPS: usize = 32;
/// Barriers per block.
const BARRIERS: usize = 16;

/// The order between the warps of a block that comes from named barriers, which only some of its threads pass.
/// `known[a][b]` is the part of warp `b`'s accesses that is ordered before warp `a`.
#[derive(Clone, Debug)]
struct Named {
    known: Vec<[Upto; WARPS]>,
    /// For each barrier, the combined knowledge of the warps that have arrived at it since it last opened.
    pending: [[Upto; WARPS]; BARRIERS],
    /// For each barrier, the last acquire of one of those warps.
    acquired: [Look; BARRIERS],
    /// The mbarriers, by their offsets in shared memory.
    phases: HashMap<u32, Phases>,
}

/// The order that an mbarrier establishes.
#[derive(Clone, Debug, Default)]
struct Phases {
    /// The number of phases that have ended.
    ended: u64,
    /// The combined knowledge of the warps that have arrived in the current phase.
    arriving: KnownOrder,
    /// The combined knowledge of all phases that have ended.
    arrived: KnownOrder,
}

/// The order between warps, as known to some of them.
#[derive(Clone, Debug, Default)]
struct KnownOrder {
    known: [Upto; WARPS],
    /// The last acquire of one of them.
    acquired: Look,
}

impl KnownOrder {
    fn join(&mut self, from: &KnownOrder) {
        join(&mut self.known, &from.known);
        self.acquired = self.acquired.max(from.acquired);
    }
}

/// The time of an acquire: a strong access that may have seen a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    /// The time of the block.
    here: u64,
    /// The launch's time at that moment: everything that other blocks had published by then is ordered.
    launch: u64,
}

impl Look {
    /// Returns the later of two.
    #[inline(always)]
    fn max(self, other: Look) -> Look {
        Look { here: self.here.max(other.here), launch: self.launch.max(other.launch) }
    }
}

fn join(into: &mut [Upto; WARPS], from: &[Upto; WARPS]) {
    for (to, from) in std::iter::zip(into, from) {
        to.join(*from);
    }
}

/// A block's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockClock {
    /// The number of barriers that all its threads have passed.
    pub epoch: u32,
    /// The last strong access in an earlier epoch.
    acquired_before: Look,
    /// The last strong access in this epoch.
    acquired_now: Look,
    /// Created when a named barrier is first used.
    named: Option<Box<Named>>,
    /// The time at which the block began.
    pub start: u64,
    /// The block's own time, if each block has one.
    now: u64,
}

impl BlockClock {
    /// Creates the clock of a new block, which reuses the shared memory of the block of this clock.
    pub fn next(&self, time: &Time) -> Self {
        let mut clock = BlockClock { now: self.now, ..BlockClock::default() };
        clock.catch_up(time);
        clock.start = clock.step(time);
        clock
    }

    /// Returns the current time.
    #[inline(always)]
    pub fn now(&self, time: &Time) -> u64 {
        if time.is_apart() { self.now } else { time.now() }
    }

    /// Returns whether times still fit into the 32 bits in which they are stored. After that, races are missed, but no
    /// correct kernel is reported.
    #[inline(always)]
    pub fn is_in_time(&self, time: &Time) -> bool {
        u32::try_from(self.now(time)).is_ok()
    }

    /// Advances the time for an event that concerns only this block. Returns the new time.
    #[inline(always)]
    fn step(&mut self, time: &Time) -> u64 {
        if time.is_apart() {
            self.now += 1;
            return self.now;
        }
        time.advance()
    }

    /// Advances the time for an event on which other blocks may rely. Returns the new time, which is also the launch's.
    #[inline(always)]
    fn publish(&mut self, time: &Time) -> u64 {
        if time.is_apart() {
            time.raise(self.now);
            self.now = time.advance();
            return self.now;
        }
        time.advance()
    }

    /// Catches up with the launch's time before an access to memory that other blocks can access.
    #[inline(always)]
    pub fn catch_up(&mut self, time: &Time) {
        if time.is_apart() {
            self.now = self.now.max(time.now());
        }
    }

    /// Records an acquire, after a strong access. It is `wide` if other blocks can access the memory.
    #[inline(always)]
    fn look(&mut self, wide: bool, time: &Time) -> Look {
        let here = if wide { self.publish(time) } else { self.step(time) };
        Look { here, launch: if wide || !time.is_apart() { here } else { time.now() } }
    }

    /// Returns the number of the section: the period from the block's last barrier to the next one. It is never 0, and
    /// is unique for this shared memory.
    #[inline(always)]
    pub fn section(&self) -> u64 {
        (self.start << 32) | (u64::from(self.epoch) + 1)
    }

    /// Records that all threads of the block have met at a barrier.
    pub fn barrier(&mut self) {
        self.epoch += 1;
        self.acquired_before = self.acquired_before.max(self.acquired_now);
    }

    /// Records that a warp of the block arrives at a named barrier, whether it waits or not.
    pub fn arrive(&mut self, barrier: usize, warp: usize, clock: &WarpClock, time: &Time) {
        let now = self.now(time);
        let named = self.named();
        let pending = &mut named.pending[barrier];
        join(pending, &named.known[warp]);
        pending[warp].join(Upto::all(now));
        named.acquired[barrier] = named.acquired[barrier].max(clock.acquired);
        // The warp's further accesses are not ordered by this barrier.
        self.step(time);
    }

    fn named(&mut self) -> &mut Named {
        self.named.get_or_insert_with(|| {
            Box::new(Named {
                known: vec![[Upto::default(); WARPS]; WARPS],
                pending: [[Upto::default(); WARPS]; BARRIERS],
                acquired: [Look::default(); BARRIERS],
                phases: HashMap::new(),
            })
        })
    }

    /// Records that lanes of a warp of the block arrive at the mbarrier at this offset.
    pub fn arrive_phase(&mut self, offset: u32, warp: usize, by: &Release<'_>, time: &Time) {
        let upto = Upto::released(by, self.epoch, self.now(time));
        let named = self.named();
        let known = named.known[warp];
        let arriving = &mut named.phases.entry(offset).or_default().arriving;
        join(&mut arriving.known, &known);
        arriving.known[warp].join(upto);
        arriving.acquired = arriving.acquired.max(by.clock.acquired);
        self.step(time);
    }

    /// Records that a warp of another block arrives at the mbarrier. Its own fence publishes its accesses; a thread
    /// that waits performs an acquire.
    pub fn arrive_from_outside(&mut self, offset: u32, time: &Time) {
        let look = self.look(true, time);
        self.named().phases.entry(offset).or_default().arriving.acquired = look;
    }

    /// Orders the accesses of warp `warp` so far before those of every thread that has waited for the mbarrier.
    pub fn publish_phase(&mut self, offset: u32, warp: usize, time: &Time) {
        let now = self.now(time);
        self.named().phases.entry(offset).or_default().arrived.known[warp].join(Upto::all(now));
        self.step(time);
    }

    /// Records that the mbarrier at this offset ends a phase.
    pub fn completed(&mut self, offset: u32) {
        if let Some(phases) = self.named.as_mut().and_then(|named| named.phases.get_mut(&offset)) {
            phases.ended += 1;
            let arriving = std::mem::take(&mut phases.arriving);
            phases.arrived.join(&arriving);
        }
    }

    /// Returns the number of phases that the mbarrier at this offset has ended.
    pub fn phases(&mut self, offset: u32) -> u64 {
        self.named().phases.entry(offset).or_default().ended
    }

    /// Records that a warp continues after a phase of the mbarrier at this offset.
    pub fn pass_phase(&mut self, offset: u32, warp: usize, clock: &mut WarpClock) {
        let Some(named) = &mut self.named else { return };
        if let Some(phases) = named.phases.get(&offset) {
            join(&mut named.known[warp], &phases.arrived.known);
            clock.acquired = clock.acquired.max(phases.arrived.acquired);
            // The block's next barrier passes the acquire on to the other warps.
            self.acquired_now = self.acquired_now.max(clock.acquired);
        }
    }

    /// Records that the mbarrier at this offset is initialised or invalidated.
    pub fn forget_phases(&mut self, offset: u32) {
        if let Some(named) = &mut self.named {
            named.phases.remove(&offset);
        }
    }

    /// Records that a warp continues after a named barrier.
    pub fn pass(&mut self, barrier: usize, warp: usize, clock: &mut WarpClock) {
        if let Some(named) = &mut self.named {
            join(&mut named.known[warp], &named.pending[barrier]);
            clock.acquired = clock.acquired.max(named.acquired[barrier]);
        }
    }

    /// Records that a named barrier has opened, and may be reused.
    pub fn opened(&mut self, barrier: usize) {
        if let Some(named) = &mut self.named {
            named.pending[barrier] = [Upto::default(); WARPS];
            named.acquired[barrier] = Look::default();
        }
    }

    /// Returns whether other lanes of warp `past` have since arrived at a named barrier that warp `now` has passed.
    pub fn passed_over(&self, past: usize, now: usize, deed: Deed) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|named| named.known[now][past].passes_over(deed))
    }

    /// Returns whether named barriers order the deed of warp `past` of the block before the accesses of warp `now`.
    pub fn behind(&self, past: usize, now: usize, deed: Deed) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|named| named.known[now][past].covers(deed))
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
    /// For each lane, the tick up to which all accesses of each other lane are ordered before it. Created when a
    /// synchronisation first names only some lanes.
    known: Option<Box<[[u32; LANES]; LANES]>>,
    /// The time of its last acquire.
    acquired: Look,
    /// The time at which that access began.
    looked: u64,
    /// The time at which a strong access began that has been checked but not made yet, and whether it is `wide`.
    pending: Option<(u64, bool)>,
}

impl WarpClock {
    /// Starts the clock of a new warp.
    pub fn start(&mut self, warp: u32) {
        *self = WarpClock { warp, ..WarpClock::default() };
    }

    /// Returns the clock of a warp for recording an access that it began earlier.
    pub fn of(warp: u32) -> WarpClock {
        WarpClock { warp, ..WarpClock::default() }
    }

    /// Returns the current tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Synchronises the lanes of `mask`, where `live` are all lanes that have not exited.
    pub fn sync(&mut self, mask: u32, live: u32) {
        if self.tick < LAST_TICK {
            self.tick += 1;
        }
        if live & !mask == 0 {
            self.all = self.tick;
            return;
        }
        // Each of these lanes now has the combined knowledge of all of them, because lanes may synchronise in a chain.
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

    /// Returns the lanes with which these lanes have synchronised individually, and not together with all others.
    fn met_by(&self, by: u32) -> u32 {
        let Some(known) = &self.known else { return 0 };
        let met =
            |row: &[u32; LANES]| (0..LANES).filter(|lane| row[*lane] != 0).fold(0u32, |all, lane| all | 1 << lane);
        (0..LANES).filter(|lane| by & (1 << lane) != 0).fold(0, |all, lane| all | met(&known[lane]))
    }

    /// Records that the block has passed a barrier.
    pub fn barrier(&mut self) {
        self.tick = 0;
        self.all = 0;
        self.known = None;
    }

    /// Returns whether the accesses of lane `past` at `tick` (of this epoch) are ordered before those of lane `now`:
    /// they have synchronised since, directly or through a chain of other lanes.
    pub fn met(&self, past: u32, now: u32, tick: u32) -> bool {
        let last = self.known.as_ref().map_or(0, |known| known[now as usize][past as usize]).max(self.all);
        last > tick || last == LAST_TICK
    }

    /// Returns whether all lanes have synchronised since `tick` (of this epoch).
    pub fn all_met(&self, tick: u32) -> bool {
        self.all > tick
    }

    /// Records that a strong access is about to be made. It is `wide` if other blocks can access the memory.
    #[inline(always)]
    pub fn acquire(&mut self, block: &mut BlockClock, wide: bool, time: &Time) {
        if wide && time.is_apart() {
            // A thread that acquires from here on may see the access, and must be later.
            block.catch_up(time);
            time.raise(block.now);
        }
        self.pending = Some((block.now(time), wide));
    }

    /// Orders everything that was published before that time before the warp's further accesses.
    pub fn acquire_at(&mut self, block: &mut BlockClock, time: u64) {
        self.looked = self.looked.max(time);
        self.acquired = self.acquired.max(Look { here: time, launch: time });
        block.acquired_now = block.acquired_now.max(self.acquired);
    }

    /// Records that the last access has been made. If it was strong, everything that was published before it is ordered
    /// before the warp's further accesses.
    #[inline(always)]
    pub fn settle(&mut self, block: &mut BlockClock, time: &Time) {
        if let Some((began, wide)) = self.pending.take() {
            self.looked = began;
            self.acquired = block.look(wide, time);
            block.acquired_now = self.acquired;
        }
    }

    /// Returns whether this warp, or a thread of its block before the last barrier, has performed an acquire since the
    /// block's event at `time`. `own` means that the event is an access by a lane of this warp; then the acquire must
    /// have begun after `time`, because the lanes of one instruction do not see each other's effects.
    pub fn acquired_since(&self, block: &BlockClock, time: u64, own: bool) -> bool {
        let here = if own { self.looked } else { self.acquired.here };
        here.max(block.acquired_before.here) > time
    }

    /// Like [`WarpClock::acquired_since`], for an event of another block at `time` by that block's clock.
    pub fn acquired_since_other(&self, block: &BlockClock, time: u64) -> bool {
        self.acquired.launch.max(block.acquired_before.launch) > time
    }
}
