//! Two- and three-dimensional copies of memory and of arrays.
use crate::abi::{
    error::{Error, Result},
    native::{ArrayDesc, Copy3D, End3d, copy_2d, copy_3d, ends},
    pointers::get,
    types::{Copy3d, Copy3dPeer, Extent, Handle, PER_THREAD, PitchedPtr, Pos, Stream},
};
use crate::api::{
    copy::check,
    entry::{calls, stream_calls},
};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::{driver::constants::memory_type, runtime::constants::copy_kind};
use std::ffi::{c_int, c_void};
use std::ptr::without_provenance_mut;

/// The stream of a copy; `None` is the default stream, which is synchronised as the driver does.
type Where = Option<Stream>;

/// Returns the kinds of memory of the source and the destination.
fn kinds(direction: c_int) -> Result<(c_int, c_int)> {
    check(direction)?;
    Ok(match direction {
        copy_kind::HOST_TO_HOST => (memory_type::HOST, memory_type::HOST),
        copy_kind::HOST_TO_DEVICE => (memory_type::HOST, memory_type::DEVICE),
        copy_kind::DEVICE_TO_HOST => (memory_type::DEVICE, memory_type::HOST),
        copy_kind::DEVICE_TO_DEVICE => (memory_type::DEVICE, memory_type::DEVICE),
        _ => (memory_type::UNIFIED, memory_type::UNIFIED),
    })
}

/// One end of a two-dimensional copy: memory with a pitch, or a position in an array.
#[derive(Clone, Copy)]
enum End {
    Memory(*mut c_void, usize),
    Array(Handle, usize, usize),
}

impl End {
    fn native(self, kind: c_int) -> End3d {
        match self {
            Self::Memory(pointer, pitch) => End3d::linear(kind, pointer, pitch, 0),
            Self::Array(array, x, y) => End3d::array(array).at(x, y, 0),
        }
    }
}

fn plane(dst: End, src: End, width: usize, height: usize, direction: c_int, stream: Where) -> Result {
    context::ensure()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let (from, to) = kinds(direction)?;
    let is_narrow = |end: &End| matches!(end, End::Memory(_, pitch) if *pitch < width);
    if [dst, src].iter().any(is_narrow) {
        return Err(if height > 1 { Error::INVALID_PITCH_VALUE } else { Error::INVALID_VALUE });
    }
    let copy = copy_2d(src.native(from), dst.native(to), width, height);
    match stream {
        None => driver::cuMemcpy2DUnaligned_v2(&raw const copy),
        Some(stream) => driver::cuMemcpy2DAsync_v2(&raw const copy, stream),
    }
}

fn own(work: impl FnOnce(Where) -> Result) -> Result {
    work(Some(PER_THREAD))?;
    driver::cuStreamSynchronize(PER_THREAD)
}

/// Returns the bytes of an element of an array.
///
/// # Errors
/// When there is no such array.
pub fn element(array: Handle) -> Result<usize> {
    let mut desc = ArrayDesc::default();
    driver::cuArray3DGetDescriptor_v2(&raw mut desc, array)?;
    Ok(crate::api::array::bytes(&desc))
}

/// Returns the driver's form of a three-dimensional copy. Positions and extents are in elements if an array takes part.
///
/// # Errors
/// When the direction or an array is invalid.
pub fn native(copy: &Copy3d) -> Result<Copy3D> {
    let (from, to) = kinds(copy.kind)?;
    let unit = match [copy.src_array, copy.dst_array].into_iter().find(|array| !array.is_null()) {
        Some(array) => element(array)?,
        None => 1,
    };
    let end = |array: Handle, position: Pos, pointer: PitchedPtr, kind: c_int| {
        let end = if array.is_null() {
            End3d::linear(kind, pointer.ptr, pointer.pitch, pointer.ysize)
        } else {
            End3d::array(array)
        };
        // A position in memory is in elements of that memory, which have the size of the array's.
        end.at(position.x * unit, position.y, position.z)
    };
    let Extent { width, height, depth } = copy.extent;
    let src = end(copy.src_array, copy.src_pos, copy.src_ptr, from);
    let dst = end(copy.dst_array, copy.dst_pos, copy.dst_ptr, to);
    Ok(Copy3D { width_in_bytes: width * unit, height, depth, ..copy_3d(src, dst) })
}

