//! Memory: device memory, managed memory, and host memory that the device can access.
use crate::abi::{
    error::Result,
    pointers::{need, put},
    types::{Extent, Handle, PitchedPtr, PointerAttributes, Stream},
};
use crate::api::entry::{calls, forwards, stream_calls};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::driver::constants::pointer_attribute::{
    DEVICE_ORDINAL, DEVICE_POINTER, HOST_POINTER, IS_MANAGED, MEMORY_TYPE,
};
use cuda_abi::runtime::constants::{device_id::INVALID_DEVICE_ID, memory_type};
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr::null_mut,
};

/// The size of the widest access, for which the start of a row is aligned.
const WIDEST: c_uint = 16;

fn pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

fn address(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// Writes the address that `allocate` returns, or null for zero bytes.
fn allocated(out: *mut *mut c_void, bytes: usize, allocate: impl FnOnce(*mut u64) -> Result) -> Result {
    need(out)?;
    context::ensure()?;
    let mut address = 0;
    if bytes > 0 {
        allocate(&raw mut address)?;
    }
    put(out, pointer(address))
}

fn malloc(out: *mut *mut c_void, bytes: usize) -> Result {
    allocated(out, bytes, |address| driver::cuMemAlloc_v2(address, bytes))
}

fn malloc_managed(out: *mut *mut c_void, bytes: usize, flags: c_uint) -> Result {
    allocated(out, bytes, |address| driver::cuMemAllocManaged(address, bytes, flags))
}

fn malloc_async(out: *mut *mut c_void, bytes: usize, stream: Stream) -> Result {
    allocated(out, bytes, |address| driver::cuMemAllocAsync(address, bytes, stream))
}

fn malloc_from_pool(out: *mut *mut c_void, bytes: usize, pool: Handle, stream: Stream) -> Result {
    allocated(out, bytes, |address| driver::cuMemAllocFromPoolAsync(address, bytes, pool, stream))
}

fn malloc_pitch(out: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) -> Result {
    need(pitch)?;
    let mut row = 0;
    allocated(out, width.saturating_mul(height), |address| {
        driver::cuMemAllocPitch_v2(address, &raw mut row, width, height, WIDEST)
    })?;
    put(pitch, row)
}

fn malloc_3d(out: *mut PitchedPtr, extent: Extent) -> Result {
    need(out)?;
    let (mut ptr, mut pitch) = (null_mut(), 0);
    let Extent { width, height, depth } = extent;
    malloc_pitch(&raw mut ptr, &raw mut pitch, width, height.saturating_mul(depth))?;
    put(out, PitchedPtr { ptr, pitch, xsize: width, ysize: height })
}

fn free(memory: *mut c_void) -> Result {
    context::ensure()?;
    if memory.is_null() { Ok(()) } else { driver::cuMemFree_v2(address(memory)) }
}

fn free_async(memory: *mut c_void, stream: Stream) -> Result {
    context::ensure()?;
    driver::cuMemFreeAsync(address(memory), stream)
}

fn host_alloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) -> Result {
    need(out)?;
    context::ensure()?;
    let mut memory = null_mut();
    if bytes > 0 {
        driver::cuMemHostAlloc(&raw mut memory, bytes, flags)?;
    }
    put(out, memory)
}

fn malloc_host(out: *mut *mut c_void, bytes: usize) -> Result {
    host_alloc(out, bytes, 0)
}

fn free_host(memory: *mut c_void) -> Result {
    context::ensure()?;
    if memory.is_null() { Ok(()) } else { driver::cuMemFreeHost(memory) }
}

const ASKED: [c_int; 5] = [MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, IS_MANAGED, DEVICE_ORDINAL];

fn pointer_attributes(out: *mut PointerAttributes, memory: *const c_void) -> Result {
    need(out)?;
    context::ensure()?;
    let (mut kind, mut device_pointer, mut host_pointer) = (0u32, 0u64, null_mut::<c_void>());
    let (mut managed, mut device) = (0u32, 0);
    let mut values: [*mut c_void; 5] = [
        (&raw mut kind).cast(),
        (&raw mut device_pointer).cast(),
        (&raw mut host_pointer).cast(),
        (&raw mut managed).cast(),
        (&raw mut device).cast(),
    ];
    driver::cuPointerGetAttributes(5, ASKED.as_ptr(), values.as_mut_ptr(), address(memory))?;
    let kind = if managed != 0 { memory_type::MANAGED } else { kind as c_int };
    let attributes = if kind == 0 {
        PointerAttributes {
            kind,
            device: INVALID_DEVICE_ID,
            device_pointer: null_mut(),
            host_pointer: memory.cast_mut(),
        }
    } else {
        PointerAttributes { kind, device, device_pointer: pointer(device_pointer), host_pointer }
    };
    // SAFETY: not null, so valid. Reserved fields of the structure are not changed.
    unsafe { out.write(attributes) };
    Ok(())
}

calls! {
    cudaMalloc(out: *mut *mut c_void, bytes: usize) = malloc;
    cudaMallocManaged(out: *mut *mut c_void, bytes: usize, flags: c_uint) = malloc_managed;
    cudaMallocPitch(out: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) = malloc_pitch;
    cudaMalloc3D(out: *mut PitchedPtr, extent: Extent) = malloc_3d;
    cudaMallocHost(out: *mut *mut c_void, bytes: usize) = malloc_host;
    cudaHostAlloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) = host_alloc;
    cudaFree(memory: *mut c_void) = free;
    cudaFreeHost(memory: *mut c_void) = free_host;
    cudaPointerGetAttributes(out: *mut PointerAttributes, memory: *const c_void) = pointer_attributes;
}

stream_calls! {
    cudaMallocAsync cudaMallocAsync_ptsz [stream] (out: *mut *mut c_void, bytes: usize, stream: Stream)
        = malloc_async;
    cudaMallocFromPoolAsync cudaMallocFromPoolAsync_ptsz [stream] (out: *mut *mut c_void, bytes: usize, pool: Handle,
        stream: Stream) = malloc_from_pool;
    cudaFreeAsync cudaFreeAsync_ptsz [stream] (memory: *mut c_void, stream: Stream) = free_async;
}

forwards! {
    cudaHostRegister(memory: *mut c_void, bytes: usize, flags: c_uint) => cuMemHostRegister_v2;
    cudaHostUnregister(memory: *mut c_void) => cuMemHostUnregister;
    cudaHostGetDevicePointer(out: *mut *mut c_void, memory: *mut c_void, flags: c_uint)
        => cuMemHostGetDevicePointer_v2;
    cudaHostGetFlags(out: *mut c_uint, memory: *mut c_void) => cuMemHostGetFlags;
    cudaMemGetInfo(free: *mut usize, total: *mut usize) => cuMemGetInfo_v2;
}
