//! The system calls behind the address space.

use std::io;
use std::ptr::null_mut;

/// The device's address space is so many times as large as its memory, so that freed addresses need not be used again
/// soon.
const ROOM: [u64; 3] = [8, 2, 1];
/// Bytes become accessible in steps of this size. They take real memory only when they are touched.
const STEP: u64 = 64 << 20;

/// Two ranges of addresses of the same length: the device's addresses, which are never accessible, and the addresses of
/// the bytes.
#[derive(Debug)]
pub struct Reservation {
    base: u64,
    bytes: u64,
    len: u64,
    /// The number of bytes that are accessible so far, from the start.
    open: u64,
}

impl Reservation {
    /// Reserves room for `total` bytes with their gaps.
    pub fn new(total: u64) -> io::Result<Self> {
        let total = total.max(STEP).next_multiple_of(STEP);
        let mut error = io::Error::from(io::ErrorKind::OutOfMemory);
        for factor in ROOM {
            // Gaps can double what an allocation takes, so even the smallest space has room for them.
            let len = total * factor + total;
            match map(len, libc::PROT_NONE) {
                // What was got for the first range must not stand in the way of the next, smaller attempt.
                Ok(base) => match map(len, libc::PROT_NONE) {
                    Ok(bytes) => return Ok(Self { base, bytes, len, open: 0 }),
                    Err(failed) => {
                        unmap_host(base, len);
                        error = failed;
                    }
                },
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }
    /// The first device address.
    pub fn base(&self) -> u64 {
        self.base
    }
    /// Addresses reserved.
    pub fn len(&self) -> u64 {
        self.len
    }
    /// What to add to a device address for the host address of its byte.
    pub fn delta(&self) -> i64 {
        self.bytes.wrapping_sub(self.base) as i64
    }
    /// Makes `bytes` bytes at `offset` accessible through the second range.
    pub fn back(&mut self, offset: u64, bytes: u64, huge: bool) -> io::Result<()> {
        let end = offset + bytes;
        if end > self.open {
            let open = end.next_multiple_of(STEP).min(self.len);
            // SAFETY: the range lies in our own mapping.
            let rc = unsafe {
                libc::mprotect(
                    (self.bytes + self.open) as *mut libc::c_void,
                    (open - self.open) as usize,
                    libc::PROT_READ | libc::PROT_WRITE,
                )
            };
            if rc != 0 {
                return Err(io::Error::last_os_error());
            }
            self.open = open;
        }
        #[cfg(target_os = "linux")]
        if huge {
            let start = (self.bytes + offset).next_multiple_of(4096);
            let len = (self.bytes + end).saturating_sub(start);
            // SAFETY: advice on our own mapping; whether it is taken does not matter.
            unsafe { libc::madvise(start as *mut libc::c_void, len as usize, libc::MADV_HUGEPAGE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = huge;
        Ok(())
    }
    /// Gives back the pages of `bytes` bytes at `offset`, which then read as zero again. No other allocation shares
    /// them.
    pub fn discard(&self, offset: u64, bytes: u64) {
        let start = (self.bytes + offset) / 4096 * 4096;
        let len = (self.bytes + offset + bytes).next_multiple_of(4096) - start;
        // SAFETY: the pages are our own and belong to the freed allocation alone.
        let rc = unsafe { libc::madvise(start as *mut libc::c_void, len as usize, libc::MADV_DONTNEED) };
        debug_assert_eq!(rc, 0, "{}", io::Error::last_os_error());
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        unmap_host(self.base, self.len);
        unmap_host(self.bytes, self.len);
    }
}

fn map(len: u64, protection: libc::c_int) -> io::Result<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let len = usize::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    // SAFETY: a new mapping, wherever the system likes.
    let at = unsafe { libc::mmap(null_mut(), len, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(at as u64) }
}

/// Maps host memory for `bytes` bytes, aligned to `align`. Returns its address and the length to unmap, or `None` if
/// the system has no memory.
pub fn map_host(bytes: u64, align: u64) -> Option<(u64, u64)> {
    let span = bytes.checked_next_multiple_of(4096)?;
    if align > 4096 {
        return None;
    }
    let start = map(span, libc::PROT_READ | libc::PROT_WRITE).ok()?;
    Some((start, span))
}

/// Undoes [`map_host`].
pub fn unmap_host(start: u64, span: u64) {
    // SAFETY: the caller mapped exactly this range and nobody uses it any more.
    let rc = unsafe { libc::munmap(start as *mut libc::c_void, span as usize) };
    debug_assert_eq!(rc, 0, "{}", io::Error::last_os_error());
}

/// Whether `len` bytes at `addr` are mapped in this process, every page of them.
pub fn is_mapped(addr: u64, len: u64) -> bool {
    let Some(end) = addr.checked_add(len.max(1)) else {
        return false;
    };
    if addr < 4096 || end > 1 << 47 {
        return false;
    }
    let page = addr / 4096 * 4096;
    // SAFETY: msync with MS_ASYNC changes nothing; it fails with ENOMEM where a page is not mapped.
    unsafe { libc::msync(page as *mut libc::c_void, (end - page) as usize, libc::MS_ASYNC) == 0 }
}