/// Returns the runtime's form of a three-dimensional copy.
///
/// # Errors
/// When an array is invalid.
pub fn from_native(copy: &Copy3D) -> Result<Copy3d> {
    let (src, dst) = ends(copy);
    let array = |end: &End3d| -> Handle { without_provenance_mut(end.array) };
    let unit = match [array(&src), array(&dst)].into_iter().find(|array| !array.is_null()) {
        Some(array) => element(array)?,
        None => 1,
    };
    let pitched = |end: &End3d| PitchedPtr {
        ptr: end.pointer(),
        pitch: end.pitch,
        xsize: copy.width_in_bytes / unit,
        ysize: end.height,
    };
    let position = |end: &End3d| Pos { x: end.x_bytes / unit, y: end.y, z: end.z };
    let is_host = |end: &End3d| end.kind == memory_type::HOST;
    let kind = match (is_host(&src), is_host(&dst)) {
        _ if src.kind == memory_type::UNIFIED || dst.kind == memory_type::UNIFIED => copy_kind::DEFAULT,
        (true, true) => copy_kind::HOST_TO_HOST,
        (true, false) => copy_kind::HOST_TO_DEVICE,
        (false, true) => copy_kind::DEVICE_TO_HOST,
        (false, false) => copy_kind::DEVICE_TO_DEVICE,
    };
    Ok(Copy3d {
        src_array: array(&src),
        src_pos: position(&src),
        src_ptr: pitched(&src),
        dst_array: array(&dst),
        dst_pos: position(&dst),
        dst_ptr: pitched(&dst),
        extent: Extent { width: copy.width_in_bytes / unit, height: copy.height, depth: copy.depth },
        kind,
    })
}

fn volume(copy: *const Copy3d, stream: Where) -> Result {
    context::ensure()?;
    let copy = native(&get(copy)?)?;
    if copy.width_in_bytes == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    match stream {
        None => driver::cuMemcpy3D_v2(&raw const copy),
        Some(stream) => driver::cuMemcpy3DAsync_v2(&raw const copy, stream),
    }
}

/// Copies between devices, whose memory shares one address space.
fn volume_peer(copy: *const Copy3dPeer, stream: Where) -> Result {
    let Copy3dPeer { src_array, src_pos, src_ptr, dst_array, dst_pos, dst_ptr, extent, .. } = get(copy)?;
    let kind = copy_kind::DEVICE_TO_DEVICE;
    let copy = Copy3d { src_array, src_pos, src_ptr, dst_array, dst_pos, dst_ptr, extent, kind };
    volume(&raw const copy, stream)
}

type Dst = *mut c_void;
type Src = *const c_void;

fn linear(dst: Dst, dpitch: usize, src: Src, spitch: usize, w: usize, h: usize, kind: c_int, s: Where) -> Result {
    plane(End::Memory(dst, dpitch), End::Memory(src.cast_mut(), spitch), w, h, kind, s)
}

fn to_array(dst: Handle, x: usize, y: usize, src: Src, pitch: usize, w: usize, h: usize, k: c_int, s: Where) -> Result {
    plane(End::Array(dst, x, y), End::Memory(src.cast_mut(), pitch), w, h, k, s)
}

fn from_array(
    dst: Dst,
    pitch: usize,
    src: Handle,
    x: usize,
    y: usize,
    w: usize,
    h: usize,
    k: c_int,
    s: Where,
) -> Result {
    plane(End::Memory(dst, pitch), End::Array(src, x, y), w, h, k, s)
}

/// Splits `bytes` bytes of an array, from a position in a row on, into pieces: the rest of that row, whole rows, and
/// the start of another row. Each piece has its position, its width and its height.
fn pieces(array: Handle, x: usize, y: usize, bytes: usize) -> Result<Vec<(usize, usize, usize, usize)>> {
    context::ensure()?;
    let desc = crate::api::array::desc_of(array)?;
    let row = desc.width * crate::api::array::bytes(&desc);
    if x >= row || x == 0 && bytes < row || x + bytes <= row {
        return Ok(vec![(x, y, bytes, 1)]);
    }
    let first = if x == 0 { 0 } else { row - x };
    let (rows, last) = ((bytes - first) / row, (bytes - first) % row);
    let below = y + usize::from(first > 0);
    let pieces = [(x, y, first, 1), (0, below, row, rows), (0, below + rows, last, 1)];
    Ok(pieces.into_iter().filter(|(.., width, height)| *width > 0 && *height > 0).collect())
}

