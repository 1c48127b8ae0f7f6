//! Where the race check keeps what it remembers: lines of 32 bytes, and a place for every word or byte of them.
//!
//! Lanes that go over a line in order, as most do, leave the same in all its places but for the lane. Such a line is kept, and
//! judged, as one; it is taken apart for the first access of another kind.

use super::race::{Cell, Clocks, Conflict, EMPTY, NONE, Past, remember_read, touch};
use super::{Event, Half};
use crate::finding::What;
use crate::lane::ALL;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a line.
pub(super) const LINE: u64 = 32;
/// Words of a line.
const WORDS: usize = 8;
/// Bytes of a line, as an index.
const BYTES: usize = LINE as usize;

/// How a line is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As one: each word by the lane behind that of the word before.
    AsOne,
    /// As one: each byte by the lane behind that of the byte before.
    BytesAsOne,
    /// Word by word.
    Words,
    /// Byte by byte.
    Bytes,
}

/// What is remembered of a line.
#[derive(Clone, Debug)]
struct Line {
    /// As one: what the lane at the first place did; the last plain write, and the last reads by two warps. Lines with strong
    /// writes are kept in places.
    write: Past,
    reads: [Past; 2],
    words: Option<Box<[Cell; WORDS]>>,
    bytes: Option<Box<[Cell; BYTES]>>,
    form: Form,
}

impl Line {
    const EMPTY: Line = Line {
        write: NONE,
        reads: [NONE; 2],
        words: None,
        bytes: None,
        form: Form::AsOne,
    };

    /// What is remembered of a place, of a line that is kept as one.
    fn part(&self, i: usize) -> Cell {
        Cell {
            write: self.write.up(i as u32),
            strong: NONE,
            reads: self.reads.map(|read| read.up(i as u32)),
        }
    }

    /// The places, each by itself, those of bytes for `narrow` accesses; and the bytes of one, as a power of two.
    #[inline(always)]
    fn places(&mut self, narrow: bool) -> (&mut [Cell], u32) {
        if matches!(self.form, Form::AsOne | Form::BytesAsOne)
            || (narrow && self.form == Form::Words)
        {
            self.take_apart(narrow);
        }
        if self.form == Form::Bytes {
            let bytes = self.bytes.get_or_insert_with(|| Box::new([EMPTY; BYTES]));
            return (&mut bytes[..], 0);
        }
        let words = self.words.get_or_insert_with(|| Box::new([EMPTY; WORDS]));
        (&mut words[..], 2)
    }

    #[inline(never)]
    fn take_apart(&mut self, narrow: bool) {
        if self.form == Form::AsOne {
            let parts = std::array::from_fn(|i| self.part(i));
            match &mut self.words {
                Some(words) => **words = parts,
                None => self.words = Some(Box::new(parts)),
            }
            self.form = Form::Words;
        }
        if self.form == Form::BytesAsOne || narrow {
            let parts = std::array::from_fn(|i| match (self.form, &self.words) {
                (Form::Words, Some(words)) => words[i / 4],
                _ => self.part(i),
            });
            match &mut self.bytes {
                Some(bytes) => **bytes = parts,
                None => self.bytes = Some(Box::new(parts)),
            }
            self.form = Form::Bytes;
        }
    }

    /// Lanes go over the line in order, `now` being what the first of them does: word by word or, in that form, byte by byte.
    /// False, and nothing is remembered, if that may be a conflict, or the line is not kept in a way for it.
    #[inline(always)]
    fn as_one(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, form: Form) -> bool {
        let writes = event.what != What::Read;
        if writes && event.strong {
            return false;
        }
        let fine = |past: Past| clocks.settled(past, event, now.lanes);
        if self.form == form {
            if !fine(self.write) || (writes && !(fine(self.reads[0]) && fine(self.reads[1]))) {
                return false;
            }
        } else if matches!(self.form, Form::AsOne | Form::BytesAsOne) {
            let old = |past: Past| u64::from(past.time) < clocks.start;
            if !(old(self.write) && old(self.reads[0]) && old(self.reads[1])) {
                return false;
            }
            (self.write, self.reads, self.form) = (NONE, [NONE; 2], form);
        } else {
            // A write leaves nothing of what was.
            let lane_for_lane = (self.form == Form::Words) == (form == Form::AsOne);
            let settled = |(cell, i): (&Cell, u32)| {
                let lanes = if lane_for_lane { now.lanes << i } else { 0 };
                cell.settled(clocks, event, lanes)
            };
            let (places, _) = self.places(false);
            if !writes || !places.iter().zip(0..).all(settled) {
                return false;
            }
            self.form = form;
        }
        if writes {
            (self.write, self.reads) = (now, [NONE; 2]);
        } else {
            remember_read(&mut self.reads, now);
        }
        true
    }

