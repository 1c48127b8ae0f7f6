//! A bitmap with one bit per byte of memory, which is set once the byte has been written.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The written bytes of a range of memory.
#[derive(Debug, Default)]
pub(crate) struct Written {
    words: Vec<AtomicU64>,
}

/// A copy of so few bytes may be of one structure.
const STRUCTURE: u64 = 64;

/// Whether a gap may be padding before a member of a structure, or behind its last: it reaches to a multiple of an
/// alignment that is greater than it, and what was written next to it, `before` or `behind`, may hold a member that has
/// this alignment.
fn may_be_padding(before: Range<u64>, gap: Range<u64>, behind: Range<u64>) -> bool {
    let align = (gap.end - gap.start + 1).next_power_of_two();
    let may_hold = |written: Range<u64>| written.start.next_multiple_of(align) + align <= written.end;
    align <= 8 && gap.end.is_multiple_of(align) && (may_hold(before) || may_hold(behind))
}

impl Written {
    /// Creates a map of `bytes` unwritten bytes; `None` if the host is out of memory.
    pub fn new(bytes: u64) -> Option<Self> {
        let len = usize::try_from(bytes.div_ceil(64)).ok()?;
        let mut words = Vec::new();
        words.try_reserve_exact(len).ok()?;
        words.resize_with(len, AtomicU64::default);
        Some(Written { words })
    }

    /// Marks everything as unwritten, and makes room for `bytes` bytes.
    pub fn reset(&mut self, bytes: u64) {
        let words = bytes.div_ceil(64) as usize;
        self.words.truncate(words);
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
        self.words.resize_with(words, AtomicU64::default);
    }

