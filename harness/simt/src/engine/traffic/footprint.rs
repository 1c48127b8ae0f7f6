//! Which 32-byte sectors of global memory a launch touches: each once in the launch, and each once in every block.

use super::hash::Table;
use crate::costs::Footprint;

/// Bytes of a page of marks, as a power of two.
const PAGE: u32 = 16;
/// Words of 64 marks in a page: a mark for each sector.
const WORDS: usize = 1 << (PAGE - 5 - 6);
/// Lines of 128 bytes that a block's reads are remembered in, as a cache of as many lines would hold them.
const LINES: usize = 1 << 13;

/// Marks of the sectors of a page.
struct Page {
    read: [u64; WORDS],
    written: [u64; WORDS],
}

/// A line that a block has read.
#[derive(Clone, Copy, Default)]
struct Line {
    /// The line's number, from 1.
    number: u64,
    /// The block that read it, from 1.
    block: u64,
    /// Which of its four sectors.
    sectors: u8,
}

/// What a worker's blocks have touched.
pub(crate) struct Touch {
    pages: Table<Page>,
    lines: Vec<Line>,
    block_reads: u64,
    /// Passes of the L1 cache that requests have needed.
    request_passes: u64,
    /// Sectors that copies in bulk have read or written.
    copied: u64,
}

impl Touch {
    /// Nothing yet.
    pub fn new() -> Touch {
        let lines = vec![Line::default(); LINES];
        Touch { pages: Table::default(), lines, block_reads: 0, request_passes: 0, copied: 0 }
    }

    /// Notes that a request needs so many passes of the L1 cache.
    pub fn passes(&mut self, passes: u32) {
        self.request_passes += u64::from(passes);
    }

    /// Notes that `block` reads or writes sectors of the 128-byte line with this number; a bit of `sectors` for each.
    #[inline(always)]
    pub fn line(&mut self, block: u64, line: u64, sectors: u8, is_read: bool) {
        if is_read {
            let at = &mut self.lines[(line ^ (line >> 13)) as usize % LINES];
            if at.number != line + 1 || at.block != block + 1 {
                *at = Line { number: line + 1, block: block + 1, sectors: 0 };
            }
            let new = sectors & !at.sectors;
            if new == 0 {
                return; // They are marked.
            }
            self.block_reads += u64::from(new.count_ones());
            at.sectors |= sectors;
        }
        self.mark(line, sectors, is_read);
    }

    #[inline(always)]
    fn mark(&mut self, line: u64, sectors: u8, is_read: bool) {
        let page = self.page(line >> (PAGE - 7));
        let first = ((line & ((1 << (PAGE - 7)) - 1)) * 4) as usize;
        let marks = if is_read { &mut page.read } else { &mut page.written };
        marks[first / 64] |= u64::from(sectors) << (first % 64);
    }

    /// Notes that a copy in bulk reads or writes so many bytes, which do not go through the L1 cache.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        let end = address.saturating_add(bytes.into());
        for sector in address >> 5..end.div_ceil(32) {
            self.mark(sector >> 2, 1 << (sector & 3), is_read);
            self.copied += 1;
        }
    }

    #[inline(always)]
    fn page(&mut self, number: u64) -> &mut Page {
        self.pages.entry(number, || Page { read: [0; WORDS], written: [0; WORDS] })
    }

    /// Adds what another worker's blocks have touched.
    pub fn join(&mut self, other: &Touch) {
        self.block_reads += other.block_reads;
        self.request_passes += other.request_passes;
        self.copied += other.copied;
        for (number, theirs) in other.pages.iter() {
            let ours = self.page(number);
            for i in 0..WORDS {
                ours.read[i] |= theirs.read[i];
                ours.written[i] |= theirs.written[i];
            }
        }
    }

    /// The counts.
    pub fn footprint(&self) -> Footprint {
        let mut all = Footprint {
            block_read_sectors: self.block_reads,
            request_passes: self.request_passes,
            copied_sectors: self.copied,
            ..Footprint::default()
        };
        // Neighbours from an even one on, each pair once.
        let pairs = |sectors: u64| u64::from(((sectors | sectors >> 1) & 0x5555_5555_5555_5555).count_ones());
        for (_, page) in self.pages.iter() {
            for (read, written) in page.read.iter().zip(page.written) {
                all.read_sectors += u64::from(read.count_ones());
                all.written_sectors += u64::from(written.count_ones());
                all.read_pairs += pairs(*read);
                all.written_pairs += pairs(written);
                all.sectors += u64::from((read | written).count_ones());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_counts_once_in_a_launch_and_once_in_every_block() {
        let (mut one, mut other) = (Touch::new(), Touch::new());
        one.line(0, 5, 0b1111, true);
        one.line(0, 5, 0b0011, true);
        one.line(1, 5, 0b0001, true);
        other.line(2, 5, 0b1000, true);
        other.line(2, 1 << 40, 0b0110, false);
        other.line(2, 5, 0b0001, false);
        other.copied(5 * 128 + 31, 2, true);
        one.passes(2);
        other.passes(4);
        one.join(&other);
        let expected = Footprint {
            read_sectors: 4,
            written_sectors: 3,
            sectors: 6,
            block_read_sectors: 4 + 1 + 1,
            read_pairs: 2,
            written_pairs: 3,
            request_passes: 6,
            copied_sectors: 2,
            spun_sectors: 0,
        };
        assert_eq!(one.footprint(), expected);
    }

    #[test]
    fn what_shares_a_place_in_the_tables_is_told_apart() {
        let mut touch = Touch::new();
        // Line 5; the same of a page that is found at the same place; the same marks in another word; a line that takes
        // the place of line 5 among those that the block has read; and line 5, which has to be read again.
        for line in [5, 5 + (1 << 40), 5 + 16, (1 << 13) + 4, 5] {
            touch.line(0, line, 1, true);
        }
        touch.passes(2);
        touch.passes(3);
        let expected = Footprint {
            read_sectors: 4,
            sectors: 4,
            block_read_sectors: 5,
            read_pairs: 4,
            request_passes: 5,
            ..Footprint::default()
        };
        assert_eq!(touch.footprint(), expected);
    }
}
