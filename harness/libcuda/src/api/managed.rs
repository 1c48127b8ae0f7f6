//! Managed memory: advice, prefetching, and attributes of ranges (`cuMemAdvise`, `cuMemPrefetchAsync`, `cuMemRange*`).

use crate::abi::constants::device_ordinal::{CPU, INVALID};
use crate::abi::constants::location_type;
use crate::abi::constants::range_attribute::{
    ACCESSED_BY, LAST_PREFETCH_LOCATION, LAST_PREFETCH_LOCATION_ID, LAST_PREFETCH_LOCATION_TYPE, PREFERRED_LOCATION,
    PREFERRED_LOCATION_ID, PREFERRED_LOCATION_TYPE, READ_MOSTLY,
};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get_all, need, put};
use crate::abi::types::{DevicePtr, Handle, Location};
use crate::api::device;
use crate::state::contexts::current::current;
use crate::state::contexts::streams;
use crate::state::device::driver::{driver, tell};
use crate::state::graphs::capture;
use crate::state::graphs::task::Task;
use crate::state::memory::advice::Advised;
use crate::state::memory::managed::{self, with_advice};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// The maximum length of a list for `ACCESSED_BY`, in bytes. One device and the host need much less.
const LONGEST_LIST: usize = 4096;

/// Returns the number of a location, and [`CPU`] for all locations of the host.
///
/// # Errors
/// `CUDA_ERROR_INVALID_DEVICE`, `CUDA_ERROR_INVALID_VALUE`.
pub fn ordinal(location: Location) -> Result<c_int> {
    match location.kind {
        location_type::DEVICE if location.id == 0 => Ok(0),
        location_type::DEVICE => Err(Error::INVALID_DEVICE),
        location_type::HOST | location_type::HOST_NUMA | location_type::HOST_NUMA_CURRENT => Ok(CPU),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn known(dev: c_int) -> Result {
    if dev == CPU { Ok(()) } else { device::check(dev) }
}

fn prefetch_to(address: DevicePtr, count: usize, target: c_int, handle: Handle) -> Result {
    let stream = streams::find(handle)?;
    let driver = driver()?;
    let found = managed::find(driver, address, count)?;
    if target != CPU && !driver.profile.concurrent_managed_access {
        return Err(Error::INVALID_DEVICE);
    }
    if capture::position(&stream)?.is_some() {
        return capture::forbid_on(&stream);
    }
    managed::prefetched(&found, (address, count as u64), target);
    let task = move || managed::prefetch(&found, (address, count as u64), target);
    capture::enqueue(&stream, Task::Call(Arc::new(task)))
}

fn prefetch(address: DevicePtr, count: usize, dev: c_int, stream: Handle) -> Result {
    known(dev)?;
    prefetch_to(address, count, dev, stream)
}

fn prefetch_v2(address: DevicePtr, count: usize, to: Location, flags: c_uint, stream: Handle) -> Result {
    driver()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    prefetch_to(address, count, ordinal(to)?, stream)
}

fn advise_for(address: DevicePtr, count: usize, advice: c_int, who: Result<c_int>) -> Result {
    current()?;
    let found = managed::find(driver()?, address, count)?;
    let pages = managed::pages((address, count as u64));
    with_advice(&found, |kept| kept.change(pages, |pages| pages.take(advice, who)))??;
    tell(|observer| observer.advised());
    Ok(())
}

fn advise(address: DevicePtr, count: usize, advice: c_int, dev: c_int) -> Result {
    advise_for(address, count, advice, known(dev).map(|()| dev))
}

fn advise_v2(address: DevicePtr, count: usize, advice: c_int, location: Location) -> Result {
    // A location is required even if the advice applies to all.
    if location.kind == 0 {
        return Err(Error::INVALID_VALUE);
    }
    advise_for(address, count, advice, ordinal(location))
}

fn attribute(data: *mut c_void, size: usize, attribute: c_int, address: DevicePtr, count: usize) -> Result {
    current()?;
    need(data)?;
    let found = managed::find(driver()?, address, count)?;
    let pages = managed::pages((address, count as u64));
    with_advice(&found, |advice| write_attribute(data, size, attribute, &advice.query(pages)))?
}

/// Writes the value of an attribute: one number, or, for `ACCESSED_BY`, as many as there is room for.
fn write_attribute(data: *mut c_void, size: usize, attribute: c_int, advice: &Advised) -> Result {
    let kind = |who: c_int| match who {
        INVALID => 0,
        CPU => location_type::HOST,
        _ => location_type::DEVICE,
    };
    let value = match attribute {
        READ_MOSTLY => c_int::from(advice.read_mostly),
        PREFERRED_LOCATION => advice.preferred,
        ACCESSED_BY => {
            if size == 0 || size > LONGEST_LIST || !size.is_multiple_of(size_of::<c_int>()) {
                return Err(Error::INVALID_VALUE);
            }
            for i in 0..size / size_of::<c_int>() {
                let who = advice.accessed_by.get(i).copied().unwrap_or(INVALID);
                // SAFETY: the caller promises `size` bytes.
                unsafe { data.cast::<c_int>().add(i).write_unaligned(who) };
            }
            return Ok(());
        }
        LAST_PREFETCH_LOCATION => advice.last_prefetch,
        PREFERRED_LOCATION_TYPE => kind(advice.preferred),
        PREFERRED_LOCATION_ID => advice.preferred.max(0),
        LAST_PREFETCH_LOCATION_TYPE => kind(advice.last_prefetch),
        LAST_PREFETCH_LOCATION_ID => advice.last_prefetch.max(0),
        _ => return Err(Error::INVALID_VALUE),
    };
    if size != size_of::<c_int>() {
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
    let (data, sizes, kinds) = (get_all(data, number)?, get_all(sizes, number)?, get_all(kinds, number)?);
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
