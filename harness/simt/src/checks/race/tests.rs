use super::super::clock::{Release, Sharing};
use super::super::global::{CHUNK, GlobalRaces};
use super::super::{Addresses, Layout};
use super::*;
use crate::lane::ALL;

/// A hand-driven launch of two blocks of two warps.
struct Bench {
    time: Time,
    launch: Publications,
    blocks: [BlockClock; 2],
    warps: [WarpClock; 4],
    memory: GlobalRaces,
}

impl Bench {
    fn new() -> Self {
        Bench::of(Sharing::Together)
    }

    fn of(sharing: Sharing) -> Self {
        let time = Time::new(sharing);
        let launch = Publications::new(2, 2, &time);
        let mut warps: [WarpClock; 4] = Default::default();
        for (i, warp) in warps.iter_mut().enumerate() {
            warp.start(i as u32);
        }
        // SAFETY: it may be used by several threads.
        let memory = unsafe { GlobalRaces::new(0x1000, 0x4000, false) };
        let blocks = [(); 2].map(|()| BlockClock::default().next(&time));
        Bench { time, launch, blocks, warps, memory }
    }

    /// Makes one lane's access at `address`, completed immediately.
    fn act(&mut self, warp: usize, lane: usize, what: AccessKind, strong: bool, address: u64) -> Option<Conflict> {
        self.blocks[warp / 2].catch_up(&self.time);
        if strong {
            self.warps[warp].acquire(&mut self.blocks[warp / 2], true, &self.time);
            self.settle(warp);
        }
        self.access((warp, lane), (what, strong), address, what as u32)
    }

    /// Makes one lane's access at `address` by the instruction `pc`, as the check compares it.
    fn access(
        &self,
        (warp, lane): (usize, usize),
        (what, strong): (AccessKind, bool),
        address: u64,
        pc: u32,
    ) -> Option<Conflict> {
        let mut addresses = [0; LANES];
        addresses[lane] = address;
        let event = Event {
            what,
            strong,
            volatile: false,
            narrow: false,
            block_local: false,
            pc,
            mask: 1 << lane,
            size: 4,
            address: Addresses::of(&addresses),
            excuses: None,
            layout: &Layout::default(),
        };
        let clocks = Clocks {
            time: &self.time,
            launch: &self.launch,
            block: &self.blocks[warp / 2],
            warp: &self.warps[warp],
            start: self.launch.start,
        };
        self.memory.access(&clocks, &event, 1 << lane)
    }
    /// Makes a warp's strong access to its block's shared memory.
    fn look_at_shared(&mut self, warp: usize) {
        self.settle(warp);
        self.warps[warp].acquire(&mut self.blocks[warp / 2], false, &self.time);
    }
    /// Completes the last strong access of a warp.
    fn settle(&mut self, warp: usize) {
        self.warps[warp].settle(&mut self.blocks[warp / 2], &self.time);
    }
    fn write(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, AccessKind::Write, false, address)
    }
    fn read(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, AccessKind::Read, false, address)
    }
    fn atomic(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, AccessKind::Atomic, true, address)
    }
    fn fence(&mut self, warp: usize) {
        self.fence_by(warp, ALL, false);
    }
    /// Executes a fence by lanes of a warp.
    fn fence_by(&mut self, warp: usize, lanes: u32, narrow: bool) {
        let by = Release { clock: &self.warps[warp], lanes, live: ALL };
        self.launch.fence(&by, &mut self.blocks[warp / 2], narrow, &self.time);
    }
    fn barrier(&mut self, block: usize) {
        self.blocks[block].barrier();
        self.warps[2 * block].barrier();
        self.warps[2 * block + 1].barrier();
    }
}

const X: u64 = 0x1010;
const FLAG: u64 = 0x2000;

#[test]
fn one_thread_never_races_with_itself() {
    let mut b = Bench::new();
    assert_eq!(b.write(0, 3, X), None);
    assert_eq!(b.read(0, 3, X), None);
    assert_eq!(b.write(0, 3, X), None);
}

