//! Tensor maps as data: the arrays of up to five dimensions, and the boxes in them, that tensor copies move.
//!
//! A program gets a tensor map from the driver as 128 opaque bytes, and passes them to a kernel or puts them into
//! global memory. [`TensorMap::words`] returns those bytes and [`TensorMap::from_words`] parses them. The layout is
//! this machine's own, because NVIDIA's is not published, and it includes a tag that only the driver can compute.
//! Copies use a [`ValidMap`], whose fields are within the driver's limits.
//!
//! # Behaviour that the documentation leaves open
//!
//! The machine and the copies recorded on an H200 agree on the following:
//!
//! - The NaN of filled elements has the bits `0x7ff7` in every 16 bits ([`FILL_NAN`]), and elements of type TF32 are
//!   rounded as they are loaded. A tie goes to the even number: one tie is recorded, and ties toward zero would explain
//!   it as well. The types with `FTZ` do not change anything in a copy. Their sums flush subnormal numbers to zero; the
//!   sums of the other types keep them, as `cp.reduce.async.bulk` does.
//! - In `im2col` mode the dimensions of corners and offsets begin with the innermost one (W, H, D). The upper corner
//!   counts from the last pixel, and the steps between pixels are the element strides.
//!
//! # Slices
//!
//! In an interleaved tensor the innermost dimension is W, and its element is a pixel of one slice of 16 or 32 bytes:
//! the channels inside a slice are not a dimension. After W come H and D, then the slices, then the images: a map of
//! five dimensions is (W, H, D, C/8, N), and one of three is (W, C/8, N). Corners, offsets and pixels refer to W, H and
//! D. A copy takes one slice, regardless of the box size in that dimension, or a column of its channels, and its pixels
//! are contiguous in shared memory regardless of the span of the swizzle. Not compared: steps of a box in W, and a
//! first pixel that is not at a multiple of 16 bytes by the size of its type, which the machine accepts.
//!
//! # Alignment and gaps of copies
//!
//! In shared memory the distance between the rows of a box is the span of its swizzle, even if the rows are shorter;
//! the bytes between them stay unchanged and are not counted. Without a swizzle there are no gaps.
//!
//! A box may begin at any element of the outer dimensions, but only at a multiple of 16 bytes of the innermost one:
//! otherwise an H200 stops the kernel with an illegal instruction. It does the same if a store or a reduction begins
//! before the tensor in any dimension, or if the lower corner allows its pixels to, and if the first pixel of a column
//! lies outside the corners (observed in tensors of slices, and assumed for all). A store writes whole pieces of 16
//! bytes, even if the tensor ends inside one. `tests/tensor_record.rs` repeats all copies that were recorded on an
//! H200.

pub mod limits;
mod map_encoding;
mod rows;

pub use limits::ValidMap;
pub(crate) use rows::BoxRow;

use crate::swizzle::Swizzle;
use std::ops::Range;

/// The bits of each 16 bits of an element outside the tensor, if the map selects NaN.
pub const FILL_NAN: u16 = 0x7ff7;

/// The maximum number of dimensions.
pub const MOST_DIMENSIONS: usize = 5;

/// The type of an element; the numbers are those of `CUtensorMapDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Element {
    U8 = 0,
    U16 = 1,
    U32 = 2,
    S32 = 3,
    U64 = 4,
    S64 = 5,
    F16 = 6,
    F32 = 7,
    F64 = 8,
    Bf16 = 9,
    F32Ftz = 10,
    Tf32 = 11,
    Tf32Ftz = 12,
}

impl Element {
    /// All element types, by number.
    pub const ALL: [Element; 13] = [
        Element::U8,
        Element::U16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::F32,
        Element::F64,
        Element::Bf16,
        Element::F32Ftz,
        Element::Tf32,
        Element::Tf32Ftz,
    ];

    /// The element types by the numbers that `tensormap.replace` takes.
    const BY_PTX: [Element; 13] = [
        Element::U8,
        Element::U16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::F32,
        Element::F32Ftz,
        Element::F64,
        Element::Bf16,
        Element::Tf32,
        Element::Tf32Ftz,
    ];

