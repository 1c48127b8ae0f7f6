//! What is kept of a sparse first factor.

use crate::lane::LANES;

/// The most numbers that are kept of a row.
const MOST: usize = 32;

/// A first factor of which two of each four neighbours in a row are kept, or one of two that have 32 bits. Words of
/// metadata, a register of each lane, say which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::instr) struct Kept {
    /// Which of the four threads of a group give these words, or which pair of them.
    pub selector: u32,
}

impl Kept {
    /// The place in the whole row of each number that is kept of a row of `depth` numbers. `words` is the metadata of
    /// all lanes; of wide numbers, which have 32 bits, one of two is kept.
    pub fn places(self, row: usize, depth: usize, wide: bool, words: &[u64; LANES]) -> [usize; MOST] {
        if wide {
            // Four bits tell of two numbers, as of their four halves; the second bit says which number is kept.
            return std::array::from_fn(|k| {
                let two = k % (depth / 2);
                let (lane, low) = self.place(depth / 2, row, two);
                2 * two + (words[lane] >> (low + 1) & 1) as usize
            });
        }
        std::array::from_fn(|k| {
            let four = k / 2 % (depth / 4);
            let (lane, low) = self.place(depth / 4, row, four);
            4 * four + (words[lane] >> (low + 2 * (k as u32 % 2)) & 3) as usize
        })
    }

    /// Where the word lies that tells of a row and of these four of its columns, of `fours`: the lane, and the lowest
    /// bit of the four bits.
    fn place(self, fours: usize, row: usize, four: usize) -> (usize, u32) {
        if fours == 16 {
            // All threads of a group give words: one for the first half of a row, and one for the second.
            return (row % 8 * 4 + row / 8 + four / 8 * 2, (four % 8 * 4) as u32);
        }
        let threads = fours / 4;
        let lane = row % 8 * 4 + self.selector as usize * threads + four / 4;
        (lane % LANES, (row / 8 * 16 + four % 4 * 4) as u32)
    }
}
