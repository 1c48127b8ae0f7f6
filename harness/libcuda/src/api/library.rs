//! Libraries: modules without a context (`cuLibrary*`, `cuKernel*`). A kernel and its function have the same handle
//! here.

use crate::abi::constants::library_option::{BINARY_IS_PRESERVED, HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE};
use crate::abi::error::{Error, Refused, Result};
use crate::abi::pointers::{get_all, need, put, text};
use crate::abi::types::{Device, DevicePtr, Handle};
use crate::api::context::check_cache_config;
use crate::api::jit::{self, Options};
use crate::api::{device, function, image, module};
use crate::state::contexts::context::synchronize_device;
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::modules::fat_binary::ImagePtx;
use crate::state::modules::module::{LIBRARIES, Module, adopt, find_function};
use simt::memory::MemoryKind;
use std::ffi::{c_char, c_int, c_uint, c_void};

fn finish(out: *mut Handle, ptx: std::result::Result<ImagePtx, Refused>, jit: &Options) -> Result {
    match ptx.and_then(|ptx| Module::load(&jit.bounded(ptx), None)) {
        Ok(module) => {
            jit.write("");
            put(out, LIBRARIES.insert(module))
        }
        Err(refused) => {
            jit.write(&refused.log);
            // A client that requests the log may have another image to try.
            if !jit.asks_for_errors() {
                jit::tell(&refused);
            }
            Err(refused.error)
        }
    }
}

fn options(kinds: *const c_int, count: c_uint) -> Result {
    let kinds = get_all(kinds, count as usize)?;
    let known = HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE..=BINARY_IS_PRESERVED;
    if kinds.iter().all(|kind| known.contains(kind)) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn load_data(
    out: *mut Handle,
    data: *const c_void,
    jit_options: *const c_int,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    kinds: *const c_int,
    _values: *mut *mut c_void,
    count: c_uint,
) -> Result {
    driver()?;
    need(out)?;
    options(kinds, count)?;
    finish(out, image::from_memory(data), &Options::new(jit_count, jit_options, jit_values)?)
}

fn load_file(
    out: *mut Handle,
    name: *const c_char,
    jit_options: *const c_int,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    kinds: *const c_int,
    _values: *mut *mut c_void,
    count: c_uint,
) -> Result {
    driver()?;
    need(out)?;
    options(kinds, count)?;
    finish(out, image::from_file(&text(name)?), &Options::new(jit_count, jit_options, jit_values)?)
}

fn unload(library: Handle) -> Result {
    driver()?;
    let module = LIBRARIES.remove(library)?;
    synchronize_device();
    module.close();
    Ok(())
}

fn get_kernel(out: *mut Handle, library: Handle, name: *const c_char) -> Result {
    driver()?;
    need(out)?;
    put(out, LIBRARIES.get(library)?.function(&text(name)?)?)
}

fn kernel_count(out: *mut c_uint, library: Handle) -> Result {
    driver()?;
    put(out, LIBRARIES.get(library)?.machine.kernels().len() as c_uint)
}

fn enumerate(out: *mut Handle, count: c_uint, library: Handle) -> Result {
    driver()?;
    module::list(out, count, &LIBRARIES.get(library)?)
}

fn get_module(out: *mut Handle, library: Handle) -> Result {
    current()?;
    need(out)?;
    put(out, adopt(&LIBRARIES.get(library)?))
}

fn get_global(out: *mut DevicePtr, bytes: *mut usize, library: Handle, name: *const c_char) -> Result {
    current()?;
    module::global(out, bytes, &*LIBRARIES.get(library)?, name)
}

fn get_managed(out: *mut DevicePtr, bytes: *mut usize, library: Handle, name: *const c_char) -> Result {
    let driver = driver()?;
    let library = LIBRARIES.get(library)?;
    let found = library.machine.global(&text(name)?).and_then(|(address, _)| driver.memory.find(address));
    if found.is_none_or(|allocation| allocation.kind != MemoryKind::Managed) {
        return Err(Error::NOT_FOUND);
    }
    module::global(out, bytes, &library, name)
}

fn kernel_function(out: *mut Handle, kernel: Handle) -> Result {
    current()?;
    need(out)?;
    find_function(kernel)?;
    put(out, kernel)
}

fn kernel_library(out: *mut Handle, kernel: Handle) -> Result {
    driver()?;
    need(out)?;
    match LIBRARIES.handle_of(&find_function(kernel)?.module) {
        0 => Err(Error::INVALID_HANDLE),
        handle => put(out, handle),
    }
}

fn get_attribute(out: *mut c_int, attribute: c_int, kernel: Handle, dev: Device) -> Result {
    device::check(dev)?;
    function::read_attribute(out, attribute, kernel)
}

fn set_attribute(attribute: c_int, value: c_int, kernel: Handle, dev: Device) -> Result {
    device::check(dev)?;
    function::write_attribute(kernel, attribute, value)
}

fn set_cache_config(kernel: Handle, config: c_int, dev: Device) -> Result {
    device::check(dev)?;
    find_function(kernel)?;
    check_cache_config(config)
}

entry_points! {
    cuLibraryLoadData(out: *mut Handle, data: *const c_void, jit_options: *const c_int, jit_values: *mut *mut c_void,
        jit_count: c_uint, kinds: *const c_int, values: *mut *mut c_void, count: c_uint) = load_data;
    cuLibraryLoadFromFile(out: *mut Handle, name: *const c_char, jit_options: *const c_int,
        jit_values: *mut *mut c_void, jit_count: c_uint, kinds: *const c_int, values: *mut *mut c_void,
        count: c_uint) = load_file;
    cuLibraryUnload(library: Handle) = unload;
    cuLibraryGetKernel(out: *mut Handle, library: Handle, name: *const c_char) = get_kernel;
    cuLibraryGetKernelCount(out: *mut c_uint, library: Handle) = kernel_count;
    cuLibraryEnumerateKernels(out: *mut Handle, count: c_uint, library: Handle) = enumerate;
    cuLibraryGetModule(out: *mut Handle, library: Handle) = get_module;
    cuLibraryGetGlobal(out: *mut DevicePtr, bytes: *mut usize, library: Handle, name: *const c_char) = get_global;
    cuLibraryGetManaged(out: *mut DevicePtr, bytes: *mut usize, library: Handle, name: *const c_char) = get_managed;
    cuKernelGetFunction(out: *mut Handle, kernel: Handle) = kernel_function;
    cuKernelGetLibrary(out: *mut Handle, kernel: Handle) = kernel_library;
    cuKernelGetAttribute(out: *mut c_int, attribute: c_int, kernel: Handle, dev: Device) = get_attribute;
    cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: Handle, dev: Device) = set_attribute;
    cuKernelSetCacheConfig(kernel: Handle, config: c_int, dev: Device) = set_cache_config;
}
