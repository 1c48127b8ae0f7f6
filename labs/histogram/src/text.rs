//! The texts: letters even or uneven, one letter, any bytes.
use harness::{Inputs, parallel_chunks};

/// A distribution of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The letters a-z, each as likely as the other.
    Uniform,
    /// The letters a-z by Zipf's law: the k-th most frequent of English has a share of 1/k.
    Skewed,
    /// The letter a, again and again: every count goes to one place.
    Same,
    /// All 256 byte values alike, most of which are no letters.
    Bytes,
}

/// The letters of English, most frequent first.
const BY_FREQUENCY: &[u8; 26] = b"etaoinshrdlcumwfgypbvkjxqz";
/// Bytes from one generator.
const CHUNK: usize = 1 << 20;
/// A byte is drawn by looking up 16 random bits in a table of this size.
const TABLE: usize = 1 << 16;

impl Text {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Skewed, Self::Same, Self::Bytes];

    /// The word on the command line and in the CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Skewed => "skewed",
            Self::Same => "same",
            Self::Bytes => "bytes",
        }
    }

    /// The cumulative shares, laid out as a table: entry i is the byte drawn by the number i.
    fn table(self) -> Vec<u8> {
        let total: f64 = (1..=26).map(|k| 1.0 / f64::from(k)).sum();
        let mut rank = 0;
        let mut below = 1.0 / total; // the share of ranks 0 to `rank`
        (0..TABLE)
            .map(|i| match self {
                Self::Uniform => b'a' + (i * 26 / TABLE) as u8,
                Self::Bytes => (i >> 8) as u8,
                Self::Same => b'a',
                Self::Skewed => {
                    while rank < 25 && (i as f64 + 0.5) / TABLE as f64 > below {
                        rank += 1;
                        below += 1.0 / (rank + 1) as f64 / total;
                    }
                    BY_FREQUENCY[rank]
                }
            })
            .collect()
    }

    /// `n` bytes, the same for the same seed on every computer.
    pub fn make(self, seed: u64, n: usize) -> Vec<u8> {
        let table = self.table();
        let mut all = vec![table[0]; n];
        if self != Self::Same {
            parallel_chunks(&mut all, CHUNK, |i, chunk| {
                let label = format!("{}{i}", self.name());
                let random = Inputs::new(seed, &label).bytes(2 * chunk.len());
                for (byte, draw) in chunk.iter_mut().zip(random.chunks_exact(2)) {
                    *byte = table[usize::from(u16::from_le_bytes([draw[0], draw[1]]))];
                }
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bins, reference};

    #[test]
    fn texts_have_their_shares() {
        let n = 100_000;
        let count = |text: Text, byte: u8| {
            let counts = reference(Bins::Bytes, &text.make(1, n));
            counts[byte as usize] as f64 / n as f64
        };
        assert_eq!(count(Text::Same, b'a'), 1.0);
        assert!((count(Text::Uniform, b'k') - 1.0 / 26.0).abs() < 0.005);
        assert!((count(Text::Bytes, 200) - 1.0 / 256.0).abs() < 0.002);
        // H(26) = 3.8544: e has 1/3.8544 of all, z a 26th of that.
        assert!((count(Text::Skewed, b'e') - 0.2594).abs() < 0.01);
        assert!((count(Text::Skewed, b'z') - 0.00998).abs() < 0.002);
    }

    #[test]
    fn texts_are_the_seed_s() {
        assert_eq!(Text::Bytes.make(3, 1000), Text::Bytes.make(3, 1000));
        assert_ne!(Text::Bytes.make(3, 1000), Text::Bytes.make(4, 1000));
        assert!(Text::Uniform.make(3, 0).is_empty());
    }
}
