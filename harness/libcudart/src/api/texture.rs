//! Textures and surfaces.
use crate::abi::{
    edition::is_twelve,
    error::{Error, Result},
    native,
    pointers::{get, need, put},
    types::{
        ChannelDesc, Handle, ResourceDesc, ResourceDesc12, ResourceDescRes, ResourceDescResLinear,
        ResourceDescResPitch2D, TextureDesc,
    },
};
use crate::api::{
    array::{channels, desc_of, format},
    entry::{calls, forwards},
};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::driver::constants::texture_flags;
use cuda_abi::runtime::constants::{channel_kind, read_mode, resource_type};
use std::ffi::{c_int, c_uint, c_void};

/// Reads a resource of the program. CUDA 12's structure is shorter.
fn read(desc: *const ResourceDesc) -> Result<ResourceDesc> {
    if !is_twelve() {
        return get(desc);
    }
    let ResourceDesc12 { res_type, res } = get(desc.cast::<ResourceDesc12>())?;
    let mut all = ResourceDesc { res_type, ..ResourceDesc::default() };
    all.res.0[..res.0.len()].copy_from_slice(&res.0);
    Ok(all)
}

/// Writes a resource to the program's structure.
fn write(out: *mut ResourceDesc, desc: ResourceDesc) -> Result {
    if !is_twelve() {
        return put(out, desc);
    }
    let mut short = ResourceDesc12 { res_type: desc.res_type, ..ResourceDesc12::default() };
    let words = short.res.0.len();
    short.res.0.copy_from_slice(&desc.res.0[..words]);
    put(out.cast(), short)
}

/// Returns the driver's form of a resource: memory has a format and a number of channels.
fn resource(desc: *const ResourceDesc) -> Result<native::ResourceDesc> {
    let ResourceDesc { res_type, res, flags } = read(desc)?;
    let mut resource = native::ResourceDesc { res_type, res: native::ResourceDescRes(res.0), flags };
    match res_type {
        resource_type::LINEAR => {
            let ResourceDescResLinear { dev_ptr, desc, size_in_bytes } = res.linear();
            let (format, num_channels) = format(&desc)?;
            let dev_ptr = dev_ptr.expose_provenance() as u64;
            let linear = native::ResourceDescResLinear { dev_ptr, format, num_channels, size_in_bytes };
            resource.res.set_linear(linear);
        }
        resource_type::PITCH2D => {
            let ResourceDescResPitch2D { dev_ptr, desc, width, height, pitch_in_bytes } = res.pitch2d();
            let (format, num_channels) = format(&desc)?;
            let dev_ptr = dev_ptr.expose_provenance() as u64;
            let plane = native::ResourceDescResPitch2D { dev_ptr, format, num_channels, width, height, pitch_in_bytes };
            resource.res.set_pitch2d(plane);
        }
        _ => {}
    }
    Ok(resource)
}

/// Returns the runtime's form of a resource of the driver.
fn from_native(resource: &native::ResourceDesc) -> ResourceDesc {
    let native::ResourceDesc { res_type, res, flags } = *resource;
    let mut desc = ResourceDesc { res_type, res: ResourceDescRes(res.0), flags };
    let pointer = |address: u64| std::ptr::with_exposed_provenance_mut(address as usize);
    match res_type {
        resource_type::LINEAR => {
            let linear = res.linear();
            desc.res.set_linear(ResourceDescResLinear {
                dev_ptr: pointer(linear.dev_ptr),
                desc: channels(linear.format, linear.num_channels),
                size_in_bytes: linear.size_in_bytes,
            });
        }
        resource_type::PITCH2D => {
            let plane = res.pitch2d();
            desc.res.set_pitch2d(ResourceDescResPitch2D {
                dev_ptr: pointer(plane.dev_ptr),
                desc: channels(plane.format, plane.num_channels),
                width: plane.width,
                height: plane.height,
                pitch_in_bytes: plane.pitch_in_bytes,
            });
        }
        _ => {}
    }
    desc
}

/// Returns the number of bits if a resource, in the driver's form, holds integers.
fn integers(desc: &native::ResourceDesc) -> Result<Option<c_int>> {
    let array = |handle: usize| -> Handle { std::ptr::without_provenance_mut(handle) };
    let format = match desc.res_type {
        resource_type::ARRAY => desc_of(array(desc.res.array().h_array))?.format,
        resource_type::MIPMAPPED_ARRAY => {
            let mut level: Handle = std::ptr::null_mut();
            driver::cuMipmappedArrayGetLevel(&raw mut level, array(desc.res.mipmap().h_mipmapped_array), 0)?;
            desc_of(level)?.format
        }
        // Both kinds of memory begin in the same way.
        _ => desc.res.linear().format,
    };
    let ChannelDesc { x, f, .. } = channels(format, 1);
    Ok(if f < channel_kind::FLOAT { Some(x) } else { None })
}

/// Returns the driver's flags for the corresponding fields of the runtime.
fn flags(with: &TextureDesc) -> c_uint {
    let flags = [
        (with.read_mode == read_mode::ELEMENT_TYPE, texture_flags::READ_AS_INTEGER),
        (with.normalized_coords != 0, texture_flags::NORMALIZED_COORDINATES),
        (with.s_rgb != 0, texture_flags::SRGB),
        (with.disable_trilinear_optimization != 0, texture_flags::DISABLE_TRILINEAR_OPTIMIZATION),
        (with.seamless_cubemap != 0, texture_flags::SEAMLESS_CUBEMAP),
    ];
    flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum()
}

