//! Textures and surfaces: their resources and reading modes.

pub mod object;
pub mod resource;
pub mod sampler;
