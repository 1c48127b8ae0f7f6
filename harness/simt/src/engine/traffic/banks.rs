//! The 32 banks of shared memory: how many passes a request of a warp takes.

#[cfg(any(target_arch = "x86_64", test))]
use crate::lane::ALL;
use crate::lane::{LANES, lanes};
use smallvec::SmallVec;

/// Returns whether every lane of `mask` reads the same address as its neighbour at distance 1, or every lane the same
/// as its neighbour at distance 2. Neighbours that do not take part are ignored.
fn in_pairs(address: &[u64; LANES], mask: u32) -> bool {
    [1, 2]
        .into_iter()
        .any(|step| lanes(mask).all(|lane| mask >> (lane ^ step) & 1 == 0 || address[lane] == address[lane ^ step]))
}

/// Returns the sets of lanes that go through the banks together. Wide accesses go in halves (8 bytes) or quarters (16
/// bytes) of the warp; the hardware takes two of these together where lanes read in pairs. Fitted to what Nsight
/// Compute counts on an H200 (`smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld`) for the matmul lab's
/// kernels.
fn bank_groups(address: &[u64; LANES], mask: u32, size: u32) -> SmallVec<[u32; 4]> {
    let mut groups = SmallVec::new();
    let width = match size {
        16 => 16,
        8 => 32,
        _ => return SmallVec::from_slice(&[mask]),
    };
    for first in (0..LANES).step_by(width) {
        let together = (u32::MAX >> (32 - width)) << first & mask;
        if in_pairs(address, together) {
            groups.push(together);
        } else {
            let low = (u32::MAX >> (32 - width / 2)) << first;
            groups.push(together & low);
            groups.push(together & !low);
        }
    }
    groups.retain(|group| *group != 0);
    groups
}

/// Returns the passes over the banks that a shared-memory request takes, the passes that its width demands, and the
/// ways of its worst bank.
pub(crate) fn bank_conflicts(address: &[u64; LANES], mask: u32, size: u32) -> (u32, u32, u32) {
    if size <= 4 {
        // Most often, every lane has a bank to itself.
        let (mut banks, mut on) = (0u32, 0u32);
        for i in 0..LANES {
            let bit = (mask >> i) & 1;
            banks |= bit << ((address[i] >> 2) & 31);
            on += bit;
        }
        if banks.count_ones() == on {
            return (1, 1, 1);
        }
    }
    let words = u64::from((size / 4).max(1));
    let (mut waves, mut ideal, mut worst) = (0, 0, 0);
    for here in bank_groups(address, mask, size) {
        // The distinct words of each bank; a bank rarely has more than a few.
        let mut first = [u64::MAX; 32];
        let mut more: SmallVec<[u64; 32]> = SmallVec::new();
        for lane in lanes(here) {
            let word = address[lane] >> 2;
            for w in word..word + words {
                let slot = &mut first[w as usize & 31];
                if *slot == u64::MAX {
                    *slot = w;
                } else if *slot != w {
                    more.push(w);
                }
            }
        }
        let mut ways = 1;
        if !more.is_empty() {
            more.sort_unstable();
            more.dedup();
            let mut per_bank = [1u32; 32];
            for w in &more {
                per_bank[*w as usize & 31] += 1;
            }
            ways = per_bank.iter().copied().max().unwrap_or(1);
        }
        waves += ways;
        ideal += 1;
        worst = worst.max(ways);
    }
    (waves, ideal, worst)
}

/// Returns the passes over the banks that an atomic of `size` bytes takes, where a bank serves one lane a pass, and the
/// passes that its width demands.
pub(crate) fn atomic_passes(address: &[u64; LANES], mask: u32, size: u32) -> (u32, u32) {
    let words = size.div_ceil(4);
    let mut of_bank = [0u32; 32];
    for lane in lanes(mask) {
        let first = address[lane] >> 2;
        (first..first + u64::from(words)).for_each(|word| of_bank[word as usize & 31] += 1);
    }
    (of_bank.into_iter().max().unwrap_or(0), (mask.count_ones() * words).div_ceil(32))
}

/// Returns the passes of an atomic of 4 bytes at these offsets: the most lanes of a bank.
#[inline(always)]
pub(crate) fn word_atomic_passes(offset: &[u32; LANES], mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if mask == ALL {
        return most_lanes_of_a_bank(offset);
    }
    let mut lanes_of_bank = [0u8; LANES];
    for (lane, offset) in offset.iter().enumerate() {
        lanes_of_bank[*offset as usize / 4 % LANES] += (mask >> lane & 1) as u8;
    }
    lanes_of_bank.into_iter().fold(0, u8::max).into()
}

/// For each bank, a number with 1 in the four bits of that bank.
#[cfg(target_arch = "x86_64")]
static ONE_LANE: [u128; LANES] = {
    let mut one = [1; LANES];
    let mut bank = 0;
    while bank < LANES {
        one[bank] <<= 4 * bank;
        bank += 1;
    }
    one
};

