//! The race check's memory: lines of 32 bytes, with a place for every word or byte of a line.
//!
//! Most often, lanes go over a line in order. They leave the same in all its places, except for the number of the lane.
//! Such a line is kept and compared as one, until the first access of another kind: then it is taken apart. In the same
//! way, global memory that warps go over in whole rows is kept row by row.

use super::race::{Cell, Clocks, Conflict, EMPTY, Past, Run, touch};
use super::{Event, Half, Layout};
use crate::finding::What;
use crate::lane::{ALL, LANES};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a line.
pub(super) const LINE: u64 = 32;
/// Bytes of a row: a word for each lane.
const ROW: u64 = 4 * LANES as u64;
/// Words of a line.
const WORDS: usize = 8;
/// Bytes of a line, as an index.
const BYTES: usize = LINE as usize;

/// In which form a line is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineForm {
    /// As one: consecutive words were accessed by consecutive lanes.
    AsOne,
    /// As one: consecutive bytes were accessed by consecutive lanes.
    BytesAsOne,
    /// Word by word.
    Words,
    /// Byte by byte.
    Bytes,
}

/// What is remembered of a line.
#[derive(Clone, Debug)]
struct LineHistory {
    /// The section to which `run` belongs. The places have their own.
    section: u64,
    /// The history of the whole line, if it is kept as one. Lines with strong writes are kept in places.
    run: Run,
    words: Option<Box<[Cell; WORDS]>>,
    bytes: Option<Box<[Cell; BYTES]>>,
    form: LineForm,
}

impl LineHistory {
    const EMPTY: LineHistory = LineHistory::new(Run::EMPTY);

    /// A line over which lanes went in order.
    const fn new(run: Run) -> LineHistory {
        LineHistory { section: 0, run, words: None, bytes: None, form: LineForm::AsOne }
    }

    /// Forgets the history of another section. The line then takes the form that suits the next access.
    #[inline(always)]
    fn enter(&mut self, section: u64, form: LineForm) {
        if self.section != section {
            (self.section, self.run) = (section, Run::EMPTY);
            self.keep(form);
        }
    }

    /// Keeps the line in that form from here on. Its places hold what is left from another section, or will be written.
    #[inline(always)]
    fn keep(&mut self, form: LineForm) {
        self.form = form;
        let missing = match form {
            LineForm::Words => self.words.is_none(),
            LineForm::Bytes => self.bytes.is_none(),
            LineForm::AsOne | LineForm::BytesAsOne => false,
        };
        if missing {
            self.make_places();
        }
    }

    #[cold]
    fn make_places(&mut self) {
        if self.form == LineForm::Words {
            self.words = Some(Box::new([EMPTY; WORDS]));
        } else {
            self.bytes = Some(Box::new([EMPTY; BYTES]));
        }
    }

    /// Takes the line apart into places, one for each byte for `narrow` accesses. Returns them, and the binary
    /// logarithm of the size of a place.
    #[inline(always)]
    fn places(&mut self, section: u64, narrow: bool) -> (&mut [Cell], u32) {
        self.enter(section, if narrow { LineForm::Bytes } else { LineForm::Words });
        if matches!(self.form, LineForm::AsOne | LineForm::BytesAsOne) || (narrow && self.form == LineForm::Words) {
            self.take_apart(narrow);
        }
        if self.form == LineForm::Bytes {
            let bytes = self.bytes.as_mut();
            return (bytes.map_or(&mut [], |bytes| &mut bytes[..]), 0);
        }
        let words = self.words.as_mut();
        (words.map_or(&mut [], |words| &mut words[..]), 2)
    }

    #[inline(never)]
    fn take_apart(&mut self, narrow: bool) {
        let (section, was) = (self.section, self.form);
        if was == LineForm::AsOne {
            self.keep(LineForm::Words);
            for (i, word) in self.words.iter_mut().flat_map(|w| w.iter_mut()).enumerate() {
                *word = self.run.part(i);
                word.section = section;
            }
        }
        if was == LineForm::BytesAsOne || narrow {
            self.keep(LineForm::Bytes);
            for (i, byte) in self.bytes.iter_mut().flat_map(|b| b.iter_mut()).enumerate() {
                *byte = match &self.words {
                    Some(words) if was != LineForm::BytesAsOne => words[i / 4],
                    _ => self.run.part(i),
                };
                if was == LineForm::BytesAsOne {
                    byte.section = section;
                }
            }
        }
    }

