//! Kernel launches.
use crate::abi::{
    edition::is_twelve,
    error::{Error, Result},
    native,
    pointers::{get, need, put},
    types::{Dim3, LaunchConfig, PER_THREAD, Stream, numbers},
};
use crate::api::entry::{calls, stream_calls, stream_forwards};
use crate::driver::{calls as driver, error_asked};
use crate::state::{context, function};
use cuda_abi::driver::constants::device_attribute::MAX_THREADS_PER_BLOCK;
use std::{
    cell::RefCell,
    ffi::{c_uint, c_void},
    ptr::null_mut,
};

type Arguments = *mut *mut c_void;
type Configuration = (Dim3, Dim3, usize, Stream);

thread_local! {
    /// The launch configurations between `<<<` and `>>>`, until the stub pops them.
    static CONFIGURED: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Returns zero, as for success: the stub is then called.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Stream) -> c_uint {
    CONFIGURED.with_borrow_mut(|stack| stack.push((grid, block, shared, stream)));
    0
}

fn pop(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut c_void) -> Result {
    let top = CONFIGURED.with_borrow_mut(Vec::pop).ok_or(Error::MISSING_CONFIGURATION)?;
    put(grid, top.0)?;
    put(block, top.1)?;
    put(shared, top.2)?;
    put(stream.cast(), top.3)
}

fn launch(symbol: *const c_void, grid: Dim3, block: Dim3, arguments: Arguments, shared: usize, s: Stream) -> Result {
    let f = function::launched(symbol)?;
    let bytes = bytes(shared)?;
    driver::cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, s, arguments, null_mut())
        .map_err(|error| refused(error, numbers(grid), numbers(block)))
        .inspect_err(|_| error_asked(false))
}

fn cooperative(
    symbol: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: Arguments,
    shared: usize,
    stream: Stream,
) -> Result {
    let f = function::function_of(function::launched(symbol)?)?;
    let bytes = bytes(shared)?;
    driver::cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, stream, arguments)
        .map_err(|error| refused(error, numbers(grid), numbers(block)))
        .inspect_err(|_| error_asked(false))
}

/// Returns the driver's form of a launch configuration.
pub fn native(config: *const LaunchConfig) -> Result<native::LaunchConfig> {
    let LaunchConfig { grid_dim, block_dim, dynamic_smem_bytes, stream, attrs, num_attrs } = get(config)?;
    Ok(native::LaunchConfig {
        grid_dim: numbers(grid_dim),
        block_dim: numbers(block_dim),
        shared_mem_bytes: bytes(dynamic_smem_bytes)?,
        h_stream: stream.addr(),
        attrs: attrs.cast(),
        num_attrs,
    })
}

fn extended(config: *const LaunchConfig, symbol: *const c_void, arguments: Arguments) -> Result {
    let config = native(config)?;
    launch_native(&config, symbol, arguments)
}

fn extended_per_thread(config: *const LaunchConfig, symbol: *const c_void, arguments: Arguments) -> Result {
    let mut config = native(config)?;
    if config.h_stream == 0 {
        config.h_stream = PER_THREAD.addr();
    }
    launch_native(&config, symbol, arguments)
}

fn launch_native(config: &native::LaunchConfig, symbol: *const c_void, arguments: Arguments) -> Result {
    let kernel = function::launched(symbol)?;
    driver::cuLaunchKernelEx(config, kernel, arguments, null_mut())
        .map_err(|error| refused(error, config.grid_dim, config.block_dim))
        .inspect_err(|_| error_asked(false))
}

fn bytes(shared: usize) -> Result<c_uint> {
    c_uint::try_from(shared).map_err(|_| Error::INVALID_VALUE)
}

/// Converts the error of a refused launch. In CUDA 12 a grid or block that exceeds the device's limits is
/// `cudaErrorInvalidConfiguration`. CUDA 13 reports every wrong argument as an invalid value, as the driver does.
fn refused(error: Error, grid: [c_uint; 3], block: [c_uint; 3]) -> Error {
    if error != Error::INVALID_VALUE || !is_twelve() {
        return error;
    }
    match fits(grid, block) {
        Ok(false) => Error::INVALID_CONFIGURATION,
        _ => error,
    }
}

fn fits(grid: [c_uint; 3], block: [c_uint; 3]) -> Result<bool> {
    let device = context::device()?;
    // After this attribute come the maximum block and grid sizes in three dimensions each.
    let mut limits = [0; 7];
    for (limit, attribute) in limits.iter_mut().zip(MAX_THREADS_PER_BLOCK..) {
        driver::cuDeviceGetAttribute(limit, attribute, device)?;
    }
    let sizes = [block, grid].concat();
    let all = sizes.iter().zip(&limits[1..]).all(|(size, limit)| *size > 0 && i64::from(*size) <= i64::from(*limit));
    let threads: u64 = sizes[..3].iter().map(|size| u64::from(*size)).product();
    Ok(all && threads <= limits[0] as u64)
}

fn driver_kernel(out: *mut *mut c_void, symbol: *const c_void) -> Result {
    need(out)?;
    put(out, function::kernel(symbol)?)
}

fn driver_function(out: *mut *mut c_void, symbol: *const c_void) -> Result {
    need(out)?;
    put(out, function::function(symbol)?)
}

calls! {
    __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut c_void) = pop;
    cudaLaunchKernelExC(config: *const LaunchConfig, f: *const c_void, arguments: Arguments) = extended;
    cudaLaunchKernelExC_ptsz(config: *const LaunchConfig, f: *const c_void, arguments: Arguments)
        = extended_per_thread;
    cudaGetKernel(out: *mut *mut c_void, f: *const c_void) = driver_kernel;
    cudaGetFuncBySymbol(out: *mut *mut c_void, f: *const c_void) = driver_function;
}

stream_calls! {
    __cudaLaunchKernel __cudaLaunchKernel_ptsz [stream] (kernel: *const c_void, grid: Dim3, block: Dim3,
        arguments: Arguments, shared: usize, stream: Stream) = launch;
    cudaLaunchKernel cudaLaunchKernel_ptsz [stream] (f: *const c_void, grid: Dim3, block: Dim3,
        arguments: Arguments, shared: usize, stream: Stream) = launch;
    cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz [stream] (f: *const c_void, grid: Dim3, block: Dim3,
        arguments: Arguments, shared: usize, stream: Stream) = cooperative;
}

stream_forwards! {
    cudaLaunchHostFunc cudaLaunchHostFunc_ptsz [stream] (stream: Stream, f: *const c_void, data: *mut c_void)
        => cuLaunchHostFunc;
}
