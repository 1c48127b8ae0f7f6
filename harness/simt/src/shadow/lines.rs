//! Where the race check keeps what it remembers: lines of 8 words.
//!
//! Lanes that go over a line in order, as most do, leave the same in all its words but for the lane. Such a line is kept, and
//! judged, as one; it is taken apart for the first access of another kind.

use super::race::{Cell, Clocks, Conflict, EMPTY, NONE, Past, bytes_of, present, touch};
use super::{Event, Half};
use crate::finding::What;
use crate::lane::{ALL, LANES};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Words of a line.
const WORDS: usize = 8;
/// Bytes of a line.
pub(super) const LINE: u64 = WORDS as u64 * 4;

/// What is remembered of a line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Line {
    /// Of all its words as one, if it is not split: the lane is that of the first word, and goes up by [`step`] from word to word.
    all: Cell,
    /// Of each word, if it is.
    each: Option<Box<[Cell; WORDS]>>,
    split: bool,
}

/// How many lanes share a word, each with as many of its bytes; the last is the one that is remembered.
fn step(past: Past) -> u32 {
    match past.bytes() {
        0b1000 => 4,
        0b1100 => 2,
        _ => 1,
    }
}

impl Line {
    const EMPTY: Line = Line {
        all: EMPTY,
        each: None,
        split: false,
    };

    /// Its words, each by itself.
    #[inline(always)]
    fn words(&mut self) -> &mut [Cell; WORDS] {
        if !self.split {
            self.take_apart();
        }
        self.each.get_or_insert_with(|| Box::new([EMPTY; WORDS]))
    }

    #[inline(never)]
    fn take_apart(&mut self) {
        self.split = true;
        let all = self.all;
        let part = |past: Past, i: u32| past.lanes_on(i * step(past));
        for (cell, i) in self.words().iter_mut().zip(0..) {
            *cell = Cell {
                write: part(all.write, i),
                reads: all.reads.map(|read| part(read, i)),
            };
        }
    }

    /// Lanes go over the line in order; `now` is what the last of those that share its first word does. False, and nothing is
    /// remembered, if that may be a conflict.
    #[inline(always)]
    fn as_one(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past) -> bool {
        let writes = event.what != What::Read;
        if !self.split {
            let quiet = undisturbed(&self.all, clocks, event, now);
            if quiet {
                self.all.remember(event.what, now);
            }
            return quiet;
        }
        if writes {
            let quiet = self
                .words()
                .iter()
                .zip(0..)
                .all(|(cell, i)| undisturbed(cell, clocks, event, now.lanes_on(i * step(now))));
            if quiet {
                // A write leaves nothing of what was.
                self.split = false;
                self.all = Cell {
                    write: now,
                    reads: [NONE; 2],
                };
            }
            return quiet;
        }
        false
    }

    /// Half a warp, from lane `first` on, accesses one word.
    fn at_word(
        &mut self,
        clocks: &Clocks<'_>,
        event: &Event<'_>,
        word: usize,
        first: usize,
    ) -> Option<Conflict> {
        let cell = &mut self.words()[word % WORDS];
        let last = first + LANES / 2 - 1;
        if quiet(cell, clocks, event, u32::MAX) {
            cell.remember(event.what, present(clocks, event, last, 15));
            return None;
        }
        let mut found = None;
        for lane in first..=last {
            let now = present(clocks, event, lane, 15);
            found = found.or(touch(cell, clocks, event, lane, 15, now));
        }
        found
    }
}

/// Whether what is known of a word, or of a whole line, is no matter to `now`: lane for lane where each has words of its own.
#[inline(always)]
fn undisturbed(cell: &Cell, clocks: &Clocks<'_>, event: &Event<'_>, now: Past) -> bool {
    let fine = |past: Past| {
        let own = past.lane() == now.lane() && past.bytes() == 15 && now.bytes() == 15;
        clocks.settled(past, event, own)
    };
    fine(cell.write) && (event.what == What::Read || (fine(cell.reads[0]) && fine(cell.reads[1])))
}

