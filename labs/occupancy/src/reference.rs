//! The results of the kernels, computed on the CPU in wrapping integers.

/// One value of a register-heavy kernel: `live` values made from x, mixed `rounds` times, folded into one.
pub fn hungry(x: u32, live: usize, rounds: u32) -> u32 {
    let mut v: Vec<u32> = (0..live as u32).map(|j| x.wrapping_mul(2 * j + 1).wrapping_add(j)).collect();
    let mix = |own: u32, next: u32| own.wrapping_mul(1_664_525).wrapping_add(next);
    for _ in 0..rounds {
        for j in 1..live {
            v[j - 1] = mix(v[j - 1], v[j]);
        }
        if live > 0 {
            v[live - 1] = mix(v[live - 1], v[0]);
        }
    }
    v.iter().fold(0u32, |folded, v| folded.wrapping_mul(31).wrapping_add(*v))
}

/// One value of the shared-heavy kernel: `rounds` steps through the table.
///
/// # Panics
/// When the table is empty.
pub fn walk(x: u32, table: &[u32], rounds: u32) -> u32 {
    (0..rounds).fold(x, |v, _| v.wrapping_mul(1_664_525).wrapping_add(table[v as usize % table.len()]))
}
