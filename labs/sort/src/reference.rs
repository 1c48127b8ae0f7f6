//! The right answers, computed on the CPU on all its cores, and the check against them.
use std::sync::Mutex;

use harness::{Check, parallel, parallel_chunks, parallel_vec};

use crate::Key;

/// Elements of one task of the check.
const CHUNK: usize = 1 << 20;
/// The approximate number of parts into which the keys are split by their values; each is sorted by one task.
const PARTS: usize = 1024;

/// `x` in order.
///
/// ```
/// assert_eq!(sort::reference::sorted(&[3u32, 1, 2, 1]), [1, 1, 2, 3]);
/// ```
pub fn sorted<K: Key>(x: &[K]) -> Vec<K> {
    in_order(parallel_vec(x.len(), |i| x[i]))
}

/// Sorts the keys.
fn in_order<K: Key>(mut all: Vec<K>) -> Vec<K> {
    sort_runs(&mut all, CHUNK);
    if all.len() <= CHUNK {
        return all;
    }
    let runs: Vec<&[K]> = all.chunks(CHUNK).collect();
    if runs.windows(2).all(|two| two[0].last() <= two[1].first()) {
        return all;
    }
    let mut bounds: Vec<K> = all.iter().copied().step_by(all.len() / PARTS).collect();
    bounds.sort_unstable();
    bounds.dedup();
    // Part i has the keys from bound i - 1 on and below bound i, from all runs: of each run, those between two cuts.
    let cuts = parallel(runs.len(), |r| {
        let inner = bounds.iter().map(|bound| runs[r].partition_point(|key| key < bound));
        [0].into_iter().chain(inner).chain([runs[r].len()]).collect::<Vec<_>>()
    });
    let lengths = (0..=bounds.len()).map(|i| cuts.iter().map(|cut| cut[i + 1] - cut[i]).sum());
    let mut sorted = vec![K::default(); all.len()];
    let places = places(&mut sorted, lengths);
    parallel(places.len(), |i| {
        let mut part = places[i].lock().expect("one task a part");
        let mut rest = &mut part[..];
        for (run, cut) in runs.iter().zip(&cuts) {
            let (place, after) = rest.split_at_mut(cut[i + 1] - cut[i]);
            place.copy_from_slice(&run[cut[i]..cut[i + 1]]);
            rest = after;
        }
        part.sort(); // faster here than `sort_unstable`: it merges runs that are already sorted
    });
    drop(places);
    sorted
}

/// Splits `all` into pieces of these lengths, one for each task.
fn places<K>(all: &mut [K], lengths: impl Iterator<Item = usize>) -> Vec<Mutex<&mut [K]>> {
    let mut rest = all;
    let piece = |length| {
        let (place, after) = std::mem::take(&mut rest).split_at_mut(length);
        rest = after;
        Mutex::new(place)
    };
    lengths.map(piece).collect()
}

/// Sorts each run of `run` keys.
pub fn sort_runs<K: Key>(x: &mut [K], run: usize) {
    let runs = (CHUNK / run).max(1);
    parallel_chunks(x, runs * run, |_, chunk| chunk.chunks_mut(run).for_each(<[K]>::sort_unstable));
}

/// The keys of `x` in order, followed by the index in `x` of each; indices of equal keys ascend.
///
/// ```
/// assert_eq!(sort::reference::sorted_pairs(&[7u32, 5, 7]), [5, 7, 7, 1, 0, 2]);
/// ```
pub fn sorted_pairs<K: Key>(x: &[K]) -> Vec<K> {
    let n = x.len();
    let pairs = in_order(parallel_vec(n, |i| u64::from(x[i].low()) << 32 | i as u64));
    let half = |i: usize| if i < n { pairs[i] >> 32 } else { pairs[i - n] };
    parallel_vec(2 * n, |i| K::from(half(i) as u32))
}

/// The keys of `x` below a threshold, in their order; then the others in reverse order, or, if they are dropped, as
/// many unwritten words; then the number of the keys below.
///
/// ```
/// assert_eq!(sort::reference::split(&[9u32, 1, 8, 2], 5, true), [1, 2, 8, 9, 2]);
/// assert_eq!(sort::reference::split(&[9u32, 1, 8, 2], 5, false), [1, 2, !0, !0, 2]);
/// ```
pub fn split<K: Key>(x: &[K], below: K, keeps_both: bool) -> Vec<K> {
    let chunks: Vec<&[K]> = x.chunks(CHUNK).collect();
    let counts = parallel(chunks.len(), |i| chunks[i].iter().filter(|key| **key < below).count());
    let others = chunks.iter().zip(&counts).map(|(chunk, count)| chunk.len() - count);
    let lengths = counts.iter().copied().chain(others.rev());
    let mut all = vec![K::default(); x.len() + 1];
    let places = places(&mut all, lengths);
    parallel(chunks.len(), |i| {
        let of = |place: usize| places[place].lock().expect("one task a chunk");
        let (mut kept, mut others) = (of(i), of(places.len() - 1 - i));
        let (mut first, mut last) = (kept.iter_mut(), others.iter_mut().rev());
        for key in chunks[i] {
            if *key < below {
                first.next().into_iter().for_each(|place| *place = *key);
            } else {
                last.next().into_iter().for_each(|place| *place = if keeps_both { *key } else { K::LARGEST });
            }
        }
    });
    drop(places);
    all[x.len()] = (counts.iter().sum::<usize>() as u32).into();
    all
}

/// Compares `out` with the right answer.
pub fn check<K: Key>(out: &[K], expected: &[K]) -> Check {
    if out.len() != expected.len() || out.is_empty() {
        return Check::equal(out, expected);
    }
    let parts = parallel(out.len().div_ceil(CHUNK), |c| {
        let here = c * CHUNK..((c + 1) * CHUNK).min(out.len());
        (out[here.clone()] == expected[here.clone()]).then(|| Check::all_right(here.len()))
    });
    if let Some(all) = parts.into_iter().reduce(|a, b| {
        a.zip(b).map(|(mut a, b)| {
            a.merge(b);
            a
        })
    }) && let Some(all) = all
    {
        return all;
    }
    Check::equal(out, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several chunks, of which the last is partial.
    #[test]
    fn many_keys_are_split_as_few_are() {
        let x = parallel_vec(2 * CHUNK + 77, |i| (i as u32).wrapping_mul(2_654_435_761));
        let below = 1 << 30;
        let (mut kept, mut others): (Vec<u32>, Vec<u32>) = x.iter().partition(|key| **key < below);
        let count = kept.len() as u32;
        others.reverse();
        let dropped = vec![u32::MAX; others.len()];
        let all = |rest: &[u32]| [&kept[..], rest, &[count]].concat();
        assert!(split(&x, below, true) == all(&others) && split(&x, below, false) == all(&dropped));
        kept.extend(others);
        kept.sort_unstable();
        assert!(sorted(&x) == kept);
    }
}
