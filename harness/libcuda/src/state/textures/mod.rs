//! Textures and surfaces: what they read, and how.

pub mod object;
pub mod resource;
pub mod sampler;
