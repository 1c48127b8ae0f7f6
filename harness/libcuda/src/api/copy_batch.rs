//! Many copies by one call (`cuMemcpyBatchAsync`, `cuMemcpy3DBatchAsync`). All are checked before the first is queued,
//! so that a batch is copied as a whole or not at all.

use crate::abi::constants::{copy_flags, copy_operand, location_type, memory_type, source_order};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get_all, put_optional};
use crate::abi::types::{
    BatchCopy, BatchOperand, BatchOperandOpArray, BatchOperandOpPtr, Copy3D, CopyAttributes, DevicePtr, Handle,
    Location,
};
use crate::state::contexts::stream::Stream;
use crate::state::contexts::streams;
use crate::state::graphs::transfer::copy_batch;
use crate::state::memory::array;
use crate::state::memory::copy::MemoryCopy;
use crate::state::memory::described::{described, unified};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;

/// Returns the stream of a batch of `count` operations: any stream except the legacy default stream.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for that stream, and for an empty batch.
pub fn stream_of(handle: Handle, count: usize) -> Result<Arc<Stream>> {
    let stream = streams::find(handle)?;
    if count == 0 || stream.legacy { Err(Error::INVALID_VALUE) } else { Ok(stream) }
}

/// Returns, for each of `count` operations, the number of the entry that applies to it: entry `k` applies to those from
/// `firsts[k]` on.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` unless the first is 0, each is greater than the one before, and all are below `count`.
pub fn entries_of(count: usize, firsts: &[usize]) -> Result<Vec<usize>> {
    let ascending = firsts.windows(2).all(|pair| pair[0] < pair[1]);
    if firsts.first() != Some(&0) || !ascending || firsts.last().is_some_and(|last| *last >= count) {
        return Err(Error::INVALID_VALUE);
    }
    Ok((0..count).map(|at| firsts.partition_point(|first| *first <= at) - 1).collect())
}

