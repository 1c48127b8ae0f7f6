//! Managed memory: advice and prefetching, and memory pools.
use crate::abi::{
    edition::is_twelve,
    error::Result,
    types::{Handle, IpcHandle, MemLocation, Stream},
};
use crate::api::entry::{calls, forwards};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::runtime::constants::location_type;
use std::ffi::{c_int, c_uint, c_void};

/// Converts a location of CUDA 12, where a device is a number, and the host is the number -1.
fn of_number(device: c_int) -> MemLocation {
    if device < 0 {
        MemLocation { kind: location_type::HOST, id: 0 }
    } else {
        MemLocation { kind: location_type::DEVICE, id: device }
    }
}

/// Converts a location from its argument: a structure of two numbers in one register; CUDA 12 passes only a device.
fn place(passed: u64) -> MemLocation {
    if is_twelve() {
        of_number(passed as u32 as c_int)
    } else {
        MemLocation { kind: passed as u32 as c_int, id: (passed >> 32) as u32 as c_int }
    }
}

fn prefetch(memory: u64, bytes: usize, passed: u64, fourth: usize, fifth: Stream, own: bool) -> Result {
    context::ensure()?;
    let (flags, stream) =
        if is_twelve() { (0, std::ptr::with_exposed_provenance_mut(fourth)) } else { (fourth as c_uint, fifth) };
    let stream = if own { crate::abi::types::per_thread(stream) } else { stream };
    driver::cuMemPrefetchAsync_v2(memory, bytes, place(passed), flags, stream)
}

fn prefetch_at(memory: u64, bytes: usize, location: u64, flags: c_uint, stream: Stream) -> Result {
    context::ensure()?;
    let location = MemLocation { kind: location as u32 as c_int, id: (location >> 32) as u32 as c_int };
    driver::cuMemPrefetchAsync_v2(memory, bytes, location, flags, stream)
}

fn advise(memory: u64, bytes: usize, advice: c_int, passed: u64) -> Result {
    context::ensure()?;
    driver::cuMemAdvise_v2(memory, bytes, advice, place(passed))
}

fn advise_at(memory: u64, bytes: usize, advice: c_int, location: u64) -> Result {
    context::ensure()?;
    let location = MemLocation { kind: location as u32 as c_int, id: (location >> 32) as u32 as c_int };
    driver::cuMemAdvise_v2(memory, bytes, advice, location)
}

calls! {
    cudaMemPrefetchAsync(memory: u64, bytes: usize, passed: u64, fourth: usize, fifth: Stream)
        = (|m, n, p, a, b| prefetch(m, n, p, a, b, false));
    cudaMemPrefetchAsync_ptsz(memory: u64, bytes: usize, passed: u64, fourth: usize, fifth: Stream)
        = (|m, n, p, a, b| prefetch(m, n, p, a, b, true));
    cudaMemPrefetchAsync_v2(memory: u64, bytes: usize, location: u64, flags: c_uint, stream: Stream) = prefetch_at;
    cudaMemAdvise(memory: u64, bytes: usize, advice: c_int, passed: u64) = advise;
    cudaMemAdvise_v2(memory: u64, bytes: usize, advice: c_int, location: u64) = advise_at;
}

forwards! {
    cudaMemRangeGetAttribute(out: *mut c_void, room: usize, which: c_int, memory: u64, bytes: usize)
        => cuMemRangeGetAttribute;
    cudaMemRangeGetAttributes(out: *mut *mut c_void, rooms: *mut usize, which: *mut c_int, count: usize, memory: u64,
        bytes: usize) => cuMemRangeGetAttributes;
    cudaMemPoolCreate(out: *mut Handle, properties: *const c_void) => cuMemPoolCreate;
    cudaMemPoolDestroy(pool: Handle) => cuMemPoolDestroy;
    cudaMemGetDefaultMemPool(out: *mut Handle, place: *const c_void, kind: c_int) => cuMemGetDefaultMemPool;
    cudaMemGetMemPool(out: *mut Handle, place: *const c_void, kind: c_int) => cuMemGetMemPool;
    cudaMemSetMemPool(place: *const c_void, kind: c_int, pool: Handle) => cuMemSetMemPool;
    cudaMemPoolTrimTo(pool: Handle, keep: usize) => cuMemPoolTrimTo;
    cudaMemPoolSetAttribute(pool: Handle, which: c_int, value: *mut c_void) => cuMemPoolSetAttribute;
    cudaMemPoolGetAttribute(pool: Handle, which: c_int, out: *mut c_void) => cuMemPoolGetAttribute;
    cudaMemPoolSetAccess(pool: Handle, list: *const c_void, count: usize) => cuMemPoolSetAccess;
    cudaMemPoolGetAccess(out: *mut c_int, pool: Handle, location: *mut c_void) => cuMemPoolGetAccess;
    cudaMemPoolExportToShareableHandle(out: *mut c_void, pool: Handle, kind: c_int, flags: c_uint)
        => cuMemPoolExportToShareableHandle;
    cudaMemPoolImportFromShareableHandle(out: *mut Handle, shared: *mut c_void, kind: c_int, flags: c_uint)
        => cuMemPoolImportFromShareableHandle;
    cudaMemPoolExportPointer(out: *mut c_void, memory: u64) => cuMemPoolExportPointer;
    cudaMemPoolImportPointer(out: *mut u64, pool: Handle, data: *mut c_void) => cuMemPoolImportPointer;
    cudaIpcGetMemHandle(out: *mut c_void, memory: u64) => cuIpcGetMemHandle;
    cudaIpcOpenMemHandle(out: *mut u64, shared: IpcHandle, flags: c_uint) => cuIpcOpenMemHandle_v2;
    cudaIpcCloseMemHandle(memory: u64) => cuIpcCloseMemHandle;
}
