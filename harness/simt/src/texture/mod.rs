//! Textures and surfaces as data, and the results of fetches: pure functions of an image, a sampler and coordinates.
//!
//! - [`format`](mod@format): the formats of texels.
//! - [`image`]: the locations of the texels of an array, or of memory that is used as one, and the rules of surfaces.
//! - [`sampler`]: the reading modes of a texture, and the texels that a coordinate selects.
//! - `cube`: the faces of cube maps, and the texels across their edges.
//! - `level`: the levels that a fetch reads.
//! - `footprint`: the length of a footprint, and the level of detail that follows.
//! - `srgb`: colours in the sRGB space.
//! - `fetch`: a fetch, and the gather of four texels.
//! - `filter`: the weights of a linear filter, and the sums of texels.
//! - [`objects`]: the textures and surfaces that kernels name by handles.
//!
//! The rules are those of the appendix on texture fetching of the CUDA C++ Programming Guide: the nearest texel is the
//! floor of the coordinate; a linear filter subtracts half a texel from the coordinate, and uses weights with 8 bits of
//! fraction in 9 bits, so that 1 is representable. Where the guide is silent, an H200 was compared: a coordinate is
//! rounded to the nearest multiple of 1/256, ties upwards, after truncation to 20 bits if it is normalised; a level of
//! detail is truncated to 8 bits; channels that a format lacks are 0; 16-bit NaNs keep their bits. The following still
//! differs from a device:
//!
//! - the level of detail of some footprints, by a step (see `footprint`);
//! - the number and the positions of the samples of an anisotropic filter (here: one; their level is a device's).

mod cube;
mod fetch;
mod filter;
mod footprint;
pub mod format;
pub mod image;
mod level;
pub mod objects;
pub mod sampler;
mod srgb;

pub use fetch::{Coordinates, Texels};
pub use format::{ChannelKind, Format};
pub use image::{Boundary, Image, Layout, Level, Placed, Shape};
pub use level::Detail;
pub use objects::{Object, Objects, Texture};
pub use sampler::{Address, Sampler};
