//! The sizes and the seed of a grading: new ones each time, so that no kernel can be right for known sizes and inputs
//! alone, and the same ones again for the same seed.
use std::hash::{BuildHasher, Hasher, RandomState};

use harness::Inputs;

/// The largest size that is drawn at random.
const LARGEST: usize = 1500;
/// The largest one for a lab whose work at that size would take too long.
pub const LONGEST: usize = 100;

/// A seed that nobody knows beforehand, short enough to be typed.
pub fn fresh_seed() -> u64 {
    // The standard library draws the keys of its hash maps from the system's random numbers.
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The sizes to try under `seed`: the lab's quick ones (`None`), one element, one more than a warp, a power of two, and
/// a size that is not a multiple of a warp. The last two are drawn at random, and are small if a run `is_long`.
pub fn sizes(seed: u64, is_long: bool) -> Vec<Option<usize>> {
    let mut random = Inputs::new(seed, "sizes to grade");
    let mut draw = |least: usize, most: usize| random.i32(1, least as i32..most as i32 + 1)[0] as usize;
    let power = 1 << if is_long { draw(5, 6) } else { draw(6, 10) };
    let most = if is_long { LONGEST } else { LARGEST };
    let odd = std::iter::repeat_with(|| draw(34, most)).find(|n| !n.is_multiple_of(32)).unwrap_or(most);
    vec![None, Some(1), Some(33), Some(power), Some(odd)]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_seed_decides() {
        assert_eq!(sizes(7, false), sizes(7, false));
        let drawn: HashSet<_> = (0..100).map(|seed| sizes(seed, false)).collect();
        assert!(drawn.len() > 90, "{drawn:?}");
        assert_ne!(fresh_seed(), fresh_seed());
    }

    #[test]
    fn every_seed_gives_the_edges_and_two_sizes_that_nobody_knows() {
        for (seed, is_long) in (0..1000).flat_map(|seed| [(seed, false), (seed, true)]) {
            let sizes = sizes(seed, is_long);
            let [None, Some(1), Some(33), Some(power), Some(odd)] = sizes[..] else {
                panic!("{sizes:?}");
            };
            assert!(power.is_power_of_two() && odd % 32 != 0, "{sizes:?}");
            let most = if is_long { 100 } else { 1500 };
            assert!(power >= 32 && odd >= 34 && power.max(odd) <= most, "{sizes:?}");
        }
    }
}
