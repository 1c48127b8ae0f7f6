//! Functions (`cuFunc*`): attributes, names, parameters.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put, put_optional};
use crate::abi::types::Handle;
use crate::api::context::{check_cache_config, check_shared_config};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::modules::function;
use crate::state::modules::module::{adopt, find_function};
use std::ffi::{c_char, c_int};

/// Writes the value of an attribute.
///
/// # Errors
/// For a handle that is not a function, or a number that is not an attribute.
pub fn read_attribute(out: *mut c_int, attribute: c_int, handle: Handle) -> Result {
    need(out)?;
    put(out, function::attribute(&*find_function(handle)?, attribute)?)
}

/// Sets an attribute.
///
/// # Errors
/// For a handle that is not a function, for an attribute that does not exist or cannot be set, or for a value that the
/// device does not support.
pub fn write_attribute(handle: Handle, attribute: c_int, value: c_int) -> Result {
    function::set_attribute(&*find_function(handle)?, attribute, value)
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
    find_function(function)?;
    check_cache_config(config)
}

fn set_shared_config(function: Handle, config: c_int) -> Result {
    current()?;
    find_function(function)?;
    check_shared_config(config)
}

/// The name lives as long as the module. A null handle is an invalid value here, unlike in other calls, where it is an
/// invalid handle.
fn name(out: *mut *const c_char, function: Handle) -> Result {
    driver()?;
    need(out)?;
    if function == 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, find_function(function)?.name.as_ptr())
}

fn module_of(out: *mut Handle, function: Handle) -> Result {
    current()?;
    need(out)?;
    put(out, adopt(&find_function(function)?.module))
}

fn param_info(function: Handle, index: usize, offset: *mut usize, size: *mut usize) -> Result {
    current()?;
    need(offset)?;
    let function = find_function(function)?;
    let param = function.kernel().params.get(index);
    let param = param.ok_or(Error::INVALID_VALUE)?;
    put(offset, param.offset as usize)?;
    put_optional(size, param.size as usize);
    Ok(())
}

fn is_loaded(out: *mut c_int, function: Handle) -> Result {
    driver()?;
    need(out)?;
    find_function(function)?;
    put(out, 1)
}

fn load(function: Handle) -> Result {
    current()?;
    find_function(function).map(drop)
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
