//! Devices: selection, attributes, limits, versions, peers.
use crate::abi::{
    edition,
    error::{Error, Result},
    pointers::{need, put},
    types::Handle,
};
use crate::api::entry::{calls, forwards};
use crate::driver::{self, calls as driver_calls};
use crate::state::{context, image};
use cuda_abi::runtime::constants::device_flags::{LMEM_RESIZE_TO_MAX, MAP_HOST, SCHEDULE_MASK, SYNC_MEMOPS};
use std::ffi::{c_char, c_int, c_uint, c_void};

fn count(out: *mut c_int) -> Result {
    need(out)?;
    let count = context::count();
    // Programs read the number even if the call returns that there is no device.
    put(out, *count.as_ref().unwrap_or(&0))?;
    count.map(drop)
}

fn set(device: c_int) -> Result {
    context::choose(device)
}

fn get(out: *mut c_int) -> Result {
    need(out)?;
    put(out, context::device()?)
}

fn reset() -> Result {
    context::ensure()?;
    image::unload_all();
    context::reset()
}

fn init(device: c_int, flags: c_uint, _wanted: c_uint) -> Result {
    context::check(device)?;
    if flags != 0 {
        driver_calls::cuDevicePrimaryCtxSetFlags_v2(device, flags)?;
    }
    context::primary(device).map(drop)
}

fn set_flags(flags: c_uint) -> Result {
    let device = context::device()?;
    // At most one mode of waiting.
    let all = SCHEDULE_MASK | MAP_HOST | LMEM_RESIZE_TO_MAX | SYNC_MEMOPS;
    if (flags & SCHEDULE_MASK).count_ones() > 1 || flags & !all != 0 {
        return Err(Error::INVALID_VALUE);
    }
    // Every device maps the host's memory.
    driver_calls::cuDevicePrimaryCtxSetFlags_v2(device, flags & !MAP_HOST)
}

fn get_flags(out: *mut c_uint) -> Result {
    need(out)?;
    let device = context::device()?;
    let (mut flags, mut active) = (0, 0);
    driver_calls::cuDevicePrimaryCtxGetState(device, &raw mut flags, &raw mut active)?;
    put(out, flags | MAP_HOST)
}

fn attribute(out: *mut c_int, attribute: c_int, device: c_int) -> Result {
    need(out)?;
    context::check(device)?;
    driver_calls::cuDeviceGetAttribute(out, attribute, device)
}

fn driver_version(out: *mut c_int) -> Result {
    need(out)?;
    // Without a driver the version is zero, which is not an error.
    let mut version = 0;
    match driver_calls::cuDriverGetVersion(&raw mut version) {
        Ok(()) | Err(Error::INSUFFICIENT_DRIVER) => put(out, version),
        Err(error) => Err(error),
    }
}

fn runtime_version(out: *mut c_int) -> Result {
    put(out, edition::version())
}

fn enable_peer(device: c_int, flags: c_uint) -> Result {
    context::ensure()?;
    context::check(device)?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let (mut own, mut can) = (0, 0);
    driver_calls::cuCtxGetDevice(&raw mut own)?;
    driver_calls::cuDeviceCanAccessPeer(&raw mut can, own, device)?;
    if can == 0 {
        return Err(Error::PEER_ACCESS_UNSUPPORTED);
    }
    driver_calls::cuCtxEnablePeerAccess(context::primary(device)?, flags)
}

fn disable_peer(device: c_int) -> Result {
    context::ensure()?;
    context::check(device)?;
    driver_calls::cuCtxDisablePeerAccess(context::primary(device)?)
}

fn set_valid(devices: *mut c_int, count: c_int) -> Result {
    driver::ready()?;
    if count > context::count()? {
        return Err(Error::INVALID_VALUE);
    }
    let count = usize::try_from(count).map_err(|_| Error::INVALID_VALUE)?;
    // SAFETY: the caller promises `count` devices.
    (0..count).try_for_each(|at| context::check(crate::abi::pointers::get(unsafe { devices.add(at) })?))
}

/// `cudaDeviceGetSharedMemConfig`: banks have been four bytes wide since Maxwell.
fn shared_config(out: *mut c_int) -> Result {
    put(out, 1)
}

