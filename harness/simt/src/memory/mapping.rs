//! Virtual memory management: reserved addresses, and physical memory that is mapped into them.
//!
//! Physical memory is an unnamed file of the host. Mapping it into a reservation maps that file into the host memory
//! behind the reservation. So the same memory can be mapped at several addresses, and adjacent mappings are also
//! adjacent on the host: accesses and copies may span several mappings.

use super::backing::Backing;
use super::error::MemoryError;
use super::kind::MemoryKind;
use super::physical::{Access, GRANULARITY, Mapped, PHYSICAL_LABEL, Physical, Reservation};
use super::reserve::{map_file, map_zeros};
use super::space::{Held, Space};
use super::{Freed, Memory};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn is_whole(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}

impl Space {
    /// Returns the reservation that contains an address, and the first address of the reservation.
    fn reservation(&self, addr: u64) -> Option<(u64, &Reservation)> {
        let (&start, reservation) = self.reserved.range(..=addr).next_back()?;
        (addr - start < reservation.bytes).then_some((start, reservation))
    }

    /// Creates a reservation of `bytes` addresses right behind another one that ends at `addr`, if there is room.
    fn extension(&self, addr: u64, bytes: u64) -> Option<Reservation> {
        let (&start, before) = self.reserved.range(..addr).next_back()?;
        let end = addr.checked_add(bytes)?;
        let free = self.reserved.range(addr..end).next().is_none();
        let fits = start + before.bytes == addr && end <= before.limit && free;
        let (limit, delta) = (before.limit, before.delta);
        fits.then(|| Reservation { bytes, limit, delta, backing: Arc::clone(&before.backing) })
    }

    /// Returns the backing that keeps the host memory behind `bytes` reserved addresses, and the distance to it. The
    /// addresses may belong to several adjacent reservations.
    fn reserved_behind(&self, addr: u64, bytes: u64) -> Option<(Arc<Backing>, i64)> {
        let (_, first) = self.reservation(addr)?;
        let end = addr.checked_add(bytes)?;
        let mut at = addr;
        while at < end {
            let (start, reservation) = self.reservation(at).filter(|(_, next)| next.delta == first.delta)?;
            at = start + reservation.bytes;
        }
        Some((Arc::clone(&first.backing), first.delta))
    }

    /// Returns whether any of these addresses is mapped.
    fn is_mapped(&self, addr: u64, bytes: u64) -> bool {
        let before = self.live.range(..addr.saturating_add(bytes)).next_back();
        before.is_some_and(|(start, held)| start + held.bytes > addr)
    }

    /// Returns the first addresses of the mappings that exactly cover these addresses.
    fn mappings(&self, addr: u64, bytes: u64) -> Option<Vec<u64>> {
        let end = addr.checked_add(bytes)?;
        let (mut at, mut starts) = (addr, Vec::new());
        for (&start, held) in self.live.range(addr..end) {
            if start != at || held.mapped.is_none() {
                return None;
            }
            starts.push(start);
            at += held.bytes;
        }
        (at == end && !starts.is_empty()).then_some(starts)
    }
}

impl Memory {
    /// Reserves `bytes` addresses, aligned to `align`, and returns the first. They are at `wanted` if that is free and
    /// right behind another reservation. They cannot be read or written before memory is mapped there.
    ///
    /// # Errors
    /// When the size is not a multiple of [`GRANULARITY`], or when no such range is free here or on the host.
    pub fn reserve(&self, bytes: u64, align: u64, wanted: u64) -> Result<u64, MemoryError> {
        if bytes == 0 || !is_whole(bytes) || !align.is_power_of_two() {
            return Err(MemoryError::Invalid { bytes, align });
        }
        let mut inner = self.lock();
        if wanted.is_multiple_of(align)
            && let Some(reservation) = inner.extension(wanted, bytes)
        {
            inner.reserved.insert(wanted, reservation);
            return Ok(wanted);
        }
        let short = MemoryError::Host { asked: bytes };
        let with_room = bytes.checked_mul(2).and_then(|room| Some((Backing::mapped(room, GRANULARITY)?, room)));
        let (backing, room) = with_room.or_else(|| Some((Backing::mapped(bytes, GRANULARITY)?, bytes))).ok_or(short)?;
        let (start, _) = inner.place(room, align.max(GRANULARITY)).ok_or(short)?;
        let delta = backing.start().wrapping_sub(start) as i64;
        inner.reserved.insert(start, Reservation { bytes, limit: start + room, delta, backing: Arc::new(backing) });
        Ok(start)
    }