    /// Sixteen lanes access one word, `now` being what they do. False, and nothing is remembered, if that may be a conflict.
    #[inline(always)]
    fn at_word(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, word: u64) -> bool {
        let (places, shift) = self.places(false);
        let fine = shift == 2 && places[word as usize % WORDS].settled(clocks, event, 0);
        if fine {
            places[word as usize % WORDS].remember(event, now);
        }
        fine
    }
}

/// Holds the accesses of the lanes of `mask` against the lines from the one with number `first` on.
fn sweep(
    lines: &mut [Line],
    first: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    mask: u32,
) -> Option<Conflict> {
    let mut found = None;
    let size = u64::from(event.size);
    let now = Past::now(clocks, event);
    for lane in super::lanes(mask) {
        let now = now.by(lane);
        let mut from = event.address[lane as usize];
        let end = from + size;
        while from < end {
            let number = from / LINE;
            let upto = end.min((number + 1) * LINE);
            let line = number.checked_sub(first);
            if let Some(line) = line.and_then(|at| lines.get_mut(at as usize)) {
                let (places, shift) = line.places(size < 4);
                let start = (from % LINE) as usize >> shift;
                let stop = ((upto - number * LINE) as usize).div_ceil(1 << shift);
                for cell in &mut places[start..stop] {
                    if cell.settled(clocks, event, now.lanes) {
                        cell.remember(event, now);
                    } else {
                        found = found.or(touch(cell, clocks, event, lane, now));
                    }
                }
            }
            from = upto;
        }
    }
    found
}

/// How the addresses of some lanes of a warp lie.
#[derive(Clone, Copy)]
enum Piece {
    /// The 16 words of two lines, in order.
    Words,
    /// The 32 bytes of a line, in order.
    Bytes,
    /// At one word.
    Word,
    /// Anywhere.
    Any,
}

/// The pieces of an access by the lanes of `mask`, in order; both halves of the warp at once where neither lies in a usual way.
fn pieces(event: &Event<'_>, mask: u32) -> impl Iterator<Item = (u32, Piece)> {
    let layout = &event.layout;
    let half = |h: usize| {
        let lanes = mask & (0xffff << (16 * h));
        let piece = match layout.halves[h] {
            Half::Line if lanes.count_ones() == 16 => Piece::Words,
            Half::Word if lanes.count_ones() == 16 => Piece::Word,
            _ => Piece::Any,
        };
        (lanes, piece)
    };
    let bytes = event.size == 1 && layout.row && layout.low.is_multiple_of(LINE);
    let parts = match (half(0), half(1)) {
        _ if bytes && mask == ALL => [(ALL, Piece::Bytes), (0, Piece::Any)],
        ((_, Piece::Any), (_, Piece::Any)) => [(mask, Piece::Any), (0, Piece::Any)],
        (low, high) => [low, high],
    };
    parts.into_iter().filter(|(lanes, _)| *lanes != 0)
}

/// Holds a piece against the lines from the one with number `start` on.
#[inline(always)]
fn hold(
    lines: &mut [Line],
    start: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    (lanes, piece): (u32, Piece),
) -> Option<Conflict> {
    let first = lanes.trailing_zeros() & 31;
    let address = event.address[first as usize];
    let number = (address / LINE).wrapping_sub(start) as usize;
    let now = Past::now(clocks, event).by(first);
    let rest = match (piece, lines.get_mut(number..)) {
        (Piece::Words, Some([one, two, ..])) => {
            let one = one.as_one(clocks, event, now, Form::AsOne);
            let two = two.as_one(clocks, event, now.up(WORDS as u32), Form::AsOne);
            lanes & !(if one { 0x00ff_00ff } else { 0 } | if two { 0xff00_ff00 } else { 0 })
        }
        (Piece::Bytes, Some([line, ..])) => {
            let fine = line.as_one(clocks, event, now, Form::BytesAsOne);
            if fine { 0 } else { lanes }
        }
        (Piece::Word, Some([line, ..])) => {
            let last = Past::now(clocks, event).by(first + 15);
            let now = Past { lanes, ..last };
            let fine = line.at_word(clocks, event, now, address / 4);
            if fine { 0 } else { lanes }
        }
        _ => lanes,
    };
    if rest == 0 {
        return None;
    }
    sweep(lines, start, clocks, event, rest)
}