#[test]
fn lanes_of_a_warp_need_a_syncwarp() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    assert_eq!(b.read(0, 1, X).map(|c| (c.scope, c.what)), Some((Scope::Warp, AccessKind::Write)));
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.warps[0].sync(u32::MAX, u32::MAX);
    assert_eq!(b.read(0, 1, X), None);
}

#[test]
fn a_syncwarp_orders_only_the_lanes_it_names() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.warps[0].sync(0b0011, u32::MAX);
    assert_eq!(b.read(0, 1, X), None);
    assert!(b.write(0, 2, X).is_some());
}

#[test]
fn lanes_that_meet_in_a_chain_are_ordered() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.warps[0].sync(0b0011, u32::MAX);
    b.warps[0].sync(0b0110, u32::MAX);
    assert_eq!(b.read(0, 2, X), None);
    assert!(b.read(0, 3, X).is_some());
}

#[test]
fn all_lanes_that_read_are_remembered() {
    let mut b = Bench::new();
    b.read(0, 3, X);
    b.read(0, 5, X);
    assert_eq!(b.write(0, 5, X).map(|c| c.earlier_lane), Some(3));
}

#[test]
fn an_atomic_does_not_hide_the_plain_write_before_it() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.atomic(0, 0, X);
    assert_eq!(b.atomic(1, 0, X).map(|c| c.what), Some(AccessKind::Write));
}

#[test]
fn a_barrier_of_some_warps_orders_those_that_wait_behind_those_that_come() {
    let pass = |b: &mut Bench, from: usize, to: usize| {
        let Bench { blocks, warps, time, .. } = b;
        let block = &mut blocks[0];
        block.arrive(1, from, &warps[from], time);
        block.arrive(1, to, &warps[to], time);
        block.pass(1, to, &mut warps[to]);
        block.opened(1);
    };
    let mut b = Bench::new();
    b.write(0, 0, X);
    pass(&mut b, 0, 1);
    assert_eq!(b.read(1, 0, X), None);
    assert_eq!(b.write(0, 0, X).map(|c| c.earlier_warp), Some(1), "the other way round it does not");
    assert!(b.read(1, 0, X).is_some(), "nor what comes later");
}

#[test]
fn warps_of_a_block_need_a_barrier() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    assert_eq!(b.read(1, 0, X).map(|c| c.scope), Some(Scope::Block));
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.barrier(0);
    assert_eq!(b.read(1, 0, X), None);
    assert_eq!(b.write(1, 0, X), None);
}

#[test]
fn a_write_after_reads_of_two_warps_is_held_against_both() {
    let mut b = Bench::new();
    b.read(0, 0, X);
    b.read(1, 0, X);
    assert_eq!(b.write(1, 0, X).map(|c| c.what), Some(AccessKind::Read));
    let mut b = Bench::new();
    b.read(1, 0, X);
    b.read(0, 0, X);
    assert_eq!(b.write(0, 0, X).map(|c| c.earlier_warp), Some(1));
}

#[test]
fn a_barrier_does_not_order_blocks() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.barrier(0);
    b.barrier(1);
    assert_eq!(b.write(2, 0, X).map(|c| c.scope), Some(Scope::Grid));
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_accesses() {
    let mut b = Bench::new();
    assert_eq!(b.atomic(0, 0, X), None);
    assert_eq!(b.atomic(2, 0, X), None);
    assert_eq!(b.read(1, 5, X).map(|c| c.what), Some(AccessKind::Atomic));
}

#[test]
fn the_last_block_of_a_reduction_may_read_what_the_others_left() {
    let mut b = Bench::new();
    b.write(1, 0, X); // a partial sum, by a thread other than the one that fences
    b.barrier(0);
    b.fence(0);
    b.atomic(0, 0, FLAG);
    b.atomic(2, 0, FLAG); // the other block is last
    b.barrier(1);
    assert_eq!(b.read(3, 9, X), None);
    assert_eq!(b.write(2, 0, FLAG), None, "and may reset the counter");
}

