//! The driver's structures, and the ends of its copies.
use super::types::Handle;
use cuda_abi::driver::constants::memory_type;
pub use cuda_abi::driver::types::*;
use std::ffi::{c_int, c_void};

/// One end of a copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct End3d {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub kind: c_int,
    pub host: u64,
    pub device: u64,
    pub array: usize,
    pub pitch: usize,
    pub height: usize,
}

impl End3d {
    /// Returns an end in memory of this kind.
    pub fn linear(kind: c_int, pointer: *mut c_void, pitch: usize, height: usize) -> Self {
        let address = pointer.expose_provenance() as u64;
        let (host, device) = if kind == memory_type::HOST { (address, 0) } else { (0, address) };
        Self { kind, host, device, pitch, height, ..Self::default() }
    }

    /// Returns an end in an array.
    pub fn array(array: Handle) -> Self {
        Self { kind: memory_type::ARRAY, array: array.addr(), ..Self::default() }
    }

    /// Returns the same end, starting at this position.
    pub fn at(self, x_bytes: usize, y: usize, z: usize) -> Self {
        Self { x_bytes, y, z, ..self }
    }

    /// Returns the address, regardless of the kind of memory.
    pub fn pointer(&self) -> *mut c_void {
        let address = if self.kind == memory_type::HOST { self.host } else { self.device };
        std::ptr::with_exposed_provenance_mut(address as usize)
    }
}

/// Returns a two-dimensional copy between two ends.
pub fn copy_2d(src: End3d, dst: End3d, width_in_bytes: usize, height: usize) -> Copy2D {
    Copy2D {
        src_x_in_bytes: src.x_bytes,
        src_y: src.y,
        src_memory_type: src.kind,
        src_host: src.host,
        src_device: src.device,
        src_array: src.array,
        src_pitch: src.pitch,
        dst_x_in_bytes: dst.x_bytes,
        dst_y: dst.y,
        dst_memory_type: dst.kind,
        dst_host: dst.host,
        dst_device: dst.device,
        dst_array: dst.array,
        dst_pitch: dst.pitch,
        width_in_bytes,
        height,
    }
}

/// Returns a three-dimensional copy between two ends, without its extent.
pub fn copy_3d(src: End3d, dst: End3d) -> Copy3D {
    Copy3D {
        src_x_in_bytes: src.x_bytes,
        src_y: src.y,
        src_z: src.z,
        src_memory_type: src.kind,
        src_host: src.host,
        src_device: src.device,
        src_array: src.array,
        src_pitch: src.pitch,
        src_height: src.height,
        dst_x_in_bytes: dst.x_bytes,
        dst_y: dst.y,
        dst_z: dst.z,
        dst_memory_type: dst.kind,
        dst_host: dst.host,
        dst_device: dst.device,
        dst_array: dst.array,
        dst_pitch: dst.pitch,
        dst_height: dst.height,
        ..Copy3D::default()
    }
}

/// Returns the ends of a copy: the source and the destination.
pub fn ends(copy: &Copy3D) -> (End3d, End3d) {
    let src = End3d {
        x_bytes: copy.src_x_in_bytes,
        y: copy.src_y,
        z: copy.src_z,
        kind: copy.src_memory_type,
        host: copy.src_host,
        device: copy.src_device,
        array: copy.src_array,
        pitch: copy.src_pitch,
        height: copy.src_height,
    };
    let dst = End3d {
        x_bytes: copy.dst_x_in_bytes,
        y: copy.dst_y,
        z: copy.dst_z,
        kind: copy.dst_memory_type,
        host: copy.dst_host,
        device: copy.dst_device,
        array: copy.dst_array,
        pitch: copy.dst_pitch,
        height: copy.dst_height,
    };
    (src, dst)
}
