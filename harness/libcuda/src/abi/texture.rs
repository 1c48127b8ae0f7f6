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