    /// Calls `f` with the index of each word and the bits in it that `[offset, offset + len)` covers.
    #[inline(always)]
    fn words(offset: u64, len: u64, mut f: impl FnMut(usize, u64) -> bool) {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let stop = (at / 64 + 1) * 64;
            let upto = stop.min(end);
            let count = upto - at;
            let bits = if count == 64 { u64::MAX } else { ((1 << count) - 1) << (at % 64) };
            if !f((at / 64) as usize, bits) {
                return;
            }
            at = upto;
        }
    }

    /// Marks `len` bytes from `offset` as written. Bytes beyond the end are ignored.
    #[inline(always)]
    pub fn write(&self, offset: u64, len: u64) {
        Self::words(offset, len, |word, bits| {
            if let Some(word) = self.words.get(word)
                && word.load(Ordering::Relaxed) & bits != bits
            {
                word.fetch_or(bits, Ordering::Relaxed);
            }
            true
        });
    }

    /// Returns the offset of the first byte of `[offset, offset + len)` that has not been written.
    #[inline(always)]
    pub fn unwritten(&self, offset: u64, len: u64) -> Option<u64> {
        let mut found = None;
        Self::words(offset, len, |word, bits| {
            let missing = self.words.get(word).map_or(0, |w| bits & !w.load(Ordering::Relaxed));
            if missing != 0 {
                found = Some(word as u64 * 64 + u64::from(missing.trailing_zeros()));
            }
            missing == 0
        });
        found
    }

    /// The offset of the first byte of `[offset, offset + len)` that has been written.
    fn written(&self, offset: u64, len: u64) -> Option<u64> {
        let mut found = None;
        Self::words(offset, len, |word, bits| {
            let present = self.words.get(word).map_or(0, |w| bits & w.load(Ordering::Relaxed));
            if present != 0 {
                found = Some(word as u64 * 64 + u64::from(present.trailing_zeros()));
            }
            present == 0
        });
        found
    }

    /// The offset of the first gap in `[offset, offset + len)`, bytes that have not been written, and the bytes of all
    /// gaps; `None` if all of them may be the padding of structures.
    pub fn blank(&self, offset: u64, len: u64) -> Option<(u64, u64)> {
        let end = offset + len;
        let (mut first, mut bytes, mut gaps, mut is_padding) = (None, 0, 0u64, true);
        let mut at = offset;
        let mut next = self.unwritten(at, len);
        while let Some(start) = next {
            let stop = self.written(start, end - start).unwrap_or(end);
            next = self.unwritten(stop, end - stop);
            is_padding &= may_be_padding(at..start, start..stop, stop..next.unwrap_or(end));
            first.get_or_insert(start);
            (bytes, gaps, at) = (bytes + stop - start, gaps + 1, stop);
        }
        // A single gap in much data is an element that is missing.
        let is_padding = is_padding && (gaps > 1 || len <= STRUCTURE);
        first.filter(|_| !is_padding).map(|first| (first, bytes))
    }

    /// Whether one of the elements of `element` bytes in `[offset, offset + len)` has no byte that was written.
    #[inline(always)]
    pub fn has_blank(&self, offset: u64, len: u64, element: u64) -> bool {
        self.unwritten(offset, len).is_some() && self.has_blank_element(offset, len, element)
    }

    fn has_blank_element(&self, offset: u64, len: u64, element: u64) -> bool {
        let is_written = |at: u64| self.unwritten(at, 1).is_none();
        (offset..offset + len)
            .step_by(element.max(1) as usize)
            .any(|first| !(first..(first + element).min(offset + len)).any(is_written))
    }

    /// Copies the marks of `len` bytes from another range of memory, after a copy: bytes that are unwritten there
    /// become unwritten here.
    pub fn copy(&self, offset: u64, from: &Written, from_offset: u64, len: u64) {
        for i in 0..len {
            if from.unwritten(from_offset + i, 1).is_none() {
                self.write(offset + i, 1);
            } else {
                self.forget(offset + i);
            }
        }
    }

    /// Marks `len` bytes from `offset` as unwritten.
    pub fn clear(&self, offset: u64, len: u64) {
        Self::words(offset, len, |word, bits| {
            if let Some(word) = self.words.get(word) {
                word.fetch_and(!bits, Ordering::Relaxed);
            }
            true
        });
    }

    fn forget(&self, offset: u64) {
        if let Some(word) = self.words.get((offset / 64) as usize) {
            word.fetch_and(!(1 << (offset % 64)), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn what_was_written_is_known_to_the_byte() {
        let memory = Written::new(200).unwrap();
        assert_eq!(memory.unwritten(0, 200), Some(0));
        memory.write(10, 100);
        assert_eq!(memory.unwritten(10, 100), None);
        assert_eq!(memory.unwritten(9, 2), Some(9));
        assert_eq!(memory.unwritten(100, 20), Some(110));
        memory.write(0, 200);
        assert_eq!(memory.unwritten(0, 200), None);
        assert_eq!(memory.unwritten(63, 2), None);
    }

    #[test]
    fn an_element_is_blank_if_none_of_its_bytes_was_written() {
        let memory = Written::new(64).unwrap();
        memory.write(0, 1);
        memory.write(8, 8);
        assert!(!memory.has_blank(0, 16, 8) && memory.has_blank(0, 16, 4) && memory.has_blank(0, 16, 1));
        assert!(!memory.has_blank(0, 1, 1) && memory.has_blank(8, 16, 8));
        assert!(!memory.has_blank(12, 4, 8), "an access may be smaller than its element");
    }

    #[test]
    fn gaps_are_found_unless_they_may_be_padding() {
        // What is written of each `step` bytes, in `all` bytes.
        let blank = |step: u64, pieces: &[(u64, u64)], all: u64| {
            let memory = Written::new(all).unwrap();
            (0..all / step).for_each(|i| pieces.iter().for_each(|(at, len)| memory.write(i * step + at, *len)));
            memory.blank(0, all)
        };
        // An int behind a double, an int before a double, a char before an int.
        assert_eq!(blank(16, &[(0, 12)], 4096), None);
        assert_eq!(blank(16, &[(0, 4), (8, 8)], 4096), None);
        assert_eq!(blank(8, &[(0, 1), (4, 4)], 4096), None);
        // A char, an int, a double and an int; a short and a char; a char before a double.
        assert_eq!(blank(24, &[(0, 1), (4, 4), (8, 8), (16, 4)], 24 * 64), None);
        assert_eq!(blank(4, &[(0, 3)], 4096), None);
        assert_eq!(blank(16, &[(0, 1), (8, 8)], 4096), None);
        assert_eq!(blank(16, &[(0, 12)], 16), None, "one structure");
        // Every other byte, int and double; nothing; all but the last int; ints of which the first half is there.
        assert_eq!(blank(2, &[(0, 1)], 4096), Some((1, 2048)));
        assert_eq!(blank(8, &[(0, 4)], 4096), Some((4, 2048)));
        assert_eq!(blank(16, &[(0, 8)], 4096), Some((8, 2048)));
        assert_eq!(blank(4096, &[], 4096), Some((0, 4096)));
        assert_eq!(blank(4096, &[(0, 4092)], 4096), Some((4092, 4)));
        assert_eq!(blank(4096, &[(0, 2048)], 4096), Some((2048, 2048)));
        assert_eq!(blank(4096, &[(0, 4096)], 4096), None);
    }

    #[test]
    fn a_copy_carries_over_the_holes() {
        let (from, to) = (Written::new(64).unwrap(), Written::new(64).unwrap());
        from.write(0, 8);
        from.write(16, 8);
        to.write(0, 64);
        to.copy(32, &from, 0, 24);
        assert_eq!(to.unwritten(0, 40), None);
        assert_eq!(to.unwritten(32, 24), Some(40));
        assert_eq!(to.unwritten(48, 16), None);
    }

    #[test]
    fn memory_can_be_used_again() {
        let mut memory = Written::new(64).unwrap();
        memory.write(0, 64);
        memory.reset(256);
        assert_eq!(memory.unwritten(0, 256), Some(0));
        memory.write(192, 64);
        assert_eq!(memory.unwritten(192, 64), None);
    }
}
