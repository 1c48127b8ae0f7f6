//! Properties of the part: its compute capability, cores, clocks, bus and modes.
use crate::abi::{Error, Result, need, put};
use crate::api::entry::calls;
use crate::api::identity::device;
use gpu::architecture::{self, Architecture};
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use std::ffi::{c_int, c_uint};

/// Returns what all parts of the device's compute capability share.
fn architecture_of(device: &wire::Device) -> Result<&'static Architecture> {
    let (major, minor) = device.compute_capability;
    architecture::known(major, minor).ok_or(Error::NOT_SUPPORTED)
}

fn capability(given: nvmlDevice_t, major: *mut c_int, minor: *mut c_int) -> Result {
    let (x, y) = device(given)?.compute_capability;
    need(minor)?;
    put(major, x as c_int)?;
    put(minor, y as c_int)
}

fn architecture_number(given: nvmlDevice_t, out: *mut c_uint) -> Result {
    put(out, architecture_of(&device(given)?)?.nvml_number)
}

fn cores(given: nvmlDevice_t, out: *mut c_uint) -> Result {
    let device = device(given)?;
    put(out, architecture_of(&device)?.single_per_clock * device.multiprocessors)
}

fn bus_width(given: nvmlDevice_t, out: *mut c_uint) -> Result {
    put(out, device(given)?.bus_bits)
}

/// Returns the part's clocks in MHz: graphics (0), SM (1) and memory (2). The video clock (3) is unknown.
fn max_clock(given: nvmlDevice_t, kind: c_uint, out: *mut c_uint) -> Result {
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
fn present_clock(given: nvmlDevice_t, kind: c_uint, out: *mut c_uint) -> Result {
    match kind {
        0 | 1 => device(given).and(Err(Error::NOT_SUPPORTED)),
        _ => max_clock(given, kind, out),
    }
}

/// Returns the ECC mode: a part with ECC has it on, and it cannot be changed.
fn ecc(given: nvmlDevice_t, current: *mut c_uint, pending: *mut c_uint) -> Result {
    if !device(given)?.ecc {
        return Err(Error::NOT_SUPPORTED);
    }
    need(pending)?;
    put(current, 1)?;
    put(pending, 1)
}

/// Returns that MIG is off: parts that can be divided into instances are not divided.
fn mig(given: nvmlDevice_t, current: *mut c_uint, pending: *mut c_uint) -> Result {
    if !architecture_of(&device(given)?)?.mig {
        return Err(Error::NOT_SUPPORTED);
    }
    need(pending)?;
    put(current, 0)?;
    put(pending, 0)
}

/// Returns 0, for numbers that are always 0: compute mode (any number of contexts), persistence mode, display, no
/// instance, one GPU on the board, no virtual machine, no fans, no kinds of events, brand and bus unknown.
fn zero(given: nvmlDevice_t, out: *mut c_uint) -> Result {
    device(given)?;
    put(out, 0)
}

fn zero_wide(given: nvmlDevice_t, out: *mut u64) -> Result {
    device(given)?;
    put(out, 0)
}

calls! {
    nvmlDeviceGetCudaComputeCapability(device: nvmlDevice_t, major: *mut c_int, minor: *mut c_int) = capability;
    nvmlDeviceGetArchitecture(device: nvmlDevice_t, number: *mut c_uint) = architecture_number;
    nvmlDeviceGetNumGpuCores(device: nvmlDevice_t, out: *mut c_uint) = cores;
    nvmlDeviceGetMemoryBusWidth(device: nvmlDevice_t, bits: *mut c_uint) = bus_width;
    nvmlDeviceGetMaxClockInfo(device: nvmlDevice_t, kind: c_uint, mhz: *mut c_uint) = max_clock;
    nvmlDeviceGetClockInfo(device: nvmlDevice_t, kind: c_uint, mhz: *mut c_uint) = present_clock;
    nvmlDeviceGetEccMode(device: nvmlDevice_t, current: *mut c_uint, pending: *mut c_uint) = ecc;
    nvmlDeviceGetMigMode(device: nvmlDevice_t, current: *mut c_uint, pending: *mut c_uint) = mig;
    nvmlDeviceGetComputeMode(device: nvmlDevice_t, mode: *mut c_uint) = zero;
    nvmlDeviceGetPersistenceMode(device: nvmlDevice_t, mode: *mut c_uint) = zero;
    nvmlDeviceGetDisplayMode(device: nvmlDevice_t, mode: *mut c_uint) = zero;
    nvmlDeviceGetDisplayActive(device: nvmlDevice_t, is_active: *mut c_uint) = zero;
    nvmlDeviceIsMigDeviceHandle(device: nvmlDevice_t, is_mig: *mut c_uint) = zero;
    nvmlDeviceGetMaxMigDeviceCount(device: nvmlDevice_t, count: *mut c_uint) = zero;
    nvmlDeviceGetMultiGpuBoard(device: nvmlDevice_t, is_multi: *mut c_uint) = zero;
    nvmlDeviceGetVirtualizationMode(device: nvmlDevice_t, mode: *mut c_uint) = zero;
    nvmlDeviceGetNumFans(device: nvmlDevice_t, count: *mut c_uint) = zero;
    nvmlDeviceGetBrand(device: nvmlDevice_t, brand: *mut c_uint) = zero;
    nvmlDeviceGetBusType(device: nvmlDevice_t, bus: *mut c_uint) = zero;
    nvmlDeviceGetSupportedEventTypes(device: nvmlDevice_t, kinds: *mut u64) = zero_wide;
}
