//! What the kernels compute, on the CPU, in wrapping integers.

/// One value of a register-heavy kernel: `live` values made from x, mixed `rounds` times, folded into one.
pub fn hungry(x: u32, live: usize, rounds: u32) -> u32 {
    let mut v: Vec<u32> = (0..live as u32)
        .map(|j| x.wrapping_mul(2 * j + 1).wrapping_add(j))
        .collect();
    for _ in 0..rounds {
        for j in 0..live {
            v[j] = v[j].wrapping_mul(1_664_525).wrapping_add(v[(j + 1) % live]);
        }
    }
    v.iter()
        .fold(0u32, |folded, v| folded.wrapping_mul(31).wrapping_add(*v))
}

/// One value of the shared-heavy kernel: `rounds` steps through the table.
///
/// # Panics
/// When the table is empty.
pub fn walk(x: u32, table: &[u32], rounds: u32) -> u32 {
    (0..rounds).fold(x, |v, _| {
        v.wrapping_mul(1_664_525)
            .wrapping_add(table[v as usize % table.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // v = (3, 10): x (2 j + 1) + j with x = 3; folded: 3 * 31 + 10.
        assert_eq!(hungry(3, 2, 0), 103);
        // One round: v0 = 3 * 1664525 + 10, v1 = 10 * 1664525 + v0.
        let v0 = 3 * 1_664_525 + 10;
        assert_eq!(hungry(3, 2, 1), v0 * 31 + 10 * 1_664_525 + v0);
        assert_eq!(walk(5, &[7, 9], 1), 5 * 1_664_525 + 9);
        assert_eq!(walk(5, &[7], 0), 5);
    }
}
