//! Copies (`cuMemcpy*`): between host and device, of one, two and three dimensions, waiting and in a stream's order.

use crate::abi::error::Result;
use crate::abi::pointers::get;
use crate::abi::types::{Copy2D, Copy3D, Copy3DPeer, DevicePtr, Handle};
use crate::state::contexts::context;
use crate::state::contexts::current::current;
use crate::state::contexts::streams;
use crate::state::graphs::transfer::{copy_in, copy_now};
use crate::state::memory::copy::{End, MemoryCopy};
use crate::state::memory::described::{described, unified};
use std::ffi::c_void;

/// Converts a two-dimensional copy to a three-dimensional one.
fn flat(c: &Copy2D) -> Copy3D {
    Copy3D {
        src_x_in_bytes: c.src_x_in_bytes,
        src_y: c.src_y,
        src_memory_type: c.src_memory_type,
        src_host: c.src_host,
        src_device: c.src_device,
        src_array: c.src_array,
        src_pitch: c.src_pitch,
        dst_x_in_bytes: c.dst_x_in_bytes,
        dst_y: c.dst_y,
        dst_memory_type: c.dst_memory_type,
        dst_host: c.dst_host,
        dst_device: c.dst_device,
        dst_array: c.dst_array,
        dst_pitch: c.dst_pitch,
        width_in_bytes: c.width_in_bytes,
        height: c.height,
        depth: 1,
        ..Copy3D::default()
    }
}

fn later(handle: Handle, copy: MemoryCopy) -> Result {
    copy_in(&streams::find(handle)?, copy)
}

