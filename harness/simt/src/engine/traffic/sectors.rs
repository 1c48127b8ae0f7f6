//! Counts the 32-byte sectors that a request touches.

use crate::lane::{ALL, LANES, lanes};

/// Returns the number of 32-byte sectors that the lanes' accesses touch. All lie between `low` and `end`, and none
/// straddles two sectors.
#[inline(always)]
pub(crate) fn sectors(address: &[u64; LANES], mask: u32, low: u64, end: u64) -> u32 {
    let first = low >> 5;
    if (end.wrapping_sub(1) >> 5).wrapping_sub(first) < 64 {
        let mut bits = 0u64;
        for i in 0..LANES {
            let on = u64::from((mask >> i) & 1);
            bits |= on << ((address[i] >> 5).wrapping_sub(first) & 63);
        }
        return bits.count_ones();
    }
    if mask == ALL {
        // Most often the addresses ascend with the lanes.
        let (mut changes, mut downwards) = (0, false);
        for i in 1..LANES {
            let (before, here) = (address[i - 1] >> 5, address[i] >> 5);
            changes += u32::from(before != here);
            downwards |= before > here;
        }
        if !downwards {
            return 1 + changes;
        }
    }
    let mut all = [0u64; LANES];
    let mut count = 0;
    let mut sorted = true;
    for lane in lanes(mask) {
        all[count] = address[lane] >> 5;
        sorted &= count == 0 || all[count - 1] <= all[count];
        count += 1;
    }
    if !sorted {
        all[..count].sort_unstable();
    }
    let changes = all[..count].windows(2).filter(|w| w[0] != w[1]).count();
    1 + changes as u32
}

/// Returns the number of 32-byte sectors that two runs of `bytes` bytes touch, which begin at these addresses.
#[inline(always)]
pub(crate) fn sectors_of_two(base: [u64; 2], bytes: u64) -> u32 {
    let [(first, last), (from, to)] = base.map(|base| (base >> 5, (base + bytes - 1) >> 5));
    let common = (last.min(to) + 1).saturating_sub(first.max(from));
    ((last - first + 1) + (to - from + 1) - common) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_touch_as_many_sectors_as_their_lanes_do() {
        for size in [1, 2, 4, 8] {
            for distance in [0, size, 16 * size, 20 * size, 32, 64, 4096, 1 << 20] {
                for start in (4096..4096 + 64).step_by(size as usize) {
                    for base in [[start, start + distance], [start + distance, start]] {
                        let lane = |i: usize| base[i / 16] + i as u64 % 16 * size;
                        let (low, high) = (base[0].min(base[1]), base[0].max(base[1]) + 16 * size);
                        let expected = sectors(&std::array::from_fn(lane), ALL, low, high);
                        assert_eq!(sectors_of_two(base, 16 * size), expected, "{base:?}, {size}");
                    }
                }
            }
        }
    }
}
