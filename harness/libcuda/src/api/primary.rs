//! The primary context (`cuDevicePrimaryCtx*`).

use crate::abi::constants::context_flags;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put};
use crate::abi::types::{Device, Handle};
use crate::api::device;
use crate::state::lifetime;
use std::ffi::{c_int, c_uint};

fn retain(out: *mut Handle, dev: Device) -> Result {
    device::check(dev)?;
    need(out)?;
    put(out, lifetime::retain_primary())
}

fn release(dev: Device) -> Result {
    device::check(dev)?;
    lifetime::release_primary()
}

fn reset(dev: Device) -> Result {
    device::check(dev)?;
    lifetime::reset_primary()
}

fn state(dev: Device, flags: *mut c_uint, active: *mut c_int) -> Result {
    device::check(dev)?;
    need(flags)?;
    need(active)?;
    let (of_primary, is_active) = lifetime::primary_state();
    put(flags, of_primary)?;
    put(active, c_int::from(is_active))
}

fn set_flags(dev: Device, flags: c_uint) -> Result {
    device::check(dev)?;
    if flags & !context_flags::FLAGS_MASK != 0 {
        return Err(Error::INVALID_VALUE);
    }
    lifetime::set_primary_flags(flags);
    Ok(())
}

entry_points! {
    cuDevicePrimaryCtxRetain(out: *mut Handle, dev: Device) = retain;
    cuDevicePrimaryCtxRelease(dev: Device) = release;
    cuDevicePrimaryCtxRelease_v2(dev: Device) = release;
    cuDevicePrimaryCtxReset(dev: Device) = reset;
    cuDevicePrimaryCtxReset_v2(dev: Device) = reset;
    cuDevicePrimaryCtxGetState(dev: Device, flags: *mut c_uint, active: *mut c_int) = state;
    cuDevicePrimaryCtxSetFlags(dev: Device, flags: c_uint) = set_flags;
    cuDevicePrimaryCtxSetFlags_v2(dev: Device, flags: c_uint) = set_flags;
}
