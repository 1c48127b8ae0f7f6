//! Copies from a structure of the caller: offsets, pitches and types of memory.

use super::array;
use super::copy::{End, MemoryCopy, Side};
use crate::abi::constants::memory_type;
use crate::abi::error::{Error, Result};
use crate::abi::types::Copy3D;
use crate::state::device::driver::driver;

/// Returns the end of a copy for an address: with unified addressing the driver knows what it points to.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn unified(address: u64) -> Result<End> {
    let memory = &driver()?.memory;
    let known = memory.owns(address) || memory.find(address).is_some();
    Ok(if known { End::Device(address) } else { End::Host(address) })
}

const MAX_PITCH: usize = i32::MAX as usize;

/// Returns one side of such a copy: its memory, the offsets in it, and the pitches.
fn side(
    kind: i32,
    (host, device, handle): (u64, u64, usize),
    (x, y, z): (usize, usize, usize),
    (pitch, rows): (usize, usize),
    (width, height, depth): (usize, usize, usize),
) -> Result<Side> {
    if kind == memory_type::ARRAY {
        let (at, pitch, slice) = array::part(handle, [x, y, z], [width, height, depth])?;
        return Ok(Side { end: End::Device(at), pitch, slice });
    }
    let pitch = if pitch == 0 { x.checked_add(width).ok_or(Error::INVALID_VALUE)? } else { pitch };
    let rows = if rows == 0 { y.checked_add(height).ok_or(Error::INVALID_VALUE)? } else { rows };
    let tall = height > 1 || depth > 1;
    if tall && (pitch > MAX_PITCH || x.saturating_add(width) > pitch) {
        return Err(Error::INVALID_VALUE);
    }
    if depth > 1 && y.saturating_add(height) > rows {
        return Err(Error::INVALID_VALUE);
    }
    let slice = pitch.checked_mul(rows).ok_or(Error::INVALID_VALUE)?;
    let offset = slice.checked_mul(z).and_then(|at| at.checked_add(pitch.checked_mul(y)?)?.checked_add(x));
    let at = |base: u64| base.checked_add(offset.ok_or(Error::INVALID_VALUE)? as u64).ok_or(Error::INVALID_VALUE);
    let end = match kind {
        memory_type::HOST => End::Host(at(host)?),
        memory_type::DEVICE => End::Device(at(device)?),
        memory_type::UNIFIED => unified(at(device)?)?,
        _ => return Err(Error::INVALID_VALUE),
    };
    Ok(Side { end, pitch, slice })
}

/// Returns the copy that a structure of the caller describes.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown memory types, rows that overlap, and parts that are not inside an array;
/// `CUDA_ERROR_INVALID_HANDLE` for arrays that do not exist.
pub fn described(c: &Copy3D) -> Result<MemoryCopy> {
    let extent = (c.width_in_bytes, c.height, c.depth);
    let dst = (c.dst_x_in_bytes, c.dst_y, c.dst_z);
    let src = (c.src_x_in_bytes, c.src_y, c.src_z);
    if c.src_lod != 0 || c.dst_lod != 0 {
        return Err(Error::INVALID_VALUE);
    }
    c.width_in_bytes.checked_mul(c.height).and_then(|area| area.checked_mul(c.depth)).ok_or(Error::INVALID_VALUE)?;
    Ok(MemoryCopy {
        dst: side(
            c.dst_memory_type,
            (c.dst_host, c.dst_device, c.dst_array),
            dst,
            (c.dst_pitch, c.dst_height),
            extent,
        )?,
        src: side(
            c.src_memory_type,
            (c.src_host, c.src_device, c.src_array),
            src,
            (c.src_pitch, c.src_height),
            extent,
        )?,
        width: c.width_in_bytes,
        height: c.height,
        depth: c.depth,
        waited: false,
        source_ends_with_call: false,
        described: *c,
    })
}
