//! What is noted by addresses: found without hashing as long as few places are used by turns.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Entries that are found without a search, as a power of two.
const RECENT: u32 = 10;

/// Entries by the number of a piece of memory.
pub(crate) struct Table<T> {
    entries: Vec<T>,
    /// The index of each number's entry.
    known: HashMap<u64, u32, BuildHasherDefault<Product>>,
    recent: Box<[(u64, u32)]>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        // No piece of memory has the number that every place begins with.
        let recent = vec![(u64::MAX, 0); 1 << RECENT].into_boxed_slice();
        Table { entries: Vec::new(), known: HashMap::default(), recent }
    }
}

impl<T> Table<T> {
    /// The entry with this number, below `u64::MAX`; a new one if there is none yet.
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

    /// The numbers with their entries, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.known.iter().map(|(&number, &index)| (number, &self.entries[index as usize]))
    }
}

/// Where a number is found without a search. Arrays whose sizes are powers of two lie as far apart, and kernels go over
/// several of them side by side: those have different places, too.
#[inline(always)]
fn place(number: u64) -> usize {
    (number ^ number >> RECENT ^ number >> (2 * RECENT)) as usize % (1 << RECENT)
}

/// Multiplies by an odd number and keeps the upper bits.
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
        let mut table = Table::default();
        for number in [5, 5 + 1024, 5, 1 << 40, 5 + 1024] {
            *table.entry(number, || 0) += 1;
        }
        let mut all: Vec<_> = table.iter().map(|(number, times)| (number, *times)).collect();
        all.sort_unstable();
        assert_eq!(all, [(5, 2), (5 + 1024, 2), (1 << 40, 1)]);
    }
}
