//! The host's memory behind an allocation. It is mapped when it is needed and given back when the allocation has been
//! freed and nobody uses its bytes any more, so a device of any size fits into a process with few addresses.

use super::reserve::{
    HIDDEN, HUGE, PAGE, Region, SHARED, advise_huge, discard, map, map_file, map_zeros, unmap, unnamed_file,
};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Allocations of this size or more have a mapping of their own. Smaller ones share slabs, as a process may have only
/// so many mappings.
const LARGE: u64 = 1 << 20;
/// What Linux shows for the file of an allocation that another process may map.
const SHARED_LABEL: &CStr = c"warplab shared memory";
/// The size of a slab.
const SLAB: u64 = 4 << 20;

/// Bytes that stay mapped as long as this lives.
#[derive(Debug)]
pub(crate) struct Backing {
    start: u64,
    len: u64,
    /// The slabs that the bytes belong to; none for a mapping of their own.
    slabs: Option<Arc<Slabs>>,
    /// The file that the bytes lie in, once another process may map them.
    file: OnceLock<Arc<File>>,
}

impl Backing {
    fn new(start: u64, len: u64, slabs: Option<Arc<Slabs>>) -> Backing {
        Backing { start, len, slabs, file: OnceLock::new() }
    }

    /// The beginning of a file, `bytes` bytes, as another process has them.
    pub fn of_file(file: Arc<File>, bytes: u64) -> Option<Backing> {
        let backing = Backing::mapped(bytes, PAGE)?;
        (map_file(backing.start, backing.len, &file)).then_some(())?;
        let _ = backing.file.set(file);
        Some(backing)
    }

    /// The file that the bytes lie in. The first call moves them there; they keep their addresses. Nobody may use them
    /// meanwhile.
    pub fn share(&self) -> Option<Arc<File>> {
        if let Some(file) = self.file.get() {
            return Some(Arc::clone(file));
        }
        let file = Arc::new(unnamed_file(SHARED_LABEL, self.len)?);
        for at in (0..self.len).step_by(PAGE as usize) {
            // SAFETY: a page of this mapping, which nobody changes now.
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

    /// A mapping of `bytes` bytes that is aligned to `align`, of which only the device's addresses are known.
    pub fn mapped(bytes: u64, align: u64) -> Option<Backing> {
        Backing::mapped_in(&HIDDEN, bytes, align)
    }

    /// The same with its own addresses for the device.
    pub fn mapped_for_both(bytes: u64, align: u64) -> Option<Backing> {
        Backing::mapped_in(&SHARED, bytes, align)
    }

    fn mapped_in(region: &Region, bytes: u64, align: u64) -> Option<Backing> {
        let len = bytes.checked_next_multiple_of(PAGE)?;
        Some(Backing::new(map(region, len, align)?, len, None))
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
            let slab = map(&HIDDEN, SLAB, PAGE)?;
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
