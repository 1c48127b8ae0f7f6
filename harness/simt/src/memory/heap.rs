//! The heap that kernels allocate from: `malloc`, `free`, `new` and `delete` in device code.
//!
//! It knows its blocks to the byte, and who allocated and freed them. So an access past a block, or after it was freed,
//! is reported like one to memory that the host allocated. A later kernel may use and free what an earlier one
//! allocated, so blocks leak only if they are left when the heap's context ends.

use crate::finding::{Access, AccessKind, SourcePlace};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a device's heap (the driver's default limit).
pub const HEAP_BYTES: u64 = 8 << 20;
/// The label of a heap block in findings.
pub(crate) const HEAP_BLOCK: &str = "malloc";
/// All addresses are multiples of this.
const GRAIN: u64 = 16;
/// The smallest and the largest gap behind a block. Within these limits the gap is as large as the block, so an access
/// past the end does not hit another block.
const GAP: (u64, u64) = (16, 256);

/// A heap inside one allocation of device memory.
#[derive(Debug)]
pub struct Heap {
    start: u64,
    bytes: u64,
    state: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    /// By offset.
    live: BTreeMap<u64, Held>,
    /// Freed blocks whose memory has not been reused.
    gone: BTreeMap<u64, Held>,
    /// Offset and size of each reusable range, with adjacent ranges merged.
    holes: BTreeMap<u64, u64>,
    /// The offset from which on no memory has ever been allocated.
    fresh: u64,
}

/// A program that maps its instructions to source locations.
pub(crate) trait Places: fmt::Debug + Send + Sync {
    /// Returns the source location of an instruction.
    fn place_of(&self, pc: u32) -> SourcePlace;
}

/// The instruction and thread that allocated or freed a block. The program is kept because it maps the instruction to
/// its source location.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub program: Arc<dyn Places>,
    pub pc: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
}

impl Who {
    /// Returns this as an access for a finding.
    pub fn access(&self, what: AccessKind) -> Access {
        Access::at(what, self.program.place_of(self.pc)).by(self.block, self.thread)
    }
}

#[derive(Clone, Debug)]
struct Held {
    /// The requested size.
    bytes: u64,
    /// The size including the gap behind it.
    span: u64,
    allocated: Option<Who>,
    freed: Option<Who>,
}

/// A block, live or freed.
#[derive(Clone, Debug)]
pub(crate) struct HeapBlock {
    pub start: u64,
    pub bytes: u64,
    pub live: bool,
    /// The threads that allocated it and, if it has been freed, freed it.
    pub by: [Option<Who>; 2],
}

/// A block that has not been freed.
#[derive(Clone, Debug)]
pub struct Unfreed {
    /// Its size as asked for.
    pub bytes: u64,
    /// The thread that allocated it.
    pub allocated: Option<Access>,
}

/// Why a pointer cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapError {
    /// It has been freed.
    Freed,
    /// The heap never returned it.
    Unknown,
}

