//! The resource of a texture or surface: an array, a mipmapped array, or memory.

use crate::abi::constants::{array_flags, resource_kind};
use crate::abi::error::{Error, Result};
use crate::abi::types::{ResourceDesc, ResourceDescResLinear, ViewDesc};
use crate::state::memory::array;
use simt::texture::{ChannelKind, Format, Image, Layout, Level, Shape};

/// The device's limits for memory that is read as a texture.
#[derive(Clone, Copy)]
pub struct TextureLimits {
    /// The alignment of the address.
    pub alignment: u64,
    /// The alignment of the pitch.
    pub pitch_alignment: u64,
    /// The maximum number of texels of one-dimensional memory.
    pub linear_width: u64,
    /// The maximum texels of a row, rows, and pitch of two-dimensional memory.
    pub plane: [u64; 3],
}

/// Returns the image of a resource.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a violation of the rules of `CUDA_RESOURCE_DESC`, `CUDA_ERROR_INVALID_HANDLE` for an
/// array that does not exist.
pub fn image(desc: &ResourceDesc, limits: TextureLimits) -> Result<Image> {
    if desc.flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    match desc.res_type {
        resource_kind::ARRAY => Ok(array::find(desc.res.array().h_array)?.image.clone()),
        resource_kind::MIPMAPPED_ARRAY => Ok(array::find_mipmapped(desc.res.mipmap().h_mipmapped_array)?.image.clone()),
        resource_kind::LINEAR => {
            let ResourceDescResLinear { dev_ptr: first, format, num_channels, size_in_bytes } = desc.res.linear();
            let (format, width) = (array::format(format, num_channels)?, size_in_bytes as u64);
            let texels = width / u64::from(format.bytes());
            if first == 0 || texels == 0 || texels > limits.linear_width || !first.is_multiple_of(limits.alignment) {
                return Err(Error::INVALID_VALUE);
            }
            Ok(memory(Shape::Linear, format, first, [texels, 1, width]))
        }
        resource_kind::PITCH2D => {
            let plane = desc.res.pitch2d();
            let (format, first) = (array::format(plane.format, plane.num_channels)?, plane.dev_ptr);
            let extents = [plane.width, plane.height, plane.pitch_in_bytes].map(|extent| extent as u64);
            let [width, _, pitch] = extents;
            let is_fine = extents.iter().zip(limits.plane).all(|(extent, most)| (1..=most).contains(extent))
                && first != 0
                && first.is_multiple_of(limits.alignment)
                && pitch.is_multiple_of(limits.pitch_alignment)
                && pitch >= width * u64::from(format.bytes());
            if !is_fine {
                return Err(Error::INVALID_VALUE);
            }
            Ok(memory(Shape::D2 { layered: false }, format, first, extents))
        }
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Returns memory as an image of `width` texels, `height` rows and a pitch, all of which are within the limits.
fn memory(shape: Shape, format: Format, base: u64, [width, height, pitch]: [u64; 3]) -> Image {
    let level = Level { base, width: width as u32, height: height as u32, depth: 1, pitch, slice: pitch * height };
    Image { shape, layout: Layout::Rows, format, levels: vec![level] }
}

/// Checks that a resource may be used as a surface.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` for an array that does not exist; `CUDA_ERROR_INVALID_VALUE` for other resources, and
/// for arrays that were created without `CUDA_ARRAY3D_SURFACE_LDST`.
pub fn check_surface(desc: &ResourceDesc) -> Result {
    if desc.res_type != resource_kind::ARRAY {
        return Err(Error::INVALID_VALUE);
    }
    let flags = array::find(desc.res.array().h_array)?.desc.flags;
    if flags & array_flags::SURFACE_LDST == 0 { Err(Error::INVALID_VALUE) } else { Ok(()) }
}

/// Returns the format of a view (`CUresourceViewFormat`), for integers and floating-point numbers.
fn view_format(number: i32) -> Option<Format> {
    let at = u32::try_from(number.checked_sub(1)?).ok()?;
    let (group, channels) = (at / 3, [1, 2, 4][at as usize % 3]);
    let (kind, bits) = match group {
        0 => (ChannelKind::Unsigned, 8),
        1 => (ChannelKind::Signed, 8),
        2 => (ChannelKind::Unsigned, 16),
        3 => (ChannelKind::Signed, 16),
        4 => (ChannelKind::Unsigned, 32),
        5 => (ChannelKind::Signed, 32),
        6 => (ChannelKind::Float, 16),
        7 => (ChannelKind::Float, 32),
        _ => return None,
    };
    Some(Format { kind, bits, channels })
}

/// Returns the part of an image that a view shows.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a view of a resource other than an array, or of levels and layers that do not exist;
/// `CUDA_ERROR_NOT_SUPPORTED` for one with other extents, or of compressed blocks.
pub fn viewed(mut image: Image, kind: i32, view: &ViewDesc) -> Result<Image> {
    if !matches!(kind, resource_kind::ARRAY | resource_kind::MIPMAPPED_ARRAY) {
        return Err(Error::INVALID_VALUE);
    }
    if view.format != 0 {
        let format = view_format(view.format).ok_or(Error::NOT_SUPPORTED)?;
        if format.bytes() != image.format.bytes() {
            return Err(Error::INVALID_VALUE);
        }
        image.format = format;
    }
    let (first, last) = (view.first_mipmap_level as usize, view.last_mipmap_level as usize);
    if first > last || last >= image.levels.len() {
        return Err(Error::INVALID_VALUE);
    }
    image.levels = image.levels[first..=last].to_vec();
    let level = image.levels[0];
    if view.width != 0 && view.width != level.width as usize || view.height != 0 && view.height != level.height as usize
    {
        return Err(Error::NOT_SUPPORTED);
    }
    if image.shape != Shape::D3 && (view.first_layer, view.last_layer) != (0, 0) {
        if view.first_layer > view.last_layer || view.last_layer >= level.depth {
            return Err(Error::INVALID_VALUE);
        }
        for level in &mut image.levels {
            level.base += u64::from(view.first_layer) * level.slice;
            level.depth = view.last_layer - view.first_layer + 1;
        }
    }
    Ok(image)
}
