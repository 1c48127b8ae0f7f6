//! Tensor maps as data: the arrays of up to five dimensions, and the boxes in them, that tensor copies move.
//!
//! A program gets a tensor map from the driver as 128 opaque bytes, and passes them to a kernel or puts them into
//! global memory. [`TensorMap::words`] gives those bytes and [`TensorMap::from_words`] reads them. Their layout is this
//! machine's own, as NVIDIA's is not published, and they carry a tag that only the driver can make. What is used of a
//! map is a [`ValidMap`], whose fields keep to the limits that the driver has for them.
//!
//! # What the documents leave open
//!
//! So does the machine, and so do the copies that are recorded of an H200:
//!
//! - The NaN of filled elements has the bits `0x7ff7` in every 16 bits ([`FILL_NAN`]), and elements of type TF32 are
//!   rounded as they are loaded. A tie goes to the even number: one tie is recorded, which ties toward zero would
//!   explain as well. The types with `FTZ` change nothing in a copy. Their sums take subnormal numbers for zero; those
//!   of the others keep them, as `cp.reduce.async.bulk` does.
//! - In `im2col` mode the dimensions of corners and offsets begin with the innermost one (W, H, D). The upper corner
//!   counts from the last pixel, and the steps between pixels are the element strides.
//!
//! # Slices
//!
//! Of an interleaved tensor the innermost dimension is W, and its element a pixel of one slice of 16 or 32 bytes: the
//! channels inside a slice are no dimension. Behind W come H and D, then the slices, then the images: a map of five
//! dimensions is (W, H, D, C/8, N), one of three (W, C/8, N). Corners, offsets and pixels are those of W, H and D. A
//! copy takes one slice, whatever the box says of them, or a column of its channels, and its pixels lie without gaps in
//! shared memory whatever the swizzle spans. What was not compared: steps in W of a box, and a first pixel that is not
//! a multiple of 16 bytes by the size of its type, which the machine takes.
//!
//! # Where copies lie
//!
//! In shared memory the rows of a box lie as far apart as the span of its swizzle, also where they are shorter; what is
//! between them stays, and counts for nothing. Without a swizzle there are no gaps.
//!
//! A box may begin at any element of the outer dimensions, but at a multiple of 16 bytes of the innermost one: an H200
//! stops the kernel otherwise, with an illegal instruction. So it does when a store or a reduction begins before the
//! tensor in any dimension, or its pixels may by their lower corner, and when the first pixel of a column lies outside
//! the corners (seen in tensors of slices, and taken for all). A store writes whole pieces of 16 bytes, also where the
//! tensor ends inside one. `tests/tensor_record.rs` makes all copies that were recorded on an H200.

pub mod limits;
mod rows;
mod words;

pub use limits::ValidMap;
pub(crate) use rows::Row;

use crate::swizzle::Swizzle;
use std::ops::Range;

/// What each 16 bits of an element outside the tensor hold if the map asks for NaN.
pub const FILL_NAN: u16 = 0x7ff7;

/// The most dimensions.
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
    /// All of them, by number.
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

    /// The elements by the numbers that `tensormap.replace` takes.
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

    /// The element with this number of `CUtensorMapDataType`.
    pub fn from_number(number: u32) -> Option<Element> {
        Element::ALL.get(number as usize).copied()
    }

    /// The element with this number of `tensormap.replace`.
    pub fn from_ptx(number: u32) -> Option<Element> {
        Element::BY_PTX.get(number as usize).copied()
    }

    /// Its size.
    pub fn bytes(self) -> u32 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U64 | Element::S64 | Element::F64 => 8,
            _ => 4,
        }
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        !matches!(self, Element::U8 | Element::U16 | Element::U32 | Element::S32 | Element::U64 | Element::S64)
    }

    /// Whether it is loaded as TF32.
    pub(crate) fn is_tf32(self) -> bool {
        matches!(self, Element::Tf32 | Element::Tf32Ftz)
    }

    /// PTX's word for its type, as reductions name it.
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

/// How channels lie in slices. With slices, dimensions begin with W and end with the slices and the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// They lie side by side.
    None = 0,
    /// In slices of 16 bytes.
    B16 = 1,
    /// In slices of 32 bytes.
    B32 = 2,
}

impl Interleave {
    /// The one with this number of `CUtensorMapInterleave`, which `tensormap.replace` shares.
    pub fn from_number(number: u32) -> Option<Interleave> {
        [Interleave::None, Interleave::B16, Interleave::B32].get(number as usize).copied()
    }

    /// The bytes of a slice.
    pub(crate) fn slice(self) -> Option<u32> {
        match self {
            Interleave::None => None,
            Interleave::B16 => Some(16),
            Interleave::B32 => Some(32),
        }
    }
}