    /// Ends the reservation of `bytes` addresses at `addr`. Returns whether there was such a reservation without
    /// mappings.
    pub fn end_reservation(&self, addr: u64, bytes: u64) -> bool {
        let mut inner = self.lock();
        let known = inner.reserved.get(&addr).is_some_and(|reservation| reservation.bytes == bytes);
        known && !inner.is_mapped(addr, bytes) && inner.reserved.remove(&addr).is_some()
    }

    /// Allocates `bytes` zero bytes of the device's memory.
    ///
    /// # Errors
    /// When the size is not a multiple of [`GRANULARITY`], or when it does not fit on the device or on the host.
    pub fn create_physical(&self, bytes: u64) -> Result<Arc<Physical>, MemoryError> {
        if bytes == 0 || !is_whole(bytes) {
            return Err(MemoryError::Invalid { bytes, align: GRANULARITY });
        }
        let inner = self.lock();
        let free = self.total.saturating_sub(inner.used());
        if bytes > free {
            return Err(MemoryError::OutOfMemory { asked: bytes, free, total: self.total });
        }
        let file = super::reserve::unnamed_file(PHYSICAL_LABEL, bytes).ok_or(MemoryError::Host { asked: bytes })?;
        inner.physical.fetch_add(bytes, Ordering::Relaxed);
        Ok(Arc::new(Physical { file, bytes, used: Arc::clone(&inner.physical) }))
    }

    /// Imports physical memory of another process by its file. It does not count against this device's memory.
    ///
    /// # Errors
    /// When the file cannot be physical memory.
    pub fn import_physical(&self, file: File) -> Result<Arc<Physical>, MemoryError> {
        let bytes = file.metadata().map_or(0, |of| of.len());
        if bytes == 0 || !is_whole(bytes) {
            return Err(MemoryError::Invalid { bytes, align: GRANULARITY });
        }
        Ok(Arc::new(Physical { file, bytes, used: Arc::new(bytes.into()) }))
    }

    /// Maps the first `bytes` bytes of physical memory at reserved addresses. `label` names the mapping in findings.
    ///
    /// # Errors
    /// When the addresses are not reserved or are already mapped, or when a number is not a multiple of [`GRANULARITY`]
    /// or exceeds the memory's size.
    pub fn map(&self, addr: u64, bytes: u64, physical: &Arc<Physical>, label: &str) -> Result<(), MemoryError> {
        let mut inner = self.lock();
        let wrong = MemoryError::Invalid { bytes, align: GRANULARITY };
        if bytes == 0 || bytes > physical.bytes || !is_whole(addr | bytes) || inner.is_mapped(addr, bytes) {
            return Err(wrong);
        }
        let (backing, delta) = inner.reserved_behind(addr, bytes).ok_or(wrong)?;
        if !map_file(addr.wrapping_add_signed(delta), bytes, &physical.file) {
            return Err(MemoryError::Host { asked: bytes });
        }
        let mapped = Some(Mapped { physical: Arc::clone(physical), access: Access::None });
        let held = Held {
            bytes,
            kind: MemoryKind::Mapped,
            label: label.into(),
            id: 0,
            span: bytes,
            charged: 0,
            delta,
            backing: Some(backing),
            written: None,
            mapped,
        };
        inner.add(addr, held);
        Ok(())
    }

    /// Removes the mappings at these addresses. Returns whether there were mappings that cover them exactly. The
    /// addresses stay reserved.
    pub fn unmap(&self, addr: u64, bytes: u64) -> bool {
        let mut inner = self.lock();
        let Some(starts) = inner.mappings(addr, bytes) else {
            return false;
        };
        for start in starts {
            let Some(held) = inner.live.remove(&start) else { continue };
            // A kernel that still runs reads zeros there.
            map_zeros(start.wrapping_add_signed(held.delta), held.bytes);
            inner.forget(Freed {
                start,
                end: start + held.bytes,
                kind: held.kind,
                label: Arc::clone(&held.label),
                id: held.id,
            });
        }
        true
    }

    /// Sets the access rights of the mappings at these addresses. Returns whether there are mappings that cover them
    /// exactly.
    pub fn set_access(&self, addr: u64, bytes: u64, access: Access) -> bool {
        let mut inner = self.lock();
        let Some(starts) = inner.mappings(addr, bytes) else {
            return false;
        };
        for start in starts {
            if let Some(mapped) = inner.live.get_mut(&start).and_then(|held| held.mapped.as_mut()) {
                mapped.access = access;
            }
        }
        inner.view = None;
        true
    }

    /// Returns the physical memory that is mapped at an address, and its access rights.
    pub fn mapped(&self, addr: u64) -> Option<(Arc<Physical>, Access)> {
        let inner = self.lock();
        let (&start, held) = inner.live.range(..=addr).next_back()?;
        let mapped = held.mapped.as_ref().filter(|_| addr - start < held.bytes)?;
        Some((Arc::clone(&mapped.physical), mapped.access))
    }
}