/// Returns the same as [`word_atomic_passes`] if all lanes take part. Adding numbers of four bits for all banks at once
/// takes half the time of counting lane by lane.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn most_lanes_of_a_bank(offset: &[u32; LANES]) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cvtsi128_si32, _mm_load_si128, _mm_max_epu8, _mm_set1_epi8,
        _mm_setzero_si128, _mm_srli_epi16, _mm_srli_si128,
    };
    // The places in the table, in bytes.
    let mut place = [0u32; LANES];
    for lane in 0..LANES {
        place[lane] = (offset[lane] * 4) & (31 * 16);
    }
    // SAFETY: every x86-64 processor has SSE2, and the numbers of the table are aligned to 16 bytes. Each place is that
    // of one of its numbers.
    unsafe {
        let low = _mm_set1_epi8(15);
        let (mut even, mut odd) = (_mm_setzero_si128(), _mm_setzero_si128());
        // At most 15 lanes fit into four bits.
        for some in [&place[..11], &place[11..22], &place[22..]] {
            let mut sum = _mm_setzero_si128();
            for place in some {
                let one = (&raw const ONE_LANE).byte_add(*place as usize);
                sum = _mm_add_epi8(sum, _mm_load_si128(one.cast::<__m128i>()));
            }
            even = _mm_add_epi8(even, _mm_and_si128(sum, low));
            odd = _mm_add_epi8(odd, _mm_and_si128(_mm_srli_epi16(sum, 4), low));
        }
        let mut most = _mm_max_epu8(even, odd);
        most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
        (_mm_cvtsi128_si32(most) & 255) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atomic_takes_a_pass_for_each_lane_of_its_worst_bank() {
        let passes =
            |mask, size, at: fn(u64) -> u64| atomic_passes(&std::array::from_fn(|lane| at(lane as u64)), mask, size);
        assert_eq!(passes(ALL, 4, |lane| 4 * lane), (1, 1), "adjacent");
        assert_eq!(passes(ALL, 4, |_| 64), (32, 1), "one word");
        assert_eq!(passes(ALL, 4, |lane| 128 * lane), (32, 1), "a column");
        assert_eq!(passes(0b101, 4, |lane| 128 * lane), (2, 1), "two lanes");
        assert_eq!(passes(ALL, 8, |lane| 8 * lane), (2, 2), "wide");
        for mask in [ALL, 0b101, 1 << 31, 0x0f0f_00ff] {
            for step in [0u32, 4, 12, 64, 128, 1 << 10] {
                let offset: [u32; LANES] = std::array::from_fn(|lane| (lane as u32 * step) ^ ((lane as u32 & 3) * 4));
                let expected = atomic_passes(&offset.map(u64::from), mask, 4).0;
                assert_eq!(word_atomic_passes(&offset, mask), expected, "{mask:x}, {step}");
            }
        }
        let mut state = 1u32;
        for bins in (0..1000).map(|k| k % 64 + 1) {
            let offset: [u32; LANES] = std::array::from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % bins * 4
            });
            let expected = atomic_passes(&offset.map(u64::from), ALL, 4).0;
            assert_eq!(word_atomic_passes(&offset, ALL), expected, "{offset:?}");
        }
    }

    /// Returns the passes of a read of `size` bytes a lane, from the offset that `at` returns for each lane.
    fn passes(size: u32, at: impl Fn(u64) -> u64) -> (u32, u32, u32) {
        bank_conflicts(&std::array::from_fn(|lane| at(lane as u64)), ALL, size)
    }

    #[test]
    fn words_of_one_bank_wait_for_each_other() {
        assert_eq!(passes(4, |lane| 4 * lane), (1, 1, 1), "adjacent");
        assert_eq!(passes(4, |_| 64), (1, 1, 1), "broadcast");
        assert_eq!(passes(4, |lane| 8 * lane), (2, 1, 2), "every other word");
        assert_eq!(passes(4, |lane| 128 * lane), (32, 1, 32), "a column");
        assert_eq!(passes(1, |lane| lane), (1, 1, 1), "four bytes of a word");
        let odd = bank_conflicts(&std::array::from_fn(|lane| 128 * lane as u64), 0b101, 4);
        assert_eq!(odd, (2, 1, 2), "two lanes");
    }

    #[test]
    fn sixteen_bytes_go_in_quarters_unless_lanes_read_in_pairs() {
        assert_eq!(passes(16, |lane| 16 * lane), (4, 4, 1), "adjacent");
        assert_eq!(passes(16, |_| 0), (2, 2, 1), "broadcast");
        // The reads of the matmul lab's ladder, as counted on an H200.
        assert_eq!(passes(16, |lane| lane / 16 * 32), (2, 2, 1), "vectorized, A");
        assert_eq!(passes(16, |lane| lane % 16 * 32), (8, 4, 2), "vectorized, B");
        assert_eq!(passes(16, |lane| lane / 4 * 16), (2, 2, 1), "warp tile, A");
        assert_eq!(passes(16, |lane| lane % 4 * 16), (4, 4, 1), "warp tile, B");
        assert_eq!(passes(16, |lane| lane / 8 * 16), (2, 2, 1), "wide, A");
        assert_eq!(passes(16, |lane| lane % 8 * 16), (4, 4, 1), "wide, B");
    }

    #[test]
    fn eight_bytes_go_in_halves_unless_lanes_read_in_pairs() {
        assert_eq!(passes(8, |lane| 8 * lane), (2, 2, 1), "adjacent");
        assert_eq!(passes(8, |lane| lane / 2 * 8), (1, 1, 1), "pairs");
        assert_eq!(passes(8, |lane| 16 * lane), (4, 2, 2), "every other");
    }
}
