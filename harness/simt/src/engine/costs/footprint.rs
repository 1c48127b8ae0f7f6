//! Footprint of a launch in 32-byte sectors of global memory: each sector counted once per launch, and once per block.

use super::hash::PieceTable;
use crate::costs::Footprint;

/// Bytes of a page of marks, as a power of two.
const PAGE: u32 = 16;
/// Words of 64 marks in a page, with one mark per sector.
const WORDS: usize = 1 << (PAGE - 5 - 6);
/// The number of 128-byte lines of a block's reads that are remembered, as in a cache of this many lines.
const LINES: usize = 1 << 13;

/// The marks of a page's sectors.
struct Page {
    read: [u64; WORDS],
    written: [u64; WORDS],
}

/// A line that a block has read.
#[derive(Clone, Copy, Default)]
struct ReadLine {
    /// The line's number, from 1; the lower four bits are a mask of its sectors.
    read: u64,
    /// The number, from 1, of the block that read it.
    block: u64,
}

/// The sectors that a worker's blocks have touched.
pub(crate) struct Touch {
    pages: PieceTable<Page>,
    lines: Box<[ReadLine]>,
    block_reads: u64,
    /// L1 cache passes of all requests.
    request_passes: u64,
    /// Sectors that bulk copies have read or written.
    copied: u64,
}

impl Touch {
    /// Creates an empty record.
    pub fn new() -> Touch {
        let lines = vec![ReadLine::default(); LINES].into_boxed_slice();
        Touch { pages: PieceTable::default(), lines, block_reads: 0, request_passes: 0, copied: 0 }
    }

    /// Records that a request needs `passes` passes of the L1 cache.
    pub fn passes(&mut self, passes: u32) {
        self.request_passes += u64::from(passes);
    }

    /// Records that `block` reads or writes sectors of the 128-byte line with this number; `sectors` has a bit for
    /// each.
    #[inline(always)]
    pub fn line(&mut self, block: u64, line: u64, sectors: u8, is_read: bool) {
        if is_read {
            self.read(block, line, sectors.into());
        } else {
            self.mark(line, sectors, false);
        }
    }

    /// Records that `block` reads or writes pieces of memory. Each piece is given by its first and last sector, and has
    /// 33 sectors at most. Returns the number of lines touched; consecutive pieces in the same line count as one.
    #[inline(always)]
    pub fn pieces(&mut self, block: u64, pieces: impl Iterator<Item = (u64, u64)>, is_read: bool) -> u32 {
        let (mut latest, mut lines) = (u64::MAX, 0);
        for (first, last) in pieces {
            let (mut line, end) = (first >> 2, last >> 2);
            lines += (end - line) as u32 + u32::from(line != latest);
            latest = end;
            let sectors = (2u64 << ((last - first) & 63)) - 1;
            if !is_read {
                let bits = u128::from(sectors) << (first & 63);
                self.written(first >> 6, [bits as u64, (bits >> 64) as u64]);
                continue;
            }
            let mut sectors = sectors << (first & 3);
            loop {
                self.read(block, line, sectors & 0xf);
                (line, sectors) = (line + 1, sectors >> 4);
                if sectors == 0 {
                    break;
                }
            }
        }
        lines
    }

    /// Returns in how many lines these pieces lie (as for [`Touch::pieces`]), if it is known that `block` has read all
    /// of them.
    #[inline(always)]
    pub fn has_read(&self, block: u64, pieces: impl Iterator<Item = (u64, u64)>) -> Option<u32> {
        let (mut latest, mut lines) = (u64::MAX, 0);
        for (first, last) in pieces {
            let (mut line, end) = (first >> 2, last >> 2);
            lines += (end - line) as u32 + u32::from(line != latest);
            latest = end;
            let mut sectors = ((2u64 << ((last - first) & 63)) - 1) << (first & 3);
            loop {
                if !self.knows(block, line, sectors & 0xf) {
                    return None;
                }
                (line, sectors) = (line + 1, sectors >> 4);
                if sectors == 0 {
                    break;
                }
            }
        }
        Some(lines)
    }

    /// Returns whether it is known that `block` has read these sectors: a bit mask, from the first sector of the line
    /// with this number.
    #[inline(always)]
    pub fn has_read_whole(&self, block: u64, line: u64, mut sectors: u64) -> bool {
        for line in line.. {
            if sectors & 0xf != 0 && !self.knows(block, line, sectors & 0xf) {
                return false;
            }
            sectors >>= 4;
            if sectors == 0 {
                break;
            }
        }
        true
    }

