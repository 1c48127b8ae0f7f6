//! The heap that kernels allocate from: `malloc`, `free`, `new` and `delete` in device code.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bytes of a device's heap (the driver's default limit).
pub const HEAP_BYTES: u64 = 8 << 20;
/// What addresses are multiples of.
const GRAIN: u64 = 16;

/// A heap in one allocation of device memory.
#[derive(Debug)]
pub struct Heap {
    start: u64,
    bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Offset and size of what is allocated.
    live: BTreeMap<u64, u64>,
    /// Offset and size of what was, neighbours joined.
    freed: BTreeMap<u64, u64>,
    /// From here on nothing has ever been allocated.
    fresh: u64,
}

/// Why a pointer cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapError {
    /// It has been freed.
    Freed,
    /// The heap never gave it.
    Unknown,
}

impl Heap {
    /// A heap in `bytes` bytes from `start` on.
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap {
            start,
            bytes,
            state: Mutex::default(),
        }
    }

    /// Allocates `bytes` bytes; 0, the null pointer, when there are no more. New memory is taken before freed memory is used again,
    /// so that a pointer kept too long seldom meets another's data.
    pub fn allocate(&self, bytes: u64) -> u64 {
        let Some(size) = bytes.max(1).checked_next_multiple_of(GRAIN) else {
            return 0;
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let at = if size <= self.bytes - state.fresh {
            state.fresh += size;
            state.fresh - size
        } else {
            let hole = state.freed.iter().find(|(_, len)| **len >= size);
            let Some((at, len)) = hole.map(|(at, len)| (*at, *len)) else {
                return 0;
            };
            state.freed.remove(&at);
            if len > size {
                state.freed.insert(at + size, len - size);
            }
            at
        };
        state.live.insert(at, size);
        self.start + at
    }

    /// Gives back what [`Heap::allocate`] gave.
    ///
    /// # Errors
    /// When it is not allocated.
    pub fn free(&self, address: u64) -> Result<(), HeapError> {
        let at = address.wrapping_sub(self.start);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut size) = state.live.remove(&at) else {
            let before = state.freed.range(..=at).next_back();
            let freed = before.is_some_and(|(start, len)| at - start < *len);
            return Err(if freed {
                HeapError::Freed
            } else {
                HeapError::Unknown
            });
        };
        let mut start = at;
        if let Some(next) = state.freed.remove(&(at + size)) {
            size += next;
        }
        let before = state.freed.range(..at).next_back().map(|(s, l)| (*s, *l));
        if let Some((first, len)) = before.filter(|(first, len)| first + len == at) {
            start = first;
            size += len;
        }
        state.freed.insert(start, size);
        Ok(())
    }

    /// Bytes that are allocated.
    pub fn used(&self) -> u64 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.live.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_used_again_when_there_is_no_other() {
        let heap = Heap::new(4096, 64);
        let all: Vec<u64> = (0..4).map(|_| heap.allocate(10)).collect();
        assert_eq!(all, [4096, 4112, 4128, 4144]);
        assert_eq!(heap.allocate(1), 0);
        assert_eq!(heap.free(4112), Ok(()));
        assert_eq!(heap.free(4144), Ok(()));
        assert_eq!(heap.allocate(32), 0);
        assert_eq!(heap.free(4128), Ok(()));
        assert_eq!(heap.allocate(33), 4112);
        assert_eq!(heap.used(), 64);
        assert_eq!(heap.allocate(u64::MAX), 0);
    }

    #[test]
    fn what_cannot_be_freed_is_told_apart() {
        let heap = Heap::new(4096, 64);
        let a = heap.allocate(16);
        assert_eq!(heap.free(a + 16), Err(HeapError::Unknown));
        assert_eq!(heap.free(a + 1), Err(HeapError::Unknown));
        assert_eq!(heap.free(a), Ok(()));
        assert_eq!(heap.free(a), Err(HeapError::Freed));
        assert_eq!(heap.free(0x1234_5678_0000), Err(HeapError::Unknown));
    }
}
