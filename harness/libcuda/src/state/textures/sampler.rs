//! How a texture is read.

use crate::abi::error::{Error, Result};
use crate::abi::texture::{TextureDesc, resource_kind, texture_flags};
use simt::texture::{Address, Image, Sampler, Shape};

/// The sampler that a description asks for, of an image that comes from a resource of this kind.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for numbers that are no modes or flags, for a linear filter of integers, and for levels
/// without normalised coordinates.
pub fn sampler(desc: &TextureDesc, image: &Image, kind: i32) -> Result<Sampler> {
    let mode = |mode: i32| match mode {
        0 => Ok(Address::Wrap),
        1 => Ok(Address::Clamp),
        2 => Ok(Address::Mirror),
        3 => Ok(Address::Border),
        _ => Err(Error::INVALID_VALUE),
    };
    let is_set = |flag: u32| desc.flags & flag != 0;
    let is_linear = |filter: i32| match filter {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::INVALID_VALUE),
    };
    if desc.flags & !texture_flags::KNOWN != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut address = [Address::Clamp; 3];
    for (address, number) in address.iter_mut().zip(desc.address) {
        *address = mode(number)?;
    }
    let sampler = Sampler {
        address,
        linear: is_linear(desc.filter)?,
        // Directions have no other coordinates.
        normalized: is_set(texture_flags::NORMALIZED_COORDINATES) || matches!(image.shape, Shape::Cube { .. }),
        promoted: !is_set(texture_flags::READ_AS_INTEGER),
        srgb: is_set(texture_flags::SRGB),
        border: desc.border.map(f32::to_bits),
        linear_levels: is_linear(desc.level_filter)?,
        bias: desc.bias,
        least: desc.least,
        most: desc.most,
        seamless: is_set(texture_flags::SEAMLESS_CUBEMAP),
    };
    // Memory of one dimension is read by indices, and its filter means nothing.
    let is_filtered = sampler.linear && kind != resource_kind::LINEAR;
    let is_float = image.format.reads_float(sampler.promoted);
    if is_filtered && !is_float || kind == resource_kind::MIPMAPPED_ARRAY && !sampler.normalized {
        return Err(Error::INVALID_VALUE);
    }
    Ok(sampler)
}
