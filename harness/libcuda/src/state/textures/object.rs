//! The existing textures and surfaces, with the descriptions from which they were created.

use super::resource::{TextureLimits, check_surface, image, viewed};
use super::sampler::sampler;
use crate::abi::error::{Error, Result};
use crate::abi::types::{ResourceDesc, TextureDesc, ViewDesc};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use simt::texture::{Object, Texture};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The description from which a texture or surface was created.
#[derive(Clone, Copy)]
pub struct Described {
    /// The resource that it reads.
    pub resource: ResourceDesc,
    /// The reading mode, unless it is a surface.
    pub texture: Option<TextureDesc>,
    /// The visible part of the resource, if not all.
    pub view: Option<ViewDesc>,
}

static DESCRIBED: Mutex<BTreeMap<u64, Described>> = Mutex::new(BTreeMap::new());

/// Creates a texture, or a surface if there is no reading mode, and returns its handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, `CUDA_ERROR_INVALID_HANDLE`, `CUDA_ERROR_NOT_SUPPORTED`: see
/// [`resource`](super::resource) and [`sampler`].
pub fn create(described: &Described, limits: TextureLimits) -> Result<u64> {
    let Described { resource, texture, view } = described;
    let mut image = image(resource, limits)?;
    if let Some(view) = view {
        image = viewed(image, resource.res_type, view)?;
    }
    let object = if let Some(texture) = texture {
        let sampler = sampler(texture, &image, resource.res_type)?;
        Object::Texture(Texture { image, sampler })
    } else {
        check_surface(resource)?;
        Object::Surface(image)
    };
    let handle = driver()?.memory.add_object(object);
    lock(&DESCRIBED).insert(handle, *described);
    Ok(handle)
}

/// Returns the description of a texture (or of a surface, if `surface`).
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if there is no object with this handle.
pub fn find(handle: u64, surface: bool) -> Result<Described> {
    let found = lock(&DESCRIBED).get(&handle).copied();
    found.filter(|found| found.texture.is_none() == surface).ok_or(Error::INVALID_VALUE)
}

/// Destroys a texture (or a surface, if `surface`). Kernels that were launched before keep it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if there is no object with this handle.
pub fn destroy(handle: u64, surface: bool) -> Result {
    find(handle, surface)?;
    lock(&DESCRIBED).remove(&handle);
    driver()?.memory.remove_object(handle);
    Ok(())
}
