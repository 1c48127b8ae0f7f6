//! The race check's memory of a block's shared memory.
//!
//! From one barrier to the next, most kernels do one kind of thing with their shared memory: all threads read a tile,
//! or all add to bins. Reads do not conflict with each other, and neither do atomics. So in such a section accesses are
//! only noted, one after another. The next barrier orders all of them, and they are forgotten. Only if another kind of
//! access comes before it, what was noted goes into the lines' histories, as if it had been there from the beginning,
//! and the section goes on with comparing.

use super::lines::{LINE, LineHistory, WORDS, hold, pieces};
use super::race::{Clocks, Conflict, NONE, Past};
use super::{Addresses, Event, Half, Halves, Layout};
use crate::finding::What;
use crate::lane::LANES;

/// The number of accesses that are noted in a section, so that memory stays small. From there on reads are compared,
/// and of atomics the last on each word is kept.
const NOTED: usize = 2048;

/// What the block has done since its last barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SoFar {
    /// It has only read.
    Reads,
    /// There were only atomics on words.
    Atomics,
    /// Anything. Accesses are compared.
    #[default]
    Mixed,
}

/// A read that has not been compared.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// What the warp did, without a lane.
    past: Past,
    mask: u32,
    size: u32,
    place: Place,
}

/// Where the lanes of a read are. Most often two numbers say it: what is noted then stays in the host's nearest cache.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Each half of the warp lies in a usual way, from these addresses on.
    Halves(Halves, [u32; 2]),
    /// Anywhere: the index of the addresses in [`SharedRaces::addresses`].
    Listed(u32),
}

impl Place {
    /// The addresses of lanes that lie in a usual way.
    fn laid_out(halves: Halves, start: [u32; 2]) -> [u64; LANES] {
        let halves = halves.each();
        std::array::from_fn(|lane| {
            let (half, from) = (halves[lane / 16], u64::from(start[lane / 16]));
            from + if half == Half::Line { 4 * (lane as u64 % 16) } else { 0 }
        })
    }
}

/// An atomic on words that has not been compared. No block has more words than sixteen bits count.
#[derive(Clone, Copy, Debug)]
struct Atomic {
    /// What the warp did, without a lane.
    past: Past,
    mask: u32,
    words: [u16; LANES],
}

/// The last atomic on a word in a section.
#[derive(Clone, Copy, Debug)]
struct LastAtomic {
    section: u64,
    past: Past,
}

/// The history of a block's shared memory. What an earlier block did there lies before the start of the present block.
#[derive(Debug, Default)]
pub(crate) struct SharedRaces {
    lines: Vec<LineHistory>,
    /// The section of the last access.
    section: u64,
    /// What the block has done in it.
    so_far: SoFar,
    /// If it has only read: what, and how often. Room is made for the first section of that kind.
    reads: Vec<Read>,
    noted: usize,
    /// The addresses of those reads whose lanes lie in no usual way.
    addresses: Vec<[u32; LANES]>,
    /// If there were only atomics: the latest of them.
    atomics: Vec<Atomic>,
    /// The last of the earlier ones on each word. It is made when it is first needed.
    last: Vec<LastAtomic>,
    /// The lowest and the highest word that an atomic of the section has touched.
    touched: (usize, usize),
}

impl SharedRaces {
    /// Prepares for a block that starts, with `bytes` bytes of shared memory.
    pub fn start(&mut self, bytes: u64) {
        self.lines.resize(bytes.div_ceil(LINE) as usize, LineHistory::EMPTY);
    }

    /// Remembers an access, whose addresses are offsets. Returns the first conflict.
    #[inline(always)]
    pub fn access(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        let section = clocks.section(event);
        if self.section != section {
            self.enter(section, event);
        }
        if self.notes(section, event.what) && (event.what == What::Read || event.size == 4) {
            self.note(clocks, event);
            return None;
        }
        self.compare(clocks, event)
    }

    /// Begins a section with its first access.
    #[inline(always)]
    fn enter(&mut self, section: u64, event: &Event<'_>) {
        self.section = section;
        self.noted = 0;
        self.addresses.clear();
        self.atomics.clear();
        self.touched = (usize::MAX, 0);
        self.so_far = match event.what {
            // What other blocks of a cluster do has no sections.
            _ if !event.block_local => SoFar::Mixed,
            What::Read => SoFar::Reads,
            What::Atomic => SoFar::Atomics,
            _ => SoFar::Mixed,
        };
        if self.so_far == SoFar::Reads {
            self.reads.resize(NOTED, Read { past: NONE, mask: 0, size: 0, place: Place::Listed(0) });
        }
    }

