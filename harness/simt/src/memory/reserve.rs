//! The system calls behind the address space.

use std::ffi::CStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::without_provenance_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Mappings start at, and extend to, multiples of this.
pub(super) const PAGE: u64 = 4096;
/// The size of a huge page.
pub(super) const HUGE: u64 = 2 << 20;

/// The first device address. The system never maps anything at or above this address unless a program asks for an
/// address up there: programs get 47 bits on x86-64, and at most 48 on other processors.
#[cfg(target_arch = "x86_64")]
pub(super) const DEVICE: u64 = 1 << 47;
#[cfg(not(target_arch = "x86_64"))]
pub(super) const DEVICE: u64 = 1 << 48;
/// The number of device addresses, which is large enough that freed ones are not reused for a long time.
pub(super) const DEVICE_LEN: u64 = 1 << 46;

/// A range of host addresses at which mappings are requested. It lies in the middle of the addresses that systems leave
/// to programs, far from both ends, where systems load programs and put mappings without a requested address. So a
/// process that drives this one (a judge of kernels) has room at the addresses of memory that both use, whatever else
/// it has mapped.
///
/// Each process starts at a random address, so that a kernel that escapes from its memory does not know where it is.
/// Addresses that kernels know and addresses that they must not know come from separate regions, so the former do not
/// reveal the latter.
#[derive(Debug)]
pub(super) struct Region {
    first: u64,
    /// The random address is a multiple of this.
    grain: u64,
    /// The random offset of the first mapping from the region's first address.
    drawn: OnceLock<u64>,
    /// The number of addresses requested so far.
    next: AtomicU64,
    /// Whether addresses are requested again that may be in use.
    is_again: AtomicBool,
}

/// The number of tries to pass addresses in use.
const SKIPS: u32 = 20;
/// The number of addresses of a region. After the last one, the region starts over.
const REGION: u64 = 1 << 43;
/// Memory that has the same address on host and device. Its offset in a large page is the same in each run, so the
/// requests of a kernel's accesses are the same too.
pub(super) static SHARED: Region = Region::new(3 << 44, HUGE);
/// The bytes behind the device's own addresses.
pub(super) static HIDDEN: Region = Region::new((3 << 44) + REGION, PAGE);

impl Region {
    const fn new(first: u64, grain: u64) -> Self {
        Region { first, grain, drawn: OnceLock::new(), next: AtomicU64::new(0), is_again: AtomicBool::new(false) }
    }

    /// Requests the addresses from the first one on again, as far as they are free.
    pub(super) fn start_over(&self) {
        self.next.store(0, Ordering::Relaxed);
        self.is_again.store(true, Ordering::Relaxed);
    }

    /// Returns the next `len` addresses, which may be in use.
    fn next(&self, len: u64) -> u64 {
        // The keys of the hasher are random numbers from the system.
        let draw = || RandomState::new().hash_one(self.first) % REGION / self.grain * self.grain;
        self.first + self.drawn.get_or_init(draw).wrapping_add(self.next.fetch_add(len, Ordering::Relaxed)) % REGION
    }
}