/// Whether what is known of a word is no matter to an access by `lane`, as far as that is quickly seen.
#[inline(always)]
fn quiet(cell: &Cell, clocks: &Clocks<'_>, event: &Event<'_>, lane: u32) -> bool {
    let fine = |past: Past| clocks.settled(past, event, past.lane() == lane);
    fine(cell.write) && (event.what == What::Read || (fine(cell.reads[0]) && fine(cell.reads[1])))
}

/// The word with this number, out of the lines from the one with number `first` on.
#[inline(always)]
fn word(lines: &mut [Line], first: u64, number: u64) -> Option<&mut Cell> {
    let line = (number / WORDS as u64).checked_sub(first)?;
    let line = lines.get_mut(line as usize)?;
    Some(&mut line.words()[number as usize % WORDS])
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
    let now = present(clocks, event, 0, 0);
    let mut rest = mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let address = event.address[lane];
        let number = address / 4;
        if size == 4 {
            if let Some(cell) = word(lines, first, number) {
                let now = now.lanes_on(lane as u32).over(15);
                if quiet(cell, clocks, event, lane as u32) {
                    cell.remember(event.what, now);
                } else {
                    found = found.or(touch(cell, clocks, event, lane, 15, now));
                }
            }
            continue;
        }
        if size < 4 {
            // Of neighbours in one word only the last is remembered.
            let mut last = lane;
            let mut behind = rest;
            while behind != 0 {
                let next = behind.trailing_zeros() as usize;
                if event.address[next] / 4 != number {
                    break;
                }
                last = next;
                behind &= behind - 1;
            }
            if let Some(cell) = word(lines, first, number)
                && quiet(cell, clocks, event, u32::MAX)
            {
                let bytes = bytes_of(number, event.address[last], size);
                cell.remember(event.what, now.lanes_on(last as u32).over(bytes));
                rest = behind;
                continue;
            }
        }
        for number in number..(address + size).div_ceil(4) {
            if let Some(cell) = word(lines, first, number) {
                let bytes = bytes_of(number, address, size);
                let now = now.lanes_on(lane as u32).over(bytes);
                found = found.or(touch(cell, clocks, event, lane, bytes, now));
            }
        }
    }
    found
}

/// Some lanes of a warp, and how their addresses lie.
#[derive(Clone, Copy)]
enum Piece {
    /// In order, a word each, the 16 of two lines.
    Lines,
    /// In order, a line, so many lanes to a word.
    Shared(u32),
    /// Half a warp at one word.
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
            Half::Line => Piece::Lines,
            Half::Word => Piece::Word,
            Half::Any => Piece::Any,
        };
        let whole = lanes.count_ones() == 16;
        (lanes, if whole { piece } else { Piece::Any })
    };
    let row = layout.row && mask == ALL && layout.low.is_multiple_of(LINE);
    let parts = match (event.size, half(0), half(1)) {
        (1, ..) if row => [(ALL, Piece::Shared(4)), (0, Piece::Any)],
        (2, ..) if row => [(0xffff, Piece::Shared(2)), (0xffff_0000, Piece::Shared(2))],
        (_, (_, Piece::Any), (_, Piece::Any)) => [(mask, Piece::Any), (0, Piece::Any)],
        (_, low, high) => [low, high],
    };
    parts.into_iter().filter(|(lanes, _)| *lanes != 0)
}

/// Holds a piece that does not lie just anywhere against the lines from the one with number `start` on.
#[inline(always)]
fn usual(
    lines: &mut [Line],
    start: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    (lanes, piece): (u32, Piece),
) -> Option<Conflict> {
    let first = lanes.trailing_zeros() as usize & 31;
    let address = event.address[first];
    let number = (address / LINE).checked_sub(start)? as usize;
    let fine = match piece {
        Piece::Word => {
            let line = lines.get_mut(number)?;
            return line.at_word(clocks, event, (address / 4) as usize, first);
        }
        Piece::Lines => {
            let now = present(clocks, event, first, 15);
            let Some([one, two]) = lines.get_mut(number..number + 2) else {
                return sweep(lines, start, clocks, event, lanes);
            };
            let one = one.as_one(clocks, event, now);
            let two = two.as_one(clocks, event, now.lanes_on(WORDS as u32));
            match (one, two) {
                (true, true) => return None,
                (true, false) => return sweep(lines, start, clocks, event, lanes & 0xff00_ff00),
                (false, true) => return sweep(lines, start, clocks, event, lanes & 0x00ff_00ff),
                (false, false) => false,
            }
        }
        Piece::Shared(step) => {
            let bytes = bytes_of(0, u64::from(4 - 4 / step), u64::from(4 / step));
            let now = present(clocks, event, first + step as usize - 1, bytes);
            lines.get_mut(number)?.as_one(clocks, event, now)
        }
        Piece::Any => false,
    };
    if fine {
        return None;
    }
    sweep(lines, start, clocks, event, lanes)
}

