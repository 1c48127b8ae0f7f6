//! Virtual memory management: addresses are reserved (`cuMemAddress*`), physical memory is taken (`cuMemCreate`),
//! mapped into them and made accessible. Memory lies on the device. Other processes get it by a file descriptor.

use crate::abi::constants::{access_flags, allocation_type, granularity, handle_type, location_type};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{AccessDesc, DevicePtr, Handle, Location, PhysicalProps};
use crate::state::contexts::context::synchronize_device;
use crate::state::device::driver::{driver, tell};
use crate::state::device::exported;
use crate::state::memory::allocation::refused;
use crate::state::memory::physical;
use simt::memory::{Access, GRANULARITY, PHYSICAL_LABEL};
use std::ffi::{c_int, c_void};

/// Reports an unsupported feature.
fn no(what: &str) -> Error {
    tell(|observer| observer.unsupported(what));
    Error::NOT_SUPPORTED
}

fn check_location(location: Location) -> Result {
    match location {
        Location { kind: location_type::DEVICE, id: 0 } => Ok(()),
        Location { kind: location_type::HOST..=location_type::HOST_NUMA_CURRENT, .. } => {
            Err(no("physical memory (cuMemCreate) that lies on the host: the emulated device has device memory only"))
        }
        Location { kind: location_type::DEVICE, .. } => Err(Error::INVALID_DEVICE),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn check(props: &PhysicalProps) -> Result {
    if props.kind != allocation_type::PINNED || props.alloc_flags.reserved != [0; 4] {
        return Err(Error::INVALID_VALUE);
    }
    if props.requested_handle_types & !handle_type::POSIX_FILE_DESCRIPTOR != 0 {
        return Err(no("physical memory (cuMemCreate) with a handle for Windows or for a fabric"));
    }
    check_location(props.location)
}

fn granularity_of(out: *mut usize, props: *const PhysicalProps, option: c_int) -> Result {
    driver()?;
    need(out)?;
    check(&get(props)?)?;
    match option {
        granularity::MINIMUM | granularity::RECOMMENDED => put(out, GRANULARITY as usize),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn reserve(out: *mut DevicePtr, size: usize, align: usize, wanted: DevicePtr, flags: u64) -> Result {
    let memory = &driver()?.memory;
    need(out)?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, memory.reserve(size as u64, align.max(1) as u64, wanted).map_err(refused)?)
}

fn end_reservation(address: DevicePtr, size: usize) -> Result {
    let ended = driver()?.memory.end_reservation(address, size as u64);
    if ended { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn create(out: *mut u64, size: usize, props: *const PhysicalProps, flags: u64) -> Result {
    let driver = driver()?;
    need(out)?;
    let props = get(props)?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    check(&props)?;
    put(out, physical::create(driver, size as u64, props)? as u64)
}

fn release(handle: u64) -> Result {
    driver()?;
    physical::release(handle as Handle)
}

fn map(address: DevicePtr, size: usize, offset: usize, handle: u64, flags: u64) -> Result {
    let memory = &driver()?.memory;
    let (physical, _) = physical::find(handle as Handle)?;
    // cuda.h requires that the offset is zero.
    if flags != 0 || offset != 0 {
        return Err(Error::INVALID_VALUE);
    }
    memory.map(address, size as u64, &physical, "cuMemMap").map_err(refused)
}

fn unmap(address: DevicePtr, size: usize) -> Result {
    let memory = &driver()?.memory;
    // Running work may still use the memory.
    synchronize_device();
    if memory.unmap(address, size as u64) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn set_access(address: DevicePtr, size: usize, list: *const AccessDesc, count: usize) -> Result {
    let memory = &driver()?.memory;
    for AccessDesc { location, flags } in get_all(list, count)? {
        check_location(location)?;
        let access = match flags {
            access_flags::NONE => Access::None,
            access_flags::READ => Access::Read,
            access_flags::READWRITE => Access::ReadWrite,
            _ => return Err(Error::INVALID_VALUE),
        };
        if !memory.set_access(address, size as u64, access) {
            return Err(Error::INVALID_VALUE);
        }
    }
    if count == 0 { Err(Error::INVALID_VALUE) } else { Ok(()) }
}

fn get_access(out: *mut u64, location: *const Location, address: DevicePtr) -> Result {
    let memory = &driver()?.memory;
    need(out)?;
    check_location(get(location)?)?;
    let (_, access) = memory.mapped(address).ok_or(Error::INVALID_VALUE)?;
    let flags = match access {
        Access::None => access_flags::NONE,
        Access::Read => access_flags::READ,
        Access::ReadWrite => access_flags::READWRITE,
    };
    put(out, flags as u64)
}

fn properties(out: *mut PhysicalProps, handle: u64) -> Result {
    driver()?;
    need(out)?;
    put(out, physical::find(handle as Handle)?.1)
}

fn retain(out: *mut u64, address: *mut c_void) -> Result {
    let memory = &driver()?.memory;
    need(out)?;
    let (physical, _) = memory.mapped(address as u64).ok_or(Error::INVALID_VALUE)?;
    put(out, physical::retain(&physical) as u64)
}

fn export(out: *mut c_void, handle: u64, kind: c_int, flags: u64) -> Result {
    driver()?;
    need(out)?;
    let (physical, props) = physical::find(handle as Handle)?;
    let asked = props.requested_handle_types & handle_type::POSIX_FILE_DESCRIPTOR != 0;
    if kind != handle_type::POSIX_FILE_DESCRIPTOR || flags != 0 || !asked {
        return Err(Error::INVALID_VALUE);
    }
    put(out.cast::<c_int>(), exported::descriptor(physical.file())?)
}

fn import(out: *mut u64, shared: *mut c_void, kind: c_int) -> Result {
    let driver = driver()?;
    need(out)?;
    if kind != handle_type::POSIX_FILE_DESCRIPTOR {
        return Err(Error::INVALID_VALUE);
    }
    let file = exported::opened(shared.addr() as c_int, PHYSICAL_LABEL)?;
    let physical = driver.memory.import_physical(file).map_err(refused)?;
    put(out, physical::hold(physical, physical::props_of_device()) as u64)
}

fn export_range(_out: *mut c_void, _address: DevicePtr, _size: usize, _kind: c_int, _flags: u64) -> Result {
    driver()?;
    Err(no("device memory for other drivers (cuMemGetHandleForAddressRange): the emulated device has no DMA buffers"))
}

entry_points! {
    cuMemGetAllocationGranularity(out: *mut usize, props: *const PhysicalProps, option: c_int) = granularity_of;
    cuMemAddressReserve(out: *mut DevicePtr, size: usize, align: usize, wanted: DevicePtr, flags: u64) = reserve;
    cuMemAddressFree(address: DevicePtr, size: usize) = end_reservation;
    cuMemCreate(out: *mut u64, size: usize, props: *const PhysicalProps, flags: u64) = create;
    cuMemRelease(handle: u64) = release;
    cuMemMap(address: DevicePtr, size: usize, offset: usize, handle: u64, flags: u64) = map;
    cuMemUnmap(address: DevicePtr, size: usize) = unmap;
    cuMemSetAccess(address: DevicePtr, size: usize, list: *const AccessDesc, count: usize) = set_access;
    cuMemGetAccess(out: *mut u64, location: *const Location, address: DevicePtr) = get_access;
    cuMemGetAllocationPropertiesFromHandle(out: *mut PhysicalProps, handle: u64) = properties;
    cuMemRetainAllocationHandle(out: *mut u64, address: *mut c_void) = retain;
    cuMemExportToShareableHandle(out: *mut c_void, handle: u64, kind: c_int, flags: u64) = export;
    cuMemImportFromShareableHandle(out: *mut u64, shared: *mut c_void, kind: c_int) = import;
    cuMemGetHandleForAddressRange(out: *mut c_void, address: DevicePtr, size: usize, kind: c_int, flags: u64)
        = export_range;
}
