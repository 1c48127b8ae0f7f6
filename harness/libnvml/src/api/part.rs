//! Properties of the part: its compute capability, cores, clocks, bus and modes.
use crate::abi::{DeviceHandle, Error, Result, need, put};
use crate::api::entry::calls;
use crate::api::identity::device;
use gpu::architecture::{self, Architecture};
use std::ffi::{c_int, c_uint};

/// Returns what all parts of the device's compute capability share.
fn architecture_of(device: &wire::Device) -> Result<&'static Architecture> {
    let (major, minor) = device.compute_capability;
    architecture::known(major, minor).ok_or(Error::NOT_SUPPORTED)
}

fn capability(given: DeviceHandle, major: *mut c_int, minor: *mut c_int) -> Result {
    let (x, y) = device(given)?.compute_capability;
    need(minor)?;
    put(major, x as c_int)?;
    put(minor, y as c_int)
}

fn architecture_number(given: DeviceHandle, out: *mut c_uint) -> Result {
    put(out, architecture_of(&device(given)?)?.nvml_number)
}

fn cores(given: DeviceHandle, out: *mut c_uint) -> Result {
    let device = device(given)?;
    put(out, architecture_of(&device)?.single_per_clock * device.multiprocessors)
}

fn bus_width(given: DeviceHandle, out: *mut c_uint) -> Result {
    put(out, device(given)?.bus_bits)
}

/// Returns the part's clocks in MHz: graphics (0), SM (1) and memory (2). The video clock (3) is unknown.
fn max_clock(given: DeviceHandle, kind: c_uint, out: *mut c_uint) -> Result {
    let device = device(given)?;
    match kind {
        0 | 1 => put(out, device.clock_khz / 1000),
        2 => put(out, device.memory_clock_khz / 1000),
        3 => Err(Error::NOT_SUPPORTED),
        _ => Err(Error::INVALID_ARGUMENT),
    }
}

/// Returns the memory clock in MHz, which does not depend on load. The current values of the other clocks exist only on
/// hardware.
fn present_clock(given: DeviceHandle, kind: c_uint, out: *mut c_uint) -> Result {
    match kind {
        0 | 1 => device(given).and(Err(Error::NOT_SUPPORTED)),
        _ => max_clock(given, kind, out),
    }
}

/// Returns the ECC mode: a part with ECC has it on, and it cannot be changed.
fn ecc(given: DeviceHandle, current: *mut c_uint, pending: *mut c_uint) -> Result {
    if !device(given)?.ecc {
        return Err(Error::NOT_SUPPORTED);
    }
    need(pending)?;
    put(current, 1)?;
    put(pending, 1)
}

/// Returns that MIG is off: parts that can be divided into instances are not divided.
fn mig(given: DeviceHandle, current: *mut c_uint, pending: *mut c_uint) -> Result {
    if !architecture_of(&device(given)?)?.mig {
        return Err(Error::NOT_SUPPORTED);
    }
    need(pending)?;
    put(current, 0)?;
    put(pending, 0)
}

/// Returns 0, for numbers that are always 0: compute mode (any number of contexts), persistence mode, display, no
/// instance, one GPU on the board, no virtual machine, no fans, no kinds of events, brand and bus unknown.
fn zero(given: DeviceHandle, out: *mut c_uint) -> Result {
    device(given)?;
    put(out, 0)
}

fn zero_wide(given: DeviceHandle, out: *mut u64) -> Result {
    device(given)?;
    put(out, 0)
}

calls! {
    nvmlDeviceGetCudaComputeCapability(device: DeviceHandle, major: *mut c_int, minor: *mut c_int) = capability;
    nvmlDeviceGetArchitecture(device: DeviceHandle, number: *mut c_uint) = architecture_number;
    nvmlDeviceGetNumGpuCores(device: DeviceHandle, out: *mut c_uint) = cores;
    nvmlDeviceGetMemoryBusWidth(device: DeviceHandle, bits: *mut c_uint) = bus_width;
    nvmlDeviceGetMaxClockInfo(device: DeviceHandle, kind: c_uint, mhz: *mut c_uint) = max_clock;
    nvmlDeviceGetClockInfo(device: DeviceHandle, kind: c_uint, mhz: *mut c_uint) = present_clock;
    nvmlDeviceGetEccMode(device: DeviceHandle, current: *mut c_uint, pending: *mut c_uint) = ecc;
    nvmlDeviceGetMigMode(device: DeviceHandle, current: *mut c_uint, pending: *mut c_uint) = mig;
    nvmlDeviceGetComputeMode(device: DeviceHandle, mode: *mut c_uint) = zero;
    nvmlDeviceGetPersistenceMode(device: DeviceHandle, mode: *mut c_uint) = zero;
    nvmlDeviceGetDisplayMode(device: DeviceHandle, mode: *mut c_uint) = zero;
    nvmlDeviceGetDisplayActive(device: DeviceHandle, is_active: *mut c_uint) = zero;
    nvmlDeviceIsMigDeviceHandle(device: DeviceHandle, is_mig: *mut c_uint) = zero;
    nvmlDeviceGetMaxMigDeviceCount(device: DeviceHandle, count: *mut c_uint) = zero;
    nvmlDeviceGetMultiGpuBoard(device: DeviceHandle, is_multi: *mut c_uint) = zero;
    nvmlDeviceGetVirtualizationMode(device: DeviceHandle, mode: *mut c_uint) = zero;
    nvmlDeviceGetNumFans(device: DeviceHandle, count: *mut c_uint) = zero;
    nvmlDeviceGetBrand(device: DeviceHandle, brand: *mut c_uint) = zero;
    nvmlDeviceGetBusType(device: DeviceHandle, bus: *mut c_uint) = zero;
    nvmlDeviceGetSupportedEventTypes(device: DeviceHandle, kinds: *mut u64) = zero_wide;
}
