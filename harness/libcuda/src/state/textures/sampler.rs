//! The reading mode of a texture.

use crate::abi::constants::{address_mode, filter_mode, resource_kind, texture_flags};
use crate::abi::error::{Error, Result};
use crate::abi::types::TextureDesc;
use simt::texture::{Address, Image, Sampler, Shape};

/// Returns the sampler for a description, of an image from a resource of this kind.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for invalid modes or flags, and for a linear filter of integers.
pub fn sampler(desc: &TextureDesc, image: &Image, kind: i32) -> Result<Sampler> {
    let mode = |mode: i32| match mode {
        address_mode::WRAP => Ok(Address::Wrap),
        address_mode::CLAMP => Ok(Address::Clamp),
        address_mode::MIRROR => Ok(Address::Mirror),
        address_mode::BORDER => Ok(Address::Border),
        _ => Err(Error::INVALID_VALUE),
    };
    let is_set = |flag: u32| desc.flags & flag != 0;
    let is_linear = |filter: i32| match filter {
        filter_mode::POINT => Ok(false),
        filter_mode::LINEAR => Ok(true),
        _ => Err(Error::INVALID_VALUE),
    };
    if desc.flags & !texture_flags::ALL != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut address = [Address::Clamp; 3];
    for (address, number) in address.iter_mut().zip(desc.address_mode) {
        *address = mode(number)?;
    }
    let mut normalized = is_set(texture_flags::NORMALIZED_COORDINATES) || matches!(image.shape, Shape::Cube { .. });
    // Coordinates of mipmapped arrays always go from 0 to 1; without the flag, repeating modes clamp.
    if kind == resource_kind::MIPMAPPED_ARRAY && !normalized {
        normalized = true;
        address = address.map(|mode| if mode == Address::Border { mode } else { Address::Clamp });
    }
    let sampler = Sampler {
        address,
        linear: is_linear(desc.filter_mode)?,
        // Directions have no other coordinates.
        normalized,
        promoted: !is_set(texture_flags::READ_AS_INTEGER),
        srgb: is_set(texture_flags::SRGB),
        border: desc.border_color.map(f32::to_bits),
        linear_levels: is_linear(desc.mipmap_filter_mode)?,
        samples: desc.max_anisotropy.clamp(1, 16),
        optimized: !is_set(texture_flags::DISABLE_TRILINEAR_OPTIMIZATION),
        bias: desc.mipmap_level_bias,
        least: desc.min_mipmap_level_clamp,
        most: desc.max_mipmap_level_clamp,
        seamless: is_set(texture_flags::SEAMLESS_CUBEMAP),
    };
    // One-dimensional memory is read by indices, and ignores the filter.
    let is_filtered = sampler.linear && kind != resource_kind::LINEAR;
    let is_float = image.format.reads_float(sampler.promoted);
    if is_filtered && !is_float {
        return Err(Error::INVALID_VALUE);
    }
    Ok(sampler)
}
