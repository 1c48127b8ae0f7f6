//! The types and structures that cross the C ABI, with the layouts of cuda.h.

#![allow(missing_docs, reason = "names and layouts are those of cuda.h")]

use std::ffi::{c_int, c_uint, c_void};

/// A device's ordinal, which is also its handle.
pub type Device = c_int;
/// An address that the device can access.
pub type DevicePtr = u64;
/// A handle: a number that is looked up in one of the driver's tables.
pub type Handle = usize;
/// `CUhostFn`: a function of the caller, for a stream or a user object to call.
pub type HostFn = Option<unsafe extern "C" fn(*mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Uuid(pub [u8; 16]);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceProperties {
    pub max_threads_per_block: c_int,
    pub max_block: [c_int; 3],
    pub max_grid: [c_int; 3],
    pub shared_per_block: c_int,
    pub const_bytes: c_int,
    pub warp_size: c_int,
    pub mem_pitch: c_int,
    pub regs_per_block: c_int,
    pub clock_khz: c_int,
    pub texture_align: c_int,
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub kind: c_int,
    pub id: c_int,
}
impl Location {
    pub const DEVICE: c_int = 1;
    pub const HOST: c_int = 2;
    pub const HOST_NUMA: c_int = 3;
    pub const HOST_NUMA_CURRENT: c_int = 4;
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AccessDesc {
    pub location: Location,
    pub flags: c_int,
}

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalProps {
    pub kind: c_int,
    pub handle_types: c_int,
    pub location: Location,
    /// Used on Windows.
    pub meta_data: usize,
    pub compression: u8,
    pub gpu_direct: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}
impl PhysicalProps {
    /// Returns the properties of memory on the device.
    pub fn of_device() -> Self {
        PhysicalProps {
            kind: super::constants::allocation_type::PINNED,
            handle_types: 0,
            location: Location { kind: Location::DEVICE, id: 0 },
            meta_data: 0,
            compression: 0,
            gpu_direct: 0,
            usage: 0,
            reserved: [0; 4],
        }
    }
}

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProps {
    pub alloc_type: c_int,
    pub handle_types: c_int,
    pub location: Location,
    pub security: *mut c_void,
    pub max_size: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_type: c_int,
    pub src_host: u64,
    pub src_device: DevicePtr,
    pub src_array: usize,
    pub src_pitch: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_type: c_int,
    pub dst_host: u64,
    pub dst_device: DevicePtr,
    pub dst_array: usize,
    pub dst_pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, whose contexts lie where the former has reserved words.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copy3D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_z: usize,
    pub src_lod: usize,
    pub src_type: c_int,
    pub src_host: u64,
    pub src_device: DevicePtr,
    pub src_array: usize,
    pub src_context: Handle,
    pub src_pitch: usize,
    pub src_height: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_z: usize,
    pub dst_lod: usize,
    pub dst_type: c_int,
    pub dst_host: u64,
    pub dst_device: DevicePtr,
    pub dst_array: usize,
    pub dst_context: Handle,
    pub dst_pitch: usize,
    pub dst_height: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUmemcpyAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyAttributes {
    pub order: c_int,
    pub source_hint: Location,
    pub target_hint: Location,
    pub flags: c_uint,
}

/// `CUmemcpy3DOperand`: memory by its address, the length of a row, the height of a layer and a location, or an array
/// by its handle and the position in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchOperand {
    pub kind: c_int,
    pub words: [u64; 4],
}

/// `CUDA_MEMCPY3D_BATCH_OP`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchCopy {
    pub src: BatchOperand,
    pub dst: BatchOperand,
    pub extent: [usize; 3],
    pub order: c_int,
    pub flags: c_uint,
}

/// `CUstreamBatchMemOpParams`: operation, address, value, flags; a barrier's and a flush's flags follow the operation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemOp {
    pub operation: c_uint,
    pub short_flags: c_uint,
    pub address: DevicePtr,
    pub value: u64,
    pub flags: c_uint,
    pub alias: DevicePtr,
    pub pad: u64,
}

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemOpNode {
    pub context: Handle,
    pub count: c_uint,
    pub ops: *const MemOp,
    pub flags: c_uint,
}

/// `CUdevResource`: a number of multiprocessors. The first of the words that cuda.h reserves for the driver records
/// whether they were split off.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    pub kind: c_int,
    pub split: c_uint,
    pub padding: [u8; 88],
    pub sms: c_uint,
    pub least: c_uint,
    pub alignment: c_uint,
    pub rest: [u8; 36],
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub attributes: *const LaunchAttribute,
    pub count: c_uint,
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    pub id: c_int,
    pub pad: [u8; 4],
    pub value: [u32; 16],
}

/// `CUDA_LAUNCH_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchParams {
    pub function: Handle,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub params: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    pub function: Handle,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode2 {
    pub first: KernelNode,
    pub kernel: Handle,
    pub context: Handle,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillNode {
    pub dst: DevicePtr,
    pub pitch: usize,
    pub value: c_uint,
    pub element: c_uint,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNode {
    pub function: HostFn,
    pub data: *mut c_void,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocNode {
    pub pool: PoolProps,
    pub access: *const AccessDesc,
    pub access_count: usize,
    pub bytes: usize,
    pub dptr: DevicePtr,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    pub flags: u64,
    pub upload_stream: Handle,
    pub error_node: Handle,
    pub result: c_int,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateResult {
    pub result: c_int,
    pub error_node: Handle,
    pub error_from_node: Handle,
}

/// `CUctxCreateParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ContextParams {
    pub affinity: *mut c_void,
    pub affinity_count: c_int,
    pub graphics: *mut c_void,
}

/// `CUgraphEdgeData`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EdgeData(pub [u8; 8]);
