//! Functions: attributes, names, parameters.

use crate::abi::{Handle, need, put, put_optional};
use crate::context::current;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::kernel::{self, Function};
use crate::module;
use simt::profile::occupancy;
use std::ffi::{c_char, c_int};

/// Threads that a block of this function may have: its own bound, and what the registers hold.
pub fn max_threads(function: &Function) -> Result<u32> {
    let profile = driver()?.profile;
    let kernel = function.kernel();
    let declared = kernel.required_threads.map(|size| size.iter().product());
    let bound = declared
        .or(kernel.max_threads)
        .unwrap_or(profile.max_threads_per_block);
    let mut threads = bound.min(profile.max_threads_per_block);
    while threads > profile.warp_size
        && occupancy(profile, threads, kernel.registers, 0).blocks == 0
    {
        threads = (threads - 1) / profile.warp_size * profile.warp_size;
    }
    Ok(threads)
}

/// An attribute's value, written.
///
/// # Errors
/// For a handle or attribute that is none.
pub fn read_attribute(out: *mut c_int, attribute: c_int, handle: Handle) -> Result {
    need(out)?;
    let function = kernel::find(handle)?;
    let kernel = function.kernel();
    let settings = *lock(&function.settings);
    let (major, minor) = driver()?.profile.compute_capability;
    let value = match attribute {
        0 => max_threads(&function)? as c_int,
        1 => kernel.static_shared as c_int,
        2 => kernel.const_bytes as c_int,
        3 => kernel.local_bytes as c_int,
        4 => kernel.registers as c_int,
        // The architecture of the PTX, and that of the code made of it.
        5 => kernel.target as c_int,
        6 => (major * 10 + minor) as c_int,
        7 | 16 => 0,
        8 => settings.max_dynamic_shared as c_int,
        9 => settings.carveout,
        10..=15 => settings.cluster[attribute as usize - 10],
        _ => return Err(Error::INVALID_VALUE),
    };
    put(out, value)
}

/// Sets an attribute.
///
/// # Errors
/// For a handle or attribute that is none or cannot be set, and a value that the device does not have.
pub fn write_attribute(handle: Handle, attribute: c_int, value: c_int) -> Result {
    let function = kernel::find(handle)?;
    let profile = driver()?.profile;
    let mut settings = lock(&function.settings);
    match attribute {
        8 => {
            let value = u32::try_from(value).map_err(|_| Error::INVALID_VALUE)?;
            if value.saturating_add(function.kernel().static_shared)
                > profile.shared_per_block_optin
            {
                return Err(Error::INVALID_VALUE);
            }
            settings.max_dynamic_shared = value;
        }
        9 if (-1..=100).contains(&value) => settings.carveout = value,
        // Clusters of one block are what every launch is.
        11..=13 if (0..=1).contains(&value) => settings.cluster[attribute as usize - 10] = value,
        14 if (0..=1).contains(&value) => settings.cluster[4] = value,
        15 if (0..=2).contains(&value) => settings.cluster[5] = value,
        11..=13 => return Err(Error::NOT_SUPPORTED),
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

fn get_attribute(out: *mut c_int, attribute: c_int, function: Handle) -> Result {
    current()?;
    read_attribute(out, attribute, function)
}

fn set_attribute(function: Handle, attribute: c_int, value: c_int) -> Result {
    current()?;
    write_attribute(function, attribute, value)
}

fn set_cache_config(function: Handle, config: c_int) -> Result {
    current()?;
    kernel::find(function)?;
    if (0..=3).contains(&config) {
        Ok(())
    } else {
        Err(Error::INVALID_VALUE)
    }
}

fn set_shared_config(function: Handle, config: c_int) -> Result {
    current()?;
    kernel::find(function)?;
    if (0..=2).contains(&config) {
        Ok(())
    } else {
        Err(Error::INVALID_VALUE)
    }
}

/// The name lives as long as the module does.
fn name(out: *mut *const c_char, function: Handle) -> Result {
    driver()?;
    need(out)?;
    put(out, kernel::find(function)?.name.as_ptr())
}

fn module_of(out: *mut Handle, function: Handle) -> Result {
    current()?;
    need(out)?;
    let function = kernel::find(function)?;
    put(out, module::adopt(&function.image))
}

fn param_info(function: Handle, index: usize, offset: *mut usize, size: *mut usize) -> Result {
    driver()?;
    need(offset)?;
    let function = kernel::find(function)?;
    let param = function
        .kernel()
        .params
        .get(index)
        .ok_or(Error::INVALID_VALUE)?;
    put(offset, param.offset as usize)?;
    put_optional(size, param.size as usize);
    Ok(())
}

fn is_loaded(out: *mut c_int, function: Handle) -> Result {
    driver()?;
    need(out)?;
    kernel::find(function)?;
    put(out, 1)
}

fn load(function: Handle) -> Result {
    current()?;
    kernel::find(function).map(drop)
}

entry_points! {
    cuFuncGetAttribute(out: *mut c_int, attribute: c_int, function: Handle) = get_attribute;
    cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) = set_attribute;
    cuFuncSetCacheConfig(function: Handle, config: c_int) = set_cache_config;
    cuFuncSetSharedMemConfig(function: Handle, config: c_int) = set_shared_config;
    cuFuncGetName(out: *mut *const c_char, function: Handle) = name;
    cuFuncGetModule(out: *mut Handle, function: Handle) = module_of;
    cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, size: *mut usize) = param_info;
    cuFuncIsLoaded(out: *mut c_int, function: Handle) = is_loaded;
    cuFuncLoad(function: Handle) = load;
    cuKernelGetName(out: *mut *const c_char, function: Handle) = name;
    cuKernelGetParamInfo(function: Handle, index: usize, offset: *mut usize, size: *mut usize) = param_info;
}
