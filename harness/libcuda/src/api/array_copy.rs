//! Copies to, from and between arrays of one dimension (`cuMemcpyAtoA` and its kin). Offsets count bytes. For other
//! arrays, they go on from a row's end with the next row.

use crate::abi::error::Result;
use crate::abi::types::{DevicePtr, Handle};
use crate::state::contexts::current::current;
use crate::state::contexts::streams;
use crate::state::graphs::transfer::{copy_in, copy_now};
use crate::state::memory::array;
use crate::state::memory::copy::{End, MemoryCopy};
use std::ffi::c_void;

/// Returns the bytes of an array from an offset on.
fn end(handle: Handle, offset: usize, bytes: usize) -> Result<End> {
    current()?;
    Ok(End::Device(array::range(handle, offset, bytes)?))
}

fn array_to_array(dst: Handle, to: usize, src: Handle, from: usize, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(end(dst, to, bytes)?, end(src, from, bytes)?, bytes))
}

fn array_to_device(dst: DevicePtr, src: Handle, from: usize, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(End::Device(dst), end(src, from, bytes)?, bytes))
}

fn device_to_array(dst: Handle, to: usize, src: DevicePtr, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(end(dst, to, bytes)?, End::Device(src), bytes))
}

fn array_to_host(dst: *mut c_void, src: Handle, from: usize, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(End::Host(dst as u64), end(src, from, bytes)?, bytes))
}

fn host_to_array(dst: Handle, to: usize, src: *const c_void, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(end(dst, to, bytes)?, End::Host(src as u64), bytes))
}

fn array_to_host_async(dst: *mut c_void, src: Handle, from: usize, bytes: usize, stream: Handle) -> Result {
    let copy = MemoryCopy::linear(End::Host(dst as u64), end(src, from, bytes)?, bytes);
    copy_in(&streams::find(stream)?, copy)
}

fn host_to_array_async(dst: Handle, to: usize, src: *const c_void, bytes: usize, stream: Handle) -> Result {
    let copy = MemoryCopy::linear(end(dst, to, bytes)?, End::Host(src as u64), bytes);
    copy_in(&streams::find(stream)?, copy)
}

entry_points! {
    cuMemcpyAtoA_v2(dst: Handle, to: usize, src: Handle, from: usize, bytes: usize) = array_to_array;
    cuMemcpyAtoD_v2(dst: DevicePtr, src: Handle, from: usize, bytes: usize) = array_to_device;
    cuMemcpyDtoA_v2(dst: Handle, to: usize, src: DevicePtr, bytes: usize) = device_to_array;
    cuMemcpyAtoH_v2(dst: *mut c_void, src: Handle, from: usize, bytes: usize) = array_to_host;
    cuMemcpyHtoA_v2(dst: Handle, to: usize, src: *const c_void, bytes: usize) = host_to_array;
    cuMemcpyAtoHAsync_v2(dst: *mut c_void, src: Handle, from: usize, bytes: usize, stream: Handle)
        = array_to_host_async;
    cuMemcpyHtoAAsync_v2(dst: Handle, to: usize, src: *const c_void, bytes: usize, stream: Handle)
        = host_to_array_async;
}