fn nothing(_config: c_int) -> Result {
    context::ensure()
}

/// Checks the device of a request for a pool; here an invalid device is an invalid value.
fn check_of_pool(device: c_int) -> Result {
    driver::ready()?;
    context::check(device).map_err(|_| Error::INVALID_VALUE)
}

fn set_pool(device: c_int, pool: Handle) -> Result {
    check_of_pool(device)?;
    driver_calls::cuDeviceSetMemPool(device, pool)
}

fn get_pool(out: *mut Handle, device: c_int) -> Result {
    check_of_pool(device)?;
    driver_calls::cuDeviceGetMemPool(out, device)
}

calls! {
    cudaGetDeviceCount(out: *mut c_int) = count;
    cudaSetDevice(device: c_int) = set;
    cudaGetDevice(out: *mut c_int) = get;
    cudaInitDevice(device: c_int, flags: c_uint, wanted: c_uint) = init;
    cudaSetDeviceFlags(flags: c_uint) = set_flags;
    cudaGetDeviceFlags(out: *mut c_uint) = get_flags;
    cudaSetValidDevices(devices: *mut c_int, count: c_int) = set_valid;
    cudaDeviceReset() = reset;
    cudaThreadExit() = reset;
    cudaDeviceGetAttribute(out: *mut c_int, which: c_int, device: c_int) = attribute;
    cudaDriverGetVersion(out: *mut c_int) = driver_version;
    cudaRuntimeGetVersion(out: *mut c_int) = runtime_version;
    cudaDeviceEnablePeerAccess(device: c_int, flags: c_uint) = enable_peer;
    cudaDeviceDisablePeerAccess(device: c_int) = disable_peer;
    cudaDeviceGetSharedMemConfig(out: *mut c_int) = shared_config;
    cudaDeviceSetSharedMemConfig(config: c_int) = nothing;
    cudaDeviceSetMemPool(device: c_int, pool: Handle) = set_pool;
    cudaDeviceGetMemPool(out: *mut Handle, device: c_int) = get_pool;
}

forwards! {
    cudaDeviceSynchronize() => cuCtxSynchronize;
    cudaThreadSynchronize() => cuCtxSynchronize;
    cudaDeviceSetLimit(limit: c_int, value: usize) => cuCtxSetLimit;
    cudaDeviceGetLimit(out: *mut usize, limit: c_int) => cuCtxGetLimit;
    cudaDeviceGetCacheConfig(out: *mut c_int) => cuCtxGetCacheConfig;
    cudaDeviceSetCacheConfig(config: c_int) => cuCtxSetCacheConfig;
    cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) => cuCtxGetStreamPriorityRange;
    cudaDeviceGetByPCIBusId(out: *mut c_int, id: *const c_char) => cuDeviceGetByPCIBusId;
    cudaDeviceGetPCIBusId(out: *mut c_char, room: c_int, device: c_int) => cuDeviceGetPCIBusId;
    cudaDeviceCanAccessPeer(out: *mut c_int, device: c_int, peer: c_int) => cuDeviceCanAccessPeer;
    cudaDeviceGetP2PAttribute(out: *mut c_int, which: c_int, src: c_int, dst: c_int) => cuDeviceGetP2PAttribute;
    cudaDeviceFlushGPUDirectRDMAWrites(target: c_int, scope: c_int) => cuFlushGPUDirectRDMAWrites;
    cudaDeviceGetDefaultMemPool(out: *mut Handle, device: c_int) => cuDeviceGetDefaultMemPool;
    cudaDeviceGraphMemTrim(device: c_int) => cuDeviceGraphMemTrim;
    cudaDeviceGetGraphMemAttribute(device: c_int, which: c_int, out: *mut c_void) => cuDeviceGetGraphMemAttribute;
    cudaDeviceSetGraphMemAttribute(device: c_int, which: c_int, value: *mut c_void) => cuDeviceSetGraphMemAttribute;
    cudaCtxResetPersistingL2Cache() => cuCtxResetPersistingL2Cache;
    cudaProfilerStart() => cuProfilerStart;
    cudaProfilerStop() => cuProfilerStop;
}
