//! Copies of every kind: between host and device, of one, two and three dimensions, waiting and in a stream's order.

use crate::abi::{Copy2D, Copy3D, DevicePtr, Handle, get, get_all, put_optional};
use crate::context::{Context, current, current_uncaptured};
use crate::driver::driver;
use crate::error::{Error, Result};
use crate::queue::Stream;
use crate::report::{self, Direction, Place};
use crate::stream;
use crate::task::Task;
use crate::{capture, context};
use simt::memory::Kind;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Copies up to this size are made by the caller itself.
const BRIEF: usize = 64 << 10;

/// One end of a copy.
#[derive(Clone)]
pub enum End {
    /// An address that the device reaches.
    Device(u64),
    /// The host program's memory.
    Host(u64),
    /// Pageable host memory as it was when the copy was asked for.
    Staged(Arc<[u8]>),
}

/// The rows that one end of a copy walks over.
#[derive(Clone)]
struct Side {
    end: End,
    /// Bytes from row to row.
    pitch: usize,
    /// Bytes from slice to slice.
    slice: usize,
}

/// One copy of `depth` slices of `height` rows of `width` bytes.
#[derive(Clone)]
pub struct Copy {
    dst: Side,
    src: Side,
    width: usize,
    height: usize,
    depth: usize,
    /// The caller waits for it in any case.
    waited: bool,
    /// As it was described, for `cuGraphMemcpyNodeGetParams`.
    pub described: Copy3D,
}

impl Side {
    fn linear(end: End) -> Self {
        Side {
            end,
            pitch: 0,
            slice: 0,
        }
    }
    /// Bytes from the first to one past the last.
    fn span(&self, width: usize, height: usize, depth: usize) -> Option<usize> {
        let rows = self.pitch.checked_mul(height - 1)?;
        self.slice
            .checked_mul(depth - 1)?
            .checked_add(rows)?
            .checked_add(width)
    }
    /// Whether it is host memory that the driver knows nothing of.
    fn is_pageable(&self) -> bool {
        match self.end {
            End::Host(address) => {
                driver().is_ok_and(|driver| driver.memory.find(address).is_none())
            }
            End::Staged(_) => true,
            End::Device(_) => false,
        }
    }
    fn is_host(&self) -> bool {
        match self.end {
            End::Host(_) | End::Staged(_) => true,
            End::Device(address) => driver().is_ok_and(|driver| {
                let found = driver.memory.find(address);
                found.is_some_and(|found| {
                    matches!(found.kind, Kind::Pinned { .. } | Kind::Registered)
                })
            }),
        }
    }
    /// The memory that it is, for the account.
    fn place(&self) -> Place {
        let address = match self.end {
            End::Staged(_) => return Place::Pageable,
            End::Host(address) | End::Device(address) => address,
        };
        let found = driver().ok().and_then(|driver| driver.memory.find(address));
        match found.map(|found| found.kind) {
            None => Place::Pageable,
            Some(Kind::Managed) => Place::Managed,
            Some(Kind::Pinned { .. } | Kind::Registered) => Place::Pinned,
            Some(_) => Place::Device,
        }
    }
    /// Where the bytes lie, `span` of them.
    fn resolve(&self, span: usize) -> Result<*mut u8> {
        let memory = &driver()?.memory;
        match &self.end {
            End::Device(address) => memory.host(*address, span as u64).map_err(|error| {
                report::bad_copy(&error);
                Error::INVALID_VALUE
            }),
            End::Host(address) => {
                if memory.owns(*address) || !simt::memory::is_host_range(*address, span as u64) {
                    return Err(Error::INVALID_VALUE);
                }
                Ok(*address as *mut u8)
            }
            End::Staged(bytes) => Ok(bytes.as_ptr().cast_mut()),
        }
    }
}

impl Copy {
    fn linear(dst: End, src: End, bytes: usize) -> Self {
        let described = Copy3D {
            width: bytes,
            height: 1,
            depth: 1,
            ..describe(&dst, &src)
        };
        let (dst, src) = (Side::linear(dst), Side::linear(src));
        Copy {
            dst,
            src,
            width: bytes,
            height: 1,
            depth: 1,
            waited: false,
            described,
        }
    }

    /// Bytes that it moves.
    fn bytes(&self) -> usize {
        self.width * self.height * self.depth
    }

