//! Seeded inputs: the same seed and label give the same numbers on every computer.
//!
//! Functions that draw many numbers are `inline`: they are then compiled in the calling crate, with the settings of a
//! lab rather than of this crate.
use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::measure::parallel::parallel_chunks;

/// Elements that one core makes as one task.
const CHUNK: usize = 1 << 20;

/// Bytes of a word of the generator.
const WORD: usize = 4;

/// A generator of input data (`ChaCha8`), seeded by `--seed` and a label, so that adding one input
/// to a lab does not change the others.
#[derive(Debug, Clone)]
pub struct Inputs(ChaCha8Rng);

impl Inputs {
    /// The generator for `label` under `seed`.
    pub fn new(seed: u64, label: &str) -> Self {
        // FNV-1a: spreads the label over the other half of the seed.
        let hash = label.bytes().fold(0xcbf29ce484222325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100000001b3));
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&hash.to_le_bytes());
        Self(ChaCha8Rng::from_seed(bytes))
    }

    /// Makes `n` elements on all cores. `draw` is called for each chunk of 2^20 of them, with the chunk's length and a
    /// generator labelled with `label` and the chunk's number. The elements do not depend on the number of cores.
    ///
    /// # Panics
    /// When `draw` returns a wrong number of elements.
    pub fn in_chunks<T: Copy + Default + Send>(
        seed: u64,
        label: &str,
        n: usize,
        draw: impl Fn(Self, usize) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let mut all = vec![T::default(); n];
        parallel_chunks(&mut all, CHUNK, |i, chunk| {
            let inputs = Self::new(seed, &format!("{label}{i}"));
            chunk.copy_from_slice(&draw(inputs, chunk.len()));
        });
        all
    }

    /// Returns `n` floats, uniform in `range`.
    #[inline]
    pub fn f32(&mut self, n: usize, range: Range<f32>) -> Vec<f32> {
        self.many(n, |rng| rng.random_range(range.clone()))
    }

    /// Returns `n` doubles, uniform in `range`.
    #[inline]
    pub fn f64(&mut self, n: usize, range: Range<f64>) -> Vec<f64> {
        self.many(n, |rng| rng.random_range(range.clone()))
    }

    /// Returns `n` integers, uniform in `range`.
    #[inline]
    pub fn i32(&mut self, n: usize, range: Range<i32>) -> Vec<i32> {
        self.many(n, |rng| rng.random_range(range.clone()))
    }

    /// Returns `n` unsigned integers, uniform in `range`.
    #[inline]
    pub fn u32(&mut self, n: usize, range: Range<u32>) -> Vec<u32> {
        self.many(n, |rng| rng.random_range(range.clone()))
    }

    /// Returns `n` bytes, uniform over all 256 values.
    #[inline]
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut words = vec![[0_u8; WORD]; n / WORD];
        let start = self.0.get_word_pos();
        parallel_chunks(&mut words, CHUNK, |i, chunk| {
            let mut rng = self.0.clone();
            rng.set_word_pos(start + (i * CHUNK) as u128);
            rng.fill(chunk.as_flattened_mut());
        });
        self.0.set_word_pos(start + words.len() as u128);
        let mut bytes = words.into_flattened();
        let mut rest = vec![0; n - bytes.len()];
        self.0.fill(&mut rest[..]);
        bytes.extend(rest);
        bytes
    }

    /// Returns `n` elements that `draw` returns one after another. Long lists are made on all cores, by generators that
    /// begin where the previous one ends, assuming that each draw takes as many words of the generator as in the first
    /// chunk. If a draw takes more words (rejection), all elements from that chunk on are drawn sequentially.
    fn many<T: Copy + Default + Send>(&mut self, n: usize, draw: impl Fn(&mut ChaCha8Rng) -> T + Sync) -> Vec<T> {
        let mut all = vec![T::default(); n];
        let start = self.0.get_word_pos();
        let (head, tail) = all.split_at_mut(CHUNK.min(n));
        head.fill_with(|| draw(&mut self.0));
        let taken = self.0.get_word_pos() - start;
        let words = taken / (head.len() as u128).max(1);
        if taken != words * head.len() as u128 {
            tail.fill_with(|| draw(&mut self.0));
            return all;
        }
        let words_of = |elements: usize| elements as u128 * words;
        let first_longer = AtomicUsize::new(usize::MAX);
        parallel_chunks(tail, CHUNK, |i, chunk| {
            let mut rng = self.0.clone();
            let end = start + words_of((i + 1) * CHUNK + chunk.len());
            rng.set_word_pos(start + words_of((i + 1) * CHUNK));
            chunk.fill_with(|| draw(&mut rng));
            if rng.get_word_pos() != end {
                first_longer.fetch_min(i, Ordering::Relaxed);
            }
        });
        let whole = first_longer.into_inner().saturating_mul(CHUNK).min(tail.len());
        self.0.set_word_pos(start + words_of(CHUNK.min(n) + whole));
        tail[whole..].fill_with(|| draw(&mut self.0));
        all
    }

    /// Returns the generator itself, for any other distribution of the `rand` crate.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::{CHUNK, Inputs};

    #[test]
    fn seed_and_label_decide() {
        let take = |seed, label| Inputs::new(seed, label).f32(8, -1.0..1.0);
        assert_eq!(take(1, "x"), take(1, "x"));
        assert_ne!(take(1, "x"), take(2, "x"));
        assert_ne!(take(1, "x"), take(1, "y"));
        assert!(take(3, "z").iter().all(|v| (-1.0..1.0).contains(v)));
    }

    #[test]
    fn the_numbers_are_the_same_on_every_computer() {
        // Recorded once: a report's seed must give the same data next year.
        assert_eq!(Inputs::new(1, "x").u32(4, 0..1000), [771, 282, 810, 536]);
    }

    #[test]
    fn many_cores_make_what_one_generator_gives() {
        let n = 3 * CHUNK + 7;
        let inputs = || Inputs::new(5, "x");
        let (mut serial, mut all) = (inputs(), inputs());
        let one_by_one: Vec<f32> = (0..n).map(|_| serial.rng().random_range(-1.0..1.0)).collect();
        assert!(all.f32(n, -1.0..1.0) == one_by_one);
        assert_eq!(all.u32(9, 0..99), serial.u32(9, 0..99), "what follows is the same");
        let (mut serial, mut all) = (inputs(), inputs());
        let one_by_one: Vec<f64> = (0..n).map(|_| serial.rng().random_range(0.0..3.0)).collect();
        assert!(all.f64(n, 0.0..3.0) == one_by_one);
        assert_eq!(all.u32(9, 0..99), serial.u32(9, 0..99));
        // With wide ranges many draws take a second word, with the widest nearly every draw; with the others this
        // happens in some chunk.
        for range in [0..u32::MAX, 0..3_000_000_000_u32, 0..1500, 0..700, 0..7] {
            let (mut serial, mut all) = (inputs(), inputs());
            let one_by_one: Vec<u32> = (0..n).map(|_| serial.rng().random_range(range.clone())).collect();
            assert!(all.u32(n, range.clone()) == one_by_one, "{range:?}");
            assert_eq!(all.u32(9, 0..99), serial.u32(9, 0..99), "{range:?}");
        }
        for n in [4 * n + 3, 4 * CHUNK, 5, 0] {
            let (mut serial, mut all) = (inputs(), inputs());
            let mut at_once = vec![0; n];
            serial.rng().fill(&mut at_once[..]);
            assert!(all.bytes(n) == at_once, "{n}");
        }
    }

    #[test]
    fn chunks_do_not_depend_on_the_number_of_cores() {
        let make = |seed, n| Inputs::in_chunks(seed, "x", n, |mut inputs, n| inputs.f32(n, 0.0..1.0));
        let x = make(7, CHUNK + 5);
        assert_eq!(x.len(), CHUNK + 5);
        assert_eq!(x, make(7, CHUNK + 5));
        assert_eq!(x[..CHUNK], Inputs::new(7, "x0").f32(CHUNK, 0.0..1.0));
        assert_eq!(x[CHUNK..], Inputs::new(7, "x1").f32(5, 0.0..1.0));
        assert_ne!(x, make(8, CHUNK + 5));
        assert!(x.iter().all(|v| (0.0..1.0).contains(v)));
        assert!(make(7, 0).is_empty());
    }
}
