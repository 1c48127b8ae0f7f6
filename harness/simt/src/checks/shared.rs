//! The race check's shadow memory of a block's shared memory.
//!
//! From one barrier to the next, most kernels make only one kind of access to their shared memory: all threads read a
//! tile, or all add to bins, or each warp fills its own rows. Reads do not conflict with each other, nor do atomics,
//! nor stores to different rows. So in such a section accesses are only noted in a list. The next barrier orders all of
//! them, and the list is cleared. Only if another kind of access comes before that barrier, the noted accesses are
//! entered into the lines' histories, as if they had been there from the beginning, and further accesses of the section
//! are compared.

use super::global::ROW;
use super::lines::{LINE, LineHistory, WORDS, hold, pieces};
use super::race::{Clocks, Conflict, NONE, ShadowAccess};
use super::{Addresses, Event, Half, Halves, Layout};
use crate::finding::AccessKind;
use crate::lane::{ALL, LANES};

/// The maximum number of accesses noted in a section, which limits memory use. After that, reads are compared, and for
/// atomics the last one on each word is kept.
const NOTED: usize = 2048;

/// Lines per row of one word for each lane of a warp.
const LINES_OF_ROW: usize = (ROW / LINE) as usize;

/// The kind of accesses of a block since its last barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SoFar {
    /// Only reads.
    Reads,
    /// Only atomics on words.
    Atomics,
    /// Only stores of whole rows of words, each row once.
    Rows,
    /// Any other combination. Accesses are compared.
    #[default]
    Mixed,
}

/// A read that has not been compared, in half a cache line of the host.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Read {
    /// The access of the lanes.
    past: ShadowAccess,
    size: u16,
    /// The patterns of the halves of the warp.
    halves: Halves,
    /// If both halves have a usual pattern, the offset of each of them. Otherwise, the first number is the index of the
    /// addresses in [`SharedRaces::addresses`].
    start: [u32; 2],
}

impl Read {
    const NONE: Read = Read { past: NONE, size: 0, halves: Halves::new(Half::Word, Half::Word), start: [0; 2] };

    /// Returns the addresses of lanes in a usual pattern.
    fn laid_out(halves: Halves, start: [u32; 2]) -> [u64; LANES] {
        let halves = halves.each();
        std::array::from_fn(|lane| {
            let (half, from) = (halves[lane / 16], u64::from(start[lane / 16]));
            from + if half == Half::Line { 4 * (lane as u64 % 16) } else { 0 }
        })
    }
}

/// An atomic on words that has not been compared. Offsets in words fit in sixteen bits for every block.
#[derive(Clone, Copy, Debug)]
struct Atomic {
    /// The access of the lanes.
    past: ShadowAccess,
    words: [u16; LANES],
}

/// The last atomic on a word, or the store to a row, in a section.
#[derive(Clone, Copy, Debug)]
struct Last {
    section: u64,
    past: ShadowAccess,
}

impl Last {
    const NONE: Last = Last { section: 0, past: NONE };
}

/// The history of a block's shared memory. The accesses of an earlier block there lie before the start of the current
/// block.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    lines: Vec<LineHistory>,
    /// The section of the last access.
    section: u64,
    /// The kind of accesses of the block in that section.
    so_far: SoFar,
    /// The reads, if there were only reads. Capacity is reserved for the first section of that kind.
    reads: Vec<Read>,
    noted: usize,
    /// The addresses of the reads whose lanes do not have a usual pattern.
    addresses: Vec<[u32; LANES]>,
    /// The latest atomics, if there were only atomics: the first `latest` entries. The vector may be longer.
    atomics: Vec<Atomic>,
    latest: usize,
    /// The last of the earlier atomics on each word. Allocated when first needed.
    last: Vec<Last>,
    /// The store to each row, if there were only stores of rows. Allocated when first needed.
    rows: Vec<Last>,
    /// The lowest and the highest word that these atomics or stores have accessed.
    touched: (usize, usize),
}

