//! Modules (`cuModule*`): loading PTX, its functions and its variables.

use crate::abi::constants::loading_mode;
use crate::abi::error::{Error, Refused, Result};
use crate::abi::pointers::{need, put, put_optional, text};
use crate::abi::types::{DevicePtr, Handle};
use crate::api::image;
use crate::api::jit::{Options, tell};
use crate::state::contexts::current::{current, current_or_owner};
use crate::state::device::driver::driver;
use crate::state::device::settings::is_lazy;
use crate::state::graphs::capture::current_uncaptured;
use crate::state::modules::fat_binary::ImagePtx;
use crate::state::modules::module::{self, Module, find_module};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

fn finish(out: *mut Handle, ptx: std::result::Result<ImagePtx, Refused>, options: Option<&Options>) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    let ptx = ptx.map(|ptx| match options {
        Some(options) => options.bounded(ptx),
        None => ptx,
    });
    match ptx.and_then(|ptx| Module::load(&ptx, Some(&context))) {
        Ok(module) => {
            if let Some(options) = options {
                options.write("");
            }
            put(out, module::register(module))
        }
        Err(refused) => {
            if let Some(options) = options {
                options.write(&refused.log);
            }
            tell(&refused);
            Err(refused.error)
        }
    }
}

fn load(out: *mut Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    finish(out, image::from_file(&text(name)?), None)
}

/// Loads a module from an image in memory.
///
/// # Errors
/// If the image cannot be loaded, or there is no context.
pub fn load_data(out: *mut Handle, data: *const c_void) -> Result {
    current()?;
    need(out)?;
    finish(out, image::from_memory(data), None)
}

fn load_data_ex(
    out: *mut Handle,
    data: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *mut *mut c_void,
) -> Result {
    current()?;
    need(out)?;
    let options = Options::new(count, options, values)?;
    finish(out, image::from_memory(data), Some(&options))
}

fn unload(handle: Handle) -> Result {
    let owner = find_module(handle)?.context.clone();
    let owner = owner.and_then(|context| context.upgrade());
    let context = current_or_owner(owner.map(|context| context.handle))?;
    let module = module::forget(handle)?;
    let result = context.synchronize();
    module.close();
    result
}

fn get_function(out: *mut Handle, module: Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    let module = find_module(module)?;
    put(out, module.function(&text(name)?)?)
}

fn function_count(out: *mut c_uint, module: Handle) -> Result {
    current()?;
    put(out, find_module(module)?.machine.kernels().len() as c_uint)
}

fn enumerate(out: *mut Handle, count: c_uint, module: Handle) -> Result {
    current()?;
    list(out, count, &find_module(module)?)
}

/// Writes the handles of a module's kernels, at most `count`.
///
/// # Errors
/// If the pointer is null.
pub fn list(out: *mut Handle, count: c_uint, module: &Arc<Module>) -> Result {
    need(out)?;
    for (i, handle) in module.all().into_iter().take(count as usize).enumerate() {
        // SAFETY: the caller promises room for `count` handles.
        unsafe { out.add(i).write_unaligned(handle) };
    }
    Ok(())
}

fn get_global(out: *mut DevicePtr, bytes: *mut usize, module: Handle, name: *const c_char) -> Result {
    current()?;
    global(out, bytes, &*find_module(module)?, name)
}

/// Writes the address of a module's variable, and its size. One of the two pointers may be null.
///
/// # Errors
/// `CUDA_ERROR_NOT_FOUND`; `CUDA_ERROR_INVALID_VALUE` if both pointers are null.
pub fn global(out: *mut DevicePtr, bytes: *mut usize, module: &Module, name: *const c_char) -> Result {
    let found = module.machine.global(&text(name)?);
    let (address, size) = found.ok_or(Error::NOT_FOUND)?;
    if out.is_null() && bytes.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    put_optional(out, address);
    put_optional(bytes, size as usize);
    Ok(())
}

fn loading_mode(out: *mut c_int) -> Result {
    driver()?;
    put(out, if is_lazy() { loading_mode::LAZY_LOADING } else { loading_mode::EAGER_LOADING })
}

fn no_reference(out: *mut Handle, module: Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    find_module(module)?;
    text(name)?;
    // CUDA 12 removed texture and surface references, so modules have none.
    Err(Error::NOT_FOUND)
}

entry_points! {
    cuModuleLoad(out: *mut Handle, name: *const c_char) = load;
    cuModuleLoadData(out: *mut Handle, data: *const c_void) = load_data;
    cuModuleLoadDataEx(out: *mut Handle, data: *const c_void, count: c_uint, options: *const c_int,
        values: *mut *mut c_void) = load_data_ex;
    cuModuleLoadFatBinary(out: *mut Handle, data: *const c_void) = load_data;
    cuModuleUnload(module: Handle) = unload;
    cuModuleGetFunction(out: *mut Handle, module: Handle, name: *const c_char) = get_function;
    cuModuleGetFunctionCount(out: *mut c_uint, module: Handle) = function_count;
    cuModuleEnumerateFunctions(out: *mut Handle, count: c_uint, module: Handle) = enumerate;
    cuModuleGetGlobal(out: *mut DevicePtr, bytes: *mut usize, module: Handle, name: *const c_char) = get_global;
    cuModuleGetGlobal_v2(out: *mut DevicePtr, bytes: *mut usize, module: Handle, name: *const c_char) = get_global;
    cuModuleGetLoadingMode(out: *mut c_int) = loading_mode;
    cuModuleGetTexRef(out: *mut Handle, module: Handle, name: *const c_char) = no_reference;
    cuModuleGetSurfRef(out: *mut Handle, module: Handle, name: *const c_char) = no_reference;
}
