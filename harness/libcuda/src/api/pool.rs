//! Stream-ordered allocation (`cuMemAllocAsync`) and its pools (`cuMemPool*`).

use crate::abi::constants::{access_flags, allocation_type, handle_type, location_type, pool_attribute};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{AccessDesc, DevicePtr, Handle, Location, PoolProps};
use crate::api::device;
use crate::state::contexts::current::current;
use crate::state::contexts::stream::Stream;
use crate::state::contexts::streams;
use crate::state::device::driver::{driver, tell};
use crate::state::device::ticket::Ticket;
use crate::state::graphs::ordered::{allocate_from, free_in};
use crate::state::memory::pool::{self, Attribute, Pool, Source, find};
use crate::state::memory::pool_export;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Returns a pool of this process. An imported pool has no memory of its own.
fn find_own(pool: Handle) -> Result<Arc<Pool>> {
    find(pool).and_then(|pool| if pool.foreign.is_none() { Ok(pool) } else { Err(Error::INVALID_VALUE) })
}

fn take(out: *mut DevicePtr, bytes: usize, pool: &Arc<Pool>, stream: &Arc<Stream>) -> Result {
    need(out)?;
    let context = current()?;
    if bytes == 0 {
        return put(out, 0);
    }
    put(out, allocate_from(pool, &context, stream, bytes)?)
}

fn alloc_async(out: *mut DevicePtr, bytes: usize, stream: Handle) -> Result {
    let stream = streams::find(stream)?;
    take(out, bytes, &pool::current_of(Source::DEVICE), &stream)
}

fn alloc_from(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) -> Result {
    let stream = streams::find(stream)?;
    take(out, bytes, &find_own(pool)?, &stream)
}

fn free_async(address: DevicePtr, stream: Handle) -> Result {
    let stream = streams::find(stream)?;
    if address == 0 {
        return Ok(());
    }
    free_in(&stream, address)
}

fn create(out: *mut Handle, properties: *const PoolProps) -> Result {
    driver()?;
    need(out)?;
    let properties = get(properties)?;
    let source = source_of_new(properties.location, properties.alloc_type)?;
    match properties.handle_types {
        0 => {}
        handle_type::POSIX_FILE_DESCRIPTOR if source == Source::DEVICE => {}
        handle_type::POSIX_FILE_DESCRIPTOR => {
            return Err(no("a pool of the host's or managed memory that is exported"));
        }
        handle_type::FABRIC => return Err(no("a pool with a handle for a fabric")),
        _ => return Err(Error::INVALID_VALUE),
    }
    put(out, pool::create(properties.max_size as u64, source, properties.handle_types))
}

/// Reports an unsupported feature.
fn no(what: &str) -> Error {
    tell(|observer| observer.unsupported(&format!("{what} (cuMemPoolCreate)")));
    Error::NOT_SUPPORTED
}

fn destroy(pool: Handle) -> Result {
    driver()?;
    pool::destroy(pool)
}

fn trim(pool: Handle, keep: usize) -> Result {
    let driver = driver()?;
    find_own(pool)?.trim(keep as u64);
    if keep == 0 {
        driver.memory.reuse_freed();
    }
    Ok(())
}

fn get_attribute(pool: Handle, attribute: c_int, out: *mut c_void) -> Result {
    driver()?;
    need(out)?;
    match find_own(pool)?.attribute(attribute)? {
        Attribute::Policy(on) => put(out.cast::<c_int>(), c_int::from(on)),
        Attribute::Bytes(bytes) => put(out.cast::<u64>(), bytes),
    }
}

fn set_attribute(pool: Handle, attribute: c_int, value: *const c_void) -> Result {
    driver()?;
    let pool = find_own(pool)?;
    let value = match attribute {
        _ if pool::is_policy(attribute) => Attribute::Policy(get(value.cast::<c_int>())? != 0),
        pool_attribute::RELEASE_THRESHOLD | pool_attribute::RESERVED_MEM_HIGH | pool_attribute::USED_MEM_HIGH => {
            Attribute::Bytes(get(value.cast::<u64>())?)
        }
        _ => return Err(Error::INVALID_VALUE),
    };
    pool.set_attribute(attribute, &value)
}

/// Returns whether a location is the pool's own: the device, or the host for a pool of host memory.
fn is_place(pool: &Pool, location: Location) -> bool {
    match location.kind {
        location_type::DEVICE => location.id == 0,
        location_type::HOST | location_type::HOST_NUMA => pool.source.place != location_type::DEVICE,
        _ => false,
    }
}

fn set_access(pool: Handle, list: *const AccessDesc, count: usize) -> Result {
    driver()?;
    let pool = find(pool)?;
    let list = get_all(list, count)?;
    for access in &list {
        let allowed = match access.flags {
            access_flags::READWRITE => true,
            // The device that owns the pool always has access to it.
            access_flags::NONE => pool.source != Source::DEVICE,
            _ => false,
        };
        if !is_place(&pool, access.location) || !allowed {
            return Err(Error::INVALID_VALUE);
        }
    }
    for access in list {
        pool.allow(access.location, access.flags);
    }
    Ok(())
}

fn get_access(out: *mut c_int, pool: Handle, location: *const Location) -> Result {
    driver()?;
    let (pool, location) = (find(pool)?, get(location)?);
    if !is_place(&pool, location) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, pool.access(location))
}

fn default_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, pool::default_of(Source::DEVICE).handle())
}

fn device_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, pool::current_of(Source::DEVICE).handle())
}

fn set_device_pool(dev: c_int, pool: Handle) -> Result {
    device::check(dev)?;
    pool::set_current(Source::DEVICE, find(pool)?)
}

