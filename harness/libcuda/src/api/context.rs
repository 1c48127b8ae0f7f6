//! Contexts (`cuCtx*`).

use crate::abi::constants::{cache_config, context_flags, shared_config};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put, put_optional};
use crate::abi::types::{ContextParams, Device, Handle};
use crate::abi::versions::CONTEXT_VERSION;
use crate::api::device;
use crate::state::contexts::attributes::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::state::contexts::context::find;
use crate::state::contexts::current::{self, current, current_any, given_or_current};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::graphs::capture::current_uncaptured;
use crate::state::lifetime;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering;

fn create(out: *mut Handle, flags: c_uint, dev: Device) -> Result {
    device::check(dev)?;
    need(out)?;
    let scheduling = flags & context_flags::SCHED_MASK;
    if flags & !context_flags::FLAGS_MASK != 0 || scheduling.count_ones() > 1 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, lifetime::create(flags))
}

fn create_v3(out: *mut Handle, affinity: *mut c_void, count: c_int, flags: c_uint, dev: Device) -> Result {
    if count != 0 || !affinity.is_null() {
        driver()?;
        return Err(Error::UNSUPPORTED_EXEC_AFFINITY);
    }
    create(out, flags, dev)
}

fn create_v4(out: *mut Handle, params: *const ContextParams, flags: c_uint, dev: Device) -> Result {
    if !params.is_null() {
        let params = get(params)?;
        if !params.cig_params.is_null() {
            driver()?;
            return Err(Error::NOT_SUPPORTED);
        }
        return create_v3(out, params.exec_affinity_params, params.num_exec_affinity_params, flags, dev);
    }
    create(out, flags, dev)
}

fn destroy(handle: Handle) -> Result {
    lifetime::destroy(handle)
}

/// Refuses what is not a context. The primary context has its handle before it exists: it can be made current, and
/// calls that need it fail until it is retained.
fn check_handle(handle: Handle) -> Result {
    if lifetime::is_primary(handle) { driver().map(drop) } else { find(handle).map(drop) }
}

fn push(handle: Handle) -> Result {
    check_handle(handle)?;
    current::push(handle);
    Ok(())
}

fn pop(out: *mut Handle) -> Result {
    driver()?;
    put_optional(out, current::pop().ok_or(Error::INVALID_CONTEXT)?);
    Ok(())
}

fn set_current(handle: Handle) -> Result {
    driver()?;
    if handle != 0 {
        check_handle(handle)?;
    }
    current::replace(handle);
    Ok(())
}

fn get_current(out: *mut Handle) -> Result {
    driver()?;
    put(out, current::top())
}

fn get_device(out: *mut Device) -> Result {
    current_any()?;
    put(out, 0)
}

/// Writes the device of a context, or of the current one for null.
fn get_device_of(out: *mut Device, context: Handle) -> Result {
    given_or_current(context)?;
    put(out, 0)
}

fn get_flags(out: *mut c_uint) -> Result {
    put(out, current_any()?.flags.load(Ordering::Relaxed) | context_flags::MAP_HOST)
}

fn set_flags(flags: c_uint) -> Result {
    if flags & !context_flags::FLAGS_MASK != 0 {
        return Err(Error::INVALID_VALUE);
    }
    current_any()?.flags.store(flags, Ordering::Relaxed);
    Ok(())
}

fn get_id(context: Handle, out: *mut u64) -> Result {
    put(out, given_or_current(context)?.handle as u64)
}

fn api_version(context: Handle, out: *mut c_uint) -> Result {
    given_or_current(context)?;
    put(out, CONTEXT_VERSION)
}

fn synchronize() -> Result {
    current_uncaptured()?.synchronize()
}

/// Waits for a context's work, or for that of the current context for null.
fn synchronize_one(context: Handle) -> Result {
    if context == 0 { synchronize() } else { given_or_current(context)?.synchronize() }
}

fn priority_range(least: *mut c_int, greatest: *mut c_int) -> Result {
    current()?;
    put_optional(least, LEAST_PRIORITY);
    put_optional(greatest, GREATEST_PRIORITY);
    Ok(())
}