    /// Whether an access in this section is only noted: it is of the kind that the section has begun with.
    #[inline(always)]
    pub fn notes(&self, section: u64, what: What) -> bool {
        self.section == section
            && match self.so_far {
                SoFar::Reads => what == What::Read && self.noted < self.reads.len(),
                SoFar::Atomics => what == What::Atomic,
                SoFar::Mixed => false,
            }
    }

    /// Notes an access, of which [`SharedRaces::notes`] has said that this is enough: a read, or atomics on words.
    #[inline(always)]
    pub fn note(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        if event.what == What::Read {
            self.note_read(clocks, event);
        } else {
            self.note_atomics(clocks, event);
        }
    }

    #[inline(always)]
    fn note_read(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        let Some(read) = self.reads.get_mut(self.noted) else { return };
        let halves = event.layout.halves;
        let place = if halves.is_any_unusual() {
            let mut address = [0; LANES];
            for i in 0..LANES {
                address[i] = event.address.at(i) as u32;
            }
            self.addresses.push(address);
            Place::Listed(self.addresses.len() as u32 - 1)
        } else {
            Place::Halves(halves, [event.address.at(0) as u32, event.address.at(16) as u32])
        };
        *read = Read { past: Past::now(clocks, event), mask: event.mask, size: event.size, place };
        self.noted += 1;
    }

    #[inline(always)]
    fn note_atomics(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) {
        if self.atomics.len() >= NOTED {
            self.keep_last_atomics();
        }
        let mut words = [0; LANES];
        for i in 0..LANES {
            words[i] = (event.address.at(i) / 4) as u16;
        }
        self.atomics.push(Atomic { past: Past::now(clocks, event), mask: event.mask, words });
        let word = |address: u64| (address / 4) as usize;
        self.touched.0 = self.touched.0.min(word(event.layout.low));
        self.touched.1 = self.touched.1.max(word(event.layout.high));
    }

    /// Keeps the last of the noted atomics on each word, as [`super::race::Cell::remember_strong`] does, and makes room
    /// for others.
    #[inline(never)]
    fn keep_last_atomics(&mut self) {
        self.last.resize(self.lines.len() * WORDS, LastAtomic { section: 0, past: NONE });
        let section = self.section;
        for Atomic { past: now, mask, words } in self.atomics.drain(..) {
            for lane in super::lanes(mask) {
                if let Some(last) = self.last.get_mut(usize::from(words[lane as usize & 31])) {
                    let again = last.section == section && last.past.is_again(now);
                    let lanes = if again { last.past.lanes } else { 0 };
                    let now = now.by(lane);
                    *last = LastAtomic { section, past: Past { lanes: now.lanes | lanes, ..now } };
                }
            }
        }
    }

    /// Compares an access with the lines and remembers it there, after all that was noted in its section.
    #[inline(never)]
    pub(super) fn compare(&mut self, clocks: &Clocks<'_>, event: &Event<'_>) -> Option<Conflict> {
        match self.so_far {
            SoFar::Mixed => {}
            SoFar::Reads => self.replay_reads(clocks),
            SoFar::Atomics => self.replay_atomics(),
        }
        self.so_far = SoFar::Mixed;
        self.hold(clocks, event, Past::now(clocks, event), event.mask)
    }

    fn hold(&mut self, clocks: &Clocks<'_>, event: &Event<'_>, now: Past, mask: u32) -> Option<Conflict> {
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

    /// Enters the noted reads into the lines. Nothing was written in the section before them, so they do not conflict.
    #[inline(never)]
    fn replay_reads(&mut self, clocks: &Clocks<'_>) {
        for i in 0..self.noted {
            let Read { past, mask, size, place } = self.reads[i];
            let address = match place {
                Place::Halves(halves, start) => Place::laid_out(halves, start),
                Place::Listed(at) => self.addresses[at as usize].map(u64::from),
            };
            let address = Addresses::of(&address);
            let layout = Layout::of(address, mask, size);
            let event = past.as_read(mask, size, address, &layout);
            self.hold(clocks, &event, past, mask);
        }
    }

    /// Enters the noted atomics into the lines.
    #[inline(never)]
    fn replay_atomics(&mut self) {
        self.keep_last_atomics();
        let (low, high) = self.touched;
        for word in low..self.last.len().min(high.saturating_add(1)) {
            let LastAtomic { section, past } = self.last[word];
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
