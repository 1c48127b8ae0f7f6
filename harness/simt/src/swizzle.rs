//! How tiles are swizzled in shared memory, so that the columns of a tile lie in different banks.
//!
//! Chunks of 16 bytes change places inside a row of 128 bytes. The number of the row decides how: it is combined by
//! exclusive or with the number of the chunk. The pattern depends on the address alone, so a tile must begin where the
//! pattern does, or its reader must know where it begins. (PTX guide, "Swizzling modes".)

/// How wide the pieces are that keep together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Swizzle {
    /// Nothing changes places.
    #[default]
    None,
    /// The two chunks of 32 bytes do, from row to row.
    B32,
    /// The four chunks of 64 bytes do. The pattern repeats after four rows.
    B64,
    /// The eight chunks of 128 bytes do. The pattern repeats after eight rows.
    B128,
}

// Not every kind of instruction needs all of it.
#[allow(dead_code)]
impl Swizzle {
    /// Where the byte lies that would lie at this address without a swizzle.
    #[inline(always)]
    pub(crate) fn apply(self, address: u64) -> u64 {
        let row = (address >> 7) & self.rows_mask();
        address ^ (row << 4)
    }

    /// How many bytes of a row of the tile there can be.
    pub(crate) fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B128 => Some(128),
        }
    }

    /// The bytes after which the pattern repeats.
    pub(crate) fn period(self) -> u64 {
        128 * (self.rows_mask() + 1)
    }

    /// The bits of the row's number that take part.
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

    /// The rows of the guide's tables: which chunk lies at each place of a row of 128 bytes.
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