#[test]
fn a_fence_of_one_lane_covers_what_the_others_did_before_they_met_it() {
    for (met, covered) in [(None, false), (Some(ALL), true), (Some(0b11), true), (Some(0b110), false)] {
        let mut b = Bench::new();
        b.write(0, 1, X);
        if let Some(met) = met {
            b.warps[0].sync(met, ALL);
        }
        b.fence_by(0, 1, false);
        b.atomic(0, 0, FLAG);
        b.atomic(2, 0, FLAG);
        assert_eq!(b.read(2, 0, X).is_none(), covered, "{met:?}");
    }
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.fence_by(0, 1, false);
    b.atomic(0, 0, FLAG);
    b.atomic(2, 0, FLAG);
    assert_eq!(b.read(2, 0, X), None, "and what it did itself");
}

#[test]
fn what_a_block_has_read_before_a_barrier_and_a_flag_may_be_overwritten() {
    for (barrier, flag) in [(true, true), (false, true), (true, false)] {
        let mut b = Bench::new();
        b.read(1, 7, X);
        if barrier {
            b.barrier(0);
        }
        if flag {
            b.launch.flag(0, &b.blocks[0]);
            b.atomic(0, 0, FLAG);
        }
        b.atomic(2, 0, FLAG);
        assert_eq!(b.write(2, 0, X).is_none(), barrier && flag, "barrier {barrier}, flag {flag}");
    }
}

#[test]
fn without_the_fence_it_may_not() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.atomic(0, 0, FLAG);
    b.atomic(2, 0, FLAG);
    assert!(b.read(2, 0, X).is_some());
}

#[test]
fn without_looking_at_the_flag_it_may_not() {
    let mut b = Bench::new();
    b.atomic(2, 0, FLAG);
    b.write(0, 0, X);
    b.fence(0);
    b.atomic(0, 0, FLAG);
    assert!(b.read(2, 0, X).is_some());
}

#[test]
fn a_lock_with_fences_protects_and_without_does_not() {
    for fences in [true, false] {
        let mut b = Bench::new();
        let mut raced = false;
        for warp in [0, 2, 1, 3] {
            b.atomic(warp, 0, FLAG);
            raced |= b.read(warp, 0, X).is_some();
            raced |= b.write(warp, 0, X).is_some();
            if fences {
                b.fence(warp);
            }
            b.atomic(warp, 0, FLAG);
        }
        assert_eq!(raced, !fences);
    }
}

#[test]
fn the_next_launch_is_ordered() {
    let mut b = Bench::new();
    b.write(0, 0, X);
    b.launch = Publications::new(2, 2, &b.time);
    assert_eq!(b.write(2, 0, X), None);
}

#[test]
fn bytes_of_one_word_are_told_apart() {
    let b = Bench::new();
    let event = |address: &[u64; LANES], lane: usize, warp: usize| {
        let event = Event {
            what: AccessKind::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: false,
            pc: 1,
            mask: 1 << lane,
            size: 1,
            address: Addresses::of(address),
            excuses: None,
            layout: &Layout::default(),
        };
        let clocks = Clocks {
            time: &b.time,
            launch: &b.launch,
            block: &b.blocks[warp / 2],
            warp: &b.warps[warp],
            start: b.launch.start,
        };
        b.memory.access(&clocks, &event, 1 << lane)
    };
    let (mut one, mut two) = ([0; LANES], [0; LANES]);
    one[0] = X;
    two[0] = X + 1;
    assert_eq!(event(&one, 0, 0), None);
    assert_eq!(event(&two, 0, 2), None, "a neighbouring byte");
    assert!(event(&two, 0, 0).is_some(), "the same byte");
}

