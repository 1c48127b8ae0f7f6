//! What a pointer is: `cuPointerGetAttribute` and its companions.

use crate::abi::{DevicePtr, Handle, get, get_all, need, put};
use crate::context::current;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use simt::memory::Kind;
use std::ffi::{c_int, c_uint, c_void};

const CONTEXT: c_int = 1;
const MEMORY_TYPE: c_int = 2;
const DEVICE_POINTER: c_int = 3;
const HOST_POINTER: c_int = 4;
const SYNC_MEMOPS: c_int = 6;
const LAST: c_int = 21;

/// What is answered where an address is unknown: a list query gives zeros instead of an error.
fn write_unknown(out: *mut c_void, attribute: c_int) -> Result {
    match attribute {
        2 | 6 | 8 | 10 | 13 | 15 => put(out.cast::<c_int>(), 0),
        // No device.
        9 => put(out.cast::<c_int>(), -2),
        _ => put(out.cast::<u64>(), 0),
    }
}

fn write(out: *mut c_void, attribute: c_int, address: DevicePtr) -> Result {
    let driver = driver()?;
    let found = driver.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    let owned = lock(&driver.owned);
    let owned = owned.get(&found.start);
    let host = matches!(found.kind, Kind::Pinned { .. } | Kind::Registered);
    let int = |value: bool| put(out.cast::<c_int>(), c_int::from(value));
    let word = |value: u64| put(out.cast::<u64>(), value);
    match attribute {
        // Pool memory belongs to the device and to no context.
        CONTEXT if found.kind == Kind::Pool => put(out.cast::<Handle>(), 0),
        CONTEXT => match owned {
            Some(owned) => put(out.cast::<Handle>(), owned.context),
            None => put(out.cast::<Handle>(), current()?.handle),
        },
        MEMORY_TYPE => put(out.cast::<c_uint>(), if host { 1 } else { 2 }),
        DEVICE_POINTER => word(address),
        HOST_POINTER if found.kind.is_host() => word(address),
        HOST_POINTER => Err(Error::INVALID_VALUE),
        // Tokens of a peer-to-peer interface that went with CUDA 9.
        5 => Err(Error::NOT_SUPPORTED),
        SYNC_MEMOPS => int(owned.is_some_and(|owned| owned.sync_memops)),
        7 => word(owned.map_or(u64::from(found.id), |owned| owned.id)),
        8 => int(found.kind == Kind::Managed),
        9 => int(false),
        10 | 15 | 21 => int(false),
        11 | 19 => word(found.start),
        12 | 18 => put(out.cast::<usize>(), found.bytes as usize),
        13 => int(true),
        14 => word(0),
        16 => put(out.cast::<c_uint>(), 3),
        17 => put(
            out.cast::<Handle>(),
            owned
                .and_then(|owned| owned.pool.as_ref())
                .map_or(0, super::pool::Pool::handle),
        ),
        20 => word(u64::from(found.id)),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn attribute(out: *mut c_void, attribute: c_int, address: DevicePtr) -> Result {
    current()?;
    need(out)?;
    write(out, attribute, address)
}

fn attributes(
    count: c_uint,
    kinds: *const c_int,
    out: *const *mut c_void,
    address: DevicePtr,
) -> Result {
    current()?;
    let (kinds, out) = (
        get_all(kinds, count as usize)?,
        get_all(out, count as usize)?,
    );
    if kinds.iter().any(|kind| !(1..=LAST).contains(kind)) {
        return Err(Error::INVALID_VALUE);
    }
    for (kind, out) in kinds.into_iter().zip(out) {
        if write(out, kind, address).is_err() {
            write_unknown(out, kind)?;
        }
    }
    Ok(())
}

fn set_attribute(value: *const c_void, attribute: c_int, address: DevicePtr) -> Result {
    current()?;
    let value = get(value.cast::<c_int>())?;
    let driver = driver()?;
    let found = driver.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    if attribute != SYNC_MEMOPS {
        return Err(Error::INVALID_VALUE);
    }
    if let Some(owned) = lock(&driver.owned).get_mut(&found.start) {
        owned.sync_memops = value != 0;
    }
    Ok(())
}

entry_points! {
    cuPointerGetAttribute(out: *mut c_void, attribute: c_int, address: DevicePtr) = attribute;
    cuPointerGetAttributes(count: c_uint, kinds: *const c_int, out: *const *mut c_void, address: DevicePtr) = attributes;
    cuPointerSetAttribute(value: *const c_void, attribute: c_int, address: DevicePtr) = set_attribute;
}
