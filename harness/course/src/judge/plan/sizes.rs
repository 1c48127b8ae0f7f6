//! The sizes and the seed of a grading. They are new each time, so that no kernel can be right only for known sizes and
//! inputs, and reproducible from the seed.
use std::hash::{BuildHasher, Hasher, RandomState};

use harness::Inputs;

/// The largest size that is drawn at random.
const LARGEST: usize = 1500;
/// The largest one for a lab whose work at `LARGEST` would take too long.
pub const LONGEST: usize = 100;

/// An unpredictable seed, short enough to be typed.
pub fn fresh_seed() -> u64 {
    // The standard library draws the keys of its hash maps from the system's random numbers.
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The known sizes, tried besides the hidden ones if the user names none: the lab's quick ones (`None`), one element,
/// and one more than a warp.
pub const KNOWN: [Option<usize>; 3] = [None, Some(1), Some(33)];

/// Draws `count` sizes from `seed`, small ones if a run `is_long`: a power of two, a size that is not a multiple of a
/// warp, and so on in turn. The latter are larger than `known`, the largest known size, unless that would take long: a
/// kernel may be right up to there and no further.
pub fn hidden(seed: u64, count: usize, is_long: bool, known: usize) -> Vec<usize> {
    let mut random = Inputs::new(seed, "sizes to grade");
    let mut draw = |least: usize, most: usize| random.i32(1, least as i32..most as i32 + 1)[0] as usize;
    let (least, most) = if is_long { (5, 6) } else { (6, 10) };
    let largest = if is_long { LONGEST } else { LARGEST };
    let odd = match known {
        below if below < largest => (34.max(below + 1), largest),
        // What is known takes no longer than is allowed, and neither does an eighth more.
        long if long < LARGEST => (long + 1, long + long / 8),
        _ => (34, largest),
    };
    let mut sizes = Vec::new();
    for index in 0..count {
        sizes.push(if index.is_multiple_of(2) {
            1 << draw(least, most)
        } else {
            std::iter::repeat_with(|| draw(odd.0, odd.1)).find(|n| !n.is_multiple_of(32)).unwrap_or(largest)
        });
    }
    sizes
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_seed_decides() {
        assert_eq!(hidden(7, 4, false, 33), hidden(7, 4, false, 33));
        let drawn: HashSet<_> = (0..100).map(|seed| hidden(seed, 2, false, 33)).collect();
        assert!(drawn.len() > 90, "{drawn:?}");
        assert_ne!(fresh_seed(), fresh_seed());
    }

    #[test]
    fn every_seed_gives_powers_of_two_and_sizes_that_are_no_multiple_of_a_warp() {
        for (seed, is_long) in (0..1000).flat_map(|seed| [(seed, false), (seed, true)]) {
            let sizes = hidden(seed, 3, is_long, 33);
            let [power, odd, next] = sizes[..] else {
                panic!("{sizes:?}");
            };
            assert!(power.is_power_of_two() && next.is_power_of_two() && odd % 32 != 0, "{sizes:?}");
            let most = if is_long { 100 } else { 1500 };
            assert!(power >= 32 && odd >= 34 && power.max(odd) <= most, "{sizes:?}");
        }
    }

    #[test]
    fn one_of_two_sizes_is_larger_than_what_is_known_unless_that_takes_long() {
        let odd = |is_long, known| (0..1000).map(move |seed| hidden(seed, 2, is_long, known)[1]);
        for (is_long, known, most) in [(false, 1000, 1500), (true, 64, 100), (true, 300, 337), (false, 1499, 1500)] {
            assert!(odd(is_long, known).all(|n| n > known && n <= most && n % 32 != 0), "{known}");
        }
        for (is_long, known, most) in [(false, 100_000, 1500), (true, 6000, 100), (false, 1500, 1500)] {
            assert!(odd(is_long, known).all(|n| n <= most) && odd(is_long, known).any(|n| n < most / 2), "{known}");
        }
    }
}