#[test]
fn an_access_over_the_end_of_a_chunk_is_seen_on_both_sides() {
    let edge = 0x1000 + CHUNK;
    let b = Bench::new();
    let act = |address: u64, size: u32, warp: usize| {
        let addresses = [address; LANES];
        let event = Event {
            what: AccessKind::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: false,
            pc: 1,
            mask: 1,
            size,
            address: Addresses::of(&addresses),
            excuses: None,
            layout: &Layout::default(),
        };
        let clocks = Clocks {
            time: &b.time,
            launch: &b.launch,
            block: &b.blocks[warp / 2],
            warp: &b.warps[warp],
            start: b.launch.start,
        };
        b.memory.access(&clocks, &event, 1)
    };
    assert_eq!(act(edge - 8, 16, 0), None);
    assert!(act(edge + 4, 4, 2).is_some());
    assert!(act(edge - 8, 4, 2).is_some());
    assert_eq!(act(edge + 8, 4, 2), None);
}

#[test]
fn lanes_of_one_store_meet_at_one_location() {
    let mut address: [u64; LANES] = std::array::from_fn(|lane| X + 4 * lane as u64);
    assert_eq!(same_instruction(u32::MAX, &address), []);
    address[2] = address[0];
    assert_eq!(same_instruction(u32::MAX, &address), [(0, 2)]);
    assert_eq!(same_instruction(!0b100, &address), []);
    assert_eq!(same_instruction(0b111, &[X; LANES]), [(0, 1), (1, 2)]);
}

#[test]
fn what_a_block_does_in_its_shared_memory_leaves_the_launchs_time_alone() {
    let mut b = Bench::of(Sharing::Apart);
    let (before, own) = (b.time.now(), b.blocks[0].now(&b.time));
    for _ in 0..3 {
        b.look_at_shared(0);
        b.settle(0);
        b.fence_by(0, ALL, true);
    }
    assert_eq!((b.time.now(), b.blocks[0].now(&b.time)), (before, own + 6));
    b.atomic(0, 0, FLAG);
    assert_eq!(b.time.now(), own + 7, "it is as late as the block's");
    b.fence(2);
    assert_eq!(b.time.now(), own + 8);
}

#[test]
fn a_flag_may_be_passed_on_in_shared_memory() {
    let mut b = Bench::of(Sharing::Apart);
    (0..9).for_each(|_| b.look_at_shared(0));
    b.write(0, 0, X);
    b.fence(0);
    b.atomic(0, 0, FLAG);
    b.atomic(2, 0, FLAG);
    b.look_at_shared(2);
    b.look_at_shared(3);
    b.settle(3);
    assert_eq!(b.read(3, 0, X), None);
}

#[test]
fn a_look_at_shared_memory_is_not_later_than_what_another_block_does_behind_it() {
    let mut b = Bench::of(Sharing::Apart);
    (0..9).for_each(|_| b.look_at_shared(2));
    b.settle(2);
    b.write(0, 0, X);
    b.fence(0);
    assert!(b.read(2, 0, X).is_some());
}

/// A step of a launch of two blocks of two warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A lane's access to a location in global memory, and whether it is strong.
    Global(AccessKind, bool, usize, u64),
    /// A strong access to shared memory.
    Shared,
    /// A fence, and whether it is narrow.
    Fence(bool),
    /// A barrier of the block.
    Barrier,
}

