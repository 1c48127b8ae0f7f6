//! The textures and surfaces that kernels refer to by handles.

use super::image::Image;
use super::sampler::Sampler;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An image and the sampler with which it is read.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The texels.
    pub image: Image,
    /// The sampler.
    pub sampler: Sampler,
}

/// The object of a handle.
#[derive(Clone, Debug)]
pub enum Object {
    /// A texture.
    Texture(Texture),
    /// A surface: the single level of its image is read and written without a sampler.
    Surface(Image),
}

/// The objects of a device by their handles. Handles are never reused, so a handle of a destroyed object can be
/// recognised.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    known: BTreeMap<u64, Arc<Object>>,
    last: u64,
}

impl Objects {
    /// Adds an object and returns its handle.
    pub fn add(&mut self, object: Object) -> u64 {
        self.last += 1;
        self.known.insert(self.last, Arc::new(object));
        self.last
    }

    /// Removes an object. Returns whether there was one with this handle.
    pub fn remove(&mut self, handle: u64) -> bool {
        self.known.remove(&handle).is_some()
    }

    /// Returns the object with this handle.
    pub fn get(&self, handle: u64) -> Option<&Object> {
        self.known.get(&handle).map(AsRef::as_ref)
    }

    /// Returns whether an object with this handle existed and has been destroyed.
    pub fn is_gone(&self, handle: u64) -> bool {
        (1..=self.last).contains(&handle) && !self.known.contains_key(&handle)
    }
}
