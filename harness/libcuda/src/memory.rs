//! Allocation: device, pinned, registered and managed memory, and what each address is.

use crate::abi::{DevicePtr, Handle, need, put, put_optional};
use crate::context::{self, Context, current, current_uncaptured};
use crate::driver::{Driver, driver, lock};
use crate::error::{Error, Result};
use crate::leak::{self, Left, Origin};
use crate::managed::Advice;
use crate::pool::Pool;
use crate::{capture, report};
use simt::memory::{FreeError, Kind, MemoryError};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the driver knows of an allocation.
pub struct Owned {
    /// The context that it dies with.
    pub context: Handle,
    /// Unique, never used again (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub id: u64,
    /// Its flags, as given.
    pub flags: u32,
    /// The pool it came from.
    pub pool: Option<Arc<Pool>>,
    /// A stream-ordered free is under way.
    pub ending: bool,
    /// It belongs to a graph, which frees it.
    pub of_graph: bool,
    /// What was advised for it, if it is managed.
    pub advice: Option<Box<Advice>>,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`.
    pub sync_memops: bool,
    /// Where it comes from, if leaks are looked for.
    pub origin: Option<Arc<Origin>>,
    /// It was told of as a leak.
    pub told: bool,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
static GRAPH_BYTES: AtomicU64 = AtomicU64::new(0);

impl Owned {
    /// An allocation of a context.
    pub fn new(context: &Context, flags: u32) -> Self {
        Owned {
            context: context.handle,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            flags,
            pool: None,
            ending: false,
            of_graph: false,
            advice: None,
            sync_memops: false,
            origin: None,
            told: false,
        }
    }
}

/// Bytes that graphs own.
pub fn graph_bytes() -> u64 {
    GRAPH_BYTES.load(Ordering::Relaxed)
}

fn refused(error: MemoryError) -> Error {
    match error {
        MemoryError::OutOfMemory { .. } | MemoryError::Host { .. } => Error::OUT_OF_MEMORY,
        MemoryError::Invalid { .. } => Error::INVALID_VALUE,
        MemoryError::Overlaps { .. } => Error::HOST_MEMORY_ALREADY_REGISTERED,
    }
}

/// Allocates and takes note of it. Out of memory is believed only after the frees under way are done.
pub fn allocate(
    context: &Context,
    bytes: usize,
    kind: Kind,
    flags: u32,
    call: &str,
) -> Result<u64> {
    let driver = driver()?;
    let take = || driver.memory.alloc(bytes as u64, 1, kind, call);
    let address = take().or_else(|error| match error {
        MemoryError::OutOfMemory { asked, total, .. } if asked <= total => {
            context::synchronize_device();
            take()
        }
        other => Err(other),
    });
    let address = address.map_err(refused)?;
    let mut owned = Owned::new(context, flags);
    if matches!(kind, Kind::Device | Kind::Managed | Kind::Pool) {
        owned.origin = Origin::here();
    }
    lock(&driver.owned).insert(address, owned);
    Ok(address)
}

/// Marks an allocation as a graph's own.
pub fn give_to_graph(address: u64, bytes: u64) -> Result {
    if let Some(owned) = lock(&driver()?.owned).get_mut(&address) {
        owned.of_graph = true;
        GRAPH_BYTES.fetch_add(bytes, Ordering::Relaxed);
    }
    Ok(())
}

/// Frees what a call before has found good.
pub fn release(address: u64) {
    let Ok(driver) = driver() else { return };
    let Some(owned) = lock(&driver.owned).remove(&address) else {
        return;
    };
    if let Ok(freed) = driver.memory.free(address) {
        if let Some(pool) = &owned.pool {
            pool.gave_back(freed.bytes);
        }
        if owned.of_graph {
            GRAPH_BYTES.fetch_sub(freed.bytes, Ordering::Relaxed);
        }
    }
}

/// Frees all that a context left; returns the device memory among it.
pub fn release_all(context: Handle) -> Vec<Left> {
    let Ok(driver) = driver() else {
        return Vec::new();
    };
    let left = leak::left(Some(context));
    let mine: Vec<u64> = lock(&driver.owned)
        .iter()
        .filter(|(_, owned)| owned.context == context)
        .map(|(at, _)| *at)
        .collect();
    mine.into_iter().for_each(release);
    left
}

/// Why an address cannot be freed, as a finding and as the driver's code.
fn wrong_free(driver: &Driver, address: u64) -> Error {
    let why = match driver.memory.find(address) {
        Some(found) if found.start != address => FreeError::Inside {
            addr: address,
            start: found.start,
            offset: address - found.start,
        },
        // Alive, but not of the kind that this call frees.
        Some(_) => FreeError::Unknown { addr: address },
        None => match driver.memory.free(address) {
            Err(error) => error,
            Ok(_) => return Error::INVALID_VALUE,
        },
    };
    report::wrong_free(&why);
    Error::INVALID_VALUE
}

fn alloc(out: *mut DevicePtr, bytes: usize) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    put(
        out,
        allocate(&context, bytes, Kind::Device, 0, "cuMemAlloc")?,
    )
}

fn alloc_pitch(
    out: *mut DevicePtr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    need(pitch)?;
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(Error::INVALID_VALUE);
    }
    let row = width
        .checked_next_multiple_of(512)
        .ok_or(Error::INVALID_VALUE)?;
    let bytes = row.checked_mul(height).ok_or(Error::OUT_OF_MEMORY)?;
    put(
        out,
        allocate(&context, bytes, Kind::Device, 0, "cuMemAllocPitch")?,
    )?;
    put(pitch, row)
}

/// The context that an allocation belongs to.
fn owner(address: u64) -> Result<Option<Handle>> {
    let owned = lock(&driver()?.owned);
    Ok(owned.get(&address).map(|owned| owned.context))
}

fn free(address: DevicePtr) -> Result {
    let context = context::current_or_owner(owner(address)?)?;
    capture::forbid()?;
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let kind = driver
        .memory
        .find(address)
        .filter(|found| found.start == address)
        .map(|found| found.kind);
    let mine = lock(&driver.owned)
        .get(&address)
        .is_some_and(|owned| !owned.ending && !owned.of_graph);
    if !mine || !matches!(kind, Some(Kind::Device | Kind::Managed | Kind::Pool)) {
        return Err(wrong_free(driver, address));
    }
    // As the driver does: nothing that runs can still be using it.
    context::synchronize_device();
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

const HOST_ALLOC_FLAGS: u32 = 7;

fn host_alloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    if flags & !HOST_ALLOC_FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let kind = Kind::Pinned {
        mapped: flags & 2 != 0,
        write_combined: flags & 4 != 0,
    };
    put(
        out,
        allocate(&context, bytes, kind, flags, "cuMemHostAlloc")? as *mut c_void,
    )
}

fn alloc_host(out: *mut *mut c_void, bytes: usize) -> Result {
    host_alloc(out, bytes, 0)
}

/// Whether a host allocation of the given sort begins at this address.
fn host_block(driver: &Driver, address: u64, registered: bool) -> bool {
    driver.memory.find(address).is_some_and(|found| {
        found.start == address
            && match found.kind {
                Kind::Pinned { .. } => !registered,
                Kind::Registered => registered,
                _ => false,
            }
    })
}

fn free_host(pointer: *mut c_void) -> Result {
    let context = context::current_or_owner(owner(pointer as u64)?)?;
    capture::forbid()?;
    let (driver, address) = (driver()?, pointer as u64);
    if address == 0 {
        return Ok(());
    }
    if !host_block(driver, address, false) {
        return Err(wrong_free(driver, address));
    }
    context::synchronize_device();
    release(address);
    context.check()
}

fn host_register(pointer: *mut c_void, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    let (driver, address) = (driver()?, pointer as u64);
    if flags & !15 != 0 || bytes == 0 || address == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !simt::memory::is_host_range(address, bytes as u64) || driver.memory.owns(address) {
        return Err(Error::INVALID_VALUE);
    }
    driver
        .memory
        .register(address, bytes as u64, "cuMemHostRegister")
        .map_err(refused)?;
    lock(&driver.owned).insert(address, Owned::new(&context, flags));
    Ok(())
}

fn host_unregister(pointer: *mut c_void) -> Result {
    let context = context::current_or_owner(owner(pointer as u64)?)?;
    capture::forbid()?;
    let (driver, address) = (driver()?, pointer as u64);
    if address == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !host_block(driver, address, true) {
        return Err(Error::HOST_MEMORY_NOT_REGISTERED);
    }
    context::synchronize_device();
    release(address);
    context.check()
}

fn host_device_pointer(out: *mut DevicePtr, pointer: *mut c_void, flags: c_uint) -> Result {
    current()?;
    need(out)?;
    let address = pointer as u64;
    let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    if flags != 0 || !matches!(found.kind, Kind::Pinned { .. } | Kind::Registered) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, address)
}

fn host_flags(out: *mut c_uint, pointer: *mut c_void) -> Result {
    current()?;
    need(out)?;
    let driver = driver()?;
    let found = driver
        .memory
        .find(pointer as u64)
        .ok_or(Error::INVALID_VALUE)?;
    let Kind::Pinned { .. } = found.kind else {
        return Err(Error::INVALID_VALUE);
    };
    let flags = lock(&driver.owned)
        .get(&found.start)
        .map_or(0, |owned| owned.flags);
    // With unified addressing all of it is mapped.
    put(out, flags | 2)
}

fn alloc_managed(out: *mut DevicePtr, bytes: usize, flags: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    if !matches!(flags, 1 | 2) {
        return Err(Error::INVALID_VALUE);
    }
    let address = allocate(&context, bytes, Kind::Managed, flags, "cuMemAllocManaged")?;
    if let Some(owned) = lock(&driver()?.owned).get_mut(&address) {
        owned.advice = Some(Box::default());
    }
    put(out, address)
}

fn attach(stream: Handle, address: DevicePtr, length: usize, flags: c_uint) -> Result {
    let stream = crate::stream::find(stream)?;
    capture::forbid_on(&stream)?;
    let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    // Memory is attached whole: either no length is given or all of it.
    let whole = found.start == address && (length == 0 || length as u64 == found.bytes);
    if found.kind != Kind::Managed || !whole || !matches!(flags, 1 | 2 | 4) {
        return Err(Error::INVALID_VALUE);
    }
    if flags == 4 && stream.legacy {
        return Err(Error::INVALID_VALUE);
    }
    Ok(())
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