impl SharedRaces {
    /// Resets for a new block with `bytes` bytes of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.lines.resize(bytes.div_ceil(LINE) as usize, LineHistory::EMPTY);
    }

    /// Records an access, whose addresses are offsets. Returns the first conflict.
    #[inline(always)]
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        let section = clocks.section(event);
        if self.section != section {
            self.enter(section, event);
        }
        let noted = match event.what {
            _ if !self.notes(section, event.what) => false,
            AccessKind::Write => {
                let row = event.layout.row && event.size == 4 && !event.strong && !event.volatile;
                row && self.note_row(clocks, event.pc, event.layout.low)
            }
            _ if event.what == AccessKind::Read || event.size == 4 => {
                self.note(clocks, event);
                true
            }
            _ => false,
        };
        if noted { None } else { self.compare(clocks, event) }
    }

    /// Starts a section with its first access.
    #[inline(always)]
    fn enter(&mut self, section: u64, event: &Event<'_>) {
        self.section = section;
        self.noted = 0;
        self.addresses.clear();
        self.latest = 0;
        self.touched = (usize::MAX, 0);
        self.so_far = match event.what {
            // Accesses by other blocks of a cluster have no sections.
            _ if !event.block_local => SoFar::Mixed,
            AccessKind::Read => SoFar::Reads,
            AccessKind::Atomic => SoFar::Atomics,
            AccessKind::Write if event.layout.row => SoFar::Rows,
            _ => SoFar::Mixed,
        };
        match self.so_far {
            SoFar::Reads => self.reads.resize(NOTED, Read::NONE),
            SoFar::Rows => self.rows.resize(self.lines.len() / LINES_OF_ROW, Last::NONE),
            _ => {}
        }
    }

    /// Returns whether it is enough to note an access in this section: it is of the kind with which the section began.
    #[inline(always)]
    pub fn notes(&self, section: u64, what: AccessKind) -> bool {
        self.section == section
            && match self.so_far {
                SoFar::Reads => what == AccessKind::Read && self.noted < self.reads.len(),
                SoFar::Atomics => what == AccessKind::Atomic,
                SoFar::Rows => what == AccessKind::Write,
                SoFar::Mixed => false,
            }
    }

    /// Notes an access for which [`SharedRaces::notes`] has returned true: a read, or atomics on words.
    #[inline(always)]
    pub fn note(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        if event.what == AccessKind::Read {
            self.note_read(clocks, event);
        } else {
            self.note_atomics(clocks, event);
        }
    }

    #[inline(always)]
    fn note_read(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        let halves = event.layout.halves;
        let start = if halves.is_any_unusual() {
            let mut address = [0; LANES];
            for i in 0..LANES {
                address[i] = event.address.at(i) as u32;
            }
            self.addresses.push(address);
            [self.addresses.len() as u32 - 1, 0]
        } else {
            [event.address.at(0) as u32, event.address.at(16) as u32]
        };
        let past = ShadowAccess { lanes: event.mask, ..ShadowAccess::now(clocks, event) };
        self.push_read(Read { past, size: event.size as u16, halves, start });
    }

    /// Notes a plain read by all lanes for which [`SharedRaces::notes`] has returned true. Each half of them begins at
    /// one of these offsets, and continues in a usual pattern.
    #[inline(always)]
    pub fn note_halves(&mut self, clocks: &Clocks<'_>, (pc, size): (u32, u32), halves: Halves, start: [u32; 2]) {
        let past = ShadowAccess { lanes: ALL, ..ShadowAccess::plain_now(clocks, pc) };
        self.push_read(Read { past, size: size as u16, halves, start });
    }

    #[inline(always)]
    fn push_read(&mut self, new: Read) {
        if let Some(read) = self.reads.get_mut(self.noted) {
            *read = new;
            self.noted += 1;
        }
    }

    /// Notes a plain store of a word by each lane of a warp, in lane order from this offset on, for which
    /// [`SharedRaces::notes`] has returned true. Returns false and does nothing if noting is not enough: the words are
    /// not a row, or there was an earlier store to them.
    #[inline(always)]
    pub fn note_row(&mut self, clocks: &Clocks<'_>, pc: u32, low: u64) -> bool {
        let section = self.section;
        match self.rows.get_mut((low / ROW) as usize) {
            Some(row) if low.is_multiple_of(ROW) && row.section != section => {
                *row = Last { section, past: ShadowAccess::plain_now(clocks, pc) };
                self.touch(low, low + ROW - 1);
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn touch(&mut self, low: u64, high: u64) {
        self.touched.0 = self.touched.0.min((low / 4) as usize);
        self.touched.1 = self.touched.1.max((high / 4) as usize);
    }

    #[inline(always)]
    fn note_atomics(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        let past = ShadowAccess { lanes: event.mask, ..ShadowAccess::now(clocks, event) };
        let Layout { low, high, .. } = *event.layout;
        self.touch(low, high);
        let noted = self.next_atomic();
        noted.past = past;
        for i in 0..LANES {
            noted.words[i] = (event.address.at(i) / 4) as u16;
        }
    }

    /// Notes atomics of the lanes of a mask at these offsets, for which [`SharedRaces::notes`] has returned true. `low`
    /// and `high` are the lowest and the highest of them.
    #[inline(always)]
    pub fn note_words(
        &mut self,
        clocks: &Clocks<'_>,
        (pc, mask): (u32, u32),
        at: &[u32; LANES],
        (low, high): (u64, u64),
    ) {
        let past = ShadowAccess { lanes: mask, ..ShadowAccess::atomic_now(clocks, pc) };
        self.touch(low, high);
        let noted = self.next_atomic();
        noted.past = past;
        for i in 0..LANES {
            noted.words[i] = (at[i] / 4) as u16;
        }
    }

    /// Makes room for another atomic. It is filled in in place: copying it would read data that was just written in
    /// parts, which would stall the host's processor.
    #[inline(always)]
    fn next_atomic(&mut self) -> &mut Atomic {
        if self.latest >= NOTED {
            self.keep_last_atomics();
        }
        if self.latest >= self.atomics.len() {
            self.make_room();
        }
        self.latest += 1;
        &mut self.atomics[self.latest - 1]
    }

    #[cold]
    fn make_room(&mut self) {
        let count = (2 * self.atomics.len()).clamp(64, NOTED);
        self.atomics.resize(count, Atomic { past: NONE, words: [0; LANES] });
    }

    /// Keeps the last of the noted atomics on each word, as [`super::race::ShadowCell::remember_strong`] does, and
    /// makes room for others.
    #[inline(never)]
    fn keep_last_atomics(&mut self) {
        self.last.resize(self.lines.len() * WORDS, Last::NONE);
        let section = self.section;
        for &Atomic { past: now, words } in &self.atomics[..std::mem::take(&mut self.latest)] {
            for lane in super::lanes(now.lanes) {
                if let Some(last) = self.last.get_mut(usize::from(words[lane as usize & 31])) {
                    let again = last.section == section && last.past.is_again(now);
                    let lanes = if again { last.past.lanes } else { 0 };
                    let now = now.by(lane);
                    *last = Last { section, past: ShadowAccess { lanes: now.lanes | lanes, ..now } };
                }
            }
        }
    }

    /// Compares an access with the lines and records it there, after all the accesses noted in its section.
    #[inline(never)]
    pub(super) fn compare(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        match self.so_far {
            SoFar::Mixed => {}
            SoFar::Reads => self.replay_reads(clocks),
            SoFar::Atomics => self.replay_atomics(),
            SoFar::Rows => self.replay_rows(clocks),
        }
        self.so_far = SoFar::Mixed;
        self.hold(clocks, event, ShadowAccess::now(clocks, event), event.mask)
    }

    fn hold(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: ShadowAccess, mask: u32) -> Option<Conflict> {
        let (one, other) = pieces(event, mask);
        let mut found = None;
        if one.0 != 0 {
            found = hold(&mut self.lines, 0, clocks, event, now, one);
        }
        if other.0 != 0 {
            found = found.or(hold(&mut self.lines, 0, clocks, event, now, other));
        }
        found
    }

    /// Enters the noted reads into the lines. There were no writes in the section before them, so they do not conflict.
    #[inline(never)]
    fn replay_reads(&mut self, clocks: &Clocks<'_>) {
        for i in 0..self.noted {
            let Read { past, size, halves, start } = self.reads[i];
            let address = if halves.is_any_unusual() {
                self.addresses[start[0] as usize].map(u64::from)
            } else {
                Read::laid_out(halves, start)
            };
            let (mask, size, past) = (past.lanes, u32::from(size), ShadowAccess { lanes: 0, ..past });
            let address = Addresses::of(&address);
            let layout = Layout::of(address, mask, size);
            let event = past.as_access(AccessKind::Read, mask, size, address, &layout);
            self.hold(clocks, &event, past, mask);
        }
    }

    /// Enters the noted stores into the lines. No two of them were to the same row, so they do not conflict.
    #[inline(never)]
    fn replay_rows(&mut self, clocks: &Clocks<'_>) {
        const WORDS_OF_ROW: usize = WORDS * LINES_OF_ROW;
        let (low, high) = self.touched;
        for row in low / WORDS_OF_ROW..self.rows.len().min(high / WORDS_OF_ROW + 1) {
            let Last { section, past } = self.rows[row];
            if section == self.section {
                let from = row as u64 * ROW;
                let address = std::array::from_fn(|lane| from + 4 * lane as u64);
                let layout = Layout::in_a_row(from, 4);
                let event = past.as_access(AccessKind::Write, ALL, 4, Addresses::of(&address), &layout);
                self.hold(clocks, &event, past, ALL);
            }
        }
    }

    /// Enters the noted atomics into the lines.
    #[inline(never)]
    fn replay_atomics(&mut self) {
        self.keep_last_atomics();
        let (low, high) = self.touched;
        for word in low..self.last.len().min(high.saturating_add(1)) {
            let Last { section, past } = self.last[word];
            if section == self.section
                && let Some(line) = self.lines.get_mut(word / WORDS)
                && let Some(cell) = line.word(4 * word as u64, section)
            {
                cell.strong = past;
            }
        }
    }
}

#[cfg(test)]
mod tests;
