//! Huge pages for large lists. The system allocates memory page by page on first touch: with pages of 4 KiB, the inputs
//! and references of a run would cost minutes of CPU time, and contention between cores.
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// The system's allocator, which requests huge pages where they help.
struct LargePages;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

/// Allocations of at least this many bytes get huge pages. Smaller ones may reuse memory of other allocations; glibc's
/// larger ones never do.
const LEAST: usize = 32 << 20;

thread_local! {
    /// Whether this thread is in [`ordinary_pages`].
    static ORDINARY: Cell<bool> = const { Cell::new(false) };
}

/// Runs `make` on this thread with ordinary pages: for labs that measure host memory.
pub fn ordinary_pages<T>(make: impl FnOnce() -> T) -> T {
    /// Restores the setting, even if `make` panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ORDINARY.set(self.0);
        }
    }
    let _before = Before(ORDINARY.replace(true));
    make()
}

// SAFETY: every call is the system allocator's with the same arguments; the advice changes no contents.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        advised(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(memory, layout) };
    }
}

/// Returns `memory`, after requesting huge pages for it if it is large.
fn advised(memory: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= LEAST && !memory.is_null() && !ORDINARY.get() {
        ask(memory, bytes);
    }
    memory
}

#[cfg(target_os = "linux")]
fn ask(memory: *mut u8, bytes: usize) {
    const PAGE: usize = 2 << 20;
    let begin = (memory as usize).next_multiple_of(PAGE);
    let end = (memory as usize + bytes) / PAGE * PAGE;
    // SAFETY: advice on our own memory; whether it is followed does not matter.
    unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_memory: *mut u8, _bytes: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Whether the memory at `address` may have huge pages (`hg` among the flags of its mapping).
    fn has_advice(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_here = false;
        for line in maps.lines() {
            let word = line.split(' ').next().unwrap_or_default();
            if let Some((from, to)) = word.split_once('-')
                && let (Ok(from), Ok(to)) = (usize::from_str_radix(from, 16), usize::from_str_radix(to, 16))
            {
                is_here = (from..to).contains(&address);
            }
            if let (true, Some(flags)) = (is_here, line.strip_prefix("VmFlags:")) {
                return flags.split(' ').any(|flag| flag == "hg");
            }
        }
        false
    }

    #[test]
    fn large_lists_have_large_pages_and_small_ones_have_not() {
        let middle = |list: &Vec<u64>| list.as_ptr() as usize + 4 * list.capacity();
        let (zeros, mut grown) = (vec![0_u64; LEAST / 8], Vec::<u64>::with_capacity(LEAST / 8));
        assert!(has_advice(middle(&zeros)) && has_advice(middle(&grown)));
        assert!(zeros.iter().all(|word| *word == 0));
        grown.extend(0..LEAST as u64 / 8);
        grown.reserve_exact(LEAST / 8);
        assert!(has_advice(middle(&grown)) && grown.iter().copied().eq(0..LEAST as u64 / 8));
        assert!(!has_advice(middle(&vec![1_u64; LEAST / 16])));
        let ordinary = ordinary_pages(|| vec![0_u64; LEAST / 4]);
        assert!(!has_advice(middle(&ordinary)) && has_advice(middle(&vec![0_u64; LEAST / 4])));
    }
}
