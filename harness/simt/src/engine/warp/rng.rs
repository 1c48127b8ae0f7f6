//! The pseudo-random order of warps and blocks that a launch's seed selects.

/// A small pseudo-random generator (SplitMix64). It is good enough for permutations.
pub(crate) fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fills `order` with a permutation of `0..order.len()` that depends on the seed.
pub(crate) fn shuffle(order: &mut [u32], seed: u64) {
    for (i, o) in order.iter_mut().enumerate() {
        *o = i as u32;
    }
    let mut state = seed;
    for i in (1..order.len()).rev() {
        order.swap(i, (scramble(&mut state) % (i as u64 + 1)) as usize);
    }
}