    /// Whether the caller may as well make it itself.
    pub fn is_brief(&self) -> bool {
        self.waited || self.bytes() <= BRIEF || self.src.is_pageable() || self.dst.is_pageable()
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    fn ends(&self) -> Result<(*mut u8, *mut u8)> {
        let span = |side: &Side| {
            let span = side
                .span(self.width, self.height, self.depth)
                .ok_or(Error::INVALID_VALUE)?;
            side.resolve(span)
        };
        Ok((span(&self.dst)?, span(&self.src)?))
    }

    /// Checks both ends as they are now.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if one is not memory of its kind in full length.
    pub fn check(&self) -> Result {
        if self.is_empty() {
            Ok(())
        } else {
            self.ends().map(drop)
        }
    }

    /// Makes it. An end that has gone since it was asked for is what a kernel's bad address is.
    pub fn run(&self, context: Option<&Arc<Context>>) {
        if self.is_empty() {
            return;
        }
        let Ok((dst, src)) = self.ends() else {
            if let Some(context) = context {
                context.fail(Error::ILLEGAL_ADDRESS);
            }
            return;
        };
        for z in 0..self.depth {
            for y in 0..self.height {
                // SAFETY: both ends were found good for their whole span; they may overlap, which `copy` allows. Kernels may
                // be at the same bytes, as on the device.
                unsafe {
                    let to = dst.add(z * self.dst.slice + y * self.dst.pitch);
                    let from = src.add(z * self.src.slice + y * self.src.pitch);
                    std::ptr::copy(from, to, self.width);
                }
                self.note(z, y);
            }
        }
        let direction = match (self.src.is_host(), self.dst.is_host()) {
            (true, true) => Direction::HostToHost,
            (true, false) => Direction::HostToDevice,
            (false, true) => Direction::DeviceToHost,
            (false, false) => Direction::DeviceToDevice,
        };
        report::copied(
            direction,
            [self.src.place(), self.dst.place()],
            self.bytes() as u64,
        );
    }
}

impl Copy {
    /// Tells the memory what row `y` of slice `z` has written, for the check of uninitialised reads.
    fn note(&self, z: usize, y: usize) {
        let (End::Device(dst), Ok(driver)) = (&self.dst.end, driver()) else {
            return;
        };
        let row = |side: &Side| (z * side.slice + y * side.pitch) as u64;
        let (to, width) = (dst + row(&self.dst), self.width as u64);
        match &self.src.end {
            End::Device(src) => driver.memory.copied(to, src + row(&self.src), width),
            _ => driver.memory.wrote(to, width),
        }
    }
}

fn describe(dst: &End, src: &End) -> Copy3D {
    let parts = |end: &End| match end {
        End::Device(address) => (2, 0, *address),
        End::Host(address) => (1, *address, 0),
        End::Staged(_) => (1, 0, 0),
    };
    // SAFETY: all its fields are numbers.
    let mut all: Copy3D = unsafe { std::mem::zeroed() };
    (all.dst_type, all.dst_host, all.dst_device) = parts(dst);
    (all.src_type, all.src_host, all.src_device) = parts(src);
    all
}

/// Puts a copy into a stream. Pageable sources are taken as they are now; pageable targets are waited for.
///
/// # Errors
/// When an end is bad, or the stream's context has failed by the time a pageable target was waited for.
pub fn enqueue(stream: &Arc<Stream>, mut copy: Copy) -> Result {
    copy.check()?;
    if capture::position(stream)?.is_some() {
        return stream::enqueue(stream, Task::Copy(copy));
    }
    let waits = copy.dst.is_pageable();
    // An idle stream copies at once; unless another thread gives it work first, and then the source must be waited for.
    let direct = copy.src.is_pageable() && stream.is_idle();
    if copy.src.is_pageable() && !copy.is_empty() && !direct {
        let span = copy
            .src
            .span(copy.width, copy.height, copy.depth)
            .ok_or(Error::INVALID_VALUE)?;
        let from = copy.src.resolve(span)?;
        // SAFETY: found good for `span` bytes.
        copy.src.end = End::Staged(unsafe { std::slice::from_raw_parts(from, span) }.into());
    }
    stream::enqueue(stream, Task::Copy(copy))?;
    if waits || direct {
        stream.finish();
    }
    if waits {
        return stream
            .context
            .upgrade()
            .map_or(Ok(()), |context| context.check());
    }
    Ok(())
}

/// Makes a copy in the default stream and waits for it.
fn now(mut copy: Copy) -> Result {
    let context = current_uncaptured()?;
    capture::forbid_on(&context.legacy)?;
    copy.check()?;
    copy.waited = true;
    stream::enqueue(&context.legacy, Task::Copy(copy))?;
    context.legacy.finish();
    context.check()
}

fn later(handle: Handle, copy: Copy) -> Result {
    enqueue(&stream::find(handle)?, copy)
}

/// An address by what it is: with unified addressing the driver can tell.
fn unified(address: u64) -> Result<End> {
    let memory = &driver()?.memory;
    let known = memory.owns(address) || memory.find(address).is_some();
    Ok(if known {
        End::Device(address)
    } else {
        End::Host(address)
    })
}

fn host_to_device(dst: DevicePtr, src: *const c_void, bytes: usize) -> Result {
    now(Copy::linear(End::Device(dst), End::Host(src as u64), bytes))
}
fn device_to_host(dst: *mut c_void, src: DevicePtr, bytes: usize) -> Result {
    now(Copy::linear(End::Host(dst as u64), End::Device(src), bytes))
}
fn device_to_device(dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result {
    now(Copy::linear(End::Device(dst), End::Device(src), bytes))
}
fn any_to_any(dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result {
    current()?;
    now(Copy::linear(unified(dst)?, unified(src)?, bytes))
}
fn host_to_device_async(
    dst: DevicePtr,
    src: *const c_void,
    bytes: usize,
    stream: Handle,
) -> Result {
    later(
        stream,
        Copy::linear(End::Device(dst), End::Host(src as u64), bytes),
    )
}
fn device_to_host_async(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    later(
        stream,
        Copy::linear(End::Host(dst as u64), End::Device(src), bytes),
    )
}
fn device_to_device_async(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    later(
        stream,
        Copy::linear(End::Device(dst), End::Device(src), bytes),
    )
}
fn any_to_any_async(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle) -> Result {
    current()?;
    later(stream, Copy::linear(unified(dst)?, unified(src)?, bytes))
}

fn peers(one: Handle, other: Handle) -> Result {
    let contexts = &driver()?.contexts;
    contexts
        .get(one)
        .and(contexts.get(other))
        .map(drop)
        .map_err(|_| Error::INVALID_CONTEXT)
}
fn peer(dst: DevicePtr, to: Handle, src: DevicePtr, from: Handle, bytes: usize) -> Result {
    peers(to, from)?;
    now(Copy::linear(End::Device(dst), End::Device(src), bytes))
}
fn peer_async(
    dst: DevicePtr,
    to: Handle,
    src: DevicePtr,
    from: Handle,
    bytes: usize,
    stream: Handle,
) -> Result {
    peers(to, from)?;
    later(
        stream,
        Copy::linear(End::Device(dst), End::Device(src), bytes),
    )
}

const MAX_PITCH: usize = i32::MAX as usize;

/// One side of a described copy: its memory, its offsets in it and its pitches.
fn side(
    kind: c_int,
    (host, device): (u64, u64),
    (x, y, z): (usize, usize, usize),
    (pitch, rows): (usize, usize),
    (width, height, depth): (usize, usize, usize),
) -> Result<Side> {
    let pitch = if pitch == 0 {
        x.checked_add(width).ok_or(Error::INVALID_VALUE)?
    } else {
        pitch
    };
    let rows = if rows == 0 {
        y.checked_add(height).ok_or(Error::INVALID_VALUE)?
    } else {
        rows
    };
    let tall = height > 1 || depth > 1;
    if tall && (pitch > MAX_PITCH || x.saturating_add(width) > pitch) {
        return Err(Error::INVALID_VALUE);
    }
    if depth > 1 && y.saturating_add(height) > rows {
        return Err(Error::INVALID_VALUE);
    }
    let slice = pitch.checked_mul(rows).ok_or(Error::INVALID_VALUE)?;
    let offset = slice
        .checked_mul(z)
        .and_then(|at| at.checked_add(pitch.checked_mul(y)?)?.checked_add(x));
    let at = |base: u64| {
        base.checked_add(offset.ok_or(Error::INVALID_VALUE)? as u64)
            .ok_or(Error::INVALID_VALUE)
    };
    let end = match kind {
        1 => End::Host(at(host)?),
        2 => End::Device(at(device)?),
        4 => unified(at(device)?)?,
        // Arrays belong to textures, which are not modelled.
        3 => return Err(Error::NOT_SUPPORTED),
        _ => return Err(Error::INVALID_VALUE),
    };
    Ok(Side { end, pitch, slice })
}

/// The copy that a structure of the caller's describes.
///
/// # Errors
/// When it is none: unknown memory types, rows that overlap.
pub fn described(c: &Copy3D) -> Result<Copy> {
    let extent = (c.width, c.height, c.depth);
    let dst = (c.dst_x, c.dst_y, c.dst_z);
    let src = (c.src_x, c.src_y, c.src_z);
    if c.src_lod != 0 || c.dst_lod != 0 {
        return Err(Error::INVALID_VALUE);
    }
    c.width
        .checked_mul(c.height)
        .and_then(|area| area.checked_mul(c.depth))
        .ok_or(Error::INVALID_VALUE)?;
    Ok(Copy {
        dst: side(
            c.dst_type,
            (c.dst_host, c.dst_device),
            dst,
            (c.dst_pitch, c.dst_height),
            extent,
        )?,
        src: side(
            c.src_type,
            (c.src_host, c.src_device),
            src,
            (c.src_pitch, c.src_height),
            extent,
        )?,
        width: c.width,
        height: c.height,
        depth: c.depth,
        waited: false,
        described: *c,
    })
}

fn flat(c: &Copy2D) -> Copy3D {
    Copy3D {
        src_x: c.src_x,
        src_y: c.src_y,
        src_z: 0,
        src_lod: 0,
        src_type: c.src_type,
        src_host: c.src_host,
        src_device: c.src_device,
        src_array: c.src_array,
        src_context: 0,
        src_pitch: c.src_pitch,
        src_height: 0,
        dst_x: c.dst_x,
        dst_y: c.dst_y,
        dst_z: 0,
        dst_lod: 0,
        dst_type: c.dst_type,
        dst_host: c.dst_host,
        dst_device: c.dst_device,
        dst_array: c.dst_array,
        dst_context: 0,
        dst_pitch: c.dst_pitch,
        dst_height: 0,
        width: c.width,
        height: c.height,
        depth: 1,
    }
}

fn copy_2d(copy: *const Copy2D) -> Result {
    context::current()?;
    now(described(&flat(&get(copy)?))?)
}
fn copy_2d_async(copy: *const Copy2D, stream: Handle) -> Result {
    context::current()?;
    later(stream, described(&flat(&get(copy)?))?)
}
fn copy_3d(copy: *const Copy3D) -> Result {
    context::current()?;
    now(described(&get(copy)?)?)
}
fn copy_3d_async(copy: *const Copy3D, stream: Handle) -> Result {
    context::current()?;
    later(stream, described(&get(copy)?)?)
}
fn copy_3d_peer(copy: *const Copy3D) -> Result {
    let copy = get(copy)?;
    peers(copy.dst_context, copy.src_context)?;
    copy_3d(&raw const copy)
}
fn copy_3d_peer_async(copy: *const Copy3D, stream: Handle) -> Result {
    let copy = get(copy)?;
    peers(copy.dst_context, copy.src_context)?;
    copy_3d_async(&raw const copy, stream)
}

fn batch(
    dsts: *const DevicePtr,
    srcs: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    _attributes: *const c_void,
    _indices: *const usize,
    attribute_count: usize,
    failed: *mut usize,
    stream: Handle,
) -> Result {
    let stream = stream::find(stream)?;
    put_optional(failed, usize::MAX);
    if count == 0 || attribute_count == 0 || stream.legacy {
        return Err(Error::INVALID_VALUE);
    }
    let (dsts, srcs, sizes) = (
        get_all(dsts, count)?,
        get_all(srcs, count)?,
        get_all(sizes, count)?,
    );
    for i in 0..count {
        let copy = Copy::linear(unified(dsts[i])?, unified(srcs[i])?, sizes[i]);
        enqueue(&stream, copy).inspect_err(|_| put_optional(failed, i))?;
    }
    Ok(())
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
    cuMemcpy3DPeer(copy: *const Copy3D) = copy_3d_peer;
    cuMemcpy3DPeerAsync(copy: *const Copy3D, stream: Handle) = copy_3d_peer_async;
    cuMemcpyBatchAsync(dsts: *const DevicePtr, srcs: *const DevicePtr, sizes: *const usize, count: usize,
        attributes: *const c_void, indices: *const usize, attribute_count: usize, failed: *mut usize, stream: Handle)
        = batch;
}