/// Refuses numbers that are not a `CUfunc_cache`.
pub fn check_cache_config(config: c_int) -> Result {
    match config {
        cache_config::NONE..=cache_config::EQUAL => Ok(()),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Refuses numbers that are not a `CUsharedconfig`.
pub fn check_shared_config(config: c_int) -> Result {
    match config {
        shared_config::DEFAULT_BANK_SIZE..=shared_config::EIGHT_BYTE_BANK_SIZE => Ok(()),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn get_cache_config(out: *mut c_int) -> Result {
    put(out, current()?.cache_config.load(Ordering::Relaxed))
}

fn set_cache_config(config: c_int) -> Result {
    let context = current()?;
    check_cache_config(config)?;
    context.cache_config.store(config, Ordering::Relaxed);
    Ok(())
}

fn get_shared_config(out: *mut c_int) -> Result {
    put(out, current()?.shared_config.load(Ordering::Relaxed))
}

fn set_shared_config(config: c_int) -> Result {
    let context = current()?;
    check_shared_config(config)?;
    // Banks are four bytes wide on every part since Maxwell; the request is accepted and ignored.
    let width = shared_config::FOUR_BYTE_BANK_SIZE;
    context.shared_config.store(width, Ordering::Relaxed);
    Ok(())
}

fn get_limit(out: *mut usize, limit: c_int) -> Result {
    let context = current()?;
    let value = lock(&context.limits).get(limit)?;
    put(out, value)
}

fn set_limit(limit: c_int, value: usize) -> Result {
    let context = current()?;
    lock(&context.limits).set(limit, value, driver()?.profile)
}

fn reset_l2() -> Result {
    current().map(drop)
}

fn attach(out: *mut Handle, flags: c_uint) -> Result {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, current()?.handle)
}

fn detach(handle: Handle) -> Result {
    find(handle).map(drop)
}

fn enable_peer(peer: Handle, flags: c_uint) -> Result {
    let context = current()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    context.enable_peer(find(peer)?.handle)
}

fn disable_peer(peer: Handle) -> Result {
    let context = current()?;
    context.disable_peer(find(peer)?.handle)
}

entry_points! {
    cuCtxCreate(out: *mut Handle, flags: c_uint, dev: Device) = create;
    cuCtxCreate_v2(out: *mut Handle, flags: c_uint, dev: Device) = create;
    cuCtxCreate_v3(out: *mut Handle, affinity: *mut c_void, count: c_int, flags: c_uint, dev: Device) = create_v3;
    cuCtxCreate_v4(out: *mut Handle, params: *const ContextParams, flags: c_uint, dev: Device) = create_v4;
    cuCtxDestroy(context: Handle) = destroy;
    cuCtxDestroy_v2(context: Handle) = destroy;
    cuCtxPushCurrent(context: Handle) = push;
    cuCtxPushCurrent_v2(context: Handle) = push;
    cuCtxPopCurrent(out: *mut Handle) = pop;
    cuCtxPopCurrent_v2(out: *mut Handle) = pop;
    cuCtxSetCurrent(context: Handle) = set_current;
    cuCtxGetCurrent(out: *mut Handle) = get_current;
    cuCtxGetDevice(out: *mut Device) = get_device;
    cuCtxGetFlags(out: *mut c_uint) = get_flags;
    cuCtxSetFlags(flags: c_uint) = set_flags;
    cuCtxGetId(context: Handle, out: *mut u64) = get_id;
    cuCtxGetApiVersion(context: Handle, out: *mut c_uint) = api_version;
    cuCtxSynchronize() = synchronize;
    cuCtxSynchronize_v2(context: Handle) = synchronize_one;
    cuCtxGetDevice_v2(out: *mut Device, context: Handle) = get_device_of;
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) = priority_range;
    cuCtxGetCacheConfig(out: *mut c_int) = get_cache_config;
    cuCtxSetCacheConfig(config: c_int) = set_cache_config;
    cuCtxGetSharedMemConfig(out: *mut c_int) = get_shared_config;
    cuCtxSetSharedMemConfig(config: c_int) = set_shared_config;
    cuCtxGetLimit(out: *mut usize, limit: c_int) = get_limit;
    cuCtxSetLimit(limit: c_int, value: usize) = set_limit;
    cuCtxResetPersistingL2Cache() = reset_l2;
    cuCtxAttach(out: *mut Handle, flags: c_uint) = attach;
    cuCtxDetach(context: Handle) = detach;
    cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) = enable_peer;
    cuCtxDisablePeerAccess(peer: Handle) = disable_peer;
}