/// The memory of a block's shared memory. What an earlier block did there lies before the present one's start.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    lines: Vec<Line>,
}

impl SharedRaces {
    /// For a block that starts, with `bytes` of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.lines
            .resize(bytes.div_ceil(LINE) as usize, Line::EMPTY);
    }

    /// Remembers an access (addresses are offsets); gives the first conflict.
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        let mut found = None;
        for piece in pieces(event, event.mask) {
            found = found.or(hold(&mut self.lines, 0, clocks, event, piece));
        }
        found
    }
}

/// Bytes of one lock.
pub(super) const CHUNK: u64 = 4096;

/// The memory of one allocation in global memory; lines exist from the first access on.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    /// Where the first line begins.
    start: u64,
    chunks: Vec<Mutex<Vec<Line>>>,
}

impl GlobalRaces {
    /// For the allocation of `bytes` bytes at `start`.
    pub fn new(start: u64, bytes: u64) -> Self {
        let chunks = (bytes + LINE).div_ceil(CHUNK);
        GlobalRaces {
            start: start / LINE * LINE,
            chunks: (0..chunks).map(|_| Mutex::default()).collect(),
        }
    }

    fn lock(&self, chunk: u64) -> Option<MutexGuard<'_, Vec<Line>>> {
        let lines = self.chunks.get(chunk as usize)?;
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            lines.resize((CHUNK / LINE) as usize, Line::EMPTY);
        }
        Some(lines)
    }

    /// Forgets what was done to `bytes` bytes at `address`, which have become another block of a heap.
    pub fn forget(&self, address: u64, bytes: u64) {
        let end = address + bytes;
        let mut at = address;
        while at < end {
            let chunk = self.chunk_of(at);
            let low = self.start + chunk * CHUNK;
            let upto = end.min(low + CHUNK);
            if let Some(mut lines) = self.lock(chunk) {
                let first = ((at - low) / LINE) as usize;
                let last = ((upto - low).div_ceil(LINE) as usize).min(lines.len());
                lines[first..last].fill(Line::EMPTY);
            }
            at = upto;
        }
    }

    fn chunk_of(&self, address: u64) -> u64 {
        (address - self.start) / CHUNK
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation; gives the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut held: Option<(u64, MutexGuard<'_, Vec<Line>>)> = None;
        for (lanes, piece) in pieces(event, mask) {
            let first = event.address[lanes.trailing_zeros() as usize & 31];
            let last = event.address[lanes.checked_ilog2().unwrap_or(0) as usize];
            let chunk = self.chunk_of(first);
            if matches!(piece, Piece::Any) || chunk != self.chunk_of(last) {
                held = None;
                found = found.or(self.scattered(clocks, event, lanes));
                continue;
            }
            if held.as_ref().is_none_or(|(at, _)| *at != chunk) {
                // The one before is given back first.
                drop(held.take());
                held = self.lock(chunk).map(|lines| (chunk, lines));
            }
            if let Some((_, lines)) = &mut held {
                let start = (self.start + chunk * CHUNK) / LINE;
                found = found.or(hold(lines, start, clocks, event, (lanes, piece)));
            }
        }
        found
    }

    /// The same for lanes anywhere.
    fn scattered(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk go together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = self.chunk_of(event.address[lane]);
            let low = self.start + chunk * CHUNK;
            let high = low + CHUNK;
            let here = super::lanes(rest)
                .filter(|&l| (low..high).contains(&event.address[l as usize]))
                .fold(0u32, |m, l| m | (1 << l));
            rest &= !here;
            let size = u64::from(event.size);
            // An access that begins before the chunk's end and runs over it is seen in the next one, too.
            let spill = super::lanes(here)
                .filter(|&l| event.address[l as usize] + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            for (chunk, low, mask) in [(chunk, low, here), (chunk + 1, high, spill)] {
                if mask != 0
                    && let Some(mut lines) = self.lock(chunk)
                {
                    let conflict = sweep(&mut lines, low / LINE, clocks, event, mask);
                    found = found.or(conflict);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