/// The memory of a block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    lines: Vec<Line>,
}

impl SharedRaces {
    /// For a block that starts, with `bytes` of shared memory.
    pub fn start(&mut self, bytes: u64) {
        for line in &mut self.lines {
            (line.all, line.split) = (EMPTY, false);
        }
        self.lines
            .resize(bytes.div_ceil(LINE) as usize, Line::EMPTY);
    }

    /// Remembers an access (addresses are offsets); gives the first conflict.
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        let mut found = None;
        for piece in pieces(event, event.mask) {
            found = found.or(usual(&mut self.lines, 0, clocks, event, piece));
        }
        found
    }
}

/// Lines of one lock.
const CHUNK: usize = 128;
/// And their bytes.
pub(super) const CHUNK_BYTES: u64 = CHUNK as u64 * LINE;

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
        let chunks = bytes.div_ceil(CHUNK_BYTES) + 1;
        GlobalRaces {
            start: start / LINE * LINE,
            chunks: (0..chunks).map(|_| Mutex::new(Vec::new())).collect(),
        }
    }

    fn lock(&self, chunk: usize) -> MutexGuard<'_, Vec<Line>> {
        let mut lines = self.chunks[chunk]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            lines.resize(CHUNK, Line::EMPTY);
        }
        lines
    }

    /// Remembers the access of the lanes of `mask`, all inside this allocation; gives the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut held: Option<(usize, MutexGuard<'_, Vec<Line>>)> = None;
        for (lanes, piece) in pieces(event, mask) {
            let first = lanes.trailing_zeros() as usize & 31;
            let last = 31 - lanes.leading_zeros() as usize;
            let chunk = self.chunk_of(event.address[first]);
            if matches!(piece, Piece::Any) || chunk != self.chunk_of(event.address[last & 31]) {
                held = None;
                found = found.or(self.scattered(clocks, event, lanes));
                continue;
            }
            if held.as_ref().is_none_or(|(at, _)| *at != chunk) {
                // The one before is given back first.
                drop(held.take());
                held = Some((chunk, self.lock(chunk)));
            }
            if let Some((_, lines)) = &mut held {
                let start = self.start / LINE + (chunk * CHUNK) as u64;
                found = found.or(usual(lines, start, clocks, event, (lanes, piece)));
            }
        }
        found
    }

    fn chunk_of(&self, address: u64) -> usize {
        ((address - self.start) / CHUNK_BYTES) as usize
    }

    /// The same for lanes anywhere.
    fn scattered(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk go together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = self.chunk_of(event.address[lane]);
            let low = self.start + chunk as u64 * CHUNK_BYTES;
            let high = low + CHUNK_BYTES;
            let mut here = 0;
            for other in lane..LANES {
                let address = event.address[other];
                if rest & (1 << other) != 0 && address >= low && address < high {
                    here |= 1 << other;
                }
            }
            rest &= !here;
            let size = u64::from(event.size);
            let conflict = sweep(&mut self.lock(chunk), low / LINE, clocks, event, here);
            found = found.or(conflict);
            // An access that begins before the chunk's end and runs over it.
            let spill = (0..LANES)
                .filter(|l| here & (1 << l) != 0 && event.address[*l] + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            if spill != 0 && chunk + 1 < self.chunks.len() {
                let conflict = sweep(&mut self.lock(chunk + 1), high / LINE, clocks, event, spill);
                found = found.or(conflict);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
