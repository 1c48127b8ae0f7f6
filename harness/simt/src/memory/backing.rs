//! The host's memory behind an allocation. It is mapped when it is needed and given back when the allocation has been
//! freed and nobody uses its bytes any more, so a device of any size fits into a process with few addresses.

use super::reserve::{HUGE, PAGE, advise_huge, discard, map, unmap};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Allocations of this size or more have a mapping of their own. Smaller ones share slabs, as a process may have only
/// so many mappings.
const LARGE: u64 = 1 << 20;
/// The size of a slab.
const SLAB: u64 = 4 << 20;

/// Bytes that stay mapped as long as this lives.
#[derive(Debug)]
pub(crate) struct Backing {
    start: u64,
    len: u64,
    /// The slabs that the bytes belong to; none for a mapping of their own.
    slabs: Option<Arc<Slabs>>,
}

impl Backing {
    /// A mapping of `bytes` bytes that is aligned to `align`.
    pub fn mapped(bytes: u64, align: u64) -> Option<Backing> {
        let len = bytes.checked_next_multiple_of(PAGE)?;
        Some(Backing { start: map(len, align)?, len, slabs: None })
    }

    /// `bytes` bytes of zeros: pages of a slab, or a mapping that asks for huge pages if it is large.
    pub fn pages(slabs: &Arc<Slabs>, bytes: u64) -> Option<Backing> {
        if bytes >= LARGE {
            let backing = Backing::mapped(bytes, if bytes >= HUGE { HUGE } else { PAGE })?;
            if bytes >= HUGE {
                advise_huge(backing.start, backing.len);
            }
            return Some(backing);
        }
        let len = bytes.next_multiple_of(PAGE);
        Some(Backing { start: slabs.take(len)?, len, slabs: Some(Arc::clone(slabs)) })
    }

    /// The address of the first byte.
    pub fn start(&self) -> u64 {
        self.start
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        match &self.slabs {
            Some(slabs) => slabs.give_back(self.start, self.len),
            None => unmap(self.start, self.len),
        }
    }
}

/// Mappings that small allocations share. They stay mapped.
#[derive(Debug, Default)]
pub(crate) struct Slabs(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// The first address of each slab.
    slabs: Vec<u64>,
    /// The start and the length of what is free, neighbours joined. It is zero.
    holes: BTreeMap<u64, u64>,
}

impl Slabs {
    /// Takes `len` bytes, whole pages and less than a slab.
    fn take(&self, len: u64) -> Option<u64> {
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hole = contents.holes.iter().find(|(_, free)| **free >= len).map(|(at, free)| (*at, *free));
        let (at, free) = if let Some((at, free)) = hole {
            contents.holes.remove(&at);
            (at, free)
        } else {
            let slab = map(SLAB, PAGE)?;
            contents.slabs.push(slab);
            (slab, SLAB)
        };
        if free > len {
            contents.holes.insert(at + len, free - len);
        }
        Some(at)
    }

    /// Gives back what was taken.
    fn give_back(&self, at: u64, len: u64) {
        discard(at, len);
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut start, mut size) = (at, len);
        if let Some(next) = contents.holes.remove(&(at + len)) {
            size += next;
        }
        let before = contents.holes.range(..at).next_back().map(|(at, len)| (*at, *len));
        if let Some((first, len)) = before.filter(|(first, len)| first + len == at) {
            start = first;
            size += len;
        }
        contents.holes.insert(start, size);
    }
}

impl Drop for Slabs {
    fn drop(&mut self) {
        for &slab in &self.0.get_mut().unwrap_or_else(PoisonError::into_inner).slabs {
            unmap(slab, SLAB);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_allocations_share_slabs_and_use_them_again() {
        let slabs = Arc::new(Slabs::default());
        let all: Vec<_> = (0..2000).map(|_| Backing::pages(&slabs, 5000).unwrap()).collect();
        let mut starts: Vec<u64> = all.iter().map(Backing::start).collect();
        starts.sort_unstable();
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= 8192));
        assert!(starts.iter().all(|start| start % PAGE == 0));
        // 2000 times two pages are 16 MiB, less than a page of each slab is lost.
        let slabs_of = |slabs: &Slabs| slabs.0.lock().unwrap().slabs.len();
        assert_eq!(slabs_of(&slabs), 4);
        unsafe { (starts[7] as *mut u8).write(1) };
        drop(all);
        let again = Backing::pages(&slabs, LARGE - 1).unwrap();
        let bytes = unsafe { std::slice::from_raw_parts(again.start() as *const u8, LARGE as usize - 1) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        assert_eq!(slabs_of(&slabs), 4);
    }

    #[test]
    fn a_mapping_has_its_alignment() {
        for align in [1, PAGE, HUGE, 32 << 20] {
            let backing = Backing::mapped(10_000, align).unwrap();
            assert!(backing.start().is_multiple_of(align) && backing.len == 12288);
        }
        assert!(Backing::mapped(u64::MAX, PAGE).is_none());
        assert!(Backing::mapped(1 << 60, HUGE).is_none());
    }
}
