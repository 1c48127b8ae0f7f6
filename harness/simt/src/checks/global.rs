//! The race check's shadow memory of global memory.
//!
//! It is allocated where the kernel touches memory. If warps always access memory in one pattern, such as whole rows,
//! it is kept per stretch of that pattern, because most of its cost is the host memory that it uses.

use super::lines::{LINE, LineForm, LineHistory, LinePart, WORDS, hold, pieces};
use super::locks::{Held, Locks};
use super::race::{Clocks, Conflict, ShadowAccess, ShadowRange};
use super::reads::{Read, Reads};
use super::{Event, Layout};
use crate::finding::AccessKind;
use crate::lane::{ALL, LANES};

/// Bytes of a row: a word for each lane.
pub(super) const ROW: u64 = 4 * LANES as u64;

/// The number of bytes that share one lock.
pub(super) const CHUNK: u64 = 4096;

/// A range of memory that lanes access in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    /// A word for each lane of a warp.
    Row,
    /// A word for each lane of half a warp.
    HalfRow,
    /// A byte for each lane of a warp.
    Bytes,
}

impl Stretch {
    /// Returns its length.
    const fn bytes(self) -> u64 {
        match self {
            Stretch::Row => ROW,
            Stretch::HalfRow => ROW / 2,
            Stretch::Bytes => LINE,
        }
    }

    /// Returns the lines of a stretch with this history.
    fn lines(self, run: ShadowRange) -> impl Iterator<Item = LineHistory> {
        let form =
            if self == Stretch::Bytes && run != ShadowRange::EMPTY { LineForm::BytesAsOne } else { LineForm::AsOne };
        (0..self.bytes() / LINE).map(move |i| LineHistory::new(run.up(i as u32 * WORDS as u32), form))
    }
}

/// The history of the memory under one lock.
#[derive(Debug, Default)]
enum Chunk {
    /// No access yet.
    #[default]
    Untouched,
    /// Only accesses to stretches of one kind, each of which was read at most once.
    Once(Stretch, Box<[Read]>),
    /// Only reads of stretches of one kind.
    Reads(Stretch, Box<[Reads]>),
    /// Only accesses to stretches of one kind.
    Runs(Stretch, Box<[ShadowRange]>),
    /// Other accesses.
    Lines(Box<[LineHistory]>),
}

impl Chunk {
    /// Records that lanes access the stretch at `offset` bytes from the chunk's start in order. `now` is the access of
    /// the first of them. Returns false and records nothing if that may be a conflict, or if this chunk is not kept in
    /// such stretches.
    #[inline(always)]
    fn go_over(
        &mut self,
        clocks: &Clocks<'_>,
        event: &Event<'_>,
        now: ShadowAccess,
        stretch: Stretch,
        offset: u64,
    ) -> bool {
        if !offset.is_multiple_of(stretch.bytes()) {
            return false;
        }
        let at = (offset / stretch.bytes()) as usize;
        if !self.is_kept_in(stretch) {
            self.keep_in(stretch, event.what);
        }
        if let Chunk::Once(kept, reads) = self
            && *kept == stretch
        {
            match reads.get_mut(at) {
                Some(read) if read.is_none() && event.what == AccessKind::Read => {
                    *read = Read::pack(now);
                    return true;
                }
                _ if event.what == AccessKind::Read => self.make_reads(),
                _ => self.make_runs(),
            }
        }
        if let Chunk::Reads(kept, reads) = self
            && *kept == stretch
        {
            match reads.get_mut(at) {
                Some(reads) if event.what == AccessKind::Read => {
                    reads.remember(Read::pack(now));
                    return true;
                }
                _ => self.make_runs(),
            }
        }
        match self {
            Chunk::Runs(kept, runs) if *kept == stretch => runs[at].go_over(clocks, event, now),
            _ => false,
        }
    }

    /// Returns whether the chunk is kept in such stretches, or cannot be kept so any more.
    #[inline(always)]
    fn is_kept_in(&self, stretch: Stretch) -> bool {
        match self {
            Chunk::Untouched => false,
            Chunk::Once(kept, _) | Chunk::Reads(kept, _) | Chunk::Runs(kept, _) => *kept == stretch,
            Chunk::Lines(_) => true,
        }
    }

    /// Keeps the chunk in such stretches from now on, if that is possible.
    #[inline(never)]
    fn keep_in(&mut self, stretch: Stretch, what: AccessKind) {
        let places = (CHUNK / stretch.bytes()) as usize;
        self.make_runs();
        match self {
            Chunk::Untouched if what == AccessKind::Read => {
                *self = Chunk::Once(stretch, vec![Read::NONE; places].into());
            }
            Chunk::Untouched => *self = Chunk::Runs(stretch, vec![ShadowRange::EMPTY; places].into()),
            Chunk::Runs(Stretch::Row, rows) if stretch == Stretch::HalfRow => {
                let halves = rows.iter().flat_map(|row| [*row, row.up(LANES as u32 / 2)]);
                *self = Chunk::Runs(stretch, halves.collect());
            }
            _ => {}
        }
    }

    /// Makes room for more than one read of each stretch.
    #[inline(never)]
    fn make_reads(&mut self) {
        if let Chunk::Once(stretch, reads) = self {
            *self = Chunk::Reads(*stretch, reads.iter().map(|read| Reads::of(*read)).collect());
        }
    }

