use super::super::global::{CHUNK, GlobalRaces};
use super::super::{Addresses, Layout};
use super::*;

/// A launch of two blocks of two warps, by hand.
struct Bench {
    time: Time,
    launch: Publications,
    blocks: [BlockClock; 2],
    warps: [WarpClock; 4],
    memory: GlobalRaces,
}

impl Bench {
    fn new() -> Self {
        let time = Time::default();
        let launch = Publications::new(2, 2, &time);
        let mut warps: [WarpClock; 4] = Default::default();
        for (i, warp) in warps.iter_mut().enumerate() {
            warp.start(i as u32);
        }
        // SAFETY: it is not for one thread alone.
        let memory = unsafe { GlobalRaces::new(0x1000, 0x4000, false) };
        Bench { time, launch, blocks: Default::default(), warps, memory }
    }

    /// One lane's access at `address`.
    fn act(&mut self, warp: usize, lane: usize, what: What, strong: bool, address: u64) -> Option<Conflict> {
        let mut addresses = [0; LANES];
        addresses[lane] = address;
        let event = Event {
            what,
            strong,
            volatile: false,
            narrow: false,
            block_local: false,
            pc: what as u32,
            mask: 1 << lane,
            size: 4,
            address: Addresses::of(&addresses),
            layout: &Layout::default(),
        };
        if strong {
            self.warps[warp].acquire(&self.time);
            self.warps[warp].settle(&mut self.blocks[warp / 2], &self.time);
        }
        let clocks = Clocks {
            time: &self.time,
            launch: &self.launch,
            block: &self.blocks[warp / 2],
            warp: &self.warps[warp],
            start: self.launch.start,
        };
        self.memory.access(&clocks, &event, 1 << lane)
    }
    fn write(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, What::Write, false, address)
    }
    fn read(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, What::Read, false, address)
    }
    fn atomic(&mut self, warp: usize, lane: usize, address: u64) -> Option<Conflict> {
        self.act(warp, lane, What::Atomic, true, address)
    }
    fn fence(&mut self, warp: usize) {
        self.launch.fence(warp as u32, &self.blocks[warp / 2], false, &self.time);
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
    assert_eq!(b.read(0, 1, X).map(|c| (c.scope, c.what)), Some((Scope::Warp, What::Write)));
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
    assert_eq!(b.atomic(1, 0, X).map(|c| c.what), Some(What::Write));
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
    assert_eq!(b.write(1, 0, X).map(|c| c.what), Some(What::Read));
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
    assert_eq!(b.read(1, 5, X).map(|c| c.what), Some(What::Atomic));
}

#[test]
fn the_last_block_of_a_reduction_may_read_what_the_others_left() {
    let mut b = Bench::new();
    b.write(1, 0, X); // a partial sum, by a thread that is not the one that fences
    b.barrier(0);
    b.fence(0);
    b.atomic(0, 0, FLAG);
    b.atomic(2, 0, FLAG); // the other block is last
    b.barrier(1);
    assert_eq!(b.read(3, 9, X), None);
    assert_eq!(b.write(2, 0, FLAG), None, "and may reset the counter");
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
            what: What::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: false,
            pc: 1,
            mask: 1 << lane,
            size: 1,
            address: Addresses::of(address),
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
            what: What::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: false,
            pc: 1,
            mask: 1,
            size,
            address: Addresses::of(&addresses),
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
fn lanes_of_one_store_race_only_with_different_values() {
    let address = [X; LANES];
    let mut values = [5; LANES];
    let event = |values: &[u64; LANES]| same_instruction(u32::MAX, &address, values);
    assert_eq!(event(&values), None);
    values[31] = 6;
    assert_eq!(event(&values), Some((30, 31)));
}
