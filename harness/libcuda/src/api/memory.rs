//! Allocation (`cuMem*`): device, pinned, registered and managed memory, and queries about addresses.

use crate::abi::constants::{attach_flags, host_alloc_flags, host_register_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put, put_optional};
use crate::abi::types::{DevicePtr, Handle};
use crate::state::contexts::context::synchronize_device;
use crate::state::contexts::current::{current, current_or_owner};
use crate::state::contexts::streams;
use crate::state::device::driver::driver;
use crate::state::graphs::capture::{self, current_uncaptured};
use crate::state::memory::allocation::{
    allocate, is_freeable, is_host_allocation, owner, register, release, with_owned, wrong_free,
};
use crate::state::memory::managed::allocate_managed;
use simt::memory::MemoryKind;
use std::ffi::{c_uint, c_void};

/// The rows of `cuMemAllocPitch` begin at multiples of this number of bytes.
const PITCH: usize = 512;
/// The maximum length of a row (`CU_DEVICE_ATTRIBUTE_MAX_PITCH`).
const LONGEST_ROW: usize = i32::MAX as usize;

fn alloc(out: *mut DevicePtr, bytes: usize) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    put(out, allocate(&context, bytes, MemoryKind::Device, 0, "cuMemAlloc")?)
}

fn alloc_pitch(out: *mut DevicePtr, pitch: *mut usize, width: usize, height: usize, element: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    need(pitch)?;
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(Error::INVALID_VALUE);
    }
    let row = width.checked_next_multiple_of(PITCH).filter(|row| *row <= LONGEST_ROW).ok_or(Error::INVALID_VALUE)?;
    let bytes = row.checked_mul(height).ok_or(Error::OUT_OF_MEMORY)?;
    put(out, allocate(&context, bytes, MemoryKind::Device, 0, "cuMemAllocPitch")?)?;
    put(pitch, row)
}

fn free(address: DevicePtr) -> Result {
    let driver = driver()?;
    let context = current_or_owner(owner(address))?;
    capture::forbid()?;
    if address == 0 {
        return Ok(());
    }
    if !is_freeable(driver, address) {
        return Err(wrong_free(driver, address));
    }
    // The real driver waits too: no running work can still be using the memory.
    synchronize_device();
    release(address);
    context.check()
}

fn info(free: *mut usize, total: *mut usize) -> Result {
    current()?;
    let memory = &driver()?.memory;
    put_optional(free, memory.total().saturating_sub(memory.used()) as usize);
    put_optional(total, memory.total() as usize);
    Ok(())
}

fn address_range(base: *mut DevicePtr, size: *mut usize, address: DevicePtr) -> Result {
    current()?;
    let found = driver()?.memory.find(address).ok_or(Error::NOT_FOUND)?;
    put_optional(base, found.start);
    put_optional(size, found.bytes as usize);
    Ok(())
}

const HOST_ALLOC_FLAGS: u32 =
    host_alloc_flags::PORTABLE | host_alloc_flags::DEVICEMAP | host_alloc_flags::WRITECOMBINED;

fn host_alloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    if flags & !HOST_ALLOC_FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let kind = MemoryKind::Pinned {
        mapped: flags & host_alloc_flags::DEVICEMAP != 0,
        write_combined: flags & host_alloc_flags::WRITECOMBINED != 0,
    };
    put(out, allocate(&context, bytes, kind, flags, "cuMemHostAlloc")? as *mut c_void)
}

fn alloc_host(out: *mut *mut c_void, bytes: usize) -> Result {
    host_alloc(out, bytes, 0)
}

fn free_host(pointer: *mut c_void) -> Result {
    let address = pointer as u64;
    let driver = driver()?;
    let context = current_or_owner(owner(address))?;
    capture::forbid()?;
    if address == 0 {
        return Ok(());
    }
    if !is_host_allocation(driver, address, false) {
        return Err(wrong_free(driver, address));
    }
    synchronize_device();
    release(address);
    context.check()
}

const HOST_REGISTER_FLAGS: u32 = host_register_flags::PORTABLE
    | host_register_flags::DEVICEMAP
    | host_register_flags::IOMEMORY
    | host_register_flags::READ_ONLY;

fn host_register(pointer: *mut c_void, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    let address = pointer as u64;
    if flags & !HOST_REGISTER_FLAGS != 0 || bytes == 0 || address == 0 {
        return Err(Error::INVALID_VALUE);
    }
    register(&context, address, bytes as u64, flags)
}

