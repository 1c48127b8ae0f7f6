//! The selection of a sparse first factor.

use crate::lane::LANES;

/// The maximum number of kept numbers in a row.
const MOST: usize = 32;

/// The selection of a first factor of which two of each four neighbours in a row are kept (for 32 bits, one of two). It
/// is given by words of metadata, in a register of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::instr) struct SparseSelection {
    /// Which of the four threads of a group provide these words, or which pair of them.
    pub selector: u32,
}

impl SparseSelection {
    /// Returns the position in the whole row of each kept number, for a row of `depth` numbers of `bits` bits. `words`
    /// is the metadata of all lanes. Of 32-bit numbers, one of two is kept.
    pub fn places(self, row: usize, depth: usize, bits: u32, words: &[u64; LANES]) -> [usize; MOST] {
        if bits == 32 {
            // Four bits describe two numbers as four halves; the second bit says which number is kept.
            return std::array::from_fn(|k| {
                let two = k % (depth / 2);
                let (lane, low) = self.of_a_pair(depth / 2, row, two);
                2 * two + (words[lane] >> (low + 1) & 1) as usize
            });
        }
        std::array::from_fn(|k| {
            let four = k / 2 % (depth / 4);
            let (lane, low) = if bits == 8 { self.of_a_row(row, four) } else { self.of_a_pair(depth / 4, row, four) };
            4 * four + (words[lane] >> (low + 2 * (k as u32 % 2)) & 3) as usize
        })
    }

    /// Returns the location of the metadata of these four columns of a row: the lane, and the lowest of the four bits.
    /// A word describes 32 numbers of one row.
    fn of_a_row(self, row: usize, four: usize) -> (usize, u32) {
        let lane = row % 8 * 4 + row / 8 + 2 * (self.selector as usize + four / 8);
        (lane % LANES, (four % 8 * 4) as u32)
    }

    /// The same where a word describes two rows: each half of it describes 16 numbers of one row. A row has `fours`
    /// groups of four.
    fn of_a_pair(self, fours: usize, row: usize, four: usize) -> (usize, u32) {
        let threads = fours / 4;
        let lane = row % 8 * 4 + self.selector as usize * threads + four / 4;
        (lane % LANES, (row / 8 * 16 + four % 4 * 4) as u32)
    }
}
