//! The race check's shadow memory: lines of 32 bytes, with a cell for every word or byte of a line.
//!
//! Most often, lanes access a line in order. Then all its cells have the same contents, except for the number of the
//! lane. Such a line is kept and compared as a single record, until the first access of another kind splits it into
//! cells.

use super::race::{Clocks, Conflict, EMPTY, ShadowAccess, ShadowCell, ShadowRange, touch};
use super::{Event, Half};
use crate::finding::AccessKind;
use crate::lane::ALL;

/// Bytes of a line.
pub(super) const LINE: u64 = 32;
/// Words of a line.
pub(super) const WORDS: usize = 8;
/// Bytes of a line, as an index.
const BYTES: usize = LINE as usize;

/// The representation of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    /// A single record: consecutive lanes accessed consecutive words.
    AsOne,
    /// A single record: consecutive lanes accessed consecutive bytes.
    BytesAsOne,
    /// Word by word.
    Words,
    /// Byte by byte.
    Bytes,
}

/// The history of a line.
#[derive(Clone, Debug)]
pub(super) struct LineHistory {
    /// The section to which `run` belongs. Cells have their own section.
    section: u64,
    /// The history of the whole line, if it is a single record. Lines with strong writes are kept in cells.
    run: ShadowRange,
    words: Option<Box<[ShadowCell; WORDS]>>,
    bytes: Option<Box<[ShadowCell; BYTES]>>,
    form: LineForm,
}

impl LineHistory {
    pub const EMPTY: LineHistory = LineHistory::new(ShadowRange::EMPTY, LineForm::AsOne);

    /// Creates a line that lanes accessed in order, as a single record in that form.
    pub const fn new(run: ShadowRange, form: LineForm) -> LineHistory {
        LineHistory { section: 0, run, words: None, bytes: None, form }
    }

    /// Forgets the history of another section. The line then takes the form that suits the next access.
    #[inline(always)]
    fn enter(&mut self, section: u64, form: LineForm) {
        if self.section != section {
            (self.section, self.run) = (section, ShadowRange::EMPTY);
            self.keep(form);
        }
    }

    /// Keeps the line in that form from now on. Its cells contain old data of another section, or will be overwritten.
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

