//! Properties of a sort known before it runs: launches, bytes, comparators, and the right answer.
use sort::{Key, KeyKind, LAB, Method, Order, Tile, questions, reference};

const GRID: Method = Method::Grid { flip: "flip" };
const PASSES: Method = Method::Passes { scatter: "scatter" };

#[test]
fn the_questions_have_their_answers() {
    for question in questions::all() {
        assert!(question.check().passed(), "{question:?}");
    }
}

/// The comparators of the kernels' loops, counted one by one.
#[test]
fn a_network_has_its_comparators() {
    for n in [2u64, 8, 64, 1024] {
        let (mut comparators, mut half) = (0, 1);
        while half < n {
            let mut distance = half;
            while distance > 0 {
                comparators += (0..n).filter(|i| i % (2 * distance) < distance).count() as u64;
                distance /= 2;
            }
            half *= 2;
        }
        assert_eq!(questions::comparators(n), comparators, "{n}");
        let log = u64::from(n.ilog2());
        assert_eq!(comparators, n * log * (log + 1) / 4);
    }
}

#[test]
fn launches_and_bytes() {
    // One tile is sorted by one launch; two need a flip and the rest in shared memory; four one half-cleaner more.
    let grid = |n| GRID.passes(KeyKind::U32, n, 1024);
    assert_eq!([grid(1), grid(2048), grid(2049), grid(8192), grid(8193)], [1, 1, 3, 6, 10]);
    assert_eq!(Method::Sweeps.passes(KeyKind::U64, 1000, 384), 8);
    assert_eq!(PASSES.passes(KeyKind::Pairs, 1000, 256), 8);
    // Keys are counted once, and keys and values go in and out four times.
    assert_eq!(Method::Sweeps.bytes(KeyKind::Pairs, 1000, 384), 1000 * (4 + 4 * 2 * 8));
    assert_eq!(PASSES.bytes(KeyKind::U64, 1000, 256), 1000 * 16 * (8 + 2 * 8));
    assert_eq!(Method::Runs { kernel: "bitonic_warp", keys_a_thread: 1 }.run_length(1000, 256), 32);
    assert_eq!(Method::Runs { kernel: "bitonic_block", keys_a_thread: 2 }.run_length(1000, 1024), 1000);
}

#[test]
fn every_tile_is_one_that_can_be_asked_for() {
    assert!(KeyKind::ALL.iter().all(|kind| Tile::ALL.contains(&Method::Sweeps.usual_tile(*kind))));
    for tile in Tile::ALL {
        assert_eq!(tile.keys(KeyKind::U32), 2 * tile.keys(KeyKind::U64), "{}", tile.name);
    }
    // A figure appears with the row whose case it names.
    for variant in ["radix", "radix-large"] {
        let cases = LAB.published.iter().flat_map(|published| published.figures);
        assert_eq!(cases.filter(|figure| figure.variant == variant).count(), 11, "{variant}");
    }
}

/// The reference itself, with more keys than one task sorts.
#[test]
fn the_reference_is_in_order() {
    for order in [Order::Random, Order::Skewed, Order::Equal, Order::Reversed] {
        let x = u32::keys(order, 3, (1 << 20) + 77);
        let mut expected = x.clone();
        expected.sort_unstable();
        assert!(reference::check(&reference::sorted(&x), &expected).passed(), "{order:?}");
        // A key in another's place is detected at any position.
        let mut wrong = expected.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(!reference::check(&wrong, &expected).passed());
    }
    assert!(!reference::check::<u32>(&[], &[]).passed());
}