/// Refuses a hint with an invalid location. The hints themselves have no effect: managed memory is stored once.
fn check_hint(hint: Location) -> Result {
    match hint {
        Location { kind: location_type::DEVICE, id: 0 } => Ok(()),
        Location { kind: 0 | location_type::HOST..=location_type::HOST_NUMA_CURRENT, .. } => Ok(()),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn check_attributes(order: c_int, flags: u32) -> Result {
    let known = (source_order::STREAM..=source_order::ANY).contains(&order);
    if known && flags & !copy_flags::PREFER_OVERLAP_WITH_COMPUTE == 0 { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

/// Returns a copy whose source is read in the requested order: within the call, or when the stream reaches it.
fn ordered(mut copy: MemoryCopy, order: c_int) -> MemoryCopy {
    copy.source_ends_with_call = order == source_order::DURING_API_CALL;
    copy
}

fn batch(
    dsts: *const DevicePtr,
    srcs: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    attributes: *const CopyAttributes,
    firsts: *const usize,
    attribute_count: usize,
    failed: *mut usize,
    stream: Handle,
) -> Result {
    // This value remains if the mistake does not belong to one copy.
    put_optional(failed, usize::MAX);
    let stream = stream_of(stream, count)?;
    let (dsts, srcs, sizes) = (get_all(dsts, count)?, get_all(srcs, count)?, get_all(sizes, count)?);
    if attribute_count > count {
        return Err(Error::INVALID_VALUE);
    }
    let attributes = get_all(attributes, attribute_count)?;
    let entries = entries_of(count, &get_all(firsts, attribute_count)?)?;
    for attribute in &attributes {
        check_attributes(attribute.src_access_order, attribute.flags)?;
        check_hint(attribute.src_loc_hint)?;
        check_hint(attribute.dst_loc_hint)?;
    }
    let one = |at: usize| {
        if sizes[at] == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let copy = MemoryCopy::linear(unified(dsts[at])?, unified(srcs[at])?, sizes[at]);
        copy.check()?;
        Ok(ordered(copy, attributes[entries[at]].src_access_order))
    };
    let copies = (0..count).map(|at| one(at).inspect_err(|_| put_optional(failed, at))).collect::<Result<Vec<_>>>()?;
    copy_batch(&stream, copies)
}

/// Like [`batch`], since CUDA 13: it does not return which copy failed.
fn batch_v2(
    dsts: *const DevicePtr,
    srcs: *const DevicePtr,
    sizes: *const usize,
    count: usize,
    attributes: *const CopyAttributes,
    firsts: *const usize,
    attribute_count: usize,
    stream: Handle,
) -> Result {
    batch(dsts, srcs, sizes, count, attributes, firsts, attribute_count, null_mut(), stream)
}

/// Returns the bytes of an element of an operand that is an array; `None` for memory, whose elements are those of the
/// other operand.
fn element(operand: &BatchOperand) -> Result<Option<usize>> {
    match operand.kind {
        copy_operand::POINTER => Ok(None),
        copy_operand::ARRAY => Ok(Some(array::find(operand.op.array().array)?.image.format.bytes() as usize)),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// One end of a copy in bytes: its kind, address, array, the position in the array, and the lengths of a row and a
/// layer.
type End = (c_int, u64, Handle, [usize; 3], [usize; 2]);

/// Returns the end of a copy for an operand.
fn end(operand: &BatchOperand, element: usize, extent: [usize; 3]) -> Result<End> {
    if operand.kind == copy_operand::ARRAY {
        let BatchOperandOpArray { array, offset } = operand.op.array();
        let x = offset.x.checked_mul(element).ok_or(Error::INVALID_VALUE)?;
        return Ok((memory_type::ARRAY, 0, array, [x, offset.y, offset.z], [0; 2]));
    }
    let BatchOperandOpPtr { ptr, row_length: row, layer_height: layer, loc_hint } = operand.op.ptr();
    if (row != 0 && row < extent[0]) || (layer != 0 && layer < extent[1]) {
        return Err(Error::INVALID_VALUE);
    }
    check_hint(loc_hint)?;
    let pitch = row.checked_mul(element).ok_or(Error::INVALID_VALUE)?;
    Ok((memory_type::UNIFIED, ptr, 0, [0; 3], [pitch, layer]))
}

fn copy_of(op: &BatchCopy) -> Result<MemoryCopy> {
    check_attributes(op.src_access_order, op.flags)?;
    let extent = [op.extent.width, op.extent.height, op.extent.depth];
    if extent.contains(&0) {
        return Err(Error::INVALID_VALUE);
    }
    let element = match (element(&op.src)?, element(&op.dst)?) {
        (Some(one), Some(other)) if one != other => return Err(Error::INVALID_VALUE),
        (one, other) => one.or(other).unwrap_or(1),
    };
    let [width, height, depth] = extent;
    let (src_memory_type, src_device, src_array, src_at, [src_pitch, src_height]) = end(&op.src, element, extent)?;
    let (dst_memory_type, dst_device, dst_array, dst_at, [dst_pitch, dst_height]) = end(&op.dst, element, extent)?;
    let copy = described(&Copy3D {
        src_memory_type,
        src_device,
        src_array,
        src_x_in_bytes: src_at[0],
        src_y: src_at[1],
        src_z: src_at[2],
        src_pitch,
        src_height,
        dst_memory_type,
        dst_device,
        dst_array,
        dst_x_in_bytes: dst_at[0],
        dst_y: dst_at[1],
        dst_z: dst_at[2],
        dst_pitch,
        dst_height,
        width_in_bytes: width.checked_mul(element).ok_or(Error::INVALID_VALUE)?,
        height,
        depth,
        ..Copy3D::default()
    })?;
    copy.check()?;
    Ok(ordered(copy, op.src_access_order))
}

fn batch_3d(count: usize, ops: *const BatchCopy, failed: *mut usize, flags: u64, stream: Handle) -> Result {
    put_optional(failed, usize::MAX);
    let stream = stream_of(stream, count)?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let one = |(at, op)| copy_of(op).inspect_err(|_| put_optional(failed, at));
    let copies = get_all(ops, count)?.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?;
    copy_batch(&stream, copies)
}

/// Like [`batch_3d`], since CUDA 13.
fn batch_3d_v2(count: usize, ops: *const BatchCopy, flags: u64, stream: Handle) -> Result {
    batch_3d(count, ops, null_mut(), flags, stream)
}

entry_points! {
    cuMemcpyBatchAsync(dsts: *const DevicePtr, srcs: *const DevicePtr, sizes: *const usize, count: usize,
        attributes: *const CopyAttributes, firsts: *const usize, attribute_count: usize, failed: *mut usize,
        stream: Handle) = batch;
    cuMemcpyBatchAsync_ptsz(dsts: *const DevicePtr, srcs: *const DevicePtr, sizes: *const usize, count: usize,
        attributes: *const CopyAttributes, firsts: *const usize, attribute_count: usize, failed: *mut usize,
        stream: Handle) = batch;
    cuMemcpyBatchAsync_v2(dsts: *const DevicePtr, srcs: *const DevicePtr, sizes: *const usize, count: usize,
        attributes: *const CopyAttributes, firsts: *const usize, attribute_count: usize, stream: Handle) = batch_v2;
    cuMemcpyBatchAsync_v2_ptsz(dsts: *const DevicePtr, srcs: *const DevicePtr, sizes: *const usize, count: usize,
        attributes: *const CopyAttributes, firsts: *const usize, attribute_count: usize, stream: Handle) = batch_v2;
    cuMemcpy3DBatchAsync(count: usize, ops: *const BatchCopy, failed: *mut usize, flags: u64, stream: Handle)
        = batch_3d;
    cuMemcpy3DBatchAsync_ptsz(count: usize, ops: *const BatchCopy, failed: *mut usize, flags: u64, stream: Handle)
        = batch_3d;
    cuMemcpy3DBatchAsync_v2(count: usize, ops: *const BatchCopy, flags: u64, stream: Handle) = batch_3d_v2;
    cuMemcpy3DBatchAsync_v2_ptsz(count: usize, ops: *const BatchCopy, flags: u64, stream: Handle) = batch_3d_v2;
}
