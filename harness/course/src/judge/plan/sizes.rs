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
/// warp, and so on in turn.
pub fn hidden(seed: u64, count: usize, is_long: bool) -> Vec<usize> {
    let mut random = Inputs::new(seed, "sizes to grade");
    let mut draw = |least: usize, most: usize| random.i32(1, least as i32..most as i32 + 1)[0] as usize;
    let (least, most) = if is_long { (5, 6) } else { (6, 10) };
    let largest = if is_long { LONGEST } else { LARGEST };
    let mut sizes = Vec::new();
    for index in 0..count {
        sizes.push(if index.is_multiple_of(2) {
            1 << draw(least, most)
        } else {
            std::iter::repeat_with(|| draw(34, largest)).find(|n| !n.is_multiple_of(32)).unwrap_or(largest)
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
        assert_eq!(hidden(7, 4, false), hidden(7, 4, false));
        let drawn: HashSet<_> = (0..100).map(|seed| hidden(seed, 2, false)).collect();
        assert!(drawn.len() > 90, "{drawn:?}");
        assert_ne!(fresh_seed(), fresh_seed());
    }

    #[test]
    fn every_seed_gives_powers_of_two_and_sizes_that_are_no_multiple_of_a_warp() {
        for (seed, is_long) in (0..1000).flat_map(|seed| [(seed, false), (seed, true)]) {
            let sizes = hidden(seed, 3, is_long);
            let [power, odd, next] = sizes[..] else {
                panic!("{sizes:?}");
            };
            assert!(power.is_power_of_two() && next.is_power_of_two() && odd % 32 != 0, "{sizes:?}");
            let most = if is_long { 100 } else { 1500 };
            assert!(power >= 32 && odd >= 34 && power.max(odd) <= most, "{sizes:?}");
        }
    }
}
