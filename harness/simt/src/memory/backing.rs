//! The host memory behind an allocation. It is mapped on demand and unmapped once the allocation has been freed and no
//! one uses its bytes any more, so a device of any size fits into a process with little address space.

use super::reserve::{
    HIDDEN, HUGE, PAGE, Region, SHARED, advise_huge, discard, map, map_file, map_zeros, unmap, unnamed_file,
};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Allocations of at least this size get their own mapping. Smaller ones share slabs, because the number of mappings
/// per process is limited.
const LARGE: u64 = 1 << 20;
/// The name that Linux shows for the file of an allocation that another process may map.
const SHARED_LABEL: &CStr = c"warplab shared memory";
/// The size of a slab.
const SLAB: u64 = 4 << 20;

/// Bytes that stay mapped as long as this value lives.
#[derive(Debug)]
pub(crate) struct Backing {
    start: u64,
    len: u64,
    /// The slabs that the bytes belong to; `None` if the bytes have their own mapping.
    slabs: Option<Arc<Slabs>>,
    /// The file that holds the bytes, once another process may map them.
    file: OnceLock<Arc<File>>,
}

impl Backing {
    fn new(start: u64, len: u64, slabs: Option<Arc<Slabs>>) -> Backing {
        Backing { start, len, slabs, file: OnceLock::new() }
    }

    /// Maps the first `bytes` bytes of a file, which another process may also have mapped.
    pub fn of_file(file: Arc<File>, bytes: u64) -> Option<Backing> {
        let backing = Backing::mapped(bytes, PAGE)?;
        (map_file(backing.start, backing.len, &file)).then_some(())?;
        let _ = backing.file.set(file);
        Some(backing)
    }

    /// Returns the file that holds the bytes. The first call moves them there; their addresses do not change. No one
    /// may use them during that call.
    pub fn share(&self) -> Option<Arc<File>> {
        if let Some(file) = self.file.get() {
            return Some(Arc::clone(file));
        }
        let file = Arc::new(unnamed_file(SHARED_LABEL, self.len)?);
        for at in (0..self.len).step_by(PAGE as usize) {
            // SAFETY: a page of this mapping, which no one changes during this call.
            let page = unsafe { std::slice::from_raw_parts((self.start + at) as *const u8, PAGE as usize) };
            // Pages of zeros need no memory.
            if page.iter().any(|byte| *byte != 0) {
                file.write_all_at(page, at).ok()?;
            }
        }
        map_file(self.start, self.len, &file).then_some(())?;
        let _ = self.file.set(Arc::clone(&file));
        Some(file)
    }

    /// Maps `bytes` bytes, aligned to `align`, for which kernels only know the device address.
    pub fn mapped(bytes: u64, align: u64) -> Option<Backing> {
        Backing::mapped_in(&HIDDEN, bytes, align)
    }

    /// Like [`Backing::mapped`], for memory that has the same address on host and device.
    pub fn mapped_for_both(bytes: u64, align: u64) -> Option<Backing> {
        Backing::mapped_in(&SHARED, bytes, align)
    }

    fn mapped_in(region: &Region, bytes: u64, align: u64) -> Option<Backing> {
        let len = bytes.checked_next_multiple_of(PAGE)?;
        Some(Backing::new(map(region, len, align)?, len, None))
    }

    /// Allocates `bytes` zero bytes: pages of a slab, or a separate mapping, which asks for huge pages if it is large.
    pub fn pages(slabs: &Arc<Slabs>, bytes: u64) -> Option<Backing> {
        if bytes >= LARGE {
            let backing = Backing::mapped(bytes, if bytes >= HUGE { HUGE } else { PAGE })?;
            if bytes >= HUGE {
                advise_huge(backing.start, backing.len);
            }
            return Some(backing);
        }
        let len = bytes.next_multiple_of(PAGE);
        Some(Backing::new(slabs.take(len)?, len, Some(Arc::clone(slabs))))
    }

    /// The address of the first byte.
    pub fn start(&self) -> u64 {
        self.start
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        match &self.slabs {
            Some(slabs) => {
                if self.file.get().is_some() {
                    map_zeros(self.start, self.len);
                }
                slabs.give_back(self.start, self.len);
            }
            None => unmap(self.start, self.len),
        }
    }
}

/// Mappings that are shared by small allocations. They stay mapped.
#[derive(Debug, Default)]
pub(crate) struct Slabs(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// The first address of each slab.
    slabs: Vec<u64>,
    /// Start and length of each free range, with adjacent ranges merged. Free memory is zero.
    holes: BTreeMap<u64, u64>,
}

impl Slabs {
    /// Allocates `len` bytes: whole pages, and less than a slab.
    fn take(&self, len: u64) -> Option<u64> {
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hole = contents.holes.iter().find(|(_, free)| **free >= len).map(|(at, free)| (*at, *free));
        let (at, free) = if let Some((at, free)) = hole {
            contents.holes.remove(&at);
            (at, free)
        } else {
            let slab = map(&HIDDEN, SLAB, PAGE)?;
            contents.slabs.push(slab);
            (slab, SLAB)
        };
        if free > len {
            contents.holes.insert(at + len, free - len);
        }
        Some(at)
    }

    /// Returns a range to the free ranges.
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
        // 2000 times two pages are 16 MiB, and less than a page of each slab is lost.
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
