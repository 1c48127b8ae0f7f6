//! Texture and surface objects (`cuTexObject*`, `cuSurfObject*`).

use crate::abi::constants::device_attribute::*;
use crate::abi::error::Result;
use crate::abi::pointers::{get, need, put};
use crate::abi::types::{ResourceDesc, TextureDesc, ViewDesc};
use crate::state::contexts::current::current;
use crate::state::device::attributes;
use crate::state::device::driver::driver;
use crate::state::textures::object::{self, Described};
use crate::state::textures::resource::TextureLimits;

/// Returns the device's limits for memory that is read as a texture.
fn limits() -> Result<TextureLimits> {
    let profile = driver()?.profile;
    let limit = |attribute| attributes::device(profile, attribute).map_or(0, |value| value as u64);
    Ok(TextureLimits {
        alignment: limit(TEXTURE_ALIGNMENT),
        pitch_alignment: limit(TEXTURE_PITCH_ALIGNMENT),
        linear_width: limit(MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
        plane: [
            limit(MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
            limit(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
            limit(MAXIMUM_TEXTURE2D_LINEAR_PITCH),
        ],
    })
}

fn create(out: *mut u64, resource: *const ResourceDesc, texture: *const TextureDesc, view: *const ViewDesc) -> Result {
    current()?;
    need(out)?;
    let view = if view.is_null() { None } else { Some(get(view)?) };
    let described = Described { resource: get(resource)?, texture: Some(get(texture)?), view };
    put(out, object::create(&described, limits()?)?)
}

fn create_surface(out: *mut u64, resource: *const ResourceDesc) -> Result {
    current()?;
    need(out)?;
    let described = Described { resource: get(resource)?, texture: None, view: None };
    put(out, object::create(&described, limits()?)?)
}

fn destroy(texture: u64) -> Result {
    current()?;
    object::destroy(texture, false)
}

fn destroy_surface(surface: u64) -> Result {
    current()?;
    object::destroy(surface, true)
}

fn resource(out: *mut ResourceDesc, texture: u64) -> Result {
    current()?;
    put(out, object::find(texture, false)?.resource)
}

fn surface_resource(out: *mut ResourceDesc, surface: u64) -> Result {
    current()?;
    put(out, object::find(surface, true)?.resource)
}

fn texture(out: *mut TextureDesc, texture: u64) -> Result {
    current()?;
    put(out, object::find(texture, false)?.texture.unwrap_or_default())
}

fn view(out: *mut ViewDesc, texture: u64) -> Result {
    current()?;
    // For a texture that was created without a view nothing is written, which is not an error.
    object::find(texture, false)?.view.map_or(Ok(()), |view| put(out, view))
}

entry_points! {
    cuTexObjectCreate(out: *mut u64, resource: *const ResourceDesc, texture: *const TextureDesc,
        view: *const ViewDesc) = create;
    cuTexObjectDestroy(texture: u64) = destroy;
    cuTexObjectGetResourceDesc(out: *mut ResourceDesc, texture: u64) = resource;
    cuTexObjectGetTextureDesc(out: *mut TextureDesc, texture: u64) = texture;
    cuTexObjectGetResourceViewDesc(out: *mut ViewDesc, texture: u64) = view;
    cuSurfObjectCreate(out: *mut u64, resource: *const ResourceDesc) = create_surface;
    cuSurfObjectDestroy(surface: u64) = destroy_surface;
    cuSurfObjectGetResourceDesc(out: *mut ResourceDesc, surface: u64) = surface_resource;
}
