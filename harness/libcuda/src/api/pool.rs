//! Stream-ordered allocation (`cuMemAllocAsync`) and its pools (`cuMemPool*`).

use crate::abi::constants::{access_flags, allocation_type, pool_attribute};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{AccessDesc, DevicePtr, Handle, Location, PoolProps};
use crate::api::device;
use crate::state::contexts::current::current;
use crate::state::contexts::stream::Stream;
use crate::state::contexts::streams;
use crate::state::device::driver::driver;
use crate::state::graphs::ordered::{allocate_from, free_in};
use crate::state::memory::pool::{self, Attribute, Pool, find};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

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
    take(out, bytes, &pool::device_pool(), &stream)
}

fn alloc_from(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) -> Result {
    let stream = streams::find(stream)?;
    take(out, bytes, &find(pool)?, &stream)
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
    let here = properties.location.kind == Location::DEVICE;
    if properties.alloc_type != allocation_type::PINNED {
        return Err(Error::INVALID_VALUE);
    }
    if !here || properties.handle_types != 0 {
        return Err(Error::NOT_SUPPORTED);
    }
    device::check(properties.location.id)?;
    put(out, pool::create(properties.max_size as u64))
}

fn destroy(pool: Handle) -> Result {
    driver()?;
    pool::destroy(pool)
}

fn trim(pool: Handle, keep: usize) -> Result {
    driver()?;
    find(pool)?.trim(keep as u64);
    Ok(())
}

fn get_attribute(pool: Handle, attribute: c_int, out: *mut c_void) -> Result {
    driver()?;
    need(out)?;
    match find(pool)?.attribute(attribute)? {
        Attribute::Policy(on) => put(out.cast::<c_int>(), c_int::from(on)),
        Attribute::Bytes(bytes) => put(out.cast::<u64>(), bytes),
    }
}

fn set_attribute(pool: Handle, attribute: c_int, value: *const c_void) -> Result {
    driver()?;
    let pool = find(pool)?;
    let value = match attribute {
        _ if pool::is_policy(attribute) => Attribute::Policy(get(value.cast::<c_int>())? != 0),
        pool_attribute::RELEASE_THRESHOLD | pool_attribute::RESERVED_MEM_HIGH | pool_attribute::USED_MEM_HIGH => {
            Attribute::Bytes(get(value.cast::<u64>())?)
        }
        _ => return Err(Error::INVALID_VALUE),
    };
    pool.set_attribute(attribute, &value)
}

/// Whether a location is the one device.
fn is_device(location: Location) -> bool {
    location.kind == Location::DEVICE && location.id == 0
}

fn set_access(pool: Handle, list: *const AccessDesc, count: usize) -> Result {
    driver()?;
    find(pool)?;
    for access in get_all(list, count)? {
        // The device that owns the pool always has access to it.
        if !is_device(access.location) || access.flags != access_flags::READ_WRITE {
            return Err(Error::INVALID_VALUE);
        }
    }
    Ok(())
}

fn get_access(out: *mut c_int, pool: Handle, location: *const Location) -> Result {
    driver()?;
    find(pool)?;
    if !is_device(get(location)?) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, access_flags::READ_WRITE)
}

fn default_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, pool::default_pool().handle())
}

fn device_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, pool::device_pool().handle())
}

fn set_device_pool(dev: c_int, pool: Handle) -> Result {
    device::check(dev)?;
    pool::set_device_pool(find(pool)?);
    Ok(())
}

/// Refuses a location and a kind of memory without pools: there are pools of the device's memory only.
fn check_place(location: *const Location, kind: c_int) -> Result {
    driver()?;
    let location = get(location)?;
    if !(Location::DEVICE..=Location::HOST_NUMA_CURRENT).contains(&location.kind) {
        return Err(Error::INVALID_VALUE);
    }
    match kind {
        allocation_type::PINNED if location.kind == Location::DEVICE => device::check(location.id),
        allocation_type::PINNED | allocation_type::MANAGED => Err(Error::NOT_SUPPORTED),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn default_pool_of(out: *mut Handle, location: *const Location, kind: c_int) -> Result {
    need(out)?;
    check_place(location, kind)?;
    put(out, pool::default_pool().handle())
}

fn pool_of(out: *mut Handle, location: *const Location, kind: c_int) -> Result {
    need(out)?;
    check_place(location, kind)?;
    put(out, pool::device_pool().handle())
}

fn set_pool_of(location: *const Location, kind: c_int, pool: Handle) -> Result {
    check_place(location, kind)?;
    pool::set_device_pool(find(pool)?);
    Ok(())
}

entry_points! {
    cuMemGetDefaultMemPool(out: *mut Handle, location: *const Location, kind: c_int) = default_pool_of;
    cuMemGetMemPool(out: *mut Handle, location: *const Location, kind: c_int) = pool_of;
    cuMemSetMemPool(location: *const Location, kind: c_int, pool: Handle) = set_pool_of;
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
