//! Swizzling of tiles in shared memory, which spreads the columns of a tile over different banks.
//!
//! Chunks of 16 bytes are permuted inside a row of 128 bytes: the chunk's number is combined with the row's number by
//! exclusive or. The pattern depends only on the address, so a tile must begin where the pattern does, or its reader
//! must know where it begins. (PTX guide, "Swizzling modes".)

/// A swizzle, by the size of the units that it permutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Swizzle {
    /// No permutation.
    #[default]
    None,
    /// Permutes the two chunks of 32 bytes, from row to row.
    B32,
    /// Permutes the four chunks of 64 bytes. The pattern repeats after four rows.
    B64,
    /// Permutes the eight chunks of 128 bytes. The pattern repeats after eight rows.
    B128,
}

// Not every kind of instruction needs all of these.
#[allow(dead_code)]
impl Swizzle {
    /// Returns the address of the byte that would be at this address without a swizzle.
    #[inline(always)]
    pub(crate) fn apply(self, address: u64) -> u64 {
        let row = (address >> 7) & self.rows_mask();
        address ^ (row << 4)
    }

    /// Returns the largest number of bytes in a row of the tile.
    pub(crate) fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B128 => Some(128),
        }
    }

    /// Returns the number of bytes after which the pattern repeats.
    pub(crate) fn period(self) -> u64 {
        128 * (self.rows_mask() + 1)
    }

    /// Returns the bits of the row's number that take part.
    #[inline(always)]
    fn rows_mask(self) -> u64 {
        match self {
            Swizzle::None => 0,
            Swizzle::B32 => 1,
            Swizzle::B64 => 3,
            Swizzle::B128 => 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Swizzle;

    /// The rows of the guide's tables: the chunk at each position of a row of 128 bytes.
    const ROWS: [[u64; 8]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1, 0, 3, 2, 5, 4, 7, 6],
        [2, 3, 0, 1, 6, 7, 4, 5],
        [3, 2, 1, 0, 7, 6, 5, 4],
        [4, 5, 6, 7, 0, 1, 2, 3],
        [5, 4, 7, 6, 1, 0, 3, 2],
        [6, 7, 4, 5, 2, 3, 0, 1],
        [7, 6, 5, 4, 3, 2, 1, 0],
    ];

    #[test]
    fn chunks_lie_as_in_the_guides_tables() {
        for (swizzle, rows) in [(Swizzle::None, 1), (Swizzle::B32, 2), (Swizzle::B64, 4), (Swizzle::B128, 8)] {
            assert_eq!(swizzle.period(), 128 * rows as u64);
            for row in 0..24 {
                for (place, chunk) in (0..).zip(ROWS[row % rows]) {
                    let begin = 0x4_0000 + 128 * row as u64;
                    assert_eq!(swizzle.apply(begin + 16 * chunk), begin + 16 * place, "{swizzle:?}, row {row}");
                    assert_eq!(swizzle.apply(begin + 16 * chunk + 15), begin + 16 * place + 15);
                }
            }
        }
    }

    /// Tiles with rows of 32 and 64 bytes, by the formulas of the CUDA programming guide.
    #[test]
    fn narrow_rows_are_swizzled_too() {
        for (swizzle, width, per_row) in [(Swizzle::B32, 2, 4), (Swizzle::B64, 4, 2), (Swizzle::B128, 8, 1)] {
            assert_eq!(swizzle.span(), Some(16 * width));
            for y in 0..64 {
                for x in 0..width {
                    let there = 16 * (width * y + (x ^ (y / per_row % width)));
                    assert_eq!(swizzle.apply(16 * (width * y + x)), there, "{swizzle:?}, row {y}, chunk {x}");
                }
            }
        }
    }
}
