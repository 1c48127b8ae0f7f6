//! Textures and surfaces.
use crate::abi::{
    error::{Error, Result},
    pointers::{get, need, put},
    types::{ChannelDesc, Handle},
};
use crate::api::{
    array::{channels, desc_of, format},
    entry::{calls, forwards},
};
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::driver::constants::texture_flags;
use cuda_abi::runtime::constants::{read_mode, resource_type};
use std::ffi::{c_int, c_uint, c_void};

/// `cudaResourceDesc` and `CUDA_RESOURCE_DESC`: a kind, 128 bytes, flags. Words 0 and 1 of the 128 bytes are a handle
/// or an address in both. They are followed by a channel description in the former, and by a format and a number of
/// channels in the latter; then come sizes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Resource {
    kind: c_int,
    padding: c_int,
    handle: u64,
    rest: [u32; 30],
    flags: c_uint,
}

/// Returns the driver's form of a resource.
fn resource(desc: *const Resource) -> Result<Resource> {
    let mut desc = get(desc)?;
    // Kinds from this one on are memory with a format.
    if desc.kind >= resource_type::LINEAR {
        let word = |at: usize| desc.rest[at] as c_int;
        let (format, channels) =
            format(&ChannelDesc { x: word(0), y: word(1), z: word(2), w: word(3), kind: word(4) })?;
        let sizes = desc.rest;
        desc.rest[0] = format as u32;
        desc.rest[1] = channels;
        // Up to three sizes of eight bytes: they begin after 20 bytes, rounded up to 24, and after 8.
        desc.rest[2..8].copy_from_slice(&sizes[6..12]);
    }
    Ok(desc)
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Texture {
    address: [c_int; 3],
    filter: c_int,
    read: c_int,
    srgb: c_int,
    border: [f32; 4],
    normalized: c_int,
    anisotropy: c_uint,
    mipmap_filter: c_int,
    mipmap_bias: f32,
    least_level: f32,
    most_level: f32,
    no_trilinear: c_int,
    seamless: c_int,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
struct NativeTexture {
    address: [c_int; 3],
    filter: c_int,
    flags: c_uint,
    anisotropy: c_uint,
    mipmap_filter: c_int,
    mipmap_bias: f32,
    least_level: f32,
    most_level: f32,
    border: [f32; 4],
    reserved: [c_int; 12],
}

/// Returns the runtime's form of a resource of the driver.
fn from_native(mut desc: Resource) -> Resource {
    // Kinds from this one on are memory with a format.
    if desc.kind >= resource_type::LINEAR {
        let ChannelDesc { x, y, z, w, kind } = channels(desc.rest[0] as c_int, desc.rest[1]);
        let sizes = desc.rest;
        desc.rest[6..12].copy_from_slice(&sizes[2..8]);
        for (word, value) in desc.rest.iter_mut().zip([x, y, z, w, kind, 0]) {
            *word = value as u32;
        }
    }
    desc
}

/// Returns the number of bits if a resource, in the driver's form, holds integers.
fn integers(desc: &Resource) -> Result<Option<c_int>> {
    let format = match desc.kind {
        0 => desc_of(handle(desc))?.format,
        1 => {
            let mut level: Handle = std::ptr::null_mut();
            driver::cuMipmappedArrayGetLevel(&raw mut level, handle(desc), 0)?;
            desc_of(level)?.format
        }
        _ => desc.rest[0] as c_int,
    };
    let ChannelDesc { x, kind, .. } = channels(format, 1);
    Ok(if kind < 2 { Some(x) } else { None })
}

fn handle(desc: &Resource) -> Handle {
    std::ptr::with_exposed_provenance_mut(desc.handle as usize)
}

/// Returns the driver's flags for the corresponding fields of the runtime.
fn flags(with: &Texture) -> c_uint {
    let flags = [
        (with.read == read_mode::ELEMENT_TYPE, texture_flags::READ_AS_INTEGER),
        (with.normalized != 0, texture_flags::NORMALIZED_COORDINATES),
        (with.srgb != 0, texture_flags::SRGB),
        (with.no_trilinear != 0, texture_flags::DISABLE_TRILINEAR_OPTIMIZATION),
        (with.seamless != 0, texture_flags::SEAMLESS_CUBEMAP),
    ];
    flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum()
}

fn texture(out: *mut u64, from: *const Resource, with: *const Texture, view: *const c_void) -> Result {
    need(out)?;
    context::ensure()?;
    let (from, with) = (resource(from)?, get(with)?);
    if let Some(bits) = integers(&from)? {
        let is_promoted = with.read != read_mode::ELEMENT_TYPE;
        if is_promoted && bits == 32 {
            return Err(Error::INVALID_NORM_SETTING);
        }
        if !is_promoted && with.filter != 0 && from.kind != resource_type::LINEAR {
            return Err(Error::INVALID_FILTER_SETTING);
        }
    }
    let native = NativeTexture {
        address: with.address,
        filter: with.filter,
        flags: flags(&with),
        anisotropy: with.anisotropy,
        mipmap_filter: with.mipmap_filter,
        mipmap_bias: with.mipmap_bias,
        least_level: with.least_level,
        most_level: with.most_level,
        border: with.border,
        reserved: [0; 12],
    };
    driver::cuTexObjectCreate(out, (&raw const from).cast(), (&raw const native).cast(), view)
}

fn texture_desc(out: *mut Texture, texture: u64) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = NativeTexture {
        address: [0; 3],
        filter: 0,
        flags: 0,
        anisotropy: 0,
        mipmap_filter: 0,
        mipmap_bias: 0.0,
        least_level: 0.0,
        most_level: 0.0,
        border: [0.0; 4],
        reserved: [0; 12],
    };
    driver::cuTexObjectGetTextureDesc((&raw mut native).cast(), texture)?;
    let is_set = |flag: c_uint| c_int::from(native.flags & flag != 0);
    put(
        out,
        Texture {
            address: native.address,
            filter: native.filter,
            read: 1 - is_set(0x01),
            srgb: is_set(0x10),
            border: native.border,
            normalized: is_set(0x02),
            anisotropy: native.anisotropy,
            mipmap_filter: native.mipmap_filter,
            mipmap_bias: native.mipmap_bias,
            least_level: native.least_level,
            most_level: native.most_level,
            no_trilinear: is_set(0x20),
            seamless: is_set(0x40),
        },
    )
}

fn described(out: *mut Resource, object: u64, ask: fn(*mut c_void, u64) -> Result) -> Result {
    need(out)?;
    context::ensure()?;
    let mut native = Resource { kind: 0, padding: 0, handle: 0, rest: [0; 30], flags: 0 };
    ask((&raw mut native).cast(), object)?;
    put(out, from_native(native))
}

fn texture_resource(out: *mut Resource, texture: u64) -> Result {
    described(out, texture, driver::cuTexObjectGetResourceDesc)
}

fn surface_resource(out: *mut Resource, surface: u64) -> Result {
    described(out, surface, driver::cuSurfObjectGetResourceDesc)
}

fn surface(out: *mut u64, from: *const Resource) -> Result {
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
    cudaCreateTextureObject(out: *mut u64, from: *const Resource, with: *const Texture, view: *const c_void)
        = texture;
    cudaCreateSurfaceObject(out: *mut u64, from: *const Resource) = surface;
    cudaGetTextureObjectTextureDesc(out: *mut Texture, object: u64) = texture_desc;
    cudaGetTextureObjectResourceDesc(out: *mut Resource, object: u64) = texture_resource;
    cudaGetSurfaceObjectResourceDesc(out: *mut Resource, object: u64) = surface_resource;
}

forwards! {
    cudaGetTextureObjectResourceViewDesc(out: *mut c_void, texture: u64) => cuTexObjectGetResourceViewDesc;
}