    /// Remembers that lanes go over the line in order, word by word or, in that form, byte by byte. `now` is what the
    /// first of them does. Returns false and remembers nothing if that may be a conflict, or if the line's form does
    /// not allow it.
    #[inline(always)]
    fn as_one(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, form: LineForm) -> bool {
        self.enter(clocks.section(event), form);
        if self.form == form {
            return self.run.go_over(clocks, event, now);
        }
        let writes = event.what != What::Read;
        if writes && event.strong {
            return false;
        }
        if matches!(self.form, LineForm::AsOne | LineForm::BytesAsOne) {
            if !self.run.before(clocks.start) {
                return false;
            }
            self.run = Run::EMPTY;
        } else if !writes || !self.settled(clocks, event, now, form) {
            return false;
        }
        // A write replaces all that was remembered.
        self.form = form;
        self.run.remember(event, now);
        true
    }

    /// Whether none of the places can conflict with lanes that go over them in that form.
    #[inline(never)]
    fn settled(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, form: LineForm) -> bool {
        let section = self.section;
        let lane_for_lane = (self.form == LineForm::Words) == (form == LineForm::AsOne);
        let (places, _) = self.places(section, false);
        places.iter().zip(0..).all(|(cell, i)| {
            let lanes = if lane_for_lane { now.lanes << i } else { 0 };
            cell.section != section || cell.settled(clocks, event, lanes)
        })
    }

    /// The word that holds an address, in a line that is kept word by word.
    #[inline(always)]
    fn word(&mut self, address: u64, section: u64) -> Option<&mut Cell> {
        self.enter(section, LineForm::Words);
        match &mut self.words {
            Some(words) if self.form == LineForm::Words => {
                let cell = &mut words[(address / 4) as usize % WORDS];
                cell.enter(section);
                Some(cell)
            }
            _ => None,
        }
    }

    /// Remembers that sixteen lanes access one word. `now` is what they do. Returns false and remembers nothing if that
    /// may be a conflict.
    #[inline(always)]
    fn at_word(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, address: u64) -> bool {
        let Some(cell) = self.word(address, clocks.section(event)) else {
            return false;
        };
        let fine = cell.settled(clocks, event, 0);
        if fine {
            cell.remember(event, now);
        }
        fine
    }
}

