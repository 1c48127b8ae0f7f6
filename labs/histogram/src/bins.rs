//! What is counted, and the reference counts.
use harness::parallel;

/// Which bytes go to which bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bins {
    /// a-d, e-h, ..., u-x, and y-z: 7 bins; any other byte is not counted.
    Letters,
    /// Each byte value its own bin: 256.
    Bytes,
}

impl Bins {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Letters, Self::Bytes];

    /// The word in kernel names and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Bytes => "bytes",
        }
    }

    /// How many bins.
    pub const fn count(self) -> usize {
        match self {
            Self::Letters => 7,
            Self::Bytes => 256,
        }
    }

    /// The bin of a byte.
    pub const fn of(self, byte: u8) -> Option<usize> {
        match (self, byte) {
            (Self::Bytes, _) => Some(byte as usize),
            (Self::Letters, b'a'..=b'z') => Some((byte - b'a') as usize / 4),
            _ => None,
        }
    }
}

/// Bytes that one reference task takes.
const CHUNK: usize = 1 << 20;

/// The counts, in 64 bits, one a bin.
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
            if let Some(bin) = bins.of(byte as u8) {
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
    fn letters_go_by_four_and_nothing_else_is_counted() {
        assert_eq!(Bins::Letters.of(b'a'), Some(0));
        assert_eq!(Bins::Letters.of(b'd'), Some(0));
        assert_eq!(Bins::Letters.of(b'e'), Some(1));
        assert_eq!(Bins::Letters.of(b'z'), Some(6));
        for byte in [b'`', b'{', b'A', b' ', 0, 255, b'a' + 128] {
            assert_eq!(Bins::Letters.of(byte), None);
        }
        let counted = (0..=255u8).filter(|b| Bins::Letters.of(*b).is_some());
        assert_eq!(counted.count(), 26);
    }

    #[test]
    fn references_add_up_over_chunks() {
        let text = vec![b'q'; 2 * CHUNK + 1];
        assert_eq!(reference(Bins::Letters, &text)[4], text.len() as u64);
        assert_eq!(reference(Bins::Bytes, b"hello")[b'l' as usize], 2);
        assert_eq!(reference(Bins::Letters, b""), [0; 7]);
    }
}
