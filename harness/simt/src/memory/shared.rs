//! Memory that several processes use. An allocation is moved into an unnamed file when another process may map it; that
//! process maps the file behind a device address of its own.

use super::backing::Backing;
use super::error::MemoryError;
use super::kind::{MemoryKind, Shared};
use super::space::Held;
use super::{ALIGNMENT, Memory};
use std::fs::File;
use std::sync::Arc;

impl Memory {
    /// Moves the allocation around `addr` into a file, unless it is already there; its addresses and its bytes stay the
    /// same. The caller has waited for all users of the allocation. From now on all its bytes count as written, because
    /// another process may write them. `None` if `addr` is not allocated, or the host is out of memory.
    pub fn share(&self, addr: u64) -> Option<Shared> {
        let mut inner = self.lock();
        let (&start, held) = inner.live.range_mut(..=addr).next_back()?;
        (addr - start < held.bytes && !held.kind.is_host() && held.mapped.is_none()).then_some(())?;
        let backing = held.backing.as_ref()?;
        let file = backing.share()?;
        let offset = start.wrapping_add_signed(held.delta) - backing.start();
        held.written = None;
        let bytes = held.bytes;
        inner.view = None;
        Some(Shared { start, bytes, file, offset })
    }

    /// Maps memory that another process has shared at a new device address, and returns that address. `label` names it
    /// in findings.
    ///
    /// # Errors
    /// When the file is shorter than `offset` + `bytes`, or when the host or the device is out of addresses.
    pub fn open_shared(&self, file: File, offset: u64, bytes: u64, label: &str) -> Result<u64, MemoryError> {
        let short = MemoryError::Host { asked: bytes };
        let end = offset.checked_add(bytes).filter(|end| file.metadata().is_ok_and(|of| *end <= of.len()));
        let end = end.filter(|_| bytes > 0).ok_or(MemoryError::Invalid { bytes, align: 1 })?;
        let backing = Backing::of_file(Arc::new(file), end).ok_or(short)?;
        let mut inner = self.lock();
        let (start, span) = inner.place(bytes, ALIGNMENT).ok_or(short)?;
        let delta = (backing.start() + offset).wrapping_sub(start) as i64;
        let held = Held {
            bytes,
            kind: MemoryKind::Opened,
            label: label.into(),
            id: 0,
            span,
            charged: 0,
            delta,
            backing: Some(Arc::new(backing)),
            written: None,
            mapped: None,
        };
        inner.add(start, held);
        Ok(start)
    }
}