fn texture(out: *mut u64, from: *const ResourceDesc, with: *const TextureDesc, view: *const c_void) -> Result {
    need(out)?;
    context::ensure()?;
    let (from, with) = (resource(from)?, get(with)?);
    if let Some(bits) = integers(&from)? {
        let is_promoted = with.read_mode != read_mode::ELEMENT_TYPE;
        if is_promoted && bits == 32 {
            return Err(Error::INVALID_NORM_SETTING);
        }
        if !is_promoted && with.filter_mode != 0 && from.res_type != resource_type::LINEAR {
            return Err(Error::INVALID_FILTER_SETTING);
        }
    }
    let native = native::TextureDesc {
        address_mode: with.address_mode,
        filter_mode: with.filter_mode,
        flags: flags(&with),
        max_anisotropy: with.max_anisotropy,
        mipmap_filter_mode: with.mipmap_filter_mode,
        mipmap_level_bias: with.mipmap_level_bias,
        min_mipmap_level_clamp: with.min_mipmap_level_clamp,
        max_mipmap_level_clamp: with.max_mipmap_level_clamp,
        border_color: with.border_color,
        ..native::TextureDesc::default()
    };
    driver::cuTexObjectCreate(out, (&raw const from).cast(), (&raw const native).cast(), view)
}

fn texture_desc(out: *mut TextureDesc, texture: u64) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = native::TextureDesc::default();
    driver::cuTexObjectGetTextureDesc((&raw mut native).cast(), texture)?;
    let is_set = |flag: c_uint| c_int::from(native.flags & flag != 0);
    let reads_integers = native.flags & texture_flags::READ_AS_INTEGER != 0;
    put(
        out,
        TextureDesc {
            address_mode: native.address_mode,
            filter_mode: native.filter_mode,
            read_mode: if reads_integers { read_mode::ELEMENT_TYPE } else { read_mode::NORMALIZED_FLOAT },
            s_rgb: is_set(texture_flags::SRGB),
            border_color: native.border_color,
            normalized_coords: is_set(texture_flags::NORMALIZED_COORDINATES),
            max_anisotropy: native.max_anisotropy,
            mipmap_filter_mode: native.mipmap_filter_mode,
            mipmap_level_bias: native.mipmap_level_bias,
            min_mipmap_level_clamp: native.min_mipmap_level_clamp,
            max_mipmap_level_clamp: native.max_mipmap_level_clamp,
            disable_trilinear_optimization: is_set(texture_flags::DISABLE_TRILINEAR_OPTIMIZATION),
            seamless_cubemap: is_set(texture_flags::SEAMLESS_CUBEMAP),
        },
    )
}

fn described(out: *mut ResourceDesc, object: u64, ask: fn(*mut c_void, u64) -> Result) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = native::ResourceDesc::default();
    ask((&raw mut native).cast(), object)?;
    write(out, from_native(&native))
}

fn texture_resource(out: *mut ResourceDesc, texture: u64) -> Result {
    described(out, texture, driver::cuTexObjectGetResourceDesc)
}

fn surface_resource(out: *mut ResourceDesc, surface: u64) -> Result {
    described(out, surface, driver::cuSurfObjectGetResourceDesc)
}

fn surface(out: *mut u64, from: *const ResourceDesc) -> Result {
    need(out)?;
    context::ensure()?;
    let from = resource(from)?;
    driver::cuSurfObjectCreate(out, (&raw const from).cast())
}

fn linear_width(out: *mut usize, desc: *const ChannelDesc, device: c_int) -> Result {
    need(out)?;
    context::ensure()?;
    let (format, channels) = format(&get(desc)?)?;
    driver::cuDeviceGetTexture1DLinearMaxWidth(out, format, channels, device)
}

/// Converts the result of a destroy call: NVIDIA's runtime does not report an object that never existed, or is already
/// destroyed.
fn destroyed(answer: Result) -> Result {
    match answer {
        Err(Error::INVALID_VALUE) => Ok(()),
        other => other,
    }
}

fn destroy_texture(texture: u64) -> Result {
    context::ensure()?;
    destroyed(driver::cuTexObjectDestroy(texture))
}

fn destroy_surface(surface: u64) -> Result {
    context::ensure()?;
    destroyed(driver::cuSurfObjectDestroy(surface))
}

calls! {
    cudaDestroyTextureObject(texture: u64) = destroy_texture;
    cudaDestroySurfaceObject(surface: u64) = destroy_surface;
    cudaDeviceGetTexture1DLinearMaxWidth(out: *mut usize, desc: *const ChannelDesc, device: c_int) = linear_width;
    cudaCreateTextureObject(out: *mut u64, from: *const ResourceDesc, with: *const TextureDesc, view: *const c_void)
        = texture;
    cudaCreateSurfaceObject(out: *mut u64, from: *const ResourceDesc) = surface;
    cudaGetTextureObjectTextureDesc(out: *mut TextureDesc, object: u64) = texture_desc;
    cudaGetTextureObjectResourceDesc(out: *mut ResourceDesc, object: u64) = texture_resource;
    cudaGetSurfaceObjectResourceDesc(out: *mut ResourceDesc, object: u64) = surface_resource;
}

forwards! {
    cudaGetTextureObjectResourceViewDesc(out: *mut c_void, texture: u64) => cuTexObjectGetResourceViewDesc;
}
