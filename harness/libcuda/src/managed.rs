//! Managed memory: advice, prefetching, and an account of what migrates.
//!
//! The bytes lie in one place; what would have moved is counted in blocks of 64 KiB. A block counts as moved to the device when
//! it is prefetched there, or when a kernel is launched with a pointer into its allocation and the host has touched the block;
//! it counts as moved to the host when it is prefetched there. Touches by the host after a kernel are not seen, so moves back
//! on demand are not counted.

use crate::abi::{DevicePtr, Handle, Location, get_all, need, put};
use crate::context::current;
use crate::driver::{Driver, driver, lock};
use crate::error::{Error, Result};
use crate::report::{self, Direction};
use crate::task::Task;
use crate::{capture, device, stream};
use simt::memory::{Allocation, Kind};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// The unit in which migration is counted beside bytes: the host's page.
pub const PAGE: u64 = 4096;

/// The unit of migration in bytes.
pub const BLOCK: u64 = 64 << 10;

/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`.
const CPU: c_int = -1;
const NOWHERE: c_int = -2;

/// What is advised for a managed allocation, and where its blocks are.
pub struct Advice {
    read_mostly: bool,
    preferred: c_int,
    accessed_by: Vec<c_int>,
    last_prefetch: c_int,
    /// Blocks that are on the device, by their index.
    on_device: Vec<bool>,
}

impl Default for Advice {
    fn default() -> Self {
        let (preferred, last_prefetch) = (NOWHERE, NOWHERE);
        Advice {
            read_mostly: false,
            preferred,
            accessed_by: Vec::new(),
            last_prefetch,
            on_device: Vec::new(),
        }
    }
}

/// The managed allocation that holds these bytes.
fn managed(driver: &Driver, address: u64, count: usize) -> Result<Allocation> {
    let found = driver
        .memory
        .find(address)
        .filter(|found| found.kind == Kind::Managed);
    let found = found.ok_or(Error::INVALID_VALUE)?;
    if count == 0 || count as u64 > found.bytes - (address - found.start) {
        return Err(Error::INVALID_VALUE);
    }
    Ok(found)
}

fn ordinal(location: Location) -> Result<c_int> {
    match location.kind {
        Location::DEVICE if location.id == 0 => Ok(0),
        Location::DEVICE => Err(Error::INVALID_DEVICE),
        Location::HOST | Location::HOST_NUMA | Location::HOST_NUMA_CURRENT => Ok(CPU),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn known(dev: c_int) -> Result {
    if dev == CPU {
        Ok(())
    } else {
        device::check(dev)
    }
}

/// Moves the blocks of a part of an allocation, those for which `moves` says so; returns the bytes moved.
fn migrate(
    driver: &Driver,
    found: &Allocation,
    part: (u64, u64),
    to_device: bool,
    moves: impl Fn(u64) -> bool,
) -> u64 {
    let mut owned = lock(&driver.owned);
    let Some(advice) = owned
        .get_mut(&found.start)
        .and_then(|owned| owned.advice.as_mut())
    else {
        return 0;
    };
    advice
        .on_device
        .resize(found.bytes.div_ceil(BLOCK) as usize, false);
    let first = (part.0 - found.start) / BLOCK;
    let last = (part.0 + part.1 - 1 - found.start) / BLOCK;
    let mut bytes = 0;
    for block in first..=last {
        let start = found.start + block * BLOCK;
        let there = &mut advice.on_device[block as usize];
        if *there != to_device && moves(start) {
            *there = to_device;
            bytes += BLOCK.min(found.start + found.bytes - start);
        }
    }
    bytes
}

/// Whether the host has touched a page of the block at `start` (a page that nobody touched has no place to move from).
fn is_touched(start: u64, end: u64) -> bool {
    let len = BLOCK.min(end - start).next_multiple_of(4096);
    let page = start / 4096 * 4096;
    let mut pages = [0u8; 17];
    // SAFETY: the pages lie in a live mapping of our own; `pages` has room for those of one block.
    let rc = unsafe { libc::mincore(page as *mut c_void, len as usize, pages.as_mut_ptr().cast()) };
    rc != 0 || pages.iter().any(|page| page & 1 == 1)
}

/// A kernel is launched with these parameters: managed memory that they point to goes to the device.
pub fn launched(driver: &Driver, parameters: &[u8]) {
    for word in parameters.chunks_exact(8) {
        let address = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
        let Some(found) = driver
            .memory
            .find(address)
            .filter(|found| found.kind == Kind::Managed)
        else {
            continue;
        };
        let end = found.start + found.bytes;
        let bytes = migrate(driver, &found, (found.start, found.bytes), true, |start| {
            is_touched(start, end)
        });
        report::migrated(Direction::HostToDevice, bytes);
    }
}

fn prefetch_to(address: DevicePtr, count: usize, target: c_int, handle: Handle) -> Result {
    let stream = stream::find(handle)?;
    let driver = driver()?;
    let found = managed(driver, address, count)?;
    if target != CPU && !driver.profile.concurrent_managed_access {
        return Err(Error::INVALID_DEVICE);
    }
    if capture::position(&stream)?.is_some() {
        return capture::forbid_on(&stream);
    }
    if let Some(advice) = lock(&driver.owned)
        .get_mut(&found.start)
        .and_then(|owned| owned.advice.as_mut())
    {
        advice.last_prefetch = target;
    }
    let task = move || {
        let bytes = migrate(
            driver,
            &found,
            (address, count as u64),
            target != CPU,
            |_| true,
        );
        let direction = if target == CPU {
            Direction::DeviceToHost
        } else {
            Direction::HostToDevice
        };
        report::migrated(direction, bytes);
        report::prefetched();
    };
    stream::enqueue(&stream, Task::Call(Arc::new(task)))
}

fn prefetch(address: DevicePtr, count: usize, dev: c_int, stream: Handle) -> Result {
    known(dev)?;
    prefetch_to(address, count, dev, stream)
}

fn prefetch_v2(
    address: DevicePtr,
    count: usize,
    to: Location,
    flags: c_uint,
    stream: Handle,
) -> Result {
    driver()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    prefetch_to(address, count, ordinal(to)?, stream)
}

fn advise_for(address: DevicePtr, count: usize, advice: c_int, who: Result<c_int>) -> Result {
    current()?;
    let driver = driver()?;
    let found = managed(driver, address, count)?;
    let mut owned = lock(&driver.owned);
    let kept = owned
        .get_mut(&found.start)
        .and_then(|owned| owned.advice.as_mut())
        .ok_or(Error::INVALID_VALUE)?;
    match advice {
        1 => kept.read_mostly = true,
        2 => kept.read_mostly = false,
        3 => kept.preferred = who?,
        4 => kept.preferred = NOWHERE,
        5 => {
            let who = who?;
            if !kept.accessed_by.contains(&who) {
                kept.accessed_by.push(who);
            }
        }
        6 => {
            let who = who?;
            kept.accessed_by.retain(|known| *known != who);
        }
        _ => return Err(Error::INVALID_VALUE),
    }
    drop(owned);
    report::advised();
    Ok(())
}

fn advise(address: DevicePtr, count: usize, advice: c_int, dev: c_int) -> Result {
    advise_for(address, count, advice, known(dev).map(|()| dev))
}

fn advise_v2(address: DevicePtr, count: usize, advice: c_int, location: Location) -> Result {
    advise_for(address, count, advice, ordinal(location))
}

fn attribute(
    data: *mut c_void,
    size: usize,
    attribute: c_int,
    address: DevicePtr,
    count: usize,
) -> Result {
    current()?;
    need(data)?;
    let driver = driver()?;
    let found = managed(driver, address, count)?;
    let owned = lock(&driver.owned);
    let advice = owned
        .get(&found.start)
        .and_then(|owned| owned.advice.as_ref())
        .ok_or(Error::INVALID_VALUE)?;
    let kind = |who: c_int| match who {
        NOWHERE => 0,
        CPU => Location::HOST,
        _ => Location::DEVICE,
    };
    let value = match attribute {
        1 => c_int::from(advice.read_mostly),
        2 => advice.preferred,
        3 => {
            // There is one device and the host: no list is longer than this.
            if size == 0 || size > 4096 || !size.is_multiple_of(4) {
                return Err(Error::INVALID_VALUE);
            }
            for i in 0..size / 4 {
                let who = advice.accessed_by.get(i).copied().unwrap_or(NOWHERE);
                // SAFETY: the caller says that `size` bytes are there.
                unsafe { data.cast::<c_int>().add(i).write_unaligned(who) };
            }
            return Ok(());
        }
        4 => advice.last_prefetch,
        5 => kind(advice.preferred),
        6 => advice.preferred.max(0),
        7 => kind(advice.last_prefetch),
        8 => advice.last_prefetch.max(0),
        _ => return Err(Error::INVALID_VALUE),
    };
    if size != 4 {
        return Err(Error::INVALID_VALUE);
    }
    put(data.cast(), value)
}

fn attributes(
    data: *const *mut c_void,
    sizes: *const usize,
    kinds: *const c_int,
    number: usize,
    address: DevicePtr,
    count: usize,
) -> Result {
    let (data, sizes, kinds) = (
        get_all(data, number)?,
        get_all(sizes, number)?,
        get_all(kinds, number)?,
    );
    for i in 0..number {
        attribute(data[i], sizes[i], kinds[i], address, count)?;
    }
    Ok(())
}

entry_points! {
    cuMemPrefetchAsync(address: DevicePtr, count: usize, dev: c_int, stream: Handle) = prefetch;
    cuMemPrefetchAsync_ptsz(address: DevicePtr, count: usize, dev: c_int, stream: Handle) = prefetch;
    cuMemPrefetchAsync_v2(address: DevicePtr, count: usize, to: Location, flags: c_uint, stream: Handle) = prefetch_v2;
    cuMemAdvise(address: DevicePtr, count: usize, advice: c_int, dev: c_int) = advise;
    cuMemAdvise_v2(address: DevicePtr, count: usize, advice: c_int, location: Location) = advise_v2;
    cuMemRangeGetAttribute(data: *mut c_void, size: usize, kind: c_int, address: DevicePtr, count: usize) = attribute;
    cuMemRangeGetAttributes(data: *const *mut c_void, sizes: *const usize, kinds: *const c_int, number: usize,
        address: DevicePtr, count: usize) = attributes;
}
