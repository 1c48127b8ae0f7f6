//! Images that a program loads explicitly, and the driver's own functions.
use crate::abi::{edition, error::Result, pointers::need, types::Handle};
use crate::api::entry::{calls, forwards};
use crate::driver::{self, calls as driver_calls};
use crate::state::{context, function};
use cuda_abi::driver::constants::proc_address_flags::PER_THREAD_DEFAULT_STREAM;
use std::ffi::{c_char, c_int, c_uint, c_void};

fn kernel(out: *mut Handle, library: Handle, name: *const c_char) -> Result {
    need(out)?;
    context::ensure()?;
    driver_calls::cuLibraryGetKernel(out, library, name)?;
    // SAFETY: the driver has written it.
    function::remember(unsafe { out.read() }, None);
    Ok(())
}

fn kernels(out: *mut Handle, count: c_uint, library: Handle) -> Result {
    need(out)?;
    context::ensure()?;
    // The caller's capacity may exceed the number of kernels, and the list may then be shorter than the capacity.
    let mut number = 0;
    driver_calls::cuLibraryGetKernelCount(&raw mut number, library)?;
    let count = count.min(number);
    // SAFETY: the caller promises room for `count` kernels.
    let all = unsafe { std::slice::from_raw_parts_mut(out, count as usize) };
    all.fill(std::ptr::null_mut());
    driver_calls::cuLibraryEnumerateKernels(out, count, library)?;
    all.iter().filter(|kernel| !kernel.is_null()).for_each(|kernel| function::remember(*kernel, None));
    Ok(())
}

fn entry_point(name: *const c_char, out: *mut *mut c_void, flags: u64, status: *mut c_int) -> Result {
    entry_point_of(name, out, edition::version() as c_uint, flags, status)
}

fn entry_point_of(
    name: *const c_char,
    out: *mut *mut c_void,
    version: c_uint,
    flags: u64,
    status: *mut c_int,
) -> Result {
    need(name)?;
    need(out)?;
    driver::ready()?;
    let mut found = 0;
    let place = if status.is_null() { &raw mut found } else { status };
    let result = driver_calls::cuGetProcAddress_v2(name, out, version as c_int, flags, place);
    // If the status reports the problem, the call itself has succeeded. SAFETY: one of the two variables above.
    if unsafe { place.read() } == 0 { result } else { Ok(()) }
}

fn own(flags: u64) -> u64 {
    if flags == 0 { PER_THREAD_DEFAULT_STREAM } else { flags }
}

calls! {
    cudaLibraryGetKernel(out: *mut Handle, library: Handle, name: *const c_char) = kernel;
    cudaLibraryEnumerateKernels(out: *mut Handle, count: c_uint, library: Handle) = kernels;
    cudaGetDriverEntryPoint(name: *const c_char, out: *mut *mut c_void, flags: u64, status: *mut c_int) = entry_point;
    cudaGetDriverEntryPoint_ptsz(name: *const c_char, out: *mut *mut c_void, flags: u64, status: *mut c_int)
        = (|name, out, flags, status| entry_point(name, out, own(flags), status));
    cudaGetDriverEntryPointByVersion(name: *const c_char, out: *mut *mut c_void, version: c_uint, flags: u64,
        status: *mut c_int) = entry_point_of;
    cudaGetDriverEntryPointByVersion_ptsz(name: *const c_char, out: *mut *mut c_void, version: c_uint, flags: u64,
        status: *mut c_int)
        = (|name, out, version, flags, status| entry_point_of(name, out, version, own(flags), status));
}

forwards! {
    cudaLibraryLoadData(out: *mut Handle, code: *const c_void, jit: *mut c_int, jit_values: *mut *mut c_void,
        jit_count: c_uint, options: *mut c_int, values: *mut *mut c_void, count: c_uint) => cuLibraryLoadData;
    cudaLibraryLoadFromFile(out: *mut Handle, name: *const c_char, jit: *mut c_int, jit_values: *mut *mut c_void,
        jit_count: c_uint, options: *mut c_int, values: *mut *mut c_void, count: c_uint) => cuLibraryLoadFromFile;
    cudaLibraryUnload(library: Handle) => cuLibraryUnload;
    cudaLibraryGetGlobal(out: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char)
        => cuLibraryGetGlobal;
    cudaLibraryGetManaged(out: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char)
        => cuLibraryGetManaged;
    cudaLibraryGetKernelCount(out: *mut c_uint, library: Handle) => cuLibraryGetKernelCount;
    cudaLibraryGetUnifiedFunction(out: *mut *mut c_void, library: Handle, name: *const c_char)
        => cuLibraryGetUnifiedFunction;
}
