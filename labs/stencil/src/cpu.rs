//! The blur of the blur on the host's CPU, by threads: as two loops over the whole line, and blocked for the cache.
use std::{cell::OnceCell, time::Instant};

use harness::{Case, Check, Error, Result, Row, Run, ordinary_pages, parallel, parallel_chunks, parallel_vec, row};

use crate::line::{Expected, Input};

/// A method. Its arguments are the input, a buffer for the first blur of all elements, and the output.
type Method = fn(&[f32], &mut [f32], &mut [f32]);

/// Elements of a block, as in the text: the first blur of a block then stays in the first-level cache.
const BLOCK: usize = 512;

/// The rows.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row<Method>] = &[
    row("cpu-twice", "like twice, on the CPU: two parallel loops, the first blur goes to memory and back", two_loops as Method),
    row("cpu-blocked", "like cpu-twice, but in blocks of 512, whose first blur stays in the cache", blocked as Method),
    row("cpu-rounded-down", "like cpu-blocked, with as many blocks as a course computes", rounded_down as Method)
        .wrong("the number of blocks is rounded down, so that the last elements are never computed"),
];

/// Sets `out[j]` to the blur of `x` at `first + j`; `x` is 0 beyond its ends.
fn blur(x: &[f32], first: usize, out: &mut [f32]) {
    let last = (first + out.len()).min(x.len().saturating_sub(1));
    let inner = first.max(1)..last.max(first.max(1));
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    for i in (first..inner.start.min(first + out.len())).chain(inner.end..first + out.len()) {
        let left = if i > 0 { at(i - 1) } else { 0.0 };
        out[i - first] = 0.25 * left + 0.5 * at(i) + 0.25 * at(i + 1);
    }
    if !inner.is_empty() {
        let places = &mut out[inner.start - first..inner.end - first];
        for (place, w) in places.iter_mut().zip(x[inner.start - 1..=inner.end].windows(3)) {
            *place = 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2];
        }
    }
}

/// The size of a task's piece of the line: several pieces per core, but so large that the start of a task costs
/// nothing.
fn piece(n: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    n.div_ceil(4 * cores).next_multiple_of(BLOCK)
}

fn two_loops(x: &[f32], once: &mut [f32], twice: &mut [f32]) {
    let size = piece(x.len());
    parallel_chunks(once, size, |i, out| blur(x, i * size, out));
    parallel_chunks(twice, size, |i, out| blur(once, i * size, out));
}

/// The blur of the blur at `first + j` for all j, block by block.
fn in_blocks(x: &[f32], first: usize, out: &mut [f32]) {
    for (b, out) in out.chunks_mut(BLOCK).enumerate() {
        let first = first + b * BLOCK;
        // The first blur of the block and of one neighbour on each side; beyond the line's ends it is 0.
        let mut once = [0.0; BLOCK + 2];
        let begin = first.saturating_sub(1);
        let end = (first + out.len() + 1).min(x.len());
        let skipped = begin + 1 - first;
        blur(x, begin, &mut once[skipped..skipped + end - begin]);
        for (place, w) in out.iter_mut().zip(once.windows(3)) {
            *place = 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2];
        }
    }
}

fn blocked(x: &[f32], _: &mut [f32], twice: &mut [f32]) {
    let size = piece(x.len());
    parallel_chunks(twice, size, |i, out| in_blocks(x, i * size, out));
}

/// Like the text, leaves two elements at each end unchanged and computes (n - 4) / 512 blocks.
fn rounded_down(x: &[f32], _: &mut [f32], twice: &mut [f32]) {
    let (n, size) = (x.len(), piece(x.len()));
    for end in [0, n - 2] {
        in_blocks(x, end, &mut twice[end..end + 2]);
    }
    let blocks = (n - 4) / BLOCK.min(n - 4);
    let computed = &mut twice[2..2 + blocks * BLOCK.min(n - 4)];
    parallel_chunks(computed, size, |i, out| in_blocks(x, 2 + i * size, out));
}

/// Whether two lines are the same, bit for bit.
fn are_same(one: &[f32], other: &[f32]) -> bool {
    let size = piece(other.len()).max(1);
    let part = |i: usize| {
        let here = i * size..((i + 1) * size).min(other.len());
        one[here.clone()].iter().zip(&other[here]).all(|(a, b)| a.to_bits() == b.to_bits())
    };
    one.len() == other.len() && parallel(other.len().div_ceil(size), part).into_iter().all(|is_same| is_same)
}

/// Times each method on the host, whatever the device.
pub(crate) fn run(run: &Run, input: &Input<'_>) -> Result<()> {
    let n = input.x.len();
    let x = OnceCell::new();
    for row in run.rows(ROWS) {
        run.case(Case::new(row.name()).n(n), |case| {
            if row.name() == "cpu-rounded-down" && (n < 5 || (n - 4).is_multiple_of(BLOCK.min(n - 4))) {
                return Err(Error::skip(format!("with {n} elements nothing is left over")));
            }
            let x = x.get_or_init(|| ordinary_pages(|| input.x.to_vec()));
            let (mut once, mut twice) = ordinary_pages(|| (vec![0.0; n], vec![0.0; n]));
            let expected = input.expected(Expected::BlurOfBlur);
            let tolerance = Expected::BlurOfBlur.tolerance(f32::EPSILON.into());
            let (mut times, mut checked) = (Vec::new(), Vec::new());
            for _ in 0..run.options().samples.unwrap_or(9).max(1) {
                // Every bit is set, as in a poisoned output on the device.
                parallel_chunks(&mut twice, piece(n), |_, out| out.fill(f32::from_bits(u32::MAX)));
                let began = Instant::now();
                (row.with)(x, &mut once, &mut twice);
                times.push(began.elapsed().as_secs_f64() * 1e3);
                if !are_same(&checked, &twice) {
                    case.check(Check::compare(&twice, &expected, tolerance));
                    checked = parallel_vec(n, |i| twice[i]);
                }
            }
            case.times(&times);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            case.note(format!("on the host's CPU, {cores} threads"));
            Ok(())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn all_methods_agree_at_every_size() {
        for n in (1..40).chain([511, 512, 513, 515, 516, 517, 1028, 5000]) {
            let x: Vec<f32> = (0..n).map(|i| (i * 37 % 11) as f32 - 5.0).collect();
            let expected = reference::blur(&reference::blur(&x));
            for row in ROWS {
                if row.name() == "cpu-rounded-down" && n < 5 {
                    continue;
                }
                let (mut once, mut twice) = (vec![f32::NAN; n], vec![f32::NAN; n]);
                (row.with)(&x, &mut once, &mut twice);
                let left = twice.iter().filter(|y| y.is_nan()).count();
                let lost = if row.name() == "cpu-rounded-down" { (n - 4) % BLOCK.min(n - 4) } else { 0 };
                assert_eq!(left, lost, "{} of {n}", row.name());
                for (i, (y, e)) in twice.iter().zip(&expected).enumerate() {
                    assert!(y.is_nan() || (f64::from(*y) - e).abs() < 1e-5, "{} of {n}: [{i}]", row.name());
                }
            }
        }
    }
}