/// Maps `len` zero bytes (a multiple of [`PAGE`]), aligned to `align`, which is a power of two. They use real memory
/// only when they are touched. `None` if the system is out of memory or addresses.
pub(super) fn map(region: &Region, len: u64, align: u64) -> Option<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let slack = if align > PAGE { align } else { 0 };
    let all = usize::try_from(len.checked_add(slack)?).ok()?;
    let mut skipped = 0;
    let at = loop {
        let wish = without_provenance_mut(region.next((all as u64) << skipped) as usize);
        // SAFETY: a new mapping. If the requested address is taken or is not valid for a program, the system chooses
        // another.
        let at = unsafe { libc::mmap(wish, all, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        // Twice as many addresses are left out each time, so that few tries pass what is in use.
        if at == wish || skipped == SKIPS || !region.is_again.load(Ordering::Relaxed) {
            break at;
        }
        unmap(at as u64, all as u64);
        skipped += 1;
    };
    let start = (at as u64).next_multiple_of(align.max(PAGE));
    let (before, after) = (start - at as u64, slack - (start - at as u64));
    for (from, len) in [(at as u64, before), (start + len, after)] {
        if len > 0 {
            unmap(from, len);
        }
    }
    Some(start)
}

/// Unmaps a range from [`map`].
pub(super) fn unmap(start: u64, len: u64) {
    // SAFETY: the caller mapped exactly this range, and no one uses it any more.
    let rc = unsafe { libc::munmap(start as *mut libc::c_void, len as usize) };
    debug_assert_eq!(rc, 0, "{}", io::Error::last_os_error());
}

/// Creates an unnamed in-memory file of `bytes` zero bytes. Linux shows `label` for it. `None` if the system refuses.
pub fn unnamed_file(label: &CStr, bytes: u64) -> Option<File> {
    #[cfg(target_os = "linux")]
    let file = {
        use std::os::fd::{FromRawFd, OwnedFd};
        // SAFETY: the name is a C string; the new descriptor has no other owner.
        let fd = unsafe { libc::memfd_create(label.as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: as above.
        (fd >= 0).then(|| File::from(unsafe { OwnedFd::from_raw_fd(fd) }))?
    };
    #[cfg(not(target_os = "linux"))]
    let file = {
        let _ = label;
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("device-memory-{}-{count}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).ok()?;
        std::fs::remove_file(path).ok()?;
        file
    };
    file.set_len(bytes).ok()?;
    Some(file)
}

/// Maps the beginning of a file at addresses returned by [`map`]. Returns whether the system did so.
pub(super) fn map_file(start: u64, len: u64, file: &File) -> bool {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
    map_at(start, len, flags, file.as_raw_fd())
}

/// Maps zeros again at addresses returned by [`map`].
pub(super) fn map_zeros(start: u64, len: u64) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    let done = map_at(start, len, flags, -1);
    debug_assert!(done, "{}", io::Error::last_os_error());
}

fn map_at(start: u64, len: u64, flags: i32, file: i32) -> bool {
    let (at, access) = (start as *mut libc::c_void, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: the caller has mapped these addresses, and replaces its own mapping.
    unsafe { libc::mmap(at, len as usize, access, flags, file, 0) != libc::MAP_FAILED }
}

/// Asks for huge pages.
pub(super) fn advise_huge(start: u64, len: u64) {
    // SAFETY: advice on our own mapping; whether it is taken does not matter.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::madvise(start as *mut libc::c_void, len as usize, libc::MADV_HUGEPAGE)
    };
    #[cfg(not(target_os = "linux"))]
    let _ = (start, len);
}

/// Releases the memory of whole pages, which then read as zero.
pub(super) fn discard(start: u64, len: u64) {
    // SAFETY: the caller mapped these pages, and no one uses their contents any more.
    let rc = unsafe { libc::madvise(start as *mut libc::c_void, len as usize, libc::MADV_DONTNEED) };
    if rc != 0 {
        // The program has locked its memory. SAFETY: as above.
        unsafe { (start as *mut u8).write_bytes(0, len as usize) };
    }
}

/// Returns whether `len` bytes at `addr` are mapped in this process, every page of them.
pub(super) fn is_mapped(addr: u64, len: u64) -> bool {
    let Some(end) = addr.checked_add(len.max(1)) else {
        return false;
    };
    if addr < PAGE || end > DEVICE {
        return false;
    }
    let page = addr / PAGE * PAGE;
    // SAFETY: msync with MS_ASYNC changes nothing; it fails with ENOMEM where a page is not mapped.
    unsafe { libc::msync(page as *mut libc::c_void, (end - page) as usize, libc::MS_ASYNC) == 0 }
}

/// Returns whether `len` bytes at `addr` can be read. If the system cannot report that, returns whether they are
/// mapped.
pub(super) fn is_readable(addr: u64, len: u64) -> bool {
    #[cfg(target_os = "linux")]
    {
        static IS_KNOWN: OnceLock<bool> = OnceLock::new();
        let here = &raw const IS_KNOWN as u64;
        if *IS_KNOWN.get_or_init(|| populate(here, 1)) {
            return populate(addr, len);
        }
    }
    is_mapped(addr, len)
}

/// Makes the system read these bytes. Returns whether it could.
#[cfg(target_os = "linux")]
fn populate(addr: u64, len: u64) -> bool {
    let Some(end) = addr.checked_add(len.max(1)).filter(|_| addr >= PAGE) else {
        return false;
    };
    let page = addr / PAGE * PAGE;
    // SAFETY: this only reads the bytes, as the caller is about to do.
    unsafe { libc::madvise(page as *mut libc::c_void, (end - page) as usize, libc::MADV_POPULATE_READ) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_that_starts_over_gives_its_addresses_again_but_for_those_in_use() {
        // Between the regions of the machine's own.
        static REGION: Region = Region::new((3 << 44) + (1 << 45), HUGE);
        let three = || [PAGE, 3 * PAGE, HUGE].map(|len| (map(&REGION, len, HUGE).unwrap(), len));
        let end = |all: [(u64, u64); 3]| all.map(|(at, len)| unmap(at, len));
        let (first, second) = (three(), three());
        assert!(first.iter().all(|one| !second.contains(one)), "{first:x?} {second:x?}");
        end(second);
        end(first);
        REGION.start_over();
        let again = three();
        assert_eq!(again, first);
        REGION.start_over();
        let others = three();
        let is_near = |(at, _): &(u64, u64)| at.abs_diff(first[0].0) < 1 << 36;
        assert!(others.iter().all(|one| is_near(one) && !first.contains(one)), "{first:x?} {others:x?}");
        end(others);
        end(again);
    }
}
