use super::super::clock::{BlockClock, Publications, Time, WarpClock};
use super::*;
use crate::lane::ALL;

/// Bytes of the block's shared memory.
const BYTES: u64 = 1024;

/// Returns the conflict reported for warp 1 when its first lane writes the word at `to` after warps have read, or
/// changed atomically, words at these addresses. `compared`: the accesses are compared and not only noted, because
/// there was a write in their section.
fn found(before: AccessKind, accesses: &[(u32, [u64; LANES])], to: u64, compared: bool) -> Option<Conflict> {
    let time = Time::default();
    let launch = Publications::new(1, 4, &time);
    let block = BlockClock::default().next(&time);
    let mut memory = SharedRaces::default();
    memory.start(BYTES);
    let mut act = |warp: u32, what: AccessKind, mask: u32, address: &[u64; LANES]| {
        let mut clock = WarpClock::default();
        clock.start(warp);
        let clocks = Clocks { time: &time, launch: &launch, block: &block, warp: &clock, start: block.start };
        let layout = Layout::of(Addresses::of(address), mask, 4);
        let event = Event {
            what,
            strong: what == AccessKind::Atomic,
            volatile: false,
            narrow: false,
            block_local: true,
            pc: 1 + what as u32,
            mask,
            size: 4,
            address: Addresses::of(address),
            excuses: None,
            layout: &layout,
        };
        memory.access(&clocks, &event)
    };
    if compared {
        assert_eq!(act(0, AccessKind::Write, 1, &[BYTES - 4; LANES]), None);
    }
    for (warp, address) in accesses {
        assert_eq!(act(*warp, before, ALL, address), None);
        time.advance();
    }
    act(1, AccessKind::Write, 1, &[to; LANES])
}

#[test]
fn a_noted_read_is_held_against_a_write_as_a_compared_one_is() {
    let line = |start: u64| move |lane: u64| start + 4 * lane;
    let lanes = |first: &dyn Fn(u64) -> u64, second: &dyn Fn(u64) -> u64| -> [u64; LANES] {
        std::array::from_fn(|lane| if lane < 16 { first(lane as u64) } else { second(lane as u64 - 16) })
    };
    let layouts = [
        lanes(&line(64), &line(128)),
        lanes(&line(256), &line(256)),
        lanes(&|_| 4, &|_| 12),
        lanes(&line(320), &|_| 8),
        lanes(&|lane| 8 * lane, &|lane| 512 + 12 * lane),
        lanes(&line(68), &line(132)),
    ];
    for address in &layouts {
        let reads = [layouts[2], *address, layouts[3]].map(|address| (0, address));
        for to in (0..BYTES - 32).step_by(4) {
            let noted = found(AccessKind::Read, &reads, to, false);
            assert_eq!(noted, found(AccessKind::Read, &reads, to, true), "{to} after {address:?}");
            let is_read = reads.iter().any(|(_, read)| read.contains(&to));
            assert_eq!(noted.is_some(), is_read, "{to} after {address:?}");
        }
    }
}

#[test]
fn noted_atomics_are_held_against_a_write_as_compared_ones_are_however_many_there_are() {
    for count in [1, 40, NOTED, 2 * NOTED + 3] {
        // Warps take turns at words that are accessed over and over, by many lanes together or by few.
        let addresses = |i: usize| std::array::from_fn(|lane| 4 * ((i * 7 + lane * (i % 5)) as u64 % 200));
        let atomics: Vec<_> = (0..count).map(|i| ((i / 3 % 4) as u32, addresses(i))).collect();
        for to in (0..BYTES - 32).step_by(4) {
            let noted = found(AccessKind::Atomic, &atomics, to, false);
            assert_eq!(noted, found(AccessKind::Atomic, &atomics, to, true), "{to} after {count}");
            // Only the last of them is kept.
            let last = atomics.iter().rev().find(|(_, address)| address.contains(&to)).map(|(warp, _)| *warp);
            assert!(noted.is_some() || last.is_none_or(|warp| warp == 1), "{to} after {count}");
        }
    }
}

#[test]
fn a_noted_store_of_a_row_is_held_against_a_write_as_a_compared_one_is() {
    let row = |start: u64| -> [u64; LANES] { std::array::from_fn(|lane| start + 4 * lane as u64) };
    // The last access is not a row: from then on, everything is compared.
    for last in [row(512), row(512 + 64), std::array::from_fn(|lane| 512 + 8 * lane as u64)] {
        let stores = [(0, row(384)), (0, row(0)), (1, row(256)), (0, last)];
        for to in (0..BYTES - 32).step_by(4) {
            let noted = found(AccessKind::Write, &stores, to, false);
            assert_eq!(noted, found(AccessKind::Write, &stores, to, true), "{to} after {last:?}");
            let other = stores.iter().any(|(warp, address)| *warp == 0 && address.contains(&to));
            assert_eq!(noted.is_some(), other, "{to} after {last:?}");
        }
    }
}