    /// Records that `block` reads or writes sectors, given as for [`Touch::has_read_whole`].
    #[inline(always)]
    pub fn whole(&mut self, block: u64, line: u64, sectors: u64, is_read: bool) {
        let bits = u128::from(sectors) << (line % 16 * 4);
        self.mark_pieces(line >> 4, [bits as u64, (bits >> 64) as u64], is_read);
        let mut rest = if is_read { sectors } else { 0 };
        for line in line.. {
            if rest & 0xf != 0 {
                self.remember(block, line, rest & 0xf);
            }
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
    }

    /// Returns whether it is known that `block` has read these sectors of a line. Such sectors are already marked.
    #[inline(always)]
    fn knows(&self, block: u64, line: u64, sectors: u64) -> bool {
        let at = &self.lines[place(line)];
        at.read & (!0xf | sectors) == (line + 1) << 4 | sectors && at.block == block + 1
    }

    /// Records that `block` reads sectors of a line.
    #[inline(always)]
    fn read(&mut self, block: u64, line: u64, sectors: u64) {
        if !self.knows(block, line, sectors) {
            self.read_first(block, line, sectors as u8);
        }
    }

    /// Like `read`, for sectors that may not have been read before.
    #[inline(never)]
    fn read_first(&mut self, block: u64, line: u64, sectors: u8) {
        self.remember(block, line, sectors.into());
        self.mark(line, sectors, true);
    }

    /// Remembers the sectors of a line that `block` reads, and counts those that it has not read before.
    #[inline(always)]
    fn remember(&mut self, block: u64, line: u64, sectors: u64) {
        let at = &mut self.lines[place(line)];
        let is_known = at.read >> 4 == line + 1 && at.block == block + 1;
        let before = if is_known { at.read & 0xf } else { 0 };
        self.block_reads += u64::from((sectors & !before).count_ones());
        *at = ReadLine { read: (line + 1) << 4 | before | sectors, block: block + 1 };
    }

    /// Records that sectors are written: two masks, for the 64 sectors of the piece of memory with this number, and for
    /// those of the next piece.
    #[inline(always)]
    pub fn written(&mut self, piece: u64, sectors: [u64; 2]) {
        self.mark_pieces(piece, sectors, false);
    }

    /// Marks sectors as read or written, given as for [`Touch::written`].
    #[inline(always)]
    fn mark_pieces(&mut self, piece: u64, sectors: [u64; 2], is_read: bool) {
        for (piece, sectors) in (piece..).zip(sectors).filter(|(_, sectors)| *sectors != 0) {
            let page = self.page(piece >> (PAGE - 11));
            let marks = if is_read { &mut page.read } else { &mut page.written };
            marks[piece as usize % WORDS] |= sectors;
        }
    }

    #[inline(always)]
    fn mark(&mut self, line: u64, sectors: u8, is_read: bool) {
        let page = self.page(line >> (PAGE - 7));
        let first = ((line & ((1 << (PAGE - 7)) - 1)) * 4) as usize;
        let marks = if is_read { &mut page.read } else { &mut page.written };
        marks[first / 64] |= u64::from(sectors) << (first % 64);
    }

    /// Records that a bulk copy reads or writes `bytes` bytes, bypassing the L1 cache.
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

    /// Adds another worker's record.
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

    /// Returns the counts.
    pub fn footprint(&self) -> Footprint {
        let mut all = Footprint {
            block_read_sectors: self.block_reads,
            request_passes: self.request_passes,
            copied_sectors: self.copied,
            ..Footprint::default()
        };
        // Counts each pair of neighbouring sectors once; pairs begin at even sectors.
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

/// Returns the index at which a line is remembered.
#[inline(always)]
fn place(line: u64) -> usize {
    (line ^ (line >> 13)) as usize % LINES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::costs::random::random;

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
    fn pieces_are_counted_like_their_sectors() {
        let mut random = random(1);
        let (mut whole, mut apart, mut again) = (Touch::new(), Touch::new(), 0);
        let (mut at_once, mut near) = (Touch::new(), 0);
        for _ in 0..20_000 {
            let (block, is_read) = (random(3), random(2) == 0);
            let first = (random(4) << 17) + random(300);
            let pieces = [0; 3].map(|_| first + random(40)).map(|first| (first, first + random(33)));
            let count = 1 + random(3) as usize;
            let known = whole.has_read(block, pieces.into_iter().take(count));
            let before = whole.block_reads;
            let lines = whole.pieces(block, pieces.into_iter().take(count), is_read);
            assert!(known.is_none_or(|known| known == lines && whole.block_reads == before), "{pieces:?}");
            again += u32::from(known.is_some());
            let line = pieces[..count].iter().map(|piece| piece.0 >> 2).min().unwrap();
            if pieces[..count].iter().all(|piece| piece.1 - line * 4 < 64) {
                let all = pieces.into_iter().take(count).flat_map(|(first, last)| first..=last);
                let sectors = all.fold(0, |bits, sector| bits | 1 << (sector - line * 4));
                assert_eq!(at_once.has_read_whole(block, line, sectors), known.is_some(), "{pieces:?}");
                at_once.whole(block, line, sectors, is_read);
                near += 1;
            } else {
                at_once.pieces(block, pieces.into_iter().take(count), is_read);
            }
            let mut told: Vec<u64> = Vec::new();
            for (first, last) in pieces.into_iter().take(count) {
                for sector in first..=last {
                    apart.line(block, sector >> 2, 1 << (sector & 3), is_read);
                    told.push(sector >> 2);
                }
            }
            told.dedup();
            assert_eq!(lines, told.len() as u32, "{pieces:?}");
            assert_eq!(whole.block_reads, apart.block_reads, "{pieces:?}");
        }
        assert_eq!(whole.footprint(), apart.footprint());
        assert_eq!(whole.footprint(), at_once.footprint());
        assert!(again > 100 && near > 10_000, "{again} {near}");
    }

    #[test]
    fn what_shares_a_place_in_the_tables_is_told_apart() {
        let mut touch = Touch::new();
        // Line 5; a line of another page with the same slot and the same marks; the same marks in another word; a line
        // that evicts line 5 from the remembered reads; and line 5 again, which then counts as a new read.
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