    /// Makes room for writes.
    #[inline(never)]
    fn make_runs(&mut self) {
        let (stretch, runs) = match self {
            Chunk::Once(stretch, reads) => (*stretch, reads.iter().map(|read| Reads::of(*read).run()).collect()),
            Chunk::Reads(stretch, reads) => (*stretch, reads.iter().map(|reads| reads.run()).collect()),
            _ => return,
        };
        *self = Chunk::Runs(stretch, runs);
    }

    /// Returns the lines of the chunk. Stretches are converted to lines.
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
        self.make_runs();
        let lines: Vec<LineHistory> = match self {
            Chunk::Runs(stretch, runs) => runs.iter().flat_map(|run| stretch.lines(*run)).collect(),
            _ => vec![LineHistory::EMPTY; LINES],
        };
        *self = Chunk::Lines(lines.into_boxed_slice());
    }
}

/// The history of one allocation in global memory. Lines exist only after the first access.
#[derive(Debug)]
pub(crate) struct GlobalRaces {
    /// The address of the first line.
    start: u64,
    chunks: Locks<Chunk>,
}

impl GlobalRaces {
    /// Creates the empty history of the allocation of `bytes` bytes at `start`.
    ///
    /// # Safety
    /// With `alone`, no two threads use it at the same time.
    pub unsafe fn new(start: u64, bytes: u64, alone: bool) -> Self {
        // SAFETY: the caller's contract.
        let chunks = unsafe { Locks::new((bytes + ROW).div_ceil(CHUNK), alone) };
        GlobalRaces { start: start / ROW * ROW, chunks }
    }

    /// Forgets the accesses to `bytes` bytes at `address`, which are reused for another block of a heap.
    pub fn forget(&self, address: u64, bytes: u64) {
        let end = address + bytes;
        let mut at = address;
        while at < end {
            let chunk = self.chunk_of(at);
            let low = self.start + chunk * CHUNK;
            let upto = end.min(low + CHUNK);
            if let Some(mut chunk) = self.chunks.lock(chunk) {
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

    /// Records the access of the lanes of `mask`, all inside this allocation. Returns the first conflict.
    pub fn access(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let Layout { low, row, .. } = *event.layout;
        let stretch = match event.size {
            4 if low.is_multiple_of(ROW) => Some(Stretch::Row),
            1 if low.is_multiple_of(LINE) => Some(Stretch::Bytes),
            _ => None,
        };
        if let Some(stretch) = stretch
            && row
            && mask == ALL
        {
            let chunk = self.chunk_of(low);
            let offset = low - self.start - chunk * CHUNK;
            let now = ShadowAccess::now(clocks, event).by(0);
            if let Some(mut rows) = self.chunks.lock(chunk)
                && rows.go_over(clocks, event, now, stretch, offset)
            {
                return None;
            }
        }
        self.in_pieces(clocks, event, mask)
    }

    /// Like [`GlobalRaces::access`], one half of the warp after the other.
    fn in_pieces(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut held: Option<(u64, Held<'_, Chunk>)> = None;
        let (one, other) = pieces(event, mask);
        for (lanes, piece) in [one, other] {
            if lanes == 0 {
                continue;
            }
            let first = event.address.at(lanes.trailing_zeros() as usize & 31);
            let last = event.address.at(lanes.checked_ilog2().unwrap_or(0) as usize);
            let chunk = self.chunk_of(first);
            if matches!(piece, LinePart::Any) || chunk != self.chunk_of(last) {
                held = None;
                found = found.or(self.scattered(clocks, event, lanes));
                continue;
            }
            if held.as_ref().is_none_or(|(at, _)| *at != chunk) {
                // The lock of the previous chunk is released before this one is taken.
                drop(held.take());
                held = self.chunks.lock(chunk).map(|lines| (chunk, lines));
            }
            if let Some((_, kept)) = &mut held {
                let (start, now) = (self.start + chunk * CHUNK, ShadowAccess::now(clocks, event));
                let stretch = match piece {
                    LinePart::Words => Some(Stretch::HalfRow),
                    LinePart::Bytes => Some(Stretch::Bytes),
                    _ => None,
                };
                let in_order = stretch.is_some_and(|stretch| {
                    kept.go_over(clocks, event, piece.first(now, lanes), stretch, first - start)
                });
                if !in_order {
                    found = found.or(hold(kept.lines(), start / LINE, clocks, event, now, (lanes, piece)));
                }
            }
        }
        found
    }

    /// Like [`GlobalRaces::access`], for lanes at arbitrary addresses.
    fn scattered(&self, clocks: &Clocks<'_>, event: &Event<'_>, mask: u32) -> Option<Conflict> {
        let mut found = None;
        let mut rest = mask;
        while rest != 0 {
            // Lanes in the same chunk are handled together, under one lock.
            let lane = rest.trailing_zeros() as usize;
            let chunk = self.chunk_of(event.address.at(lane));
            let low = self.start + chunk * CHUNK;
            let high = low + CHUNK;
            let here = super::lanes(rest)
                .filter(|&l| (low..high).contains(&event.address.at(l as usize)))
                .fold(0u32, |m, l| m | (1 << l));
            rest &= !here;
            let size = u64::from(event.size);
            // An access that extends past the chunk's end is recorded in the next chunk too.
            let spill = super::lanes(here)
                .filter(|&l| event.address.at(l as usize) + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            for (chunk, low, mask) in [(chunk, low, here), (chunk + 1, high, spill)] {
                if mask != 0
                    && let Some(mut kept) = self.chunks.lock(chunk)
                {
                    let (now, piece) = (ShadowAccess::now(clocks, event), (mask, LinePart::Any));
                    found = found.or(hold(kept.lines(), low / LINE, clocks, event, now, piece));
                }
            }
        }
        found
    }
}
