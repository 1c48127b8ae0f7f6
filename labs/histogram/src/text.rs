//! The texts: letters with equal or unequal frequencies, one letter, any bytes, or the bytes of a file.
use std::cell::OnceCell;

use harness::{Input, Inputs, Result, Run, Sizes, parallel_chunks};

use crate::{Bins, reference};

/// A text that rows share.
pub(crate) struct Source<'r> {
    /// The distribution's name, or the file's.
    pub(crate) name: String,
    /// Its number of bytes.
    pub(crate) n: usize,
    pub(crate) bytes: Input<'r, u8>,
    /// The default text on the emulated device is small, but each thread should still have its own stretch.
    pub(crate) least_bytes_a_thread: usize,
    counts: [OnceCell<Vec<u64>>; 2],
}

impl Source<'_> {
    /// The right counts.
    pub(crate) fn counts(&self, bins: Bins) -> &[u64] {
        self.counts[bins as usize].get_or_init(|| reference(bins, self.bytes.host()))
    }
}

/// The requested texts: that of a file, or random texts of every kind.
pub(crate) fn sources(run: &Run) -> Result<Vec<Source<'_>>> {
    let fits = |n| run.needs(Some(n), &format!("the {n} bytes of the text"), "--n");
    if let Some(file) = run.file("input") {
        let mut bytes = run.read(file)?;
        bytes.truncate(run.options().n.unwrap_or(usize::MAX));
        let n = bytes.len();
        fits(n)?;
        let bytes = run.input("text", move || bytes);
        return Ok(vec![Source { name: file.into(), n, bytes, least_bytes_a_thread: 1, counts: Default::default() }]);
    }
    let n = run.size(Sizes { gpu: 1 << 28, emulated: 1 << 17, quick: 1 << 12 });
    fits(n)?;
    let least_bytes_a_thread = if run.is_emulated() && run.options().n.is_none() { 64 } else { 1 };
    let source = |text: Text| {
        let bytes = run.input("text", move || text.make(run.options().seed, n));
        Source { name: text.name().into(), n, bytes, least_bytes_a_thread, counts: Default::default() }
    };
    Ok(run.chosen("text", &Text::ALL, Text::name).into_iter().map(source).collect())
}

/// A distribution of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The letters a-z, all equally likely.
    Uniform,
    /// The letters a-z by Zipf's law: the k-th most frequent of English has a share of 1/k.
    Skewed,
    /// The letter a, repeated: every addition goes to one count.
    Same,
    /// All 256 byte values, equally likely; most of them are not letters.
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

    /// The name on the command line and in the CSV.
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