    /// Returns the element type with this number in `CUtensorMapDataType`.
    pub fn from_number(number: u32) -> Option<Element> {
        Element::ALL.get(number as usize).copied()
    }

    /// Returns the element type with this number in `tensormap.replace`.
    pub fn from_ptx(number: u32) -> Option<Element> {
        Element::BY_PTX.get(number as usize).copied()
    }

    /// Returns its size.
    pub fn bytes(self) -> u32 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U64 | Element::S64 | Element::F64 => 8,
            _ => 4,
        }
    }

    /// Returns whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        !matches!(self, Element::U8 | Element::U16 | Element::U32 | Element::S32 | Element::U64 | Element::S64)
    }

    /// Returns whether it is loaded as TF32.
    pub(crate) fn is_tf32(self) -> bool {
        matches!(self, Element::Tf32 | Element::Tf32Ftz)
    }

    /// Returns the type's name in PTX reductions.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::U32 => "u32",
            Element::S32 => "s32",
            Element::U64 => "u64",
            Element::S64 => "s64",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::F64 => "f64",
            Element::F32 | Element::Tf32 => "f32",
            Element::F32Ftz | Element::Tf32Ftz => "f32.ftz",
        }
    }
}

/// The arrangement of channels in slices. With slices, the dimensions begin with W and end with the slices and the
/// images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// The channels are contiguous.
    None = 0,
    /// In slices of 16 bytes.
    B16 = 1,
    /// In slices of 32 bytes.
    B32 = 2,
}

impl Interleave {
    /// Returns the variant with this number of `CUtensorMapInterleave`, which `tensormap.replace` shares.
    pub fn from_number(number: u32) -> Option<Interleave> {
        [Interleave::None, Interleave::B16, Interleave::B32].get(number as usize).copied()
    }

    /// Returns the bytes of a slice.
    pub(crate) fn slice(self) -> Option<u32> {
        match self {
            Interleave::None => None,
            Interleave::B16 => Some(16),
            Interleave::B32 => Some(32),
        }
    }
}

/// The part of the tensor that a copy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A box: its size in each dimension, innermost first.
    Tiled([u32; MOST_DIMENSIONS]),
    /// Columns of pixels, for convolutions.
    Im2col {
        /// The offset of the first pixel from the tensor's first pixel, in W, H and D.
        lower: [i32; 3],
        /// The offset of the last pixel from the tensor's last pixel.
        upper: [i32; 3],
        /// The number of elements taken from each pixel.
        channels: u32,
        /// The number of pixels taken.
        pixels: u32,
    },
}

/// A tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The tensor's address in global memory.
    pub address: u64,
    /// The type of its elements.
    pub element: Element,
    /// The number of its dimensions, from 1 to 5.
    pub rank: u32,
    /// Elements in each dimension, innermost first, up to 2^32; 1 in unused dimensions.
    pub dims: [u64; MOST_DIMENSIONS],
    /// Bytes from one element to the next in each dimension except the innermost one.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// The part that a copy takes.
    pub shape: Shape,
    /// The stride between the elements taken, in each dimension.
    pub steps: [u32; MOST_DIMENSIONS],
    /// The arrangement of channels.
    pub interleave: Interleave,
    /// The number of its `CUtensorMapSwizzle`.
    pub swizzle: u32,
    /// Whether elements outside the tensor are loaded as NaN instead of zero.
    pub fill_nan: bool,
}