/// Compares the accesses of the lanes of `mask` with the lines, of which the first has the number `first`, and
/// remembers them.
fn sweep(lines: &mut [LineHistory], first: u64, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
    let mut found = None;
    let size = u64::from(event.size);
    let now = Past::now(clocks, event);
    let section = clocks.section(event);
    for lane in super::lanes(mask) {
        let now = now.by(lane);
        let mut from = event.address[lane as usize];
        let end = from + size;
        while from < end {
            let number = from / LINE;
            let upto = end.min((number + 1) * LINE);
            let line = number.checked_sub(first);
            if let Some(line) = line.and_then(|at| lines.get_mut(at as usize)) {
                let (places, shift) = line.places(section, size < 4);
                let start = (from % LINE) as usize >> shift;
                let stop = ((upto - number * LINE) as usize).div_ceil(1 << shift);
                for cell in &mut places[start..stop] {
                    cell.enter(section);
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinePart {
    /// The 16 words of two lines, in order.
    Words,
    /// The 32 bytes of a line, in order.
    Bytes,
    /// At one word.
    Word,
    /// Anywhere.
    Any,
}

/// Some lanes, and how their addresses lie.
type Lanes = (u32, LinePart);

/// Splits an access by the lanes of `mask` into pieces, in order: one for each half of the warp, or one for both halves
/// where neither half lies in a usual way, or both read the same. A piece may have no lanes.
#[inline(always)]
fn pieces(event: &Event<'_>, mask: u32) -> (Lanes, Lanes) {
    let layout = &event.layout;
    let half = |h: usize| {
        let lanes = mask & (0xffff << (16 * h));
        let piece = match layout.halves[h] {
            Half::Line if lanes.count_ones() == 16 => LinePart::Words,
            Half::Word if lanes.count_ones() == 16 => LinePart::Word,
            _ => LinePart::Any,
        };
        (lanes, piece)
    };
    let ((low, first), (high, second)) = (half(0), half(1));
    let bytes = event.size == 1 && layout.row && layout.low.is_multiple_of(LINE);
    let both = |piece| ((mask, piece), (0, LinePart::Any));
    if bytes && mask == ALL {
        both(LinePart::Bytes)
    } else if first == second
        && (first == LinePart::Any || (event.what == What::Read && event.address[0] == event.address[16]))
    {
        both(first)
    } else {
        ((low, first), (high, second))
    }
}

/// Compares a piece with the lines, of which the first has the number `start`, and remembers it.
#[inline(always)]
fn hold(
    lines: &mut [LineHistory],
    start: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    (lanes, piece): Lanes,
) -> Option<Conflict> {
    let first = lanes.trailing_zeros() & 31;
    let address = event.address[first as usize];
    let number = (address / LINE).wrapping_sub(start) as usize;
    let now = Past::now(clocks, event);
    let rest = match (piece, lines.get_mut(number..)) {
        (LinePart::Words, Some([one, two, ..])) => {
            let now = now.by_all(lanes & 0x0001_0001);
            let one = one.as_one(clocks, event, now, LineForm::AsOne);
            let two = two.as_one(clocks, event, now.up(WORDS as u32), LineForm::AsOne);
            lanes & !(if one { 0x00ff_00ff } else { 0 } | if two { 0xff00_ff00 } else { 0 })
        }
        (LinePart::Bytes, Some([line, ..])) => {
            let fine = line.as_one(clocks, event, now.by(first), LineForm::BytesAsOne);
            if fine { 0 } else { lanes }
        }
        (LinePart::Word, Some([line, ..])) => {
            let fine = line.at_word(clocks, event, now.by_all(lanes), address);
            if fine { 0 } else { lanes }
        }
        _ => lanes,
    };
    if rest == 0 {
        return None;
    }
    sweep(lines, start, clocks, event, rest)
}

/// Remembers atomics on words that only atomics have touched; these cannot conflict. Returns the other lanes.
#[inline(always)]
fn atomics(lines: &mut [LineHistory], clocks: &Clocks<'_>, event: &Event<'_>) -> u32 {
    let now = Past::now(clocks, event);
    let section = clocks.section(event);
    let mut left = 0;
    for lane in super::lanes(event.mask) {
        let address = event.address[lane as usize];
        let line = lines.get_mut((address / LINE) as usize);
        let cell = line.and_then(|line| line.word(address, section));
        match cell.filter(|cell| cell.calm) {
            Some(cell) => cell.remember_strong(now.by(lane)),
            None => left |= 1 << lane,
        }
    }
    left
}

/// The history of a block's shared memory. What an earlier block did there lies before the start of the present block.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    lines: Vec<LineHistory>,
}

impl SharedRaces {
    /// Prepares for a block that starts, with `bytes` bytes of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.lines.resize(bytes.div_ceil(LINE) as usize, LineHistory::EMPTY);
    }

    /// Remembers an access, whose addresses are offsets. Returns the first conflict.
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        let mut mask = event.mask;
        if event.what == What::Atomic && event.size == 4 {
            mask = atomics(&mut self.lines, clocks, event);
        }
        let (one, other) = pieces(event, mask);
        let mut found = None;
        if one.0 != 0 {
            found = hold(&mut self.lines, 0, clocks, event, one);
        }
        if other.0 != 0 {
            found = found.or(hold(&mut self.lines, 0, clocks, event, other));
        }
        found
    }
}

/// The number of bytes that share one lock.
pub(super) const CHUNK: u64 = 4096;

/// The history of the memory under one lock.
#[derive(Debug, Default)]
enum Chunk {
    /// Nothing has happened yet.
    #[default]
    Untouched,
    /// Warps have only gone over whole rows.
    Rows(Box<[Run; (CHUNK / ROW) as usize]>),
    /// There have been other accesses.
    Lines(Box<[LineHistory]>),
}

impl Chunk {
    /// Remembers that a warp goes over the row at `offset` bytes from the chunk's start. `now` is what its first lane
    /// does. Returns false and remembers nothing if that may be a conflict, or if this chunk is not kept in rows.
    #[inline(always)]
    fn row(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, offset: u64) -> bool {
        if let Chunk::Untouched = self {
            *self = Chunk::Rows(Box::new([Run::EMPTY; (CHUNK / ROW) as usize]));
        }
        match self {
            Chunk::Rows(rows) => rows[(offset / ROW) as usize].go_over(clocks, event, now),
            _ => false,
        }
    }

    /// The lines of the chunk. Rows are taken apart into lines.
    #[inline(always)]
    fn lines(&mut self) -> &mut [LineHistory] {
        if !matches!(self, Chunk::Lines(_)) {
            self.take_apart();
        }
        match self {
            Chunk::Lines(lines) => lines,
            _ => &mut [],
        }
    }

    #[inline(never)]
    fn take_apart(&mut self) {
        const LINES: usize = (CHUNK / LINE) as usize;
        let lines: Vec<LineHistory> = match self {
            Chunk::Rows(rows) => {
                let parts = |row: &Run| {
                    let row = *row;
                    (0..ROW / LINE).map(move |i| LineHistory::new(row.up(i as u32 * WORDS as u32)))
                };
                rows.iter().flat_map(parts).collect()
            }
            _ => vec![LineHistory::EMPTY; LINES],
        };
        *self = Chunk::Lines(lines.into_boxed_slice());
    }
}

/// The history of one allocation in global memory. Lines exist from the first access on.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    /// Where the first line begins.
    start: u64,
    chunks: Vec<Mutex<Chunk>>,
}

impl GlobalRaces {
    /// The empty history of the allocation of `bytes` bytes at `start`.
    pub fn new(start: u64, bytes: u64) -> Self {
        let chunks = (bytes + ROW).div_ceil(CHUNK);
        GlobalRaces { start: start / ROW * ROW, chunks: (0..chunks).map(|_| Mutex::default()).collect() }
    }

    #[inline(always)]
    fn lock(&self, chunk: u64) -> Option<MutexGuard<'_, Chunk>> {
        let chunk = self.chunks.get(chunk as usize)?;
        Some(chunk.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Forgets what was done to `bytes` bytes at `address`, which have become another block of a heap.
    pub fn forget(&self, address: u64, bytes: u64) {
        let end = address + bytes;
        let mut at = address;
        while at < end {
            let chunk = self.chunk_of(at);
            let low = self.start + chunk * CHUNK;
            let upto = end.min(low + CHUNK);
            if let Some(mut chunk) = self.lock(chunk) {
                let first = ((at - low) / LINE) as usize;
                let last = (upto - low).div_ceil(LINE) as usize;
                if let Some(lines) = chunk.lines().get_mut(first..last) {
                    lines.fill(LineHistory::EMPTY);
                }
            }
            at = upto;
        }
    }

    fn chunk_of(&self, address: u64) -> u64 {
        (address - self.start) / CHUNK
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation. Returns the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let Layout { low, row, .. } = event.layout;
        if row && event.size == 4 && mask == ALL && low.is_multiple_of(ROW) {
            let chunk = self.chunk_of(low);
            let offset = low - self.start - chunk * CHUNK;
            let now = Past::now(clocks, event).by(0);
            if let Some(mut rows) = self.lock(chunk)
                && rows.row(clocks, event, now, offset)
            {
                return None;
            }
        }
        self.in_pieces(clocks, event, mask)
    }

    /// The same, one half of the warp after the other.
    fn in_pieces(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut held: Option<(u64, MutexGuard<'_, Chunk>)> = None;
        let (one, other) = pieces(event, mask);
        for (lanes, piece) in [one, other] {
            if lanes == 0 {
                continue;
            }
            let first = event.address[lanes.trailing_zeros() as usize & 31];
            let last = event.address[lanes.checked_ilog2().unwrap_or(0) as usize];
            let chunk = self.chunk_of(first);
            if matches!(piece, LinePart::Any) || chunk != self.chunk_of(last) {
                held = None;
                found = found.or(self.scattered(clocks, event, lanes));
                continue;
            }
            if held.as_ref().is_none_or(|(at, _)| *at != chunk) {
                // The lock of the previous chunk is released before this one is taken.
                drop(held.take());
                held = self.lock(chunk).map(|lines| (chunk, lines));
            }
            if let Some((_, kept)) = &mut held {
                let start = (self.start + chunk * CHUNK) / LINE;
                found = found.or(hold(kept.lines(), start, clocks, event, (lanes, piece)));
            }
        }
        found
    }

    /// The same for lanes at any addresses.
    fn scattered(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk are handled together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = self.chunk_of(event.address[lane]);
            let low = self.start + chunk * CHUNK;
            let high = low + CHUNK;
            let here = super::lanes(rest)
                .filter(|&l| (low..high).contains(&event.address[l as usize]))
                .fold(0u32, |m, l| m | (1 << l));
            rest &= !here;
            let size = u64::from(event.size);
            // An access that runs over the chunk's end is remembered in the next chunk, too.
            let spill =
                super::lanes(here).filter(|&l| event.address[l as usize] + size > high).fold(0u32, |m, l| m | (1 << l));
            for (chunk, low, mask) in [(chunk, low, here), (chunk + 1, high, spill)] {
                if mask != 0
                    && let Some(mut kept) = self.lock(chunk)
                {
                    let conflict = sweep(kept.lines(), low / LINE, clocks, event, mask);
                    found = found.or(conflict);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
