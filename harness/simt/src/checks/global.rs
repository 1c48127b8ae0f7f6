//! The race check's memory of global memory.
//!
//! It is made where it is touched. Memory that warps go over in whole rows is kept row by row.

use super::lines::{LINE, LineHistory, LinePart, WORDS, hold, pieces, sweep};
use super::race::{Clocks, Conflict, Past, Run};
use super::{Event, Layout};
use crate::lane::{ALL, LANES};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a row: a word for each lane.
pub(super) const ROW: u64 = 4 * LANES as u64;

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
        let Layout { low, row, .. } = *event.layout;
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
                held = self.lock(chunk).map(|lines| (chunk, lines));
            }
            if let Some((_, kept)) = &mut held {
                let start = (self.start + chunk * CHUNK) / LINE;
                found = found.or(hold(kept.lines(), start, clocks, event, Past::now(clocks, event), (lanes, piece)));
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
            let chunk = self.chunk_of(event.address.at(lane));
            let low = self.start + chunk * CHUNK;
            let high = low + CHUNK;
            let here = super::lanes(rest)
                .filter(|&l| (low..high).contains(&event.address.at(l as usize)))
                .fold(0u32, |m, l| m | (1 << l));
            rest &= !here;
            let size = u64::from(event.size);
            // An access that runs over the chunk's end is remembered in the next chunk, too.
            let spill = super::lanes(here)
                .filter(|&l| event.address.at(l as usize) + size > high)
                .fold(0u32, |m, l| m | (1 << l));
            for (chunk, low, mask) in [(chunk, low, here), (chunk + 1, high, spill)] {
                if mask != 0
                    && let Some(mut kept) = self.lock(chunk)
                {
                    let conflict = sweep(kept.lines(), low / LINE, clocks, event, Past::now(clocks, event), mask);
                    found = found.or(conflict);
                }
            }
        }
        found
    }
}
