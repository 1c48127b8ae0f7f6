//! Attributes of pointers: `cuPointerGetAttribute` and its companions.

use crate::abi::constants::pointer_attribute::{
    ACCESS_FLAGS, ALLOWED_HANDLE_TYPES, BUFFER_ID, CONTEXT, DEVICE_ORDINAL, DEVICE_POINTER, HOST_POINTER,
    IS_GPU_DIRECT_RDMA_CAPABLE, IS_HW_DECOMPRESS_CAPABLE, IS_LEGACY_CUDA_IPC_CAPABLE, IS_MANAGED, MAPPED,
    MAPPING_BASE_ADDR, MAPPING_SIZE, MEMORY_BLOCK_ID, MEMORY_TYPE, MEMPOOL_HANDLE, P2P_TOKENS, RANGE_SIZE,
    RANGE_START_ADDR, SYNC_MEMOPS,
};
use crate::abi::constants::{access_flags, device_ordinal, memory_type};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{DevicePtr, Handle};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::memory::allocation::with_owned;
use crate::state::memory::pool::Pool;
use simt::memory::MemoryKind;
use std::ffi::{c_int, c_uint, c_void};

/// Writes the value for an unknown address: a query of several attributes returns zeros instead of an error.
fn write_unknown(out: *mut c_void, attribute: c_int) -> Result {
    match attribute {
        MEMORY_TYPE | SYNC_MEMOPS | IS_MANAGED | IS_LEGACY_CUDA_IPC_CAPABLE | MAPPED | IS_GPU_DIRECT_RDMA_CAPABLE => {
            put(out.cast::<c_int>(), 0)
        }
        DEVICE_ORDINAL => put(out.cast::<c_int>(), device_ordinal::INVALID),
        _ => put(out.cast::<u64>(), 0),
    }
}

fn write(out: *mut c_void, attribute: c_int, address: DevicePtr) -> Result {
    let driver = driver()?;
    let found = driver.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    let owned = with_owned(found.start, |owned| {
        let pool = owned.pool.as_ref().map(Pool::handle);
        (owned.context, owned.id, owned.sync_memops, pool)
    });
    let pool = with_owned(found.start, |owned| owned.pool.clone()).flatten();
    let handle_types = pool.map_or(0, |pool| pool.handle_types);
    let host = matches!(found.kind, MemoryKind::Pinned { .. } | MemoryKind::Registered);
    let int = |value: bool| put(out.cast::<c_int>(), c_int::from(value));
    let word = |value: u64| put(out.cast::<u64>(), value);
    match attribute {
        // Pool memory and mapped memory belong to the device, not to a context.
        CONTEXT if matches!(found.kind, MemoryKind::Pool | MemoryKind::Mapped) => put(out.cast::<Handle>(), 0),
        CONTEXT => match owned {
            Some((context, ..)) => put(out.cast::<Handle>(), context),
            None => put(out.cast::<Handle>(), current()?.handle),
        },
        MEMORY_TYPE if host => put(out.cast::<c_uint>(), memory_type::HOST as c_uint),
        MEMORY_TYPE => put(out.cast::<c_uint>(), memory_type::DEVICE as c_uint),
        // The pointer is one of the current context, and the other attributes need none.
        DEVICE_POINTER => current().and_then(|_| word(address)),
        HOST_POINTER if found.kind.is_host() => word(address),
        HOST_POINTER => Err(Error::INVALID_VALUE),
        // Tokens belong to a peer-to-peer interface that CUDA 9 removed.
        P2P_TOKENS => Err(Error::NOT_SUPPORTED),
        SYNC_MEMOPS => int(owned.is_some_and(|(_, _, sync_memops, _)| sync_memops)),
        BUFFER_ID => word(owned.map_or(u64::from(found.id), |(_, id, ..)| id)),
        IS_MANAGED => int(found.kind == MemoryKind::Managed),
        DEVICE_ORDINAL => put(out.cast::<c_int>(), 0),
        IS_LEGACY_CUDA_IPC_CAPABLE => int(cfg!(target_os = "linux") && found.kind == MemoryKind::Device),
        IS_GPU_DIRECT_RDMA_CAPABLE | IS_HW_DECOMPRESS_CAPABLE => int(false),
        RANGE_START_ADDR | MAPPING_BASE_ADDR => word(found.start),
        RANGE_SIZE | MAPPING_SIZE => put(out.cast::<usize>(), found.bytes as usize),
        MAPPED => int(true),
        ALLOWED_HANDLE_TYPES => word(handle_types as u64),
        ACCESS_FLAGS => put(out.cast::<c_uint>(), access_flags::READWRITE as c_uint),
        MEMPOOL_HANDLE => {
            let pool = owned.and_then(|(.., pool)| pool);
            put(out.cast::<Handle>(), pool.unwrap_or(0))
        }
        MEMORY_BLOCK_ID => word(u64::from(found.id)),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn attribute(out: *mut c_void, attribute: c_int, address: DevicePtr) -> Result {
    driver()?;
    need(out)?;
    write(out, attribute, address)
}

fn attributes(count: c_uint, kinds: *const c_int, out: *const *mut c_void, address: DevicePtr) -> Result {
    driver()?;
    let (kinds, out) = (get_all(kinds, count as usize)?, get_all(out, count as usize)?);
    if kinds.iter().any(|kind| !(CONTEXT..=IS_HW_DECOMPRESS_CAPABLE).contains(kind)) {
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
    let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    if attribute != SYNC_MEMOPS {
        return Err(Error::INVALID_VALUE);
    }
    with_owned(found.start, |owned| owned.sync_memops = value != 0);
    Ok(())
}

entry_points! {
    cuPointerGetAttribute(out: *mut c_void, attribute: c_int, address: DevicePtr) = attribute;
    cuPointerGetAttributes(count: c_uint, kinds: *const c_int, out: *const *mut c_void, address: DevicePtr)
        = attributes;
    cuPointerSetAttribute(value: *const c_void, attribute: c_int, address: DevicePtr) = set_attribute;
}