/// The rule itself, for an access of a block at step `past` and one of warp `warp` of the other block at step `now`: a
/// fence has followed the first access, or it was strong; then a warp of the other block has accessed global memory by
/// a strong access, and has continued; and then this warp has made any strong access, or a warp of its block before a
/// barrier.
fn is_ordered(steps: &[(usize, Step)], past: usize, now: usize) -> bool {
    let barrier_between = |block: usize, from: usize, to: usize| {
        steps[from..to].iter().any(|(warp, step)| warp / 2 == block && *step == Step::Barrier)
    };
    let strong = |step: Step| matches!(step, Step::Global(_, true, ..));
    let ((by, did), (warp, _)) = (steps[past], steps[now]);
    let publishes = |at: &usize| {
        let (other, step) = steps[*at];
        step == Step::Fence(false) && (other == by || (other / 2 == by / 2 && barrier_between(by / 2, past, *at)))
    };
    let published = if strong(did) { Some(past) } else { (past..now).find(publishes) };
    let Some(published) = published else { return false };
    let looks = |at: usize| strong(steps[at].1) || steps[at].1 == Step::Shared;
    // Whether the warp makes a strong access at this step, and others may know of it.
    let knows = |at: usize| {
        let other = steps[at].0;
        looks(at) && (other == warp || (other / 2 == warp / 2 && barrier_between(warp / 2, at, now)))
    };
    (published + 1..now).filter(|at| steps[*at].0 / 2 == warp / 2 && strong(steps[*at].1)).any(|look| {
        let by = steps[look].0;
        // The access has completed when its warp continues.
        let made = (look + 1..now).find(|at| steps[*at].0 == by && !matches!(steps[*at].1, Step::Fence(_)));
        knows(look) || made.is_some_and(|made| (made..now).any(knows))
    })
}

#[test]
fn a_time_of_each_block_misses_nothing_and_accuses_only_what_nothing_orders() {
    let mut state = 11_u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let (mut found, mut ordered, mut more) = (0, 0, 0);
    for round in 0..6000 {
        let (mut one, mut own) = (Bench::of(Sharing::Together), Bench::of(Sharing::Apart));
        // The findings of each block when the other does nothing.
        let mut alone = [(); 2].map(|()| Bench::new());
        let mut steps = Vec::new();
        for at in 0..40 {
            let warp = below(4) as usize;
            let step = match below(12) {
                0..=4 => {
                    let what = [AccessKind::Read, AccessKind::Write, AccessKind::Atomic][below(3) as usize];
                    Step::Global(what, what == AccessKind::Atomic || below(4) == 0, below(2) as usize, X + 4 * below(2))
                }
                5..=6 => Step::Global(AccessKind::Atomic, true, 0, FLAG),
                7..=8 => Step::Shared,
                9..=10 => Step::Fence(below(4) == 0),
                _ => Step::Barrier,
            };
            steps.push((warp, step));
            let act = |b: &mut Bench| match step {
                Step::Global(what, strong, lane, address) => {
                    b.settle(warp);
                    b.blocks[warp / 2].catch_up(&b.time);
                    if strong {
                        b.warps[warp].acquire(&mut b.blocks[warp / 2], true, &b.time);
                    }
                    b.access((warp, lane), (what, strong), address, at)
                }
                Step::Shared => {
                    b.look_at_shared(warp);
                    None
                }
                Step::Fence(narrow) => {
                    b.fence_by(warp, ALL, narrow);
                    None
                }
                Step::Barrier => {
                    b.settle(warp);
                    b.settle(warp ^ 1);
                    b.barrier(warp / 2);
                    None
                }
            };
            let [by_one, by_own, by_block] = [&mut one, &mut own, &mut alone[warp / 2]].map(act);
            assert!(by_own.is_some() || by_one.is_none(), "{round}: {by_one:?} is missed after {steps:?}");
            found += usize::from(by_one.is_some());
            if by_own != by_one
                && let Some(Conflict { scope, pc, .. }) = by_own
            {
                more += 1;
                let right = match scope {
                    Scope::Grid => !is_ordered(&steps, pc as usize, at as usize),
                    _ => by_block.is_some(),
                };
                assert!(right, "{round}: {by_own:?}, not {by_one:?}, after {steps:?}");
            } else if let (Step::Global(..), None) = (step, by_own) {
                ordered += 1;
            }
        }
    }
    assert!(found > 10_000 && ordered > 10_000 && more > 0 && more < found / 10, "{found} {ordered} {more}");
}
