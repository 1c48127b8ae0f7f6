//! Seeded inputs: the same seed and label give the same numbers on every computer.
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::measure::parallel::parallel_chunks;

/// Elements that one generator of [`Inputs::in_chunks`] makes.
const CHUNK: usize = 1 << 20;

/// A generator of input data (`ChaCha8`), seeded by `--seed` and a label, so that adding one input
/// to a lab does not change the others.
#[derive(Debug, Clone)]
pub struct Inputs(ChaCha8Rng);

impl Inputs {
    /// The generator for `label` under `seed`.
    pub fn new(seed: u64, label: &str) -> Self {
        // FNV-1a: spreads the label over the seed's other half.
        let hash = label.bytes().fold(0xcbf29ce484222325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100000001b3));
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&hash.to_le_bytes());
        Self(ChaCha8Rng::from_seed(bytes))
    }

    /// `n` elements, made on all cores. `draw` is called for each chunk of 2^20 of them, with the chunk's length and a
    /// generator labelled with `label` and the chunk's number. The elements do not depend on the number of cores.
    ///
    /// # Panics
    /// When `draw` gives another number of elements than it was asked for.
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

    /// `n` floats, uniform in `range`.
    pub fn f32(&mut self, n: usize, range: Range<f32>) -> Vec<f32> {
        (0..n).map(|_| self.0.random_range(range.clone())).collect()
    }

    /// `n` doubles, uniform in `range`.
    pub fn f64(&mut self, n: usize, range: Range<f64>) -> Vec<f64> {
        (0..n).map(|_| self.0.random_range(range.clone())).collect()
    }

    /// `n` integers, uniform in `range`.
    pub fn i32(&mut self, n: usize, range: Range<i32>) -> Vec<i32> {
        (0..n).map(|_| self.0.random_range(range.clone())).collect()
    }

    /// `n` unsigned integers, uniform in `range`.
    pub fn u32(&mut self, n: usize, range: Range<u32>) -> Vec<u32> {
        (0..n).map(|_| self.0.random_range(range.clone())).collect()
    }

    /// `n` bytes, uniform over all 256 values.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut bytes = vec![0; n];
        self.0.fill(&mut bytes[..]);
        bytes
    }

    /// The generator itself, for any other distribution of the `rand` crate.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
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