/// What a copy takes out of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A box: how far it reaches in each dimension, innermost first.
    Tiled([u32; MOST_DIMENSIONS]),
    /// Columns of pixels, for convolutions.
    Im2col {
        /// How far the first pixel lies from the first of the tensor, in W, H and D.
        lower: [i32; 3],
        /// How far the last pixel lies from the last of the tensor.
        upper: [i32; 3],
        /// The elements of a pixel that are taken.
        channels: u32,
        /// The pixels that are taken.
        pixels: u32,
    },
}

/// A tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Where the tensor begins in global memory.
    pub address: u64,
    /// The type of its elements.
    pub element: Element,
    /// The number of its dimensions, from 1 to 5.
    pub rank: u32,
    /// Elements in each dimension, innermost first, up to 2^32; 1 in those that it lacks.
    pub dims: [u64; MOST_DIMENSIONS],
    /// Bytes from one element to the next in each dimension but the innermost one.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// What a copy takes.
    pub shape: Shape,
    /// The elements from one that is taken to the next, in each dimension.
    pub steps: [u32; MOST_DIMENSIONS],
    /// How channels lie.
    pub interleave: Interleave,
    /// The number of its `CUtensorMapSwizzle`.
    pub swizzle: u32,
    /// Elements outside the tensor are loaded as NaN, and otherwise as zero.
    pub fill_nan: bool,
}

impl ValidMap {
    /// Bytes of a row of the box, which lie side by side: of a tensor with slices, a pixel of one.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.interleave.slice().map_or_else(|| self.channel_bytes(), u64::from)
    }

    /// Bytes that the map names in the innermost dimension of the box.
    fn channel_bytes(&self) -> u64 {
        let elements = match self.shape {
            Shape::Tiled(sizes) => sizes[0],
            Shape::Im2col { channels, .. } => channels,
        };
        u64::from(elements) * u64::from(self.element.bytes())
    }

    /// The dimensions in which pixels lie: W, H and D.
    pub(crate) fn spatial(&self) -> Range<usize> {
        let first = usize::from(self.interleave == Interleave::None);
        first..(first + self.rank as usize).saturating_sub(2)
    }

    /// The rows that a box takes in a dimension: one in the innermost dimension, unless pixels of slices lie there, and
    /// one slice.
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

    /// Bytes of all that a copy moves, those outside the tensor included.
    pub(crate) fn box_bytes(&self) -> u64 {
        let rows = match self.shape {
            Shape::Tiled(_) => (0..self.rank as usize).map(|at| u64::from(self.taken(at))).product::<u64>(),
            Shape::Im2col { pixels, .. } => pixels.into(),
        };
        rows * self.row_bytes()
    }

    /// Whether a box may begin at this element of the innermost dimension.
    pub(crate) fn may_begin_at(&self, element: i32) -> bool {
        self.interleave != Interleave::None || (i64::from(element) * i64::from(self.element.bytes())) % 16 == 0
    }

    /// Bytes from one row of the box to the next in shared memory.
    pub(crate) fn row_pitch(&self) -> u64 {
        let span = match (self.interleave, self.swizzle) {
            (Interleave::None, 1..) => 16 << self.swizzle,
            _ => 0,
        };
        self.row_bytes().max(span)
    }

    /// Bytes in shared memory from the begin of the box to its end, with the gaps between its rows.
    pub(crate) fn tile_bytes(&self) -> u64 {
        let row = self.row_bytes();
        match self.box_bytes().checked_div(row) {
            Some(rows) if rows > 0 => (rows - 1) * self.row_pitch() + row,
            _ => 0,
        }
    }

    /// The swizzle, if the machine has it.
    pub(crate) fn pattern(&self) -> Option<Swizzle> {
        [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128].get(self.swizzle as usize).copied()
    }

    /// The coordinate before the tensor from which a store by this map would begin, if there is one.
    pub(crate) fn never_stored(&self, at: [i32; MOST_DIMENSIONS]) -> Option<i32> {
        let corner = match self.shape {
            Shape::Tiled(_) => [0; 3],
            Shape::Im2col { lower, .. } => lower,
        };
        let corners = corner.into_iter().take((self.rank as usize).saturating_sub(2));
        at.into_iter().take(self.rank as usize).chain(corners).find(|at| *at < 0)
    }

    /// The first pixel's coordinate that lies outside the corners of a column, with the first and the last inside.
    pub(crate) fn outside_corners(&self, at: [i32; MOST_DIMENSIONS]) -> Option<(i32, [i64; 2])> {
        let Shape::Im2col { lower, upper, .. } = self.shape else {
            return None;
        };
        self.spatial().zip(lower.into_iter().zip(upper)).find_map(|(d, (lower, upper))| {
            let [first, last] = [i64::from(lower), self.dims[d] as i64 - 1 + i64::from(upper)];
            (!(first..=last).contains(&at[d].into())).then_some((at[d], [first, last]))
        })
    }

    /// What the machine lacks of a copy by this map.
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
