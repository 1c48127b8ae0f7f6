//! The textures and surfaces that kernels name by handles.

use super::image::Image;
use super::sampler::Sampler;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An image with the way in which it is read.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The texels.
    pub image: Image,
    /// How they are read.
    pub sampler: Sampler,
}

/// What a handle names.
#[derive(Clone, Debug)]
pub enum Object {
    /// A texture.
    Texture(Texture),
    /// A surface: the one level of its image is read and written without a sampler.
    Surface(Image),
}

/// The objects of a device by their handles. A handle is never used twice, so that one whose object is gone is known.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    known: BTreeMap<u64, Arc<Object>>,
    last: u64,
}

impl Objects {
    /// Adds an object; returns its handle.
    pub fn add(&mut self, object: Object) -> u64 {
        self.last += 1;
        self.known.insert(self.last, Arc::new(object));
        self.last
    }

    /// Takes an object out; returns whether there was one with this handle.
    pub fn remove(&mut self, handle: u64) -> bool {
        self.known.remove(&handle).is_some()
    }

    /// The object with this handle.
    pub fn get(&self, handle: u64) -> Option<&Object> {
        self.known.get(&handle).map(AsRef::as_ref)
    }

    /// Whether an object with this handle existed and is gone.
    pub fn is_gone(&self, handle: u64) -> bool {
        (1..=self.last).contains(&handle) && !self.known.contains_key(&handle)
    }
}