impl ValidMap {
    /// Returns the contiguous bytes of a row of the box: with slices, one pixel of a slice.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.interleave.slice().map_or_else(|| self.channel_bytes(), u64::from)
    }

    /// Returns the bytes of the box in the innermost dimension, as given in the map.
    fn channel_bytes(&self) -> u64 {
        let elements = match self.shape {
            Shape::Tiled(sizes) => sizes[0],
            Shape::Im2col { channels, .. } => channels,
        };
        u64::from(elements) * u64::from(self.element.bytes())
    }

    /// Returns the dimensions of the pixels: W, H and D.
    pub(crate) fn spatial(&self) -> Range<usize> {
        let first = usize::from(self.interleave == Interleave::None);
        first..(first + self.rank as usize).saturating_sub(2)
    }

    /// Returns the number of rows of a box in a dimension: one in the innermost dimension, unless it holds the pixels
    /// of slices, and one slice.
    pub(crate) fn taken(&self, dimension: usize) -> u32 {
        let spatial = self.spatial();
        match self.shape {
            Shape::Tiled(_) if dimension < spatial.start || (spatial.start == 0 && dimension == spatial.end) => 1,
            Shape::Tiled(sizes) if dimension < self.rank as usize => {
                sizes[dimension].div_ceil(self.steps[dimension].max(1))
            }
            _ => 1,
        }
    }

    /// Returns the number of bytes that a copy moves, including those outside the tensor.
    pub(crate) fn box_bytes(&self) -> u64 {
        let rows = match self.shape {
            Shape::Tiled(_) => (0..self.rank as usize).map(|at| u64::from(self.taken(at))).product::<u64>(),
            Shape::Im2col { pixels, .. } => pixels.into(),
        };
        rows * self.row_bytes()
    }

    /// Returns whether a box may begin at this element of the innermost dimension.
    pub(crate) fn may_begin_at(&self, element: i32) -> bool {
        self.interleave != Interleave::None || (i64::from(element) * i64::from(self.element.bytes())) % 16 == 0
    }

    /// Returns the bytes from one row of the box to the next in shared memory.
    pub(crate) fn row_pitch(&self) -> u64 {
        let span = match (self.interleave, self.swizzle) {
            (Interleave::None, 1..) => 16 << self.swizzle,
            _ => 0,
        };
        self.row_bytes().max(span)
    }

    /// Returns the bytes in shared memory from the start of the box to its end, including the gaps between its rows.
    pub(crate) fn tile_bytes(&self) -> u64 {
        let row = self.row_bytes();
        match self.box_bytes().checked_div(row) {
            Some(rows) if rows > 0 => (rows - 1) * self.row_pitch() + row,
            _ => 0,
        }
    }

    /// Returns the swizzle, if the machine supports it.
    pub(crate) fn pattern(&self) -> Option<Swizzle> {
        [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128].get(self.swizzle as usize).copied()
    }

    /// Returns a negative coordinate at which a store by this map would begin before the tensor, if there is one.
    pub(crate) fn never_stored(&self, at: [i32; MOST_DIMENSIONS]) -> Option<i32> {
        let corner = match self.shape {
            Shape::Tiled(_) => [0; 3],
            Shape::Im2col { lower, .. } => lower,
        };
        let corners = corner.into_iter().take((self.rank as usize).saturating_sub(2));
        at.into_iter().take(self.rank as usize).chain(corners).find(|at| *at < 0)
    }

    /// Returns the first coordinate of a column's first pixel that lies outside the corners, with the first and the
    /// last valid values.
    pub(crate) fn outside_corners(&self, at: [i32; MOST_DIMENSIONS]) -> Option<(i32, [i64; 2])> {
        let Shape::Im2col { lower, upper, .. } = self.shape else {
            return None;
        };
        self.spatial().zip(lower.into_iter().zip(upper)).find_map(|(d, (lower, upper))| {
            let [first, last] = [i64::from(lower), self.dims[d] as i64 - 1 + i64::from(upper)];
            (!(first..=last).contains(&at[d].into())).then_some((at[d], [first, last]))
        })
    }

    /// Returns the feature of this map that the machine does not support in copies.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        if self.pattern().is_none() {
            return Some("a tensor map with a swizzle of atoms larger than 16 bytes");
        }
        if !self.row_bytes().is_multiple_of(16) {
            return Some("a tensor map whose rows are not multiples of 16 bytes");
        }
        None
    }
}