/// Copies contiguous bytes to an array, row after row.
fn bytes_to_array(dst: Handle, x: usize, y: usize, src: Src, bytes: usize, kind: c_int, stream: Where) -> Result {
    let mut from = src;
    for (x, y, width, height) in pieces(dst, x, y, bytes)? {
        to_array(dst, x, y, from, width, width, height, kind, stream)?;
        from = from.wrapping_byte_add(width * height);
    }
    Ok(())
}

/// Copies from an array to contiguous bytes, row after row.
fn bytes_from_array(dst: Dst, src: Handle, x: usize, y: usize, bytes: usize, kind: c_int, stream: Where) -> Result {
    let mut to = dst;
    for (x, y, width, height) in pieces(src, x, y, bytes)? {
        from_array(to, width, src, x, y, width, height, kind, stream)?;
        to = to.wrapping_byte_add(width * height);
    }
    Ok(())
}

type InArray = (Handle, usize, usize);

fn arrays(to: InArray, from: InArray, width: usize, height: usize, kind: c_int, stream: Where) -> Result {
    plane(End::Array(to.0, to.1, to.2), End::Array(from.0, from.1, from.2), width, height, kind, stream)
}

calls! {
    cudaMemcpy2D(dst: Dst, dpitch: usize, src: Src, spitch: usize, w: usize, h: usize, kind: c_int)
        = (|d, dp, s, sp, w, h, k| linear(d, dp, s, sp, w, h, k, None));
    cudaMemcpy2D_ptds(dst: Dst, dpitch: usize, src: Src, spitch: usize, w: usize, h: usize, kind: c_int)
        = (|d, dp, s, sp, w, h, k| own(|stream| linear(d, dp, s, sp, w, h, k, stream)));
    cudaMemcpy2DToArray(dst: Handle, x: usize, y: usize, src: Src, pitch: usize, w: usize, h: usize, kind: c_int)
        = (|d, x, y, s, p, w, h, k| to_array(d, x, y, s, p, w, h, k, None));
    cudaMemcpy2DToArray_ptds(dst: Handle, x: usize, y: usize, src: Src, pitch: usize, w: usize, h: usize, kind: c_int)
        = (|d, x, y, s, p, w, h, k| own(|stream| to_array(d, x, y, s, p, w, h, k, stream)));
    cudaMemcpy2DFromArray(dst: Dst, pitch: usize, src: Handle, x: usize, y: usize, w: usize, h: usize, kind: c_int)
        = (|d, p, s, x, y, w, h, k| from_array(d, p, s, x, y, w, h, k, None));
    cudaMemcpy2DFromArray_ptds(dst: Dst, pitch: usize, src: Handle, x: usize, y: usize, w: usize, h: usize, k: c_int)
        = (|d, p, s, x, y, w, h, k| own(|stream| from_array(d, p, s, x, y, w, h, k, stream)));
    cudaMemcpy2DArrayToArray(dst: Handle, dx: usize, dy: usize, src: Handle, sx: usize, sy: usize, w: usize, h: usize,
        kind: c_int)
        = (|d, dx, dy, s, sx, sy, w, h, k| arrays((d, dx, dy), (s, sx, sy), w, h, k, None));
    cudaMemcpy2DArrayToArray_ptds(dst: Handle, dx: usize, dy: usize, src: Handle, sx: usize, sy: usize, w: usize,
        h: usize, kind: c_int)
        = (|d, dx, dy, s, sx, sy, w, h, k| own(|stream| arrays((d, dx, dy), (s, sx, sy), w, h, k, stream)));
    cudaMemcpyToArray(dst: Handle, x: usize, y: usize, src: Src, bytes: usize, kind: c_int)
        = (|d, x, y, s, n, k| bytes_to_array(d, x, y, s, n, k, None));
    cudaMemcpyToArray_ptds(dst: Handle, x: usize, y: usize, src: Src, bytes: usize, kind: c_int)
        = (|d, x, y, s, n, k| own(|stream| bytes_to_array(d, x, y, s, n, k, stream)));
    cudaMemcpyFromArray(dst: Dst, src: Handle, x: usize, y: usize, bytes: usize, kind: c_int)
        = (|d, s, x, y, n, k| bytes_from_array(d, s, x, y, n, k, None));
    cudaMemcpyFromArray_ptds(dst: Dst, src: Handle, x: usize, y: usize, bytes: usize, kind: c_int)
        = (|d, s, x, y, n, k| own(|stream| bytes_from_array(d, s, x, y, n, k, stream)));
    cudaMemcpyArrayToArray(dst: Handle, dx: usize, dy: usize, src: Handle, sx: usize, sy: usize, bytes: usize,
        kind: c_int)
        = (|d, dx, dy, s, sx, sy, n, k| arrays((d, dx, dy), (s, sx, sy), n, 1, k, None));
    cudaMemcpyArrayToArray_ptds(dst: Handle, dx: usize, dy: usize, src: Handle, sx: usize, sy: usize, bytes: usize,
        kind: c_int)
        = (|d, dx, dy, s, sx, sy, n, k| own(|stream| arrays((d, dx, dy), (s, sx, sy), n, 1, k, stream)));
    cudaMemcpy3D(copy: *const Copy3d) = (|copy| volume(copy, None));
    cudaMemcpy3D_ptds(copy: *const Copy3d) = (|copy| own(|stream| volume(copy, stream)));
    cudaMemcpy3DPeer(copy: *const Copy3dPeer) = (|copy| volume_peer(copy, None));
    cudaMemcpy3DPeer_ptds(copy: *const Copy3dPeer) = (|copy| own(|stream| volume_peer(copy, stream)));
}

