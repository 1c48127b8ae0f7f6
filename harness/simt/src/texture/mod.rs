//! Textures and surfaces as data, and what a fetch gives: pure functions of an image, a sampler and coordinates.
//!
//! - [`format`](mod@format): what a texel's bytes mean.
//! - [`image`]: where the texels of an array, or of memory that is used as one, lie; and the rules of surfaces.
//! - [`sampler`]: how a texture is read, and which texels a coordinate selects.
//! - `cube`: the faces of cube maps, and the texels across their edges.
//! - `level`: the level of detail.
//! - `fetch`: a fetch, and the gather of four texels.
//! - [`objects`]: the textures and surfaces that kernels name by handles.
//!
//! The rules are those of the appendix on texture fetching of the CUDA C++ Programming Guide: the nearest texel is the
//! floor of the coordinate; a linear filter takes half a texel off the coordinate, and weighs with fractions of 8 bits
//! in 9, so that 1 is among them. The guide leaves open, and what stands here has not been compared with a device:
//!
//! - how a coordinate is rounded to its fraction of 8 bits (here: to the nearest, a tie upwards);
//! - how exact the weighted sum is (here: as if in 64 bits, rounded once to 32; texels of weight 0 are not read);
//! - how a normalised coordinate is multiplied by the extent (here: exactly);
//! - what channels that a format lacks give (here: 0, and 1 for the last);
//! - which face wins where components of a direction are equally large (here: z, then y), and what a corner of a cube
//!   gives (here: the mean of the three texels for the fourth, which there is not);
//! - how the level of detail is rounded (here: to 8 bits of fraction, to the nearest), and its logarithm (here: exact);
//! - how many samples an anisotropic filter takes (here: one).

mod cube;
mod fetch;
pub mod format;
pub mod image;
mod level;
pub mod objects;
pub mod sampler;

pub use fetch::{Coordinates, Texels};
pub use format::{ChannelKind, Format};
pub use image::{Boundary, Image, Level, Placed, Shape};
pub use level::Detail;
pub use objects::{Object, Objects, Texture};
pub use sampler::{Address, Sampler};
