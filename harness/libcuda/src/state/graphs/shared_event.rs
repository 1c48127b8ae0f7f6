//! Events that processes share: two numbers in memory that all of them map. Recording an event increments the first
//! count; when the stream reaches the record, the count is marked as reached.

use crate::abi::error::{Error, Result};
use crate::state::device::driver::tell;
use crate::state::device::ticket::{Ticket, Use};
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The name that Linux shows for the file.
const LABEL: &CStr = c"warplab event";
/// The size of the file: a page.
const BYTES: usize = 4096;
/// The polling interval for the count.
const PAUSE: Duration = Duration::from_micros(20);
/// The interval for checking that the recording process still exists.
const LOOK: Duration = Duration::from_millis(100);

/// The data that the processes share.
#[repr(C)]
struct Counts {
    /// The number of records of the event.
    recorded: AtomicU64,
    /// The number of the last record that the streams have reached.
    reached: AtomicU64,
    /// The process that recorded it last.
    process: AtomicU64,
}

/// This process's view of a shared event.
pub struct SharedEvent {
    file: File,
    counts: *const Counts,
    /// Whether it was opened by a ticket of another process.
    pub is_opened: bool,
}
// SAFETY: the counts are atomic, and mapped as long as this value lives.
unsafe impl Send for SharedEvent {}
// SAFETY: as above.
unsafe impl Sync for SharedEvent {}

impl SharedEvent {
    /// Creates an event.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    pub fn new() -> Result<Self> {
        let file = simt::memory::unnamed_file(LABEL, BYTES as u64).ok_or(Error::OUT_OF_MEMORY)?;
        Self::mapped(file, false).ok_or(Error::OUT_OF_MEMORY)
    }

    /// Opens the event of a ticket.
    ///
    /// # Errors
    /// `CUDA_ERROR_MAP_FAILED`, with an explanation.
    pub fn open(ticket: &Ticket) -> Result<Self> {
        let file = ticket.open("an event").map_err(|_| Error::MAP_FAILED)?;
        if file.metadata().map_or(0, |of| of.len()) != BYTES as u64 {
            return Err(Error::MAP_FAILED);
        }
        Self::mapped(file, true).ok_or(Error::MAP_FAILED)
    }

    fn mapped(file: File, is_opened: bool) -> Option<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of an open file of this length.
        let at = unsafe { libc::mmap(null_mut(), BYTES, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        (at != libc::MAP_FAILED).then(|| SharedEvent { file, counts: at.cast(), is_opened })
    }

    fn counts(&self) -> &Counts {
        // SAFETY: mapped as long as this value lives; all zeros are valid counts.
        unsafe { &*self.counts }
    }

    /// Creates a ticket for other processes.
    pub fn ticket(&self) -> Ticket {
        Ticket::from_file(Use::Event, &self.file)
    }

    /// Counts a record and returns its number.
    pub fn record(&self) -> u64 {
        self.counts().process.store(std::process::id().into(), Ordering::Relaxed);
        self.counts().recorded.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Returns the number of the last record by any process; 0 before the first.
    pub fn last(&self) -> u64 {
        self.counts().recorded.load(Ordering::Acquire)
    }

    /// Marks a record as reached.
    pub fn reach(&self, record: u64) {
        self.counts().reached.fetch_max(record, Ordering::AcqRel);
    }

    /// Returns whether a record was reached.
    pub fn is_reached(&self, record: u64) -> bool {
        self.counts().reached.load(Ordering::Acquire) >= record
    }

    /// Waits until a record is reached, or the process that made it has ended.
    pub fn wait(&self, record: u64) {
        let mut looked = Instant::now();
        while !self.is_reached(record) {
            std::thread::sleep(PAUSE);
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                let process = self.counts().process.load(Ordering::Relaxed) as libc::pid_t;
                // SAFETY: signal 0 only checks that the process exists.
                let gone = unsafe { libc::kill(process, 0) } != 0
                    && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
                if gone {
                    tell(|observer| {
                        observer.explain_error(&format!(
                            "process {process} has recorded an event and ended before its stream reached it; \
                             streams that wait for the event continue"
                        ));
                    });
                    return;
                }
            }
        }
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        // SAFETY: mapped by `mapped`, and no longer used.
        unsafe { libc::munmap(self.counts.cast_mut().cast(), BYTES) };
    }
}
