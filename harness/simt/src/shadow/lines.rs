//! Where the race check keeps what it remembers: lines of 32 bytes, and a place for every word or byte of them.
//!
//! Lanes that go over a line in order, as most do, leave the same in all its places but for the lane. Such a line is kept, and
//! judged, as one; it is taken apart for the first access of another kind. Global memory that warps go over in whole rows is
//! kept row by row until then.

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
    /// The section that this is of; the places have their own.
    section: u64,
    /// As one. Lines with strong writes are kept in places.
    run: Run,
    words: Option<Box<[Cell; WORDS]>>,
    bytes: Option<Box<[Cell; BYTES]>>,
    form: Form,
}

impl Line {
    const EMPTY: Line = Line::new(Run::EMPTY);

    /// What lanes left that went over it in order.
    const fn new(run: Run) -> Line {
        Line {
            section: 0,
            run,
            words: None,
            bytes: None,
            form: Form::AsOne,
        }
    }

    /// Keeps nothing of another section, and what comes in a form that suits it.
    #[inline(always)]
    fn enter(&mut self, section: u64, form: Form) {
        if self.section != section {
            (self.section, self.run) = (section, Run::EMPTY);
            self.keep(form);
        }
    }

    /// From here on the line is kept in that form. Places in it are left from another section, or will be written.
    #[inline(always)]
    fn keep(&mut self, form: Form) {
        self.form = form;
        let missing = match form {
            Form::Words => self.words.is_none(),
            Form::Bytes => self.bytes.is_none(),
            Form::AsOne | Form::BytesAsOne => false,
        };
        if missing {
            self.make_places();
        }
    }

    #[cold]
    fn make_places(&mut self) {
        if self.form == Form::Words {
            self.words = Some(Box::new([EMPTY; WORDS]));
        } else {
            self.bytes = Some(Box::new([EMPTY; BYTES]));
        }
    }

    /// The places, each by itself, those of bytes for `narrow` accesses; and the bytes of one, as a power of two.
    #[inline(always)]
    fn places(&mut self, section: u64, narrow: bool) -> (&mut [Cell], u32) {
        self.enter(section, if narrow { Form::Bytes } else { Form::Words });
        if matches!(self.form, Form::AsOne | Form::BytesAsOne)
            || (narrow && self.form == Form::Words)
        {
            self.take_apart(narrow);
        }
        if self.form == Form::Bytes {
            let bytes = self.bytes.as_mut();
            return (bytes.map_or(&mut [], |bytes| &mut bytes[..]), 0);
        }
        let words = self.words.as_mut();
        (words.map_or(&mut [], |words| &mut words[..]), 2)
    }

    #[inline(never)]
    fn take_apart(&mut self, narrow: bool) {
        let (section, was) = (self.section, self.form);
        if was == Form::AsOne {
            self.keep(Form::Words);
            for (i, word) in self.words.iter_mut().flat_map(|w| w.iter_mut()).enumerate() {
                *word = self.run.part(i);
                word.section = section;
            }
        }
        if was == Form::BytesAsOne || narrow {
            self.keep(Form::Bytes);
            for (i, byte) in self.bytes.iter_mut().flat_map(|b| b.iter_mut()).enumerate() {
                *byte = match &self.words {
                    Some(words) if was != Form::BytesAsOne => words[i / 4],
                    _ => self.run.part(i),
                };
                if was == Form::BytesAsOne {
                    byte.section = section;
                }
            }
        }
    }

    /// Lanes go over the line in order, `now` being what the first of them does: word by word or, in that form, byte by byte.
    /// False, and nothing is remembered, if that may be a conflict, or the line is not kept in a way for it.
    #[inline(always)]
    fn as_one(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, form: Form) -> bool {
        self.enter(clocks.section(event), form);
        if self.form == form {
            return self.run.go_over(clocks, event, now);
        }
        let writes = event.what != What::Read;
        if writes && event.strong {
            return false;
        }
        if matches!(self.form, Form::AsOne | Form::BytesAsOne) {
            if !self.run.before(clocks.start) {
                return false;
            }
            self.run = Run::EMPTY;
        } else if !writes || !self.settled(clocks, event, now, form) {
            return false;
        }
        // A write leaves nothing of what was.
        self.form = form;
        self.run.remember(event, now);
        true
    }

    /// Whether all places are settled for lanes that go over them in that form.
    #[inline(never)]
    fn settled(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, form: Form) -> bool {
        let section = self.section;
        let lane_for_lane = (self.form == Form::Words) == (form == Form::AsOne);
        let (places, _) = self.places(section, false);
        places.iter().zip(0..).all(|(cell, i)| {
            let lanes = if lane_for_lane { now.lanes << i } else { 0 };
            cell.section != section || cell.settled(clocks, event, lanes)
        })
    }

