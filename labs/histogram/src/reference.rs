//! The bins, and the reference counts.
use harness::parallel;

/// The assignment of bytes to bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bins {
    /// a-d, e-h, ..., u-x, and y-z: 7 bins; any other byte is not counted.
    Letters,
    /// One bin for each byte value: 256 bins.
    Bytes,
}

impl Bins {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Letters, Self::Bytes];

    /// The name in kernel names and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Bytes => "bytes",
        }
    }

    /// The number of bins.
    pub const fn count(self) -> usize {
        match self {
            Self::Letters => 7,
            Self::Bytes => 256,
        }
    }

    /// A bin by its number and what it counts: `bin 6, y-z`, `bin 97, 'a'`.
    pub fn label(self, bin: usize) -> String {
        let letter = |place: usize| char::from(b'a' + place.min(25) as u8);
        match self {
            Self::Letters => format!("bin {bin}, {}-{}", letter(4 * bin), letter(4 * bin + 3)),
            Self::Bytes => format!("bin {bin}, '{}'", written(bin as u8)),
        }
    }

    /// The bin of a byte.
    pub const fn bin(self, byte: u8) -> Option<usize> {
        match (self, byte) {
            (Self::Bytes, _) => Some(byte as usize),
            (Self::Letters, b'a'..=b'z') => Some((byte - b'a') as usize / 4),
            _ => None,
        }
    }
}

/// A byte as CUDA C++ writes it between single quotes.
fn written(byte: u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// The number of bytes that one reference task takes.
const CHUNK: usize = 1 << 20;

/// The counts in 64 bits, one for each bin.
pub fn reference(bins: Bins, text: &[u8]) -> Vec<u64> {
    let parts = parallel(text.len().div_ceil(CHUNK), |i| {
        let mut of_byte = [0u64; 256];
        for &byte in &text[i * CHUNK..((i + 1) * CHUNK).min(text.len())] {
            of_byte[byte as usize] += 1;
        }
        of_byte
    });
    let mut counts = vec![0; bins.count()];
    for part in parts {
        for (byte, count) in part.iter().enumerate() {
            if let Some(bin) = bins.bin(byte as u8) {
                counts[bin] += count;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_of_bytes_is_written_as_in_cuda() {
        let bins = [0, 10, 39, 92, 97, 255];
        let labels = bins.map(|bin| Bins::Bytes.label(bin));
        assert_eq!(labels[..3], ["bin 0, '\\x00'", "bin 10, '\\x0a'", "bin 39, '\\''"]);
        assert_eq!(labels[3..], ["bin 92, '\\\\'", "bin 97, 'a'", "bin 255, '\\xff'"]);
    }
}