    /// Splits the line into cells, one for each byte for `narrow` accesses. Returns them, and the binary logarithm of
    /// the size of a cell.
    #[inline(always)]
    fn places(&mut self, section: u64, narrow: bool) -> (&mut [ShadowCell], u32) {
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

    /// Records that lanes access the line in order, word by word or byte by byte, depending on the form. `now` is the
    /// access of the first of them. Returns false and records nothing if that may be a conflict, or if the line's form
    /// does not allow it.
    #[inline(always)]
    fn as_one(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: ShadowAccess, form: LineForm) -> bool {
        let (section, writes) = (clocks.section(event), event.what != AccessKind::Read);
        if self.section != section && !(writes && event.strong) {
            // No access in this section yet.
            (self.section, self.form, self.run) = (section, form, ShadowRange::EMPTY);
            self.run.remember(event, now);
            return true;
        }
        self.enter(section, form);
        if self.form == form {
            return self.run.go_over(clocks, event, now);
        }
        if writes && event.strong {
            return false;
        }
        if matches!(self.form, LineForm::AsOne | LineForm::BytesAsOne) {
            if !self.run.before(clocks.start) {
                return false;
            }
            self.run = ShadowRange::EMPTY;
        } else if !writes || !self.settled(clocks, event, now, form) {
            return false;
        }
        // A write replaces the whole history.
        self.form = form;
        self.run.remember(event, now);
        true
    }

    /// Returns whether none of the cells can conflict with lanes that access them in order in that form.
    #[inline(never)]
    fn settled(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: ShadowAccess, form: LineForm) -> bool {
        let section = self.section;
        let lane_for_lane = (self.form == LineForm::Words) == (form == LineForm::AsOne);
        let (places, _) = self.places(section, false);
        places.iter().zip(0..).all(|(cell, i)| {
            let lanes = if lane_for_lane { now.lanes << i } else { 0 };
            cell.section != section || cell.settled(clocks, event, lanes)
        })
    }

    /// Returns the cell of the word at an address, in a line that is kept word by word.
    #[inline(always)]
    pub fn word(&mut self, address: u64, section: u64) -> Option<&mut ShadowCell> {
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

    /// Records that sixteen lanes access one word. `now` is their access. Returns false and records nothing if that may
    /// be a conflict.
    #[inline(always)]
    fn at_word(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: ShadowAccess, address: u64) -> bool {
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

/// Compares the accesses of the lanes of `mask` with the lines, the first of which has the number `first`, and records
/// them. `now` is the warp's access, without a lane.
fn sweep(
    lines: &mut [LineHistory],
    first: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    now: ShadowAccess,
    mask: u32,
) -> Option<Conflict> {
    let mut found = None;
    let size = u64::from(event.size);
    let section = clocks.section(event);
    for lane in super::lanes(mask) {
        let now = now.by(lane);
        let mut from = event.address.at(lane as usize);
        let end = from + size;
        while from < end {
            let number = from / LINE;
            let upto = end.min((number + 1) * LINE);
            let line = number.checked_sub(first);
            if let Some(line) = line.and_then(|at| lines.get_mut(at as usize)) {
                let (places, shift) = line.places(section, size < 4);
                let start = (from % LINE) as usize >> shift;
                let stop = ((upto - number * LINE) as usize).div_ceil(1 << shift);
                for (i, cell) in places[start..stop].iter_mut().enumerate() {
                    cell.enter(section);
                    if cell.settled(clocks, event, now.lanes) {
                        cell.remember(event, now);
                    } else if let Some(conflict) = touch(cell, clocks, event, lane, now) {
                        let at = Some(number * LINE + ((start + i) << shift) as u64);
                        found = found.or(Some(Conflict { at, ..conflict }));
                    }
                }
            }
            from = upto;
        }
    }
    found
}

/// Records atomics of the lanes of `mask` on words that only atomics have accessed, with which they cannot conflict.
/// Returns the other lanes. `first` and `now` are as in [`sweep`].
#[inline(never)]
fn atomics(
    lines: &mut [LineHistory],
    first: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    now: ShadowAccess,
    mask: u32,
) -> u32 {
    let section = clocks.section(event);
    let mut left = 0;
    for lane in super::lanes(mask) {
        let address = event.address.at(lane as usize);
        let line = lines.get_mut((address / LINE).wrapping_sub(first) as usize);
        match line.and_then(|line| line.word(address, section)).filter(|cell| cell.is_calm_for(event)) {
            Some(cell) => cell.remember_strong(now.by(lane)),
            None => left |= 1 << lane,
        }
    }
    left
}

/// The pattern of the addresses of some lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LinePart {
    /// The 16 words of two lines, in order.
    Words,
    /// The 32 bytes of a line, in order.
    Bytes,
    /// A single word.
    Word,
    /// Any other pattern.
    Any,
}

impl LinePart {
    /// Returns the access of the lanes at the first cell. `now` is the warp's access, without a lane.
    #[inline(always)]
    pub fn first(self, now: ShadowAccess, lanes: u32) -> ShadowAccess {
        match self {
            LinePart::Words => now.by_all(lanes & 0x0001_0001),
            LinePart::Bytes => now.by(lanes.trailing_zeros()),
            LinePart::Word | LinePart::Any => now.by_all(lanes),
        }
    }
}

/// Some lanes, and the pattern of their addresses.
pub(super) type Lanes = (u32, LinePart);

/// Splits an access by the lanes of `mask` into pieces, in order: one for each half of the warp, or one for both halves
/// if neither half has a usual pattern, or if both read the same. A piece may have no lanes.
#[inline(always)]
pub(super) fn pieces(event: &Event<'_>, mask: u32) -> (Lanes, Lanes) {
    let layout = event.layout;
    let halves = layout.halves.each();
    let half = |h: usize| {
        let lanes = mask & (0xffff << (16 * h));
        let piece = match halves[h] {
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
        && (first == LinePart::Any || (event.what == AccessKind::Read && event.address.at(0) == event.address.at(16)))
    {
        both(first)
    } else {
        ((low, first), (high, second))
    }
}

/// Compares a piece with the lines, the first of which has the number `start`, and records it. `now` is the warp's
/// access, without a lane.
#[inline(always)]
pub(super) fn hold(
    lines: &mut [LineHistory],
    start: u64,
    clocks: &Clocks<'_>,
    event: &Event<'_>,
    now: ShadowAccess,
    (lanes, piece): Lanes,
) -> Option<Conflict> {
    if event.what == AccessKind::Atomic && event.size == 4 && piece != LinePart::Word {
        let rest = atomics(lines, start, clocks, event, now, lanes);
        return if rest == 0 { None } else { sweep(lines, start, clocks, event, now, rest) };
    }
    let first = lanes.trailing_zeros() & 31;
    let address = event.address.at(first as usize);
    let number = (address / LINE).wrapping_sub(start) as usize;
    let rest = match (piece, lines.get_mut(number..)) {
        (LinePart::Words, Some([one, two, ..])) => {
            let now = piece.first(now, lanes);
            let one = one.as_one(clocks, event, now, LineForm::AsOne);
            let two = two.as_one(clocks, event, now.up(WORDS as u32), LineForm::AsOne);
            lanes & !(if one { 0x00ff_00ff } else { 0 } | if two { 0xff00_ff00 } else { 0 })
        }
        (LinePart::Bytes, Some([line, ..])) => {
            let fine = line.as_one(clocks, event, piece.first(now, lanes), LineForm::BytesAsOne);
            if fine { 0 } else { lanes }
        }
        (LinePart::Word, Some([line, ..])) => {
            let fine = line.at_word(clocks, event, piece.first(now, lanes), address);
            if fine { 0 } else { lanes }
        }
        _ => lanes,
    };
    if rest == 0 {
        return None;
    }
    sweep(lines, start, clocks, event, now, rest)
}

#[cfg(test)]
mod tests;
