//! The textures and surfaces that exist, with the descriptions that they were made from.

use super::resource::{Limits, check_surface, image, viewed};
use super::sampler::sampler;
use crate::abi::error::{Error, Result};
use crate::abi::texture::{ResourceDesc, TextureDesc, ViewDesc};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use simt::texture::{Object, Texture};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// What a texture or surface was made from.
#[derive(Clone, Copy)]
pub struct Described {
    /// What it reads.
    pub resource: ResourceDesc,
    /// How it is read, unless it is a surface.
    pub texture: Option<TextureDesc>,
    /// Which part of the resource it shows, if not all.
    pub view: Option<ViewDesc>,
}

static DESCRIBED: Mutex<BTreeMap<u64, Described>> = Mutex::new(BTreeMap::new());

/// Makes a texture, or a surface if nothing says how it is read; returns its handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, `CUDA_ERROR_INVALID_HANDLE`, `CUDA_ERROR_NOT_SUPPORTED`: see
/// [`resource`](super::resource) and [`sampler`].
pub fn create(described: &Described, limits: Limits) -> Result<u64> {
    let Described { resource, texture, view } = described;
    let mut image = image(resource, limits)?;
    if let Some(view) = view {
        image = viewed(image, resource.kind, view)?;
    }
    let object = if let Some(texture) = texture {
        let sampler = sampler(texture, &image, resource.kind)?;
        Object::Texture(Texture { image, sampler })
    } else {
        check_surface(resource)?;
        Object::Surface(image)
    };
    let handle = driver()?.memory.add_object(object);
    lock(&DESCRIBED).insert(handle, *described);
    Ok(handle)
}

/// What a texture (or a surface, if `surface`) was made from.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` when there is none with this handle.
pub fn find(handle: u64, surface: bool) -> Result<Described> {
    let found = lock(&DESCRIBED).get(&handle).copied();
    found.filter(|found| found.texture.is_none() == surface).ok_or(Error::INVALID_VALUE)
}

/// Takes a texture (or a surface, if `surface`) away. Kernels that were launched before keep it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` when there is none with this handle.
pub fn destroy(handle: u64, surface: bool) -> Result {
    find(handle, surface)?;
    lock(&DESCRIBED).remove(&handle);
    driver()?.memory.remove_object(handle);
    Ok(())
}