fn host_unregister(pointer: *mut c_void) -> Result {
    let address = pointer as u64;
    let driver = driver()?;
    let context = current_or_owner(owner(address))?;
    capture::forbid()?;
    if address == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !is_host_allocation(driver, address, true) {
        return Err(Error::HOST_MEMORY_NOT_REGISTERED);
    }
    synchronize_device();
    release(address);
    context.check()
}

fn host_device_pointer(out: *mut DevicePtr, pointer: *mut c_void, flags: c_uint) -> Result {
    current()?;
    need(out)?;
    let address = pointer as u64;
    let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    if flags != 0 || !matches!(found.kind, MemoryKind::Pinned { .. } | MemoryKind::Registered) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, address)
}

fn host_flags(out: *mut c_uint, pointer: *mut c_void) -> Result {
    current()?;
    need(out)?;
    let driver = driver()?;
    let found = driver.memory.find(pointer as u64).ok_or(Error::INVALID_VALUE)?;
    let hidden = match found.kind {
        // All allocations are portable, whether or not that was requested.
        MemoryKind::Pinned { .. } => host_alloc_flags::PORTABLE,
        MemoryKind::Registered => 0,
        _ => return Err(Error::INVALID_VALUE),
    };
    let flags = with_owned(found.start, |owned| owned.flags).unwrap_or(0) & !hidden;
    // With unified addressing all of it is mapped.
    put(out, flags | host_alloc_flags::DEVICEMAP)
}

fn alloc_managed(out: *mut DevicePtr, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    if !matches!(flags, attach_flags::GLOBAL | attach_flags::HOST) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, allocate_managed(&context, bytes, flags)?)
}

fn attach(stream: Handle, address: DevicePtr, length: usize, flags: c_uint) -> Result {
    let stream = streams::find(stream)?;
    capture::forbid_on(&stream)?;
    let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    // An allocation can only be attached as a whole: the length is either 0 or all of it.
    let whole = found.start == address && (length == 0 || length as u64 == found.bytes);
    if found.kind != MemoryKind::Managed || !whole {
        return Err(Error::INVALID_VALUE);
    }
    match flags {
        attach_flags::GLOBAL | attach_flags::HOST => Ok(()),
        attach_flags::SINGLE if !stream.legacy => Ok(()),
        _ => Err(Error::INVALID_VALUE),
    }
}

entry_points! {
    cuMemAlloc(out: *mut DevicePtr, bytes: usize) = alloc;
    cuMemAlloc_v2(out: *mut DevicePtr, bytes: usize) = alloc;
    cuMemAllocPitch(out: *mut DevicePtr, pitch: *mut usize, width: usize, height: usize, element: c_uint) = alloc_pitch;
    cuMemAllocPitch_v2(out: *mut DevicePtr, pitch: *mut usize, width: usize, height: usize, element: c_uint)
        = alloc_pitch;
    cuMemFree(address: DevicePtr) = free;
    cuMemFree_v2(address: DevicePtr) = free;
    cuMemGetInfo(free: *mut usize, total: *mut usize) = info;
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize) = info;
    cuMemGetAddressRange(base: *mut DevicePtr, size: *mut usize, address: DevicePtr) = address_range;
    cuMemGetAddressRange_v2(base: *mut DevicePtr, size: *mut usize, address: DevicePtr) = address_range;
    cuMemAllocHost(out: *mut *mut c_void, bytes: usize) = alloc_host;
    cuMemAllocHost_v2(out: *mut *mut c_void, bytes: usize) = alloc_host;
    cuMemHostAlloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) = host_alloc;
    cuMemFreeHost(pointer: *mut c_void) = free_host;
    cuMemHostRegister(pointer: *mut c_void, bytes: usize, flags: c_uint) = host_register;
    cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint) = host_register;
    cuMemHostUnregister(pointer: *mut c_void) = host_unregister;
    cuMemHostGetDevicePointer(out: *mut DevicePtr, pointer: *mut c_void, flags: c_uint) = host_device_pointer;
    cuMemHostGetDevicePointer_v2(out: *mut DevicePtr, pointer: *mut c_void, flags: c_uint) = host_device_pointer;
    cuMemHostGetFlags(out: *mut c_uint, pointer: *mut c_void) = host_flags;
    cuMemAllocManaged(out: *mut DevicePtr, bytes: usize, flags: c_uint) = alloc_managed;
    cuStreamAttachMemAsync(stream: Handle, address: DevicePtr, length: usize, flags: c_uint) = attach;
}
