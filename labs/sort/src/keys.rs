//! The sorted data: 32-bit and 64-bit keys and pairs, in several orders.
use std::fmt::Debug;

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use harness::{Inputs, Number, parallel_chunks, parallel_vec};

/// Keys made by one task.
const CHUNK: usize = 1 << 20;

/// The kind of sorted data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// 32-bit unsigned keys.
    U32,
    /// 32-bit unsigned keys, each with a 32-bit value: its index in the input.
    Pairs,
    /// 64-bit unsigned keys.
    U64,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::U32, Self::Pairs, Self::U64];

    /// The name on the command line, in the CSV and in the kernels' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::Pairs => "pairs",
            Self::U64 => "u64",
        }
    }

    /// Bytes of a key.
    pub const fn key_bytes(self) -> usize {
        if matches!(self, Self::U64) { 8 } else { 4 }
    }

    /// Bytes of a key, and of its value if it has one.
    pub const fn bytes(self) -> usize {
        if matches!(self, Self::U32) { 4 } else { 8 }
    }
}

/// The order of the keys before they are sorted: those of the peers' measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Every key is equally likely.
    Random,
    /// 0, 1, 2, ...
    Sorted,
    /// All are 7.
    Equal,
    /// n, n - 1, ..., 1.
    Reversed,
    /// Most keys are small, and few are very large: 1 / u for a random u between 0 and 1.
    Skewed,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 5] = [Self::Random, Self::Sorted, Self::Equal, Self::Reversed, Self::Skewed];

    /// The name on the command line and in the CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sorted => "sorted",
            Self::Equal => "equal",
            Self::Reversed => "reversed",
            Self::Skewed => "skewed",
        }
    }

    /// `n` words in this order, the same for the same seed on every computer.
    fn words(self, seed: u64, n: usize) -> Vec<u32> {
        let mut all = vec![0; n];
        parallel_chunks(&mut all, CHUNK, |c, chunk| {
            let (first, size) = (c * CHUNK, chunk.len());
            let random = || Inputs::new(seed, &format!("{}{c}", self.name())).bytes(4 * size);
            let words = |bytes: Vec<u8>| -> Vec<u32> {
                bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
            };
            match self {
                Self::Random => chunk.copy_from_slice(&words(random())),
                Self::Sorted => (first..).zip(chunk).for_each(|(i, key)| *key = i as u32),
                Self::Equal => chunk.fill(7),
                Self::Reversed => (first..).zip(chunk).for_each(|(i, key)| *key = (n - i) as u32),
                Self::Skewed => {
                    // `as` saturates larger values to the largest key.
                    let heavy = |r: u32| (2f64.powi(32) / (f64::from(r) + 1.0)) as u32;
                    chunk.iter_mut().zip(words(random())).for_each(|(key, r)| *key = heavy(r));
                }
            }
        });
        all
    }
}

/// A stored word: a key, or the value of a pair.
pub trait Key:
    Number + DeviceRepr + ValidAsZeroBits + Default + Ord + Debug + From<u32> + Send + Sync + 'static
{
    /// The largest key.
    const LARGEST: Self;
    /// `n` keys in this order, the same for the same seed on every computer.
    fn keys(order: Order, seed: u64, n: usize) -> Vec<Self>;
    /// Its lower 32 bits.
    fn low(self) -> u32;
}

impl Key for u32 {
    const LARGEST: Self = Self::MAX;

    fn low(self) -> u32 {
        self
    }
    fn keys(order: Order, seed: u64, n: usize) -> Vec<Self> {
        order.words(seed, n)
    }
}

impl Key for u64 {
    const LARGEST: Self = Self::MAX;

    fn low(self) -> u32 {
        self as u32
    }
    /// The lower half of each key is one word of the order, and its upper half the next.
    fn keys(order: Order, seed: u64, n: usize) -> Vec<Self> {
        let words = order.words(seed, 2 * n);
        parallel_vec(n, |i| Self::from(words[2 * i]) | Self::from(words[2 * i + 1]) << 32)
    }
}
