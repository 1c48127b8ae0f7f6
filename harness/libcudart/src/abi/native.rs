//! Structures of the driver's header, `cuda.h`.
use super::types::{Dim3, Handle, Stream};
use cuda_abi::driver::constants::memory_type;
use std::ffi::{c_int, c_uint, c_void};

/// `CUDA_MEMCPY3D`, and both ends of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct End3d {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    pub kind: c_int,
    pub host: *mut c_void,
    pub device: u64,
    pub array: Handle,
    pub reserved: Handle,
    pub pitch: usize,
    pub height: usize,
}

impl End3d {
    /// Returns an end without memory.
    pub const fn none() -> Self {
        let null = std::ptr::null_mut();
        Self {
            x_bytes: 0,
            y: 0,
            z: 0,
            level: 0,
            kind: 0,
            host: null,
            device: 0,
            array: null,
            reserved: null,
            pitch: 0,
            height: 0,
        }
    }

    /// Returns an end in memory of this kind.
    pub fn linear(kind: c_int, pointer: *mut c_void, pitch: usize, height: usize) -> Self {
        let host = if kind == memory_type::HOST { pointer } else { std::ptr::null_mut() };
        let device = if kind == memory_type::HOST { 0 } else { pointer.addr() as u64 };
        Self { kind, host, device, pitch, height, ..Self::none() }
    }

    /// Returns an end in an array.
    pub fn array(array: Handle) -> Self {
        Self { kind: memory_type::ARRAY, array, ..Self::none() }
    }

    /// Returns the same end, starting at this position.
    pub fn at(self, x_bytes: usize, y: usize, z: usize) -> Self {
        Self { x_bytes, y, z, ..self }
    }

    /// Returns the address, regardless of the kind of memory.
    pub fn pointer(&self) -> *mut c_void {
        if self.kind == memory_type::HOST {
            self.host
        } else {
            std::ptr::with_exposed_provenance_mut(self.device as usize)
        }
    }
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Memcpy3d {
    pub src: End3d,
    pub dst: End3d,
    pub width_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// One end of a [`Memcpy2d`].
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct End2d {
    pub x_bytes: usize,
    pub y: usize,
    pub kind: c_int,
    pub host: *mut c_void,
    pub device: u64,
    pub array: Handle,
    pub pitch: usize,
}

impl From<End3d> for End2d {
    fn from(end: End3d) -> Self {
        let End3d { x_bytes, y, kind, host, device, array, pitch, .. } = end;
        Self { x_bytes, y, kind, host, device, array, pitch }
    }
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Memcpy2d {
    pub src: End2d,
    pub dst: End2d,
    pub width_bytes: usize,
    pub height: usize,
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct Launch {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: c_uint,
    pub stream: Stream,
    pub attributes: *mut c_void,
    pub attribute_count: c_uint,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    pub function: Handle,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: c_uint,
    pub params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kernel: Handle,
    pub context: Handle,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ArrayDesc {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: c_int,
    pub channels: c_uint,
    pub flags: c_uint,
}
