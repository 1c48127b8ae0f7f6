//! Arrays, with and without mipmap levels.
use crate::abi::{
    error::{Error, Result},
    native::ArrayDesc,
    pointers::{get, need, put},
    types::{ChannelDesc, Extent, Handle},
};
use crate::api::entry::{calls, forwards};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::{driver::constants::array_format, runtime::constants::channel_kind};
use std::ffi::{c_int, c_uint, c_void};

/// Each `cudaChannelFormatKind` and width in bits, with the driver's `CUarray_format`.
const FORMATS: [(c_int, c_int, c_int); 8] = [
    (channel_kind::SIGNED, 8, array_format::SIGNED_INT8),
    (channel_kind::SIGNED, 16, array_format::SIGNED_INT16),
    (channel_kind::SIGNED, 32, array_format::SIGNED_INT32),
    (channel_kind::UNSIGNED, 8, array_format::UNSIGNED_INT8),
    (channel_kind::UNSIGNED, 16, array_format::UNSIGNED_INT16),
    (channel_kind::UNSIGNED, 32, array_format::UNSIGNED_INT32),
    (channel_kind::FLOAT, 16, array_format::HALF),
    (channel_kind::FLOAT, 32, array_format::FLOAT),
];

/// Returns the driver's format and number of channels.
///
/// # Errors
/// `cudaErrorInvalidChannelDescriptor`.
pub fn format(desc: &ChannelDesc) -> Result<(c_int, c_uint)> {
    let widths = [desc.x, desc.y, desc.z, desc.w];
    let channels = widths.iter().take_while(|bits| **bits > 0).count();
    let is_even = matches!(channels, 1 | 2 | 4)
        && widths[..channels].iter().all(|bits| *bits == desc.x)
        && widths[channels..].iter().all(|bits| *bits == 0);
    let found = FORMATS.iter().find(|(kind, bits, _)| *kind == desc.f && *bits == desc.x);
    let (_, _, format) = found.filter(|_| is_even).ok_or(Error::INVALID_CHANNEL_DESCRIPTOR)?;
    Ok((*format, channels as c_uint))
}

/// Returns the runtime's form of a format and a number of channels.
pub fn channels(format: c_int, channels: c_uint) -> ChannelDesc {
    let (kind, bits, _) =
        FORMATS.iter().find(|(_, _, other)| *other == format).copied().unwrap_or((channel_kind::NONE, 0, 0));
    let width = |channel: c_uint| if channel < channels { bits } else { 0 };
    ChannelDesc { x: width(0), y: width(1), z: width(2), w: width(3), f: kind }
}

/// Returns the bytes of an element.
pub fn bytes(desc: &ArrayDesc) -> usize {
    let bits = FORMATS.iter().find(|(_, _, format)| *format == desc.format).map_or(8, |(_, bits, _)| *bits);
    desc.num_channels as usize * bits as usize / 8
}

fn described(desc: *const ChannelDesc, extent: Extent, flags: c_uint) -> Result<ArrayDesc> {
    let (format, num_channels) = format(&get(desc)?)?;
    let Extent { width, height, depth } = extent;
    Ok(ArrayDesc { width, height, depth, format, num_channels, flags })
}

fn malloc_3d(out: *mut Handle, desc: *const ChannelDesc, extent: Extent, flags: c_uint) -> Result {
    need(out)?;
    context::ensure()?;
    let desc = described(desc, extent, flags)?;
    driver::cuArray3DCreate_v2(out, &raw const desc)
}

fn malloc(out: *mut Handle, desc: *const ChannelDesc, width: usize, height: usize, flags: c_uint) -> Result {
    malloc_3d(out, desc, Extent { width, height, depth: 0 }, flags)
}

fn mipmapped(out: *mut Handle, desc: *const ChannelDesc, extent: Extent, levels: c_uint, flags: c_uint) -> Result {
    need(out)?;
    context::ensure()?;
    let desc = described(desc, extent, flags)?;
    driver::cuMipmappedArrayCreate(out, &raw const desc, levels)
}

/// Returns the description of an array.
///
/// # Errors
/// When there is no such array.
pub fn desc_of(array: Handle) -> Result<ArrayDesc> {
    context::ensure()?;
    let mut desc = ArrayDesc::default();
    driver::cuArray3DGetDescriptor_v2(&raw mut desc, array)?;
    Ok(desc)
}

fn info(out: *mut ChannelDesc, extent: *mut Extent, flags: *mut c_uint, array: Handle) -> Result {
    let desc = desc_of(array)?;
    if !out.is_null() {
        put(out, channels(desc.format, desc.num_channels))?;
    }
    if !extent.is_null() {
        put(extent, Extent { width: desc.width, height: desc.height, depth: desc.depth })?;
    }
    if !flags.is_null() {
        put(flags, desc.flags)?;
    }
    Ok(())
}

fn channel_desc(out: *mut ChannelDesc, array: Handle) -> Result {
    need(out)?;
    let desc = desc_of(array)?;
    put(out, channels(desc.format, desc.num_channels))
}

#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> ChannelDesc {
    ChannelDesc { x, y, z, w, f: kind }
}

fn free(array: Handle) -> Result {
    context::ensure()?;
    if array.is_null() { Ok(()) } else { driver::cuArrayDestroy(array) }
}

fn free_mipmapped(array: Handle) -> Result {
    context::ensure()?;
    if array.is_null() { Ok(()) } else { driver::cuMipmappedArrayDestroy(array) }
}

calls! {
    cudaMallocArray(out: *mut Handle, desc: *const ChannelDesc, width: usize, height: usize, flags: c_uint) = malloc;
    cudaMalloc3DArray(out: *mut Handle, desc: *const ChannelDesc, extent: Extent, flags: c_uint) = malloc_3d;
    cudaMallocMipmappedArray(out: *mut Handle, desc: *const ChannelDesc, extent: Extent, levels: c_uint,
        flags: c_uint) = mipmapped;
    cudaArrayGetInfo(out: *mut ChannelDesc, extent: *mut Extent, flags: *mut c_uint, array: Handle) = info;
    cudaGetChannelDesc(out: *mut ChannelDesc, array: Handle) = channel_desc;
    cudaFreeArray(array: Handle) = free;
    cudaFreeMipmappedArray(array: Handle) = free_mipmapped;
}

forwards! {
    cudaGetMipmappedArrayLevel(out: *mut Handle, array: Handle, level: c_uint) => cuMipmappedArrayGetLevel;
    cudaArrayGetPlane(out: *mut Handle, array: Handle, plane: c_uint) => cuArrayGetPlane;
    cudaArrayGetMemoryRequirements(out: *mut c_void, array: Handle, device: c_int) => cuArrayGetMemoryRequirements;
    cudaMipmappedArrayGetMemoryRequirements(out: *mut c_void, array: Handle, device: c_int)
        => cuMipmappedArrayGetMemoryRequirements;
    cudaArrayGetSparseProperties(out: *mut c_void, array: Handle) => cuArrayGetSparseProperties;
    cudaMipmappedArrayGetSparseProperties(out: *mut c_void, array: Handle) => cuMipmappedArrayGetSparseProperties;
}
