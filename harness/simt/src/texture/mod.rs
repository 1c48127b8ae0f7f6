//! Textures and surfaces as data, and what a fetch gives: pure functions of an image, a sampler and coordinates.
//!
//! - [`format`](mod@format): what a texel's bytes mean.
//! - [`image`]: where the texels of an array, or of memory that is used as one, lie; and the rules of surfaces.
//! - [`sampler`]: how a texture is read, and which texels a coordinate selects.
//! - `cube`: the faces of cube maps, and the texels across their edges.
//! - `level`: the levels that a fetch reads.
//! - `footprint`: how long a footprint is, and the level of detail that follows.
//! - `srgb`: colours in the sRGB space.
//! - `fetch`: a fetch, and the gather of four texels.
//! - `filter`: the weights of a linear filter, and the sums of texels.
//! - [`objects`]: the textures and surfaces that kernels name by handles.
//!
//! The rules are those of the appendix on texture fetching of the CUDA C++ Programming Guide: the nearest texel is the
//! floor of the coordinate; a linear filter takes half a texel off the coordinate, and weighs with fractions of 8 bits
//! in 9, so that 1 is among them. What the guide leaves open was compared with an H200: a coordinate is rounded to its
//! fraction of 8 bits to the nearest, a tie upwards, and one that is normalised is cut off to 20 bits first; a level of
//! detail is cut off to 8 bits; channels that a format lacks are 0; NaN of 16 bits keep their bits. Not yet as a device
//! has it are:
//!
//! - the level of detail of some footprints, by a step (`footprint` says of which);
//! - how many samples an anisotropic filter takes, and where (here: one; their level is a device's).

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