impl Heap {
    /// Creates a heap in the `bytes` bytes from `start` on.
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap {
            start,
            bytes,
            state: Mutex::new(Contents {
                // The bytes before the first block do not belong to a block either.
                fresh: GAP.0,
                ..Contents::default()
            }),
        }
    }

    /// Allocates `bytes` bytes. Returns 0, the null pointer, if there is not enough memory left. Memory that has never
    /// been used is taken before freed memory, so that a dangling pointer seldom hits another block's data.
    pub fn allocate(&self, bytes: u64) -> u64 {
        self.allocate_for(bytes, None).0
    }

    /// Like [`Heap::allocate`], and records who allocated the block. Also returns whether the memory has been used
    /// before.
    pub(crate) fn allocate_for(&self, bytes: u64, who: Option<Who>) -> (u64, bool) {
        let bytes = bytes.max(1);
        let span = bytes.checked_next_multiple_of(GRAIN);
        let gap = bytes.clamp(GAP.0, GAP.1).next_multiple_of(GRAIN);
        let Some(span) = span.and_then(|span| span.checked_add(gap)) else {
            return (0, false);
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let new = span <= self.bytes.saturating_sub(state.fresh);
        let at = if new {
            state.fresh += span;
            state.fresh - span
        } else {
            let hole = state.holes.iter().find(|(_, len)| **len >= span);
            let Some((at, len)) = hole.map(|(at, len)| (*at, *len)) else {
                return (0, false);
            };
            state.holes.remove(&at);
            if len > span {
                state.holes.insert(at + span, len - span);
            }
            // Freed blocks do not overlap, so the ones that this block covers are adjacent in the map.
            while let Some((&start, old)) = state.gone.range(..at + span).next_back()
                && start + old.span > at
            {
                state.gone.remove(&start);
            }
            at
        };
        let held = Held { bytes, span, allocated: who, freed: None };
        state.live.insert(at, held);
        (self.start + at, !new)
    }

    /// Frees a block that [`Heap::allocate`] returned.
    ///
    /// # Errors
    /// When no live block starts there.
    pub fn free(&self, address: u64) -> Result<(), HeapError> {
        self.free_for(address, None)
    }

    /// Like [`Heap::free`], and records who freed the block.
    pub(crate) fn free_for(&self, address: u64, who: Option<Who>) -> Result<(), HeapError> {
        let at = address.wrapping_sub(self.start);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut held) = state.live.remove(&at) else {
            return Err(match state.gone.get(&at) {
                Some(_) => HeapError::Freed,
                None => HeapError::Unknown,
            });
        };
        held.freed = who;
        let (mut start, mut size) = (at, held.span);
        state.gone.insert(at, held);
        if let Some(next) = state.holes.remove(&(at + size)) {
            size += next;
        }
        let before = state.holes.range(..at).next_back().map(|(s, l)| (*s, *l));
        if let Some((first, len)) = before.filter(|(first, len)| first + len == at) {
            start = first;
            size += len;
        }
        state.holes.insert(start, size);
        Ok(())
    }

    /// Returns whether an address lies in the heap, allocated or not.
    pub fn contains(&self, address: u64) -> bool {
        address >= self.start && address - self.start < self.bytes
    }

    /// Returns whether `len` bytes at an address lie in one live block.
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let at = address.wrapping_sub(self.start);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let block = state.live.range(..=at).next_back();
        block.is_some_and(|(start, held)| {
            let offset = at - start;
            offset <= held.bytes && len <= held.bytes - offset
        })
    }

    /// Returns the block that contains an address of the heap, or else the nearest block.
    pub(crate) fn nearest(&self, address: u64) -> Option<HeapBlock> {
        let at = address.wrapping_sub(self.start);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let distance = |start: u64, held: &Held| {
            if at < start { start - at } else { at.saturating_add(1).saturating_sub(start + held.bytes) }
        };
        let around = |blocks: &BTreeMap<u64, Held>, live: bool| {
            let near = [blocks.range(..=at).next_back(), blocks.range(at..).next()];
            near.into_iter()
                .flatten()
                .min_by_key(|(start, held)| distance(**start, held))
                .map(|(start, held)| (distance(*start, held), *start, held.clone(), live))
        };
        let all = [around(&state.live, true), around(&state.gone, false)];
        let (_, start, held, live) = all.into_iter().flatten().min_by_key(|found| found.0)?;
        Some(HeapBlock { start: self.start + start, bytes: held.bytes, live, by: [held.allocated, held.freed] })
    }

    /// The blocks that have not been freed, by address.
    pub fn unfreed(&self) -> Vec<Unfreed> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let access = |held: &Held| held.allocated.as_ref().map(|who| who.access(AccessKind::Allocate));
        state.live.values().map(|held| Unfreed { bytes: held.bytes, allocated: access(held) }).collect()
    }

    /// The number of allocated bytes, including the gaps between the blocks.
    pub fn used(&self) -> u64 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.live.values().map(|held| held.span).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_used_again_when_there_is_no_other() {
        let heap = Heap::new(4096, 16 + 4 * 32);
        let all: Vec<u64> = (0..4).map(|_| heap.allocate(10)).collect();
        assert_eq!(all, [4112, 4144, 4176, 4208]);
        assert_eq!(heap.allocate(1), 0);
        assert_eq!(heap.free(4144), Ok(()));
        assert_eq!(heap.free(4208), Ok(()));
        assert_eq!(heap.allocate(32), 0);
        assert_eq!(heap.free(4176), Ok(()));
        assert_eq!(heap.allocate_for(32, None), (4144, true));
        assert_eq!(heap.used(), 32 + 64);
        assert_eq!(heap.allocate(u64::MAX), 0);
        assert_eq!(Heap::new(4096, 8).allocate(1), 0, "a heap smaller than what lies before its first block");
        // The freed block that the memory belonged to is forgotten.
        assert_eq!(heap.free(4176), Err(HeapError::Unknown));
        assert_eq!(heap.free(4208), Err(HeapError::Freed));
    }

    #[test]
    fn what_cannot_be_freed_is_told_apart() {
        let heap = Heap::new(4096, 128);
        let a = heap.allocate(16);
        assert_eq!(heap.free(a + 16), Err(HeapError::Unknown));
        assert_eq!(heap.free(a + 1), Err(HeapError::Unknown));
        assert_eq!(heap.free(a), Ok(()));
        assert_eq!(heap.free(a), Err(HeapError::Freed));
        assert_eq!(heap.free(0x1234_5678_0000), Err(HeapError::Unknown));
    }

    #[test]
    fn blocks_are_known_to_the_byte() {
        let heap = Heap::new(4096, 1024);
        let (a, b) = (heap.allocate(10), heap.allocate(100));
        assert!(heap.holds(a, 10) && heap.holds(b + 96, 4));
        for (address, len) in [(a, 11), (a + 8, 4), (a - 4, 4), (b + 100, 1), (b - 1, 2)] {
            assert!(!heap.holds(address, len), "{len} bytes at {address}");
        }
        assert_eq!(heap.free(b), Ok(()));
        assert!(!heap.holds(b, 4));
        let near = |address: u64| heap.nearest(address).map(|block| (block.start, block.live));
        assert_eq!(near(a + 12), Some((a, true)));
        assert_eq!(near(b - 1), Some((b, false)));
        assert_eq!(near(b + 50), Some((b, false)));
        assert!(heap.contains(4096) && !heap.contains(4095) && !heap.contains(5120));
    }
}
