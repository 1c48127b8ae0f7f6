//! Many ranges of managed memory by one call: prefetched (`cuMemPrefetchBatchAsync`), and given up
//! (`cuMemDiscardBatchAsync`).

use super::copy_batch::{entries_of, stream_of};
use super::managed::ordinal;
use crate::abi::constants::device_ordinal::CPU;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::get_all;
use crate::abi::types::{DevicePtr, Handle, Location};
use crate::state::contexts::stream::Stream;
use crate::state::device::driver::driver;
use crate::state::graphs::capture;
use crate::state::graphs::task::Task;
use crate::state::memory::managed;
use simt::memory::Allocation;
use std::ffi::c_int;
use std::sync::Arc;

/// A range: the allocation that contains it, its address and its bytes.
type ManagedRange = (Allocation, u64, u64);

/// Returns the stream and the ranges of a batch, after checking them.
fn parts(
    addresses: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    flags: u64,
    stream: Handle,
) -> Result<(Arc<Stream>, Vec<ManagedRange>)> {
    let stream = stream_of(stream, count)?;
    let driver = driver()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    // cuda.h requires this of all devices.
    if !driver.profile.concurrent_managed_access {
        return Err(Error::NOT_SUPPORTED);
    }
    let (addresses, sizes) = (get_all(addresses, count)?, get_all(sizes, count)?);
    let part = |(at, bytes): (u64, usize)| Ok((managed::find(driver, at, bytes)?, at, bytes as u64));
    let parts = addresses.into_iter().zip(sizes).map(part).collect::<Result<_>>()?;
    if capture::position(&stream)?.is_some() {
        capture::forbid_on(&stream)?;
    }
    Ok((stream, parts))
}

/// Returns the target of each of `count` ranges.
fn targets(count: usize, places: *const Location, firsts: *const usize, place_count: usize) -> Result<Vec<c_int>> {
    if place_count > count {
        return Err(Error::INVALID_VALUE);
    }
    let places = get_all(places, place_count)?.into_iter().map(ordinal).collect::<Result<Vec<_>>>()?;
    Ok(entries_of(count, &get_all(firsts, place_count)?)?.into_iter().map(|entry| places[entry]).collect())
}

/// Records the targets of the ranges, and lets `work` move each range when the stream reaches it.
fn move_all(
    stream: &Arc<Stream>,
    parts: Vec<ManagedRange>,
    targets: Vec<c_int>,
    work: impl Fn(&Allocation, (u64, u64), c_int) + Send + Sync + 'static,
) -> Result {
    for ((found, at, bytes), target) in parts.iter().zip(&targets) {
        managed::prefetched(found, (*at, *bytes), *target);
    }
    let all = move || parts.iter().zip(&targets).for_each(|((found, at, bytes), to)| work(found, (*at, *bytes), *to));
    capture::enqueue(stream, Task::Call(Arc::new(all)))
}

fn prefetch(
    addresses: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    places: *const Location,
    firsts: *const usize,
    place_count: usize,
    flags: u64,
    stream: Handle,
) -> Result {
    let (stream, parts) = parts(addresses, sizes, count, flags, stream)?;
    move_all(&stream, parts, targets(count, places, firsts, place_count)?, managed::prefetch)
}

fn discard(addresses: *const DevicePtr, sizes: *const usize, count: usize, flags: u64, stream: Handle) -> Result {
    let (stream, parts) = parts(addresses, sizes, count, flags, stream)?;
    let all = move || parts.iter().for_each(|(found, at, bytes)| managed::discard(found, (*at, *bytes), CPU));
    capture::enqueue(&stream, Task::Call(Arc::new(all)))
}

fn discard_and_prefetch(
    addresses: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    places: *const Location,
    firsts: *const usize,
    place_count: usize,
    flags: u64,
    stream: Handle,
) -> Result {
    let (stream, parts) = parts(addresses, sizes, count, flags, stream)?;
    move_all(&stream, parts, targets(count, places, firsts, place_count)?, managed::discard)
}

entry_points! {
    cuMemPrefetchBatchAsync(addresses: *const DevicePtr, sizes: *const usize, count: usize, places: *const Location,
        firsts: *const usize, place_count: usize, flags: u64, stream: Handle) = prefetch;
    cuMemPrefetchBatchAsync_ptsz(addresses: *const DevicePtr, sizes: *const usize, count: usize,
        places: *const Location, firsts: *const usize, place_count: usize, flags: u64, stream: Handle) = prefetch;
    cuMemDiscardBatchAsync(addresses: *const DevicePtr, sizes: *const usize, count: usize, flags: u64, stream: Handle)
        = discard;
    cuMemDiscardBatchAsync_ptsz(addresses: *const DevicePtr, sizes: *const usize, count: usize, flags: u64,
        stream: Handle) = discard;
    cuMemDiscardAndPrefetchBatchAsync(addresses: *const DevicePtr, sizes: *const usize, count: usize,
        places: *const Location, firsts: *const usize, place_count: usize, flags: u64, stream: Handle)
        = discard_and_prefetch;
    cuMemDiscardAndPrefetchBatchAsync_ptsz(addresses: *const DevicePtr, sizes: *const usize, count: usize,
        places: *const Location, firsts: *const usize, place_count: usize, flags: u64, stream: Handle)
        = discard_and_prefetch;
}