    /// The word that holds an address, of a line that is kept word by word.
    #[inline(always)]
    fn word(&mut self, address: u64, section: u64) -> Option<&mut Cell> {
        self.enter(section, Form::Words);
        match &mut self.words {
            Some(words) if self.form == Form::Words => {
                let cell = &mut words[(address / 4) as usize % WORDS];
                cell.enter(section);
                Some(cell)
            }
            _ => None,
        }
    }

    /// Sixteen lanes access one word, `now` being what they do. False, and nothing is remembered, if that may be a conflict.
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

/// Some lanes, and how their addresses lie.
type Lanes = (u32, Piece);

/// The pieces of an access by the lanes of `mask`, in order; both halves of the warp at once where neither lies in a usual way,
/// or they read the same. A piece may have no lanes.
#[inline(always)]
fn pieces(event: &Event<'_>, mask: u32) -> (Lanes, Lanes) {
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
    let ((low, first), (high, second)) = (half(0), half(1));
    let bytes = event.size == 1 && layout.row && layout.low.is_multiple_of(LINE);
    let both = |piece| ((mask, piece), (0, Piece::Any));
    if bytes && mask == ALL {
        both(Piece::Bytes)
    } else if first == second
        && (first == Piece::Any
            || (event.what == What::Read && event.address[0] == event.address[16]))
    {
        both(first)
    } else {
        ((low, first), (high, second))
    }
}

/// Holds a piece against the lines from the one with number `start` on.
#[inline(always)]
fn hold(
    lines: &mut [Line],
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
        (Piece::Words, Some([one, two, ..])) => {
            let now = now.by_all(lanes & 0x0001_0001);
            let one = one.as_one(clocks, event, now, Form::AsOne);
            let two = two.as_one(clocks, event, now.up(WORDS as u32), Form::AsOne);
            lanes & !(if one { 0x00ff_00ff } else { 0 } | if two { 0xff00_ff00 } else { 0 })
        }
        (Piece::Bytes, Some([line, ..])) => {
            let fine = line.as_one(clocks, event, now.by(first), Form::BytesAsOne);
            if fine { 0 } else { lanes }
        }
        (Piece::Word, Some([line, ..])) => {
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

/// Atomics on words that nothing but atomics has touched, lane by lane: they are only remembered. Gives the lanes that are left.
#[inline(always)]
fn atomics(lines: &mut [Line], clocks: &Clocks<'_>, event: &Event<'_>) -> u32 {
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

/// Bytes of one lock.
pub(super) const CHUNK: u64 = 4096;

/// What is remembered under one lock.
#[derive(Debug, Default)]
enum Chunk {
    /// Nothing yet.
    #[default]
    Untouched,
    /// Warps went over whole rows only.
    Rows(Box<[Run; (CHUNK / ROW) as usize]>),
    /// Any accesses.
    Lines(Box<[Line]>),
}

impl Chunk {
    /// A warp goes over the row that is `offset` bytes from the chunk's start, `now` being what its first lane does. False, and
    /// nothing is remembered, if that may be a conflict, or rows are not kept as one here.
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

    /// The lines; rows are taken apart.
    #[inline(always)]
    fn lines(&mut self) -> &mut [Line] {
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
        let lines: Vec<Line> = match self {
            Chunk::Rows(rows) => {
                let parts = |row: &Run| {
                    let row = *row;
                    (0..ROW / LINE).map(move |i| Line::new(row.up(i as u32 * WORDS as u32)))
                };
                rows.iter().flat_map(parts).collect()
            }
            _ => vec![Line::EMPTY; LINES],
        };
        *self = Chunk::Lines(lines.into_boxed_slice());
    }
}

/// The memory of one allocation in global memory; lines exist from the first access on.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    /// Where the first line begins.
    start: u64,
    chunks: Vec<Mutex<Chunk>>,
}

impl GlobalRaces {
    /// For the allocation of `bytes` bytes at `start`.
    pub fn new(start: u64, bytes: u64) -> Self {
        let chunks = (bytes + ROW).div_ceil(CHUNK);
        GlobalRaces {
            start: start / ROW * ROW,
            chunks: (0..chunks).map(|_| Mutex::default()).collect(),
        }
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
                    lines.fill(Line::EMPTY);
                }
            }
            at = upto;
        }
    }

    fn chunk_of(&self, address: u64) -> u64 {
        (address - self.start) / CHUNK
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation; gives the first conflict.
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

    /// The same, half a warp after the other.
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
            if let Some((_, kept)) = &mut held {
                let start = (self.start + chunk * CHUNK) / LINE;
                found = found.or(hold(kept.lines(), start, clocks, event, (lanes, piece)));
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