stream_calls! {
    cudaMemcpy2DAsync cudaMemcpy2DAsync_ptsz [stream] (dst: Dst, dpitch: usize, src: Src, spitch: usize, w: usize,
        h: usize, kind: c_int, stream: Stream)
        = (|d, dp, s, sp, w, h, k, stream| linear(d, dp, s, sp, w, h, k, Some(stream)));
    cudaMemcpy2DToArrayAsync cudaMemcpy2DToArrayAsync_ptsz [stream] (dst: Handle, x: usize, y: usize, src: Src,
        pitch: usize, w: usize, h: usize, kind: c_int, stream: Stream)
        = (|d, x, y, s, p, w, h, k, stream| to_array(d, x, y, s, p, w, h, k, Some(stream)));
    cudaMemcpy2DFromArrayAsync cudaMemcpy2DFromArrayAsync_ptsz [stream] (dst: Dst, pitch: usize, src: Handle,
        x: usize, y: usize, w: usize, h: usize, kind: c_int, stream: Stream)
        = (|d, p, s, x, y, w, h, k, stream| from_array(d, p, s, x, y, w, h, k, Some(stream)));
    cudaMemcpyToArrayAsync cudaMemcpyToArrayAsync_ptsz [stream] (dst: Handle, x: usize, y: usize, src: Src,
        bytes: usize, kind: c_int, stream: Stream)
        = (|d, x, y, s, n, k, stream| bytes_to_array(d, x, y, s, n, k, Some(stream)));
    cudaMemcpyFromArrayAsync cudaMemcpyFromArrayAsync_ptsz [stream] (dst: Dst, src: Handle, x: usize, y: usize,
        bytes: usize, kind: c_int, stream: Stream)
        = (|d, s, x, y, n, k, stream| bytes_from_array(d, s, x, y, n, k, Some(stream)));
    cudaMemcpy3DAsync cudaMemcpy3DAsync_ptsz [stream] (copy: *const Copy3d, stream: Stream)
        = (|copy, stream| volume(copy, Some(stream)));
    cudaMemcpy3DPeerAsync cudaMemcpy3DPeerAsync_ptsz [stream] (copy: *const Copy3dPeer, stream: Stream)
        = (|copy, stream| volume_peer(copy, Some(stream)));
}
