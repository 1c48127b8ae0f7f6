//! The results of the exercises' kernels, on the CPU. Inputs are small integers, so every result is exact.

/// An element that the kernel must not write: the bits of the poison.
pub const UNWRITTEN: f32 = f32::from_bits(u32::MAX);

/// 0, 1, 2, ...: element i is i.
pub fn counting_up(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

/// Small integers in no obvious order, so that a value from the wrong place shows.
pub fn digits(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 29) as f32).collect()
}

/// Twice each element.
pub fn doubled(input: &[f32]) -> Vec<f32> {
    input.iter().map(|x| 2.0 * x).collect()
}

/// Even elements get element i / 2. Odd elements keep their value, or get the last element if their value is below 16.
/// When `only` (0 or 1) names a parity, elements of the other parity are left alone.
pub fn even_odd(input: &[f32], only: Option<usize>) -> Vec<f32> {
    let last = input[input.len() - 1];
    let element = |(i, &x): (usize, &f32)| match i % 2 {
        parity if only.is_some_and(|o| o != parity) => UNWRITTEN,
        0 => input[i / 2],
        _ if x < 16.0 => last,
        _ => x,
    };
    input.iter().enumerate().map(element).collect()
}

/// The largest of the 16 elements that begin at each element; fewer at the end.
pub fn max_next(input: &[f32]) -> Vec<f32> {
    (0..input.len()).map(|i| largest(input[i..].iter().take(16))).collect()
}

/// The same along x, y and z of a cube of edge n.
pub fn max_next_3d(input: &[f32], n: usize) -> Vec<f32> {
    (0..n * n * n)
        .map(|at| {
            let along = |stride: usize, index: usize| {
                let line = input[at..].iter().step_by(stride);
                largest(line.take(16.min(n - index)))
            };
            let (x, y, z) = (at % n, at / n % n, at / n / n);
            along(1, x).max(along(n, y)).max(along(n * n, z))
        })
        .collect()
}

fn largest<'a>(values: impl Iterator<Item = &'a f32>) -> f32 {
    values.fold(f32::NEG_INFINITY, |a, &b| a.max(b))
}

/// The mean of an element and its two neighbours on each side. Beyond the ends the end values are repeated.
pub fn average_5(input: &[f32]) -> Vec<f32> {
    let last = input.len() as i64 - 1;
    let sum = |i: i64| (-2..=2).map(|d| input[(i + d).clamp(0, last) as usize]).sum::<f32>();
    (0..=last).map(|i| sum(i) / 5.0).collect()
}

/// The product of `m` (width x depth) and `n` (depth x width), over depths `from..to`.
pub fn product(m: &[f32], n: &[f32], width: usize, depth: usize, from: usize, to: usize) -> Vec<f32> {
    let mut p = vec![0.0; width * width];
    for (row, p) in p.chunks_exact_mut(width).enumerate() {
        for k in from..to.min(depth) {
            let factor = m[row * depth + k];
            for (p, n) in p.iter_mut().zip(&n[k * width..]) {
                *p += factor * n;
            }
        }
    }
    p
}

/// One step of the interleaved sum: every `stride`-th thread adds.
pub fn interleaved_step(sums: &[f32], stride: usize) -> Vec<f32> {
    let adding = (0..sums.len() / 2).step_by(stride);
    add(sums, adding.map(|t| (2 * t, 2 * t + stride)))
}

/// One step of the sequential sum.
pub fn sequential_step(sums: &[f32], stride: usize) -> Vec<f32> {
    add(sums, (0..stride.min(sums.len() / 2)).map(|t| (t, t + stride)))
}

/// One step of Brent and Kung's up-sweep.
pub fn brent_kung_step(sums: &[f32], stride: usize) -> Vec<f32> {
    add(sums, (2 * stride - 1..sums.len()).step_by(2 * stride).map(|i| (i, i - stride)))
}

/// One step of Kogge and Stone's scan.
pub fn kogge_stone_step(sums: &[f32], stride: usize) -> Vec<f32> {
    add(sums, (stride..sums.len()).map(|i| (i, i - stride)))
}

/// The sums after simultaneous additions: the first element of each pair gets the old value of the second added.
fn add(sums: &[f32], pairs: impl Iterator<Item = (usize, usize)>) -> Vec<f32> {
    let mut out = sums.to_vec();
    pairs.for_each(|(to, from)| out[to] += sums[from]);
    out
}

/// The sum of the next 4 elements for even i and of the next 8 for odd i. `input` is 7 elements longer than the result.
pub fn parity_sums(input: &[f32]) -> Vec<f32> {
    (0..input.len() - 7).map(|i| input[i..].iter().take(if i % 2 == 0 { 4 } else { 8 }).sum()).collect()
}

/// The values that `rounds` multiply-adds of way `k` produce from `x`, each rounded once as the GPU's fmaf does.
pub fn path(k: u32, x: f32, rounds: u32) -> f32 {
    (0..rounds).fold(x, |x, _| x.mul_add(0.5, k as f32 + 1.0))
}

/// The bits of the end of each element's [`path`]. `input` holds [`digits`], and `way` says which path (below 32)
/// element i takes. Each path from each digit is followed only once, however many elements take it.
pub fn paths(input: &[f32], rounds: u32, way: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut known = [[None; 8]; 32];
    let follow = |(i, &x): (usize, &f32)| {
        let k = way(i);
        *known[k as usize][x as usize].get_or_insert_with(|| path(k, x, rounds).to_bits())
    };
    input.iter().enumerate().map(follow).collect()
}

/// Twice the element where i is even, and twice the sum of it and its two neighbours where i is odd; 0 past the end.
pub fn parity_taps(input: &[f32]) -> Vec<f32> {
    let around = |i: usize| input[i - 1] + input[i] + input.get(i + 1).copied().unwrap_or(0.0);
    (0..input.len()).map(|i| 2.0 * if i % 2 == 0 { input[i] } else { around(i) }).collect()
}

/// The bits of [`path`] 0 of each of the [`digits`] below 1; the others stay unchanged.
pub fn costly_below_one(input: &[f32], rounds: u32) -> Vec<u32> {
    // The only digit below 1 is 0.
    let end = path(0, 0.0, rounds);
    input.iter().map(|&x| if x < 1.0 { end } else { x }.to_bits()).collect()
}
