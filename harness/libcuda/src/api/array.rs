//! Arrays (`cuArray*`, `cuMipmappedArray*`).

use crate::abi::constants::array_flags;
use crate::abi::constants::device_attribute::*;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put};
use crate::abi::types::{ArrayDesc, FlatArrayDesc, Handle};
use crate::state::contexts::context::synchronize_device;
use crate::state::contexts::current::current;
use crate::state::device::attributes;
use crate::state::device::driver::driver;
use crate::state::graphs::capture::{self, current_uncaptured};
use crate::state::memory::array;
use simt::texture::Shape;
use std::ffi::c_uint;

/// Checks that the extents are within the limits of the device.
fn check_limits(desc: &ArrayDesc, levels: c_uint) -> Result {
    let profile = driver()?.profile;
    let shape = array::shape(desc)?;
    let is_gather = desc.flags & array_flags::TEXTURE_GATHER != 0;
    let (width, height, depth) = match shape {
        Shape::D1 { layered: true } => (MAXIMUM_TEXTURE1D_LAYERED_WIDTH, None, Some(MAXIMUM_TEXTURE1D_LAYERED_LAYERS)),
        Shape::Linear | Shape::D1 { .. } if levels > 1 => (MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, None, None),
        Shape::Linear | Shape::D1 { .. } => (MAXIMUM_TEXTURE1D_WIDTH, None, None),
        Shape::D2 { layered: true } => (
            MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
            Some(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
            Some(MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
        ),
        Shape::D2 { .. } if is_gather => (MAXIMUM_TEXTURE2D_GATHER_WIDTH, Some(MAXIMUM_TEXTURE2D_GATHER_HEIGHT), None),
        Shape::D2 { .. } if levels > 1 => {
            (MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, Some(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT), None)
        }
        Shape::D2 { .. } => (MAXIMUM_TEXTURE2D_WIDTH, Some(MAXIMUM_TEXTURE2D_HEIGHT), None),
        Shape::D3 => (MAXIMUM_TEXTURE3D_WIDTH, Some(MAXIMUM_TEXTURE3D_HEIGHT), Some(MAXIMUM_TEXTURE3D_DEPTH)),
        Shape::Cube { layered: true } => (
            MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
            Some(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
            Some(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
        ),
        Shape::Cube { .. } => (MAXIMUM_TEXTURECUBEMAP_WIDTH, Some(MAXIMUM_TEXTURECUBEMAP_WIDTH), None),
    };
    let fits = |extent: usize, limit: Option<i32>| {
        let most = limit.and_then(|limit| attributes::device(profile, limit));
        most.is_none_or(|most| extent <= most as usize)
    };
    let fine = fits(desc.width, Some(width)) && fits(desc.height, height) && fits(desc.depth, depth);
    if fine { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn create(out: *mut Handle, desc: *const FlatArrayDesc) -> Result {
    let FlatArrayDesc { width, height, format, num_channels } = get(desc)?;
    create_desc(out, ArrayDesc { width, height, depth: 0, format, num_channels, flags: 0 })
}

fn create_3d(out: *mut Handle, desc: *const ArrayDesc) -> Result {
    create_desc(out, get(desc)?)
}

fn create_desc(out: *mut Handle, desc: ArrayDesc) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    check_limits(&desc, 1)?;
    put(out, array::create(&context, &desc)?)
}

fn descriptor(out: *mut FlatArrayDesc, handle: Handle) -> Result {
    current()?;
    need(out)?;
    let ArrayDesc { width, height, format, num_channels, .. } = array::find(handle)?.desc;
    put(out, FlatArrayDesc { width, height, format, num_channels })
}

fn descriptor_3d(out: *mut ArrayDesc, handle: Handle) -> Result {
    current()?;
    need(out)?;
    put(out, array::find(handle)?.desc)
}

fn destroy(handle: Handle) -> Result {
    current()?;
    capture::forbid()?;
    array::find(handle)?;
    synchronize_device();
    array::destroy(handle)
}

fn create_mipmapped(out: *mut Handle, desc: *const ArrayDesc, levels: c_uint) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    let desc = get(desc)?;
    check_limits(&desc, levels)?;
    put(out, array::create_mipmapped(&context, &desc, levels)?)
}

fn level(out: *mut Handle, handle: Handle, level: c_uint) -> Result {
    current()?;
    need(out)?;
    put(out, array::find_mipmapped(handle)?.level(level)?)
}

fn destroy_mipmapped(handle: Handle) -> Result {
    current()?;
    capture::forbid()?;
    array::find_mipmapped(handle)?;
    synchronize_device();
    array::destroy_mipmapped(handle)
}

entry_points! {
    cuArrayCreate_v2(out: *mut Handle, desc: *const FlatArrayDesc) = create;
    cuArray3DCreate_v2(out: *mut Handle, desc: *const ArrayDesc) = create_3d;
    cuArrayGetDescriptor_v2(out: *mut FlatArrayDesc, array: Handle) = descriptor;
    cuArray3DGetDescriptor_v2(out: *mut ArrayDesc, array: Handle) = descriptor_3d;
    cuArrayDestroy(array: Handle) = destroy;
    cuMipmappedArrayCreate(out: *mut Handle, desc: *const ArrayDesc, levels: c_uint) = create_mipmapped;
    cuMipmappedArrayGetLevel(out: *mut Handle, array: Handle, index: c_uint) = level;
    cuMipmappedArrayDestroy(array: Handle) = destroy_mipmapped;
}