/// The host's only NUMA node.
const NODE: c_int = 0;

/// Returns the source for a kind of memory at a location that has pools.
fn source(location: Location, kind: c_int) -> Result<Source> {
    if !matches!(kind, allocation_type::PINNED | allocation_type::MANAGED) {
        return Err(Error::INVALID_VALUE);
    }
    let source = Source { kind, place: location.kind };
    match location.kind {
        location_type::DEVICE if location.id == 0 => Ok(source),
        location_type::HOST => Ok(source),
        location_type::HOST_NUMA if location.id == NODE => Ok(source),
        // Managed memory need not specify a location.
        0 if kind == allocation_type::MANAGED => Ok(source),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Like [`source`], for a pool that is created: managed memory may start at the thread's current location.
fn source_of_new(location: Location, kind: c_int) -> Result<Source> {
    match (location.kind, kind) {
        (location_type::HOST_NUMA_CURRENT, allocation_type::MANAGED) => Ok(Source { kind, place: location.kind }),
        (0..=location_type::HOST_NUMA_CURRENT, _) | (_, allocation_type::PINNED) => source(location, kind),
        _ => Err(Error::NOT_SUPPORTED),
    }
}

/// Like [`source`], for the pools of locations: the thread's current location has none.
fn source_of(location: *const Location, kind: c_int) -> Result<Source> {
    driver()?;
    let location = get(location)?;
    if (0..location_type::HOST_NUMA_CURRENT).contains(&location.kind) {
        source(location, kind)
    } else {
        Err(Error::NOT_SUPPORTED)
    }
}

fn default_pool_of(out: *mut Handle, location: *const Location, kind: c_int) -> Result {
    need(out)?;
    put(out, pool::default_of(source_of(location, kind)?).handle())
}

fn pool_of(out: *mut Handle, location: *const Location, kind: c_int) -> Result {
    need(out)?;
    put(out, pool::current_of(source_of(location, kind)?).handle())
}

fn set_pool_of(location: *const Location, kind: c_int, pool: Handle) -> Result {
    pool::set_current(source_of(location, kind)?, find(pool)?)
}

/// Refuses handles other than a file descriptor.
fn check_handle(kind: c_int, flags: u64) -> Result {
    if kind == handle_type::POSIX_FILE_DESCRIPTOR && flags == 0 { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn export(out: *mut c_void, pool: Handle, kind: c_int, flags: u64) -> Result {
    driver()?;
    need(out)?;
    let pool = find(pool)?;
    check_handle(kind, flags)?;
    put(out.cast::<c_int>(), pool_export::export(&pool)?)
}

fn import(out: *mut Handle, shared: *mut c_void, kind: c_int, flags: u64) -> Result {
    driver()?;
    need(out)?;
    check_handle(kind, flags)?;
    put(out, pool_export::import(shared.addr() as c_int)?)
}

fn export_pointer(out: *mut Ticket, address: DevicePtr) -> Result {
    current()?;
    need(out)?;
    put(out, pool_export::ticket(address)?)
}

fn import_pointer(out: *mut DevicePtr, pool: Handle, data: *const Ticket) -> Result {
    let context = current()?;
    need(out)?;
    put(out, pool_export::open(&context, &*find(pool)?, &get(data)?)?)
}

entry_points! {
    cuMemGetDefaultMemPool(out: *mut Handle, location: *const Location, kind: c_int) = default_pool_of;
    cuMemGetMemPool(out: *mut Handle, location: *const Location, kind: c_int) = pool_of;
    cuMemSetMemPool(location: *const Location, kind: c_int, pool: Handle) = set_pool_of;
    cuMemPoolExportToShareableHandle(out: *mut c_void, pool: Handle, kind: c_int, flags: u64) = export;
    cuMemPoolImportFromShareableHandle(out: *mut Handle, shared: *mut c_void, kind: c_int, flags: u64) = import;
    cuMemPoolExportPointer(out: *mut Ticket, address: DevicePtr) = export_pointer;
    cuMemPoolImportPointer(out: *mut DevicePtr, pool: Handle, data: *const Ticket) = import_pointer;
    cuMemAllocAsync(out: *mut DevicePtr, bytes: usize, stream: Handle) = alloc_async;
    cuMemAllocAsync_ptsz(out: *mut DevicePtr, bytes: usize, stream: Handle) = alloc_async;
    cuMemAllocFromPoolAsync(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) = alloc_from;
    cuMemAllocFromPoolAsync_ptsz(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) = alloc_from;
    cuMemFreeAsync(address: DevicePtr, stream: Handle) = free_async;
    cuMemFreeAsync_ptsz(address: DevicePtr, stream: Handle) = free_async;
    cuMemPoolCreate(out: *mut Handle, properties: *const PoolProps) = create;
    cuMemPoolDestroy(pool: Handle) = destroy;
    cuMemPoolTrimTo(pool: Handle, keep: usize) = trim;
    cuMemPoolGetAttribute(pool: Handle, attribute: c_int, out: *mut c_void) = get_attribute;
    cuMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *const c_void) = set_attribute;
    cuMemPoolSetAccess(pool: Handle, list: *const AccessDesc, count: usize) = set_access;
    cuMemPoolGetAccess(out: *mut c_int, pool: Handle, location: *const Location) = get_access;
    cuDeviceGetDefaultMemPool(out: *mut Handle, dev: c_int) = default_pool;
    cuDeviceGetMemPool(out: *mut Handle, dev: c_int) = device_pool;
    cuDeviceSetMemPool(dev: c_int, pool: Handle) = set_device_pool;
}
