//! A table keyed by addresses: lookups need no hashing as long as few keys alternate.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Entries that are found without a hash lookup, as a power of two.
const RECENT: u32 = 10;

/// Entries keyed by the number of a piece of memory.
pub(crate) struct PieceTable<T> {
    entries: Vec<T>,
    /// The index of each key's entry.
    known: HashMap<u64, u32, BuildHasherDefault<Product>>,
    recent: Box<[(u64, u32)]>,
}

impl<T> Default for PieceTable<T> {
    fn default() -> PieceTable<T> {
        // `u64::MAX`, the initial key of every slot, is not the number of any piece.
        let recent = vec![(u64::MAX, 0); 1 << RECENT].into_boxed_slice();
        PieceTable { entries: Vec::new(), known: HashMap::default(), recent }
    }
}

impl<T> PieceTable<T> {
    /// Returns the entry with this number, below `u64::MAX`; creates it if it does not exist.
    #[inline(always)]
    pub fn entry(&mut self, number: u64, new: impl FnOnce() -> T) -> &mut T {
        let (latest, index) = self.recent[place(number)];
        let index = if latest == number { index } else { self.search(number, new) };
        &mut self.entries[index as usize]
    }

    #[inline(never)]
    fn search(&mut self, number: u64, new: impl FnOnce() -> T) -> u32 {
        let next = self.entries.len() as u32;
        let index = *self.known.entry(number).or_insert(next);
        if index == next {
            self.entries.push(new());
        }
        self.recent[place(number)] = (number, index);
        index
    }

    /// Iterates over the numbers and their entries, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.known.iter().map(|(&number, &index)| (number, &self.entries[index as usize]))
    }
}

/// Returns the slot of a number in the direct lookup. Arrays whose sizes are powers of two lie at power-of-two
/// distances, and kernels often traverse several in parallel: those get different slots, too.
#[inline(always)]
fn place(number: u64) -> usize {
    (number ^ number >> RECENT ^ number >> (2 * RECENT)) as usize % (1 << RECENT)
}

/// A hash that multiplies by an odd number and keeps the upper bits.
#[derive(Default)]
struct Product(u64);

impl Hasher for Product {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_share_a_place_have_their_own_entries() {
        let mut table = PieceTable::default();
        for number in [5, 5 + 1024, 5, 1 << 40, 5 + 1024] {
            *table.entry(number, || 0) += 1;
        }
        let mut all: Vec<_> = table.iter().map(|(number, times)| (number, *times)).collect();
        all.sort_unstable();
        assert_eq!(all, [(5, 2), (5 + 1024, 2), (1 << 40, 1)]);
    }
}