fn host_to_device(dst: DevicePtr, src: *const c_void, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(End::Device(dst), End::Host(src as u64), bytes))
}
fn device_to_host(dst: *mut c_void, src: DevicePtr, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(End::Host(dst as u64), End::Device(src), bytes))
}
fn device_to_device(dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result {
    copy_now(MemoryCopy::linear(End::Device(dst), End::Device(src), bytes))
}
fn any_to_any(dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result {
    current()?;
    copy_now(MemoryCopy::linear(unified(dst)?, unified(src)?, bytes))
}
fn host_to_device_async(dst: DevicePtr, src: *const c_void, bytes: usize, stream: Handle) -> Result {
    later(stream, MemoryCopy::linear(End::Device(dst), End::Host(src as u64), bytes))
}
fn device_to_host_async(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    later(stream, MemoryCopy::linear(End::Host(dst as u64), End::Device(src), bytes))
}
fn device_to_device_async(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    later(stream, MemoryCopy::linear(End::Device(dst), End::Device(src), bytes))
}
fn any_to_any_async(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    current()?;
    later(stream, MemoryCopy::linear(unified(dst)?, unified(src)?, bytes))
}

fn peers(one: Handle, other: Handle) -> Result {
    context::find(one)?;
    context::find(other).map(drop)
}
fn peer(dst: DevicePtr, to: Handle, src: DevicePtr, from: Handle, bytes: usize) -> Result {
    peers(to, from)?;
    copy_now(MemoryCopy::linear(End::Device(dst), End::Device(src), bytes))
}
fn peer_async(dst: DevicePtr, to: Handle, src: DevicePtr, from: Handle, bytes: usize, stream: Handle) -> Result {
    peers(to, from)?;
    later(stream, MemoryCopy::linear(End::Device(dst), End::Device(src), bytes))
}

fn copy_2d(copy: *const Copy2D) -> Result {
    current()?;
    copy_now(described(&flat(&get(copy)?))?)
}
fn copy_2d_async(copy: *const Copy2D, stream: Handle) -> Result {
    current()?;
    later(stream, described(&flat(&get(copy)?))?)
}
fn copy_3d(copy: *const Copy3D) -> Result {
    current()?;
    copy_now(described(&get(copy)?)?)
}
fn copy_3d_async(copy: *const Copy3D, stream: Handle) -> Result {
    current()?;
    later(stream, described(&get(copy)?)?)
}
/// Checks the contexts of a copy between devices. The structure is that of any copy, in which they are reserved words.
fn plain(copy: *const Copy3DPeer) -> Result<*const Copy3D> {
    let Copy3DPeer { src_context, dst_context, .. } = get(copy)?;
    peers(dst_context, src_context)?;
    Ok(copy.cast())
}
fn copy_3d_peer(copy: *const Copy3DPeer) -> Result {
    copy_3d(plain(copy)?)
}
fn copy_3d_peer_async(copy: *const Copy3DPeer, stream: Handle) -> Result {
    copy_3d_async(plain(copy)?, stream)
}

entry_points! {
    cuMemcpy(dst: DevicePtr, src: DevicePtr, bytes: usize) = any_to_any;
    cuMemcpy_ptds(dst: DevicePtr, src: DevicePtr, bytes: usize) = any_to_any;
    cuMemcpyAsync(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) = any_to_any_async;
    cuMemcpyAsync_ptsz(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) = any_to_any_async;
    cuMemcpyHtoD(dst: DevicePtr, src: *const c_void, bytes: usize) = host_to_device;
    cuMemcpyHtoD_v2(dst: DevicePtr, src: *const c_void, bytes: usize) = host_to_device;
    cuMemcpyHtoD_v2_ptds(dst: DevicePtr, src: *const c_void, bytes: usize) = host_to_device;
    cuMemcpyDtoH(dst: *mut c_void, src: DevicePtr, bytes: usize) = device_to_host;
    cuMemcpyDtoH_v2(dst: *mut c_void, src: DevicePtr, bytes: usize) = device_to_host;
    cuMemcpyDtoH_v2_ptds(dst: *mut c_void, src: DevicePtr, bytes: usize) = device_to_host;
    cuMemcpyDtoD(dst: DevicePtr, src: DevicePtr, bytes: usize) = device_to_device;
    cuMemcpyDtoD_v2(dst: DevicePtr, src: DevicePtr, bytes: usize) = device_to_device;
    cuMemcpyDtoD_v2_ptds(dst: DevicePtr, src: DevicePtr, bytes: usize) = device_to_device;
    cuMemcpyHtoDAsync(dst: DevicePtr, src: *const c_void, bytes: usize, stream: Handle) = host_to_device_async;
    cuMemcpyHtoDAsync_v2(dst: DevicePtr, src: *const c_void, bytes: usize, stream: Handle) = host_to_device_async;
    cuMemcpyHtoDAsync_v2_ptsz(dst: DevicePtr, src: *const c_void, bytes: usize, stream: Handle) = host_to_device_async;
    cuMemcpyDtoHAsync(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) = device_to_host_async;
    cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) = device_to_host_async;
    cuMemcpyDtoHAsync_v2_ptsz(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) = device_to_host_async;
    cuMemcpyDtoDAsync(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) = device_to_device_async;
    cuMemcpyDtoDAsync_v2(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) = device_to_device_async;
    cuMemcpyDtoDAsync_v2_ptsz(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) = device_to_device_async;
    cuMemcpyPeer(dst: DevicePtr, to: Handle, src: DevicePtr, from: Handle, bytes: usize) = peer;
    cuMemcpyPeerAsync(dst: DevicePtr, to: Handle, src: DevicePtr, from: Handle, bytes: usize, stream: Handle)
        = peer_async;
    cuMemcpy2D(copy: *const Copy2D) = copy_2d;
    cuMemcpy2D_v2(copy: *const Copy2D) = copy_2d;
    cuMemcpy2DUnaligned(copy: *const Copy2D) = copy_2d;
    cuMemcpy2DUnaligned_v2(copy: *const Copy2D) = copy_2d;
    cuMemcpy2DAsync(copy: *const Copy2D, stream: Handle) = copy_2d_async;
    cuMemcpy2DAsync_v2(copy: *const Copy2D, stream: Handle) = copy_2d_async;
    cuMemcpy3D(copy: *const Copy3D) = copy_3d;
    cuMemcpy3D_v2(copy: *const Copy3D) = copy_3d;
    cuMemcpy3DAsync(copy: *const Copy3D, stream: Handle) = copy_3d_async;
    cuMemcpy3DAsync_v2(copy: *const Copy3D, stream: Handle) = copy_3d_async;
    cuMemcpy3DPeer(copy: *const Copy3DPeer) = copy_3d_peer;
    cuMemcpy3DPeerAsync(copy: *const Copy3DPeer, stream: Handle) = copy_3d_peer_async;
}
