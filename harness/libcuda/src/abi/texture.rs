//! Arrays, textures and surfaces: the structures of cuda.h, and their constants.

#![allow(missing_docs, reason = "names and layouts are those of cuda.h")]

use std::ffi::{c_int, c_uint};

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlatArrayDesc {
    pub width: usize,
    pub height: usize,
    pub format: c_int,
    pub channels: c_uint,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayDesc {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: c_int,
    pub channels: c_uint,
    pub flags: c_uint,
}

/// Flags of an array (`CUDA_ARRAY3D_*`).
pub mod array_flags {
    pub const LAYERED: u32 = 0x01;
    pub const SURFACE_LDST: u32 = 0x02;
    pub const CUBEMAP: u32 = 0x04;
    pub const TEXTURE_GATHER: u32 = 0x08;
    /// A flag for graphics, which is ignored here.
    pub const COLOR_ATTACHMENT: u32 = 0x20;
    pub const KNOWN: u32 = 0x1ff;
}

/// `CUarray_format`: each with its kind (0 for unsigned, 1 for signed, 2 for floating-point), and its bits.
pub const ARRAY_FORMATS: [(c_int, u32, u32); 8] = [
    (0x01, 0, 8),
    (0x02, 0, 16),
    (0x03, 0, 32),
    (0x08, 1, 8),
    (0x09, 1, 16),
    (0x0a, 1, 32),
    (0x10, 2, 16),
    (0x20, 2, 32),
];

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceDesc {
    /// `CUresourcetype`.
    pub kind: c_int,
    /// The handle or the address, then format and channels, then sizes.
    pub words: [u64; 16],
    pub flags: c_uint,
}

/// `CUresourcetype`.
pub mod resource_kind {
    pub const ARRAY: i32 = 0;
    pub const MIPMAPPED_ARRAY: i32 = 1;
    pub const LINEAR: i32 = 2;
    pub const PITCH_2D: i32 = 3;
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDesc {
    pub address: [c_int; 3],
    pub filter: c_int,
    pub flags: c_uint,
    pub anisotropy: c_uint,
    pub level_filter: c_int,
    pub bias: f32,
    pub least: f32,
    pub most: f32,
    pub border: [f32; 4],
    pub reserved: [c_int; 12],
}

/// Flags of a texture (`CU_TRSF_*`).
pub mod texture_flags {
    pub const READ_AS_INTEGER: u32 = 0x01;
    pub const NORMALIZED_COORDINATES: u32 = 0x02;
    pub const SRGB: u32 = 0x10;
    pub const DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
    pub const SEAMLESS_CUBEMAP: u32 = 0x40;
    pub const KNOWN: u32 =
        READ_AS_INTEGER | NORMALIZED_COORDINATES | SRGB | DISABLE_TRILINEAR_OPTIMIZATION | SEAMLESS_CUBEMAP;
}

/// `CUDA_RESOURCE_VIEW_DESC` without the reserved words at its end, which the runtime's structure of older versions
/// lacks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewDesc {
    pub format: c_int,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_level: c_uint,
    pub last_level: c_uint,
    pub first_layer: c_uint,
    pub last_layer: c_uint,
}
