use super::super::Event;
use super::super::clock::{BlockClock, Publications, Release, Time, WarpClock};
use super::super::global::{GlobalRaces, ROW};
use super::super::shared::SharedRaces;
use super::super::{Addresses, Layout};
use super::*;
use crate::lane::LANES;

/// A pseudo-random number generator.
struct Random(u64);
impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Returns addresses in the patterns of typical kernels, inside 4096 bytes.
fn addresses(random: &mut Random, size: u64) -> [u64; LANES] {
    let kind = random.below(6);
    let base = random.below(20) * 32 + random.below(4) / 3 * size;
    let place = random.below(800) / 16 * 16;
    let mut address = [0; LANES];
    for (lane, at) in (0..).zip(&mut address) {
        *at = match kind {
            0..=2 => base + lane * size,
            // Two rows, then two words, then arbitrary addresses.
            3 => base + lane % 16 * size + lane / 16 * 256,
            4 => place + lane / 16 * 64,
            _ => random.below(800) / size * size,
        };
    }
    address
}

#[test]
fn lines_find_what_words_find() {
    let mut random = Random(7);
    let mut conflicts = 0;
    for round in 0..400 {
        // In most rounds, all but a few accesses go over stretches of one kind: rows, half rows or bytes.
        let kind = round % 4;
        let time = Time::default();
        let launch = Publications::new(2, 2, &time);
        let mut blocks: [BlockClock; 2] = Default::default();
        let mut warps: [WarpClock; 4] = Default::default();
        for (i, warp) in warps.iter_mut().enumerate() {
            warp.start(i as u32);
        }
        // SAFETY: only this thread uses them.
        let [fast, slow] = [(); 2].map(|()| unsafe { GlobalRaces::new(0, 4096, true) });
        let mut shared = [SharedRaces::default(), SharedRaces::default()];
        for memory in &mut shared {
            memory.start(4096);
        }
        for pc in 0..60 {
            let in_order = kind < 3 && random.below(20) != 0;
            let w = random.below(4) as usize;
            let size = match kind {
                0 | 1 if in_order => 4,
                2 if in_order => 1,
                _ => 1 << random.below(4),
            };
            let block = w / 2;
            match random.below(8) {
                0 | 1 => {
                    blocks[block].barrier();
                    warps[2 * block].barrier();
                    warps[2 * block + 1].barrier();
                }
                2 => warps[w].sync(ALL, ALL),
                3 => {
                    let lanes = if in_order { ALL } else { 1 << random.below(32) };
                    let by = Release { clock: &warps[w], lanes, live: ALL };
                    launch.fence(&by, &mut blocks[block], random.below(2) == 0, &time);
                }
                _ => {}
            }
            let what =
                [AccessKind::Read, AccessKind::Read, AccessKind::Write, AccessKind::Atomic][random.below(4) as usize];
            let what = if in_order && what == AccessKind::Atomic { AccessKind::Write } else { what };
            let strong = what == AccessKind::Atomic || (!in_order && random.below(8) == 0);
            let volatile = strong && what != AccessKind::Atomic && random.below(2) == 0;
            let narrow = strong && !volatile && random.below(3) == 0;
            let mut mask = if !in_order && random.below(4) == 0 { random.below(1 << 32) as u32 | 0xffff } else { ALL };
            let mut address = addresses(&mut random, size);
            if in_order {
                let [one, other] = [random.below(6), random.below(6)];
                address = std::array::from_fn(|lane| match (kind, lane as u64) {
                    (0, lane) => one * ROW + lane * size,
                    (1, lane) => (if lane < 16 { one } else { other }) * (ROW / 2) + lane % 16 * size,
                    (_, lane) => one * LINE + lane * size,
                });
                mask = if kind == 1 { [ALL, ALL, 0xffff, 0xffff_0000][random.below(4) as usize] } else { ALL };
            }
            if strong {
                warps[w].acquire(&mut blocks[block], true, &time);
                warps[w].settle(&mut blocks[block], &time);
            }
            let clocks =
                Clocks { time: &time, launch: &launch, block: &blocks[block], warp: &warps[w], start: launch.start };
            let event = |block_local: bool, layout| Event {
                what,
                strong,
                volatile,
                narrow: narrow && !block_local,
                block_local,
                pc,
                mask,
                size: size as u32,
                address: Addresses::of(&address),
                excuses: None,
                layout,
            };
            let (layout, unknown) = (Layout::of(Addresses::of(&address), mask, size as u32), Layout::default());
            let found = fast.access(&clocks, &event(false, &layout), mask);
            let expected = slow.access(&clocks, &event(false, &unknown), mask);
            assert_eq!(found, expected, "{what:?} of {size} at {address:?} by {mask:#x}");
            conflicts += usize::from(found.is_some());
            // Shared memory belongs to one block.
            if block == 0 {
                let [fast, slow] = &mut shared;
                assert_eq!(fast.access(&clocks, &event(true, &layout)), slow.compare(&clocks, &event(true, &unknown)));
            }
        }
    }
    // The test is meaningless unless both cases occur.
    assert!((1000..23000).contains(&conflicts), "{conflicts}");
}

#[test]
fn the_layout_of_a_row_is_that_of_its_addresses() {
    for size in [1, 2, 4, 8] {
        for low in (0..256).step_by(size as usize) {
            let address = std::array::from_fn(|lane| low + lane as u64 * u64::from(size));
            assert_eq!(Layout::in_a_row(low, size), Layout::of(Addresses::of(&address), ALL, size));
        }
    }
}
