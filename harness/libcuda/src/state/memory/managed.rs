//! Managed memory: counting its migration.
//!
//! The bytes never move; the bytes that a GPU would have moved are counted in blocks of 64 KiB. A block counts as moved
//! to the device when it is prefetched there, or when a kernel is launched with a pointer into its allocation and the
//! host has touched the block; it counts as moved to the host when it is prefetched there. Accesses by the host after a
//! kernel are not observed, so moves back on demand are not counted.

use super::advice::Advice;
use super::allocation::{allocate, with_owned};
use crate::abi::constants::device_ordinal::CPU;
use crate::abi::error::{Error, Result};
use crate::state::contexts::context::Context;
use crate::state::device::driver::{Driver, driver, tell};
use crate::state::device::observer::Direction;
use simt::memory::{Allocation, MemoryKind};
use std::ffi::c_void;

/// A page of the host, in bytes. The report counts migration in this unit as well as in bytes.
pub const HOST_PAGE: u64 = 4096;

/// The unit of migration, in bytes: managed memory moves in whole blocks.
pub const MIGRATION_BLOCK: u64 = 64 << 10;

/// The maximum number of pages that a block can touch: if it begins inside a page, one more than its size suggests.
const PAGES_OF_BLOCK: usize = (MIGRATION_BLOCK / HOST_PAGE) as usize + 1;

/// Allocates managed memory for a context.
///
/// # Errors
/// As [`allocate`].
pub fn allocate_managed(context: &Context, bytes: usize, flags: u32) -> Result<u64> {
    let address = allocate(context, bytes, MemoryKind::Managed, flags, "cuMemAllocManaged")?;
    with_owned(address, |owned| owned.advice = Some(Box::default()));
    Ok(address)
}

/// Returns the managed allocation that holds these bytes.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if no allocation holds all of them, or for 0 bytes.
pub fn find(driver: &Driver, address: u64, count: usize) -> Result<Allocation> {
    let found = driver.memory.find(address).filter(|found| found.kind == MemoryKind::Managed);
    let found = found.ok_or(Error::INVALID_VALUE)?;
    if count == 0 || count as u64 > found.bytes - (address - found.start) {
        return Err(Error::INVALID_VALUE);
    }
    Ok(found)
}

/// Reads or changes the advice for an allocation.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if it was freed.
pub fn with_advice<T>(found: &Allocation, change: impl FnOnce(&mut Advice) -> T) -> Result<T> {
    with_owned(found.start, |owned| owned.advice.as_deref_mut().map(change)).flatten().ok_or(Error::INVALID_VALUE)
}

/// Returns the pages that a part of an allocation (address and bytes) touches: the first address, and the one past the
/// last.
pub fn pages((address, bytes): (u64, u64)) -> (u64, u64) {
    (address / HOST_PAGE * HOST_PAGE, (address + bytes).next_multiple_of(HOST_PAGE))
}

/// Records that a part of an allocation is prefetched, unless the memory was freed in the meantime.
pub fn prefetched(found: &Allocation, part: (u64, u64), target: i32) {
    let note = |advice: &mut Advice| {
        advice.change(pages(part), |advised| {
            advised.last_prefetch = target;
            Ok(())
        })
    };
    let _ = with_advice(found, note);
}

/// Counts the blocks of a part of an allocation as moved, if `moves` agrees. Returns their bytes.
fn migrate(found: &Allocation, part: (u64, u64), to_device: bool, moves: impl Fn(u64) -> bool) -> u64 {
    let moved = with_advice(found, |advice| {
        advice.on_device.resize(found.bytes.div_ceil(MIGRATION_BLOCK) as usize, false);
        let first = (part.0 - found.start) / MIGRATION_BLOCK;
        let last = (part.0 + part.1 - 1 - found.start) / MIGRATION_BLOCK;
        let mut bytes = 0;
        for block in first..=last {
            let start = found.start + block * MIGRATION_BLOCK;
            let there = &mut advice.on_device[block as usize];
            if *there != to_device && moves(start) {
                *there = to_device;
                bytes += MIGRATION_BLOCK.min(found.start + found.bytes - start);
            }
        }
        bytes
    });
    moved.unwrap_or(0)
}

/// Returns whether the host has touched a page of the block at `start`. Untouched pages have no contents to move.
fn is_touched(start: u64, end: u64) -> bool {
    let len = MIGRATION_BLOCK.min(end - start).next_multiple_of(HOST_PAGE);
    let page = start / HOST_PAGE * HOST_PAGE;
    let mut pages = [0u8; PAGES_OF_BLOCK];
    // SAFETY: the pages lie in a live mapping of our own; `pages` has room for those of one block.
    let rc = unsafe { libc::mincore(page as *mut c_void, len as usize, pages.as_mut_ptr().cast()) };
    rc != 0 || pages.iter().any(|page| page & 1 == 1)
}

/// Counts the managed memory that a launch's parameters point to as moved to the device.
pub fn launched(driver: &Driver, parameters: &[u8]) {
    for word in parameters.chunks_exact(8) {
        let address = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
        let Some(found) = driver.memory.find(address).filter(|found| found.kind == MemoryKind::Managed) else {
            continue;
        };
        let end = found.start + found.bytes;
        let bytes = migrate(&found, (found.start, found.bytes), true, |start| is_touched(start, end));
        tell(|observer| observer.migrated(Direction::HostToDevice, bytes));
    }
}

/// Runs a prefetch of a part of an allocation (address and bytes): counts all of it as moved to the target.
pub fn prefetch(found: &Allocation, part: (u64, u64), target: i32) {
    let bytes = migrate(found, part, target != CPU, |_| true);
    let direction = if target == CPU { Direction::DeviceToHost } else { Direction::HostToDevice };
    tell(|observer| {
        observer.migrated(direction, bytes);
        observer.prefetched();
    });
}

/// Discards the contents of a part of an allocation, which is then located at `target`. Nothing is moved for this.
/// Whole pages read as zero afterwards, so that a program that still reads them visibly fails, as it may on a device.
pub fn discard(found: &Allocation, part: (u64, u64), target: i32) {
    migrate(found, part, target != CPU, |_| true);
    if let Ok(driver) = driver() {
        driver.memory.discard(part.0, part.1);
    }
}
