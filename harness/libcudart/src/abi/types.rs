//! Types of `driver_types.h`.
use cuda_abi::runtime::constants::default_stream;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Any handle: a stream, an event, a graph, an array.
pub type Handle = *mut c_void;
/// A stream; null is the default one.
pub type Stream = Handle;

/// `cudaStreamPerThread`.
pub const PER_THREAD: Stream = std::ptr::without_provenance_mut(default_stream::PER_THREAD);

/// Returns the stream of a call that was compiled for a default stream per thread.
pub fn per_thread(stream: Stream) -> Stream {
    if stream.is_null() { PER_THREAD } else { stream }
}

/// `dim3`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dim3 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
}

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`, which are passed through unchanged.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct IpcHandle {
    pub reserved: [c_char; 64],
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PitchedPtr {
    pub ptr: *mut c_void,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}

/// `cudaExtent`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaPos`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Pos {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Copy3d {
    pub src_array: Handle,
    pub src_pos: Pos,
    pub src: PitchedPtr,
    pub dst_array: Handle,
    pub dst_pos: Pos,
    pub dst: PitchedPtr,
    pub extent: Extent,
    pub kind: c_int,
}

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Copy3dPeer {
    pub src_array: Handle,
    pub src_pos: Pos,
    pub src: PitchedPtr,
    pub src_device: c_int,
    pub dst_array: Handle,
    pub dst_pos: Pos,
    pub dst: PitchedPtr,
    pub dst_device: c_int,
    pub extent: Extent,
}

/// `cudaPointerAttributes`.
#[repr(C)]
pub struct PointerAttributes {
    pub kind: c_int,
    pub device: c_int,
    pub device_pointer: *mut c_void,
    pub host_pointer: *mut c_void,
}

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Default)]
pub struct FuncAttributes {
    pub shared: usize,
    pub constant: usize,
    pub local: usize,
    pub max_threads: c_int,
    pub registers: c_int,
    pub ptx_version: c_int,
    pub binary_version: c_int,
    pub cache_mode: c_int,
    pub max_dynamic_shared: c_int,
    pub carveout: c_int,
    pub cluster_must_be_set: c_int,
    pub cluster_width: c_int,
    pub cluster_height: c_int,
    pub cluster_depth: c_int,
    pub cluster_policy: c_int,
    pub non_portable_cluster: c_int,
    pub reserved: [c_int; 16],
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: usize,
    pub stream: Stream,
    pub attributes: *mut c_void,
    pub attribute_count: c_uint,
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    pub function: *const c_void,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: c_uint,
    pub params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

/// `cudaMemLocation`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MemLocation {
    pub kind: c_int,
    pub id: c_int,
}

/// `cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelDesc {
    pub x: c_int,
    pub y: c_int,
    pub z: c_int,
    pub w: c_int,
    pub kind: c_int,
}
