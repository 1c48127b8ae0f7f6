//! Written by generate.py from the headers of CUDA 12.9, 13.0, 13.5:
//! cuda.h, cudaProfiler.h.

/// An error: a `CUresult` other than success.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(pub i32);
impl Error {
    pub const INVALID_VALUE: Self = Self(1);
    pub const OUT_OF_MEMORY: Self = Self(2);
    pub const NOT_INITIALIZED: Self = Self(3);
    pub const DEINITIALIZED: Self = Self(4);
    pub const PROFILER_DISABLED: Self = Self(5);
    pub const PROFILER_NOT_INITIALIZED: Self = Self(6);
    pub const PROFILER_ALREADY_STARTED: Self = Self(7);
    pub const PROFILER_ALREADY_STOPPED: Self = Self(8);
    pub const STUB_LIBRARY: Self = Self(34);
    pub const CALL_REQUIRES_NEWER_DRIVER: Self = Self(36);
    pub const DEVICE_UNAVAILABLE: Self = Self(46);
    pub const MULTICAST_RESOURCE_FULL: Self = Self(47);
    pub const NO_DEVICE: Self = Self(100);
    pub const INVALID_DEVICE: Self = Self(101);
    pub const DEVICE_NOT_LICENSED: Self = Self(102);
    pub const INVALID_IMAGE: Self = Self(200);
    pub const INVALID_CONTEXT: Self = Self(201);
    pub const CONTEXT_ALREADY_CURRENT: Self = Self(202);
    pub const MAP_FAILED: Self = Self(205);
    pub const UNMAP_FAILED: Self = Self(206);
    pub const ARRAY_IS_MAPPED: Self = Self(207);
    pub const ALREADY_MAPPED: Self = Self(208);
    pub const NO_BINARY_FOR_GPU: Self = Self(209);
    pub const ALREADY_ACQUIRED: Self = Self(210);
    pub const NOT_MAPPED: Self = Self(211);
    pub const NOT_MAPPED_AS_ARRAY: Self = Self(212);
    pub const NOT_MAPPED_AS_POINTER: Self = Self(213);
    pub const ECC_UNCORRECTABLE: Self = Self(214);
    pub const UNSUPPORTED_LIMIT: Self = Self(215);
    pub const CONTEXT_ALREADY_IN_USE: Self = Self(216);
    pub const PEER_ACCESS_UNSUPPORTED: Self = Self(217);
    pub const INVALID_PTX: Self = Self(218);
    pub const INVALID_GRAPHICS_CONTEXT: Self = Self(219);
    pub const NVLINK_UNCORRECTABLE: Self = Self(220);
    pub const JIT_COMPILER_NOT_FOUND: Self = Self(221);
    pub const UNSUPPORTED_PTX_VERSION: Self = Self(222);
    pub const JIT_COMPILATION_DISABLED: Self = Self(223);
    pub const UNSUPPORTED_EXEC_AFFINITY: Self = Self(224);
    pub const UNSUPPORTED_DEVSIDE_SYNC: Self = Self(225);
    pub const CONTAINED: Self = Self(226);
    pub const INSUFFICIENT_LOADER_VERSION: Self = Self(227);
    pub const INVALID_SOURCE: Self = Self(300);
    pub const FILE_NOT_FOUND: Self = Self(301);
    pub const SHARED_OBJECT_SYMBOL_NOT_FOUND: Self = Self(302);
    pub const SHARED_OBJECT_INIT_FAILED: Self = Self(303);
    pub const OPERATING_SYSTEM: Self = Self(304);
    pub const INVALID_HANDLE: Self = Self(400);
    pub const ILLEGAL_STATE: Self = Self(401);
    pub const LOSSY_QUERY: Self = Self(402);
    pub const NOT_FOUND: Self = Self(500);
    pub const NOT_READY: Self = Self(600);
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    pub const LAUNCH_OUT_OF_RESOURCES: Self = Self(701);
    pub const LAUNCH_TIMEOUT: Self = Self(702);
    pub const LAUNCH_INCOMPATIBLE_TEXTURING: Self = Self(703);
    pub const PEER_ACCESS_ALREADY_ENABLED: Self = Self(704);
    pub const PEER_ACCESS_NOT_ENABLED: Self = Self(705);
    pub const PRIMARY_CONTEXT_ACTIVE: Self = Self(708);
    pub const CONTEXT_IS_DESTROYED: Self = Self(709);
    pub const ASSERT: Self = Self(710);
    pub const TOO_MANY_PEERS: Self = Self(711);
    pub const HOST_MEMORY_ALREADY_REGISTERED: Self = Self(712);
    pub const HOST_MEMORY_NOT_REGISTERED: Self = Self(713);
    pub const HARDWARE_STACK_ERROR: Self = Self(714);
    pub const ILLEGAL_INSTRUCTION: Self = Self(715);
    pub const MISALIGNED_ADDRESS: Self = Self(716);
    pub const INVALID_ADDRESS_SPACE: Self = Self(717);
    pub const INVALID_PC: Self = Self(718);
    pub const LAUNCH_FAILED: Self = Self(719);
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: Self = Self(720);
    pub const TENSOR_MEMORY_LEAK: Self = Self(721);
    pub const NOT_PERMITTED: Self = Self(800);
    pub const NOT_SUPPORTED: Self = Self(801);
    pub const SYSTEM_NOT_READY: Self = Self(802);
    pub const SYSTEM_DRIVER_MISMATCH: Self = Self(803);
    pub const COMPAT_NOT_SUPPORTED_ON_DEVICE: Self = Self(804);
    pub const MPS_CONNECTION_FAILED: Self = Self(805);
    pub const MPS_RPC_FAILURE: Self = Self(806);
    pub const MPS_SERVER_NOT_READY: Self = Self(807);
    pub const MPS_MAX_CLIENTS_REACHED: Self = Self(808);
    pub const MPS_MAX_CONNECTIONS_REACHED: Self = Self(809);
    pub const MPS_CLIENT_TERMINATED: Self = Self(810);
    pub const CDP_NOT_SUPPORTED: Self = Self(811);
    pub const CDP_VERSION_MISMATCH: Self = Self(812);
    pub const STREAM_CAPTURE_UNSUPPORTED: Self = Self(900);
    pub const STREAM_CAPTURE_INVALIDATED: Self = Self(901);
    pub const STREAM_CAPTURE_MERGE: Self = Self(902);
    pub const STREAM_CAPTURE_UNMATCHED: Self = Self(903);
    pub const STREAM_CAPTURE_UNJOINED: Self = Self(904);
    pub const STREAM_CAPTURE_ISOLATION: Self = Self(905);
    pub const STREAM_CAPTURE_IMPLICIT: Self = Self(906);
    pub const CAPTURED_EVENT: Self = Self(907);
    pub const STREAM_CAPTURE_WRONG_THREAD: Self = Self(908);
    pub const TIMEOUT: Self = Self(909);
    pub const GRAPH_EXEC_UPDATE_FAILURE: Self = Self(910);
    pub const EXTERNAL_DEVICE: Self = Self(911);
    pub const INVALID_CLUSTER_SIZE: Self = Self(912);
    pub const FUNCTION_NOT_LOADED: Self = Self(913);
    pub const INVALID_RESOURCE_TYPE: Self = Self(914);
    pub const INVALID_RESOURCE_CONFIGURATION: Self = Self(915);
    pub const KEY_ROTATION: Self = Self(916);
    pub const STREAM_DETACHED: Self = Self(917);
    pub const GRAPH_RECAPTURE_FAILURE: Self = Self(918);
    pub const FABRIC_NOT_READY: Self = Self(919);
    pub const UNKNOWN: Self = Self(999);
}

/// The name of each `CUresult`, by its code.
pub const ERROR_NAMES: &[(i32, &std::ffi::CStr)] = &[
    (0, c"CUDA_SUCCESS"),
    (1, c"CUDA_ERROR_INVALID_VALUE"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED"),
    (4, c"CUDA_ERROR_DEINITIALIZED"),
    (5, c"CUDA_ERROR_PROFILER_DISABLED"),
    (6, c"CUDA_ERROR_PROFILER_NOT_INITIALIZED"),
    (7, c"CUDA_ERROR_PROFILER_ALREADY_STARTED"),
    (8, c"CUDA_ERROR_PROFILER_ALREADY_STOPPED"),
    (34, c"CUDA_ERROR_STUB_LIBRARY"),
    (36, c"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"),
    (46, c"CUDA_ERROR_DEVICE_UNAVAILABLE"),
    (47, c"CUDA_ERROR_MULTICAST_RESOURCE_FULL"),
    (100, c"CUDA_ERROR_NO_DEVICE"),
    (101, c"CUDA_ERROR_INVALID_DEVICE"),
    (102, c"CUDA_ERROR_DEVICE_NOT_LICENSED"),
    (200, c"CUDA_ERROR_INVALID_IMAGE"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT"),
    (202, c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT"),
    (205, c"CUDA_ERROR_MAP_FAILED"),
    (206, c"CUDA_ERROR_UNMAP_FAILED"),
    (207, c"CUDA_ERROR_ARRAY_IS_MAPPED"),
    (208, c"CUDA_ERROR_ALREADY_MAPPED"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU"),
    (210, c"CUDA_ERROR_ALREADY_ACQUIRED"),
    (211, c"CUDA_ERROR_NOT_MAPPED"),
    (212, c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY"),
    (213, c"CUDA_ERROR_NOT_MAPPED_AS_POINTER"),
    (214, c"CUDA_ERROR_ECC_UNCORRECTABLE"),
    (215, c"CUDA_ERROR_UNSUPPORTED_LIMIT"),
    (216, c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE"),
    (217, c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    (218, c"CUDA_ERROR_INVALID_PTX"),
    (219, c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"),
    (220, c"CUDA_ERROR_NVLINK_UNCORRECTABLE"),
    (221, c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND"),
    (222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    (223, c"CUDA_ERROR_JIT_COMPILATION_DISABLED"),
    (224, c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"),
    (225, c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"),
    (226, c"CUDA_ERROR_CONTAINED"),
    (227, c"CUDA_ERROR_INSUFFICIENT_LOADER_VERSION"),
    (300, c"CUDA_ERROR_INVALID_SOURCE"),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND"),
    (302, c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"),
    (303, c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"),
    (304, c"CUDA_ERROR_OPERATING_SYSTEM"),
    (400, c"CUDA_ERROR_INVALID_HANDLE"),
    (401, c"CUDA_ERROR_ILLEGAL_STATE"),
    (402, c"CUDA_ERROR_LOSSY_QUERY"),
    (500, c"CUDA_ERROR_NOT_FOUND"),
    (600, c"CUDA_ERROR_NOT_READY"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT"),
    (703, c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"),
    (704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"),
    (705, c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"),
    (708, c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"),
    (709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED"),
    (710, c"CUDA_ERROR_ASSERT"),
    (711, c"CUDA_ERROR_TOO_MANY_PEERS"),
    (712, c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"),
    (713, c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"),
    (714, c"CUDA_ERROR_HARDWARE_STACK_ERROR"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS"),
    (717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE"),
    (718, c"CUDA_ERROR_INVALID_PC"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED"),
    (720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"),
    (721, c"CUDA_ERROR_TENSOR_MEMORY_LEAK"),
    (800, c"CUDA_ERROR_NOT_PERMITTED"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (804, c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
    (805, c"CUDA_ERROR_MPS_CONNECTION_FAILED"),
    (806, c"CUDA_ERROR_MPS_RPC_FAILURE"),
    (807, c"CUDA_ERROR_MPS_SERVER_NOT_READY"),
    (808, c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"),
    (809, c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"),
    (810, c"CUDA_ERROR_MPS_CLIENT_TERMINATED"),
    (811, c"CUDA_ERROR_CDP_NOT_SUPPORTED"),
    (812, c"CUDA_ERROR_CDP_VERSION_MISMATCH"),
    (900, c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
    (901, c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"),
    (902, c"CUDA_ERROR_STREAM_CAPTURE_MERGE"),
    (903, c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"),
    (904, c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED"),
    (905, c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION"),
    (906, c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"),
    (907, c"CUDA_ERROR_CAPTURED_EVENT"),
    (908, c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"),
    (909, c"CUDA_ERROR_TIMEOUT"),
    (910, c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"),
    (911, c"CUDA_ERROR_EXTERNAL_DEVICE"),
    (912, c"CUDA_ERROR_INVALID_CLUSTER_SIZE"),
    (913, c"CUDA_ERROR_FUNCTION_NOT_LOADED"),
    (914, c"CUDA_ERROR_INVALID_RESOURCE_TYPE"),
    (915, c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"),
    (916, c"CUDA_ERROR_KEY_ROTATION"),
    (917, c"CUDA_ERROR_STREAM_DETACHED"),
    (918, c"CUDA_ERROR_GRAPH_RECAPTURE_FAILURE"),
    (919, c"CUDA_ERROR_FABRIC_NOT_READY"),
    (999, c"CUDA_ERROR_UNKNOWN"),
];

pub mod constants {
    /// `CUmemAccess_flags`.
    pub mod access_flags {
        pub const NONE: i32 = 0;
        pub const READ: i32 = 1;
        pub const READWRITE: i32 = 3;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUaddress_mode`.
    pub mod address_mode {
        pub const WRAP: i32 = 0;
        pub const CLAMP: i32 = 1;
        pub const MIRROR: i32 = 2;
        pub const BORDER: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUmem_advise`.
    pub mod advise {
        pub const SET_READ_MOSTLY: i32 = 1;
        pub const UNSET_READ_MOSTLY: i32 = 2;
        pub const SET_PREFERRED_LOCATION: i32 = 3;
        pub const UNSET_PREFERRED_LOCATION: i32 = 4;
        pub const SET_ACCESSED_BY: i32 = 5;
        pub const UNSET_ACCESSED_BY: i32 = 6;
        /// The greatest of these values.
        pub const LAST: i32 = 6;
    }
    /// `CUmemAllocationType`.
    pub mod allocation_type {
        pub const INVALID: i32 = 0;
        pub const PINNED: i32 = 1;
        pub const MANAGED: i32 = 2;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUDA_ARRAY3D_*`.
    pub mod array_flags {
        pub const _2DARRAY: u32 = 1;
        pub const LAYERED: u32 = 1;
        pub const SURFACE_LDST: u32 = 2;
        pub const CUBEMAP: u32 = 4;
        pub const TEXTURE_GATHER: u32 = 8;
        pub const DEPTH_TEXTURE: u32 = 16;
        pub const COLOR_ATTACHMENT: u32 = 32;
        pub const SPARSE: u32 = 64;
        pub const DEFERRED_MAPPING: u32 = 128;
        pub const VIDEO_ENCODE_DECODE: u32 = 256;
        /// All of these flags.
        pub const ALL: u32 = 511;
    }
    /// `CUarray_format`.
    pub mod array_format {
        pub const UNSIGNED_INT8: i32 = 1;
        pub const UNSIGNED_INT16: i32 = 2;
        pub const UNSIGNED_INT32: i32 = 3;
        pub const SIGNED_INT8: i32 = 8;
        pub const SIGNED_INT16: i32 = 9;
        pub const SIGNED_INT32: i32 = 10;
        pub const HALF: i32 = 16;
        pub const FLOAT: i32 = 32;
        pub const NV12: i32 = 176;
        pub const UNORM_INT8X1: i32 = 192;
        pub const UNORM_INT8X2: i32 = 193;
        pub const UNORM_INT8X4: i32 = 194;
        pub const UNORM_INT16X1: i32 = 195;
        pub const UNORM_INT16X2: i32 = 196;
        pub const UNORM_INT16X4: i32 = 197;
        pub const SNORM_INT8X1: i32 = 198;
        pub const SNORM_INT8X2: i32 = 199;
        pub const SNORM_INT8X4: i32 = 200;
        pub const SNORM_INT16X1: i32 = 201;
        pub const SNORM_INT16X2: i32 = 202;
        pub const SNORM_INT16X4: i32 = 203;
        pub const BC1_UNORM: i32 = 145;
        pub const BC1_UNORM_SRGB: i32 = 146;
        pub const BC2_UNORM: i32 = 147;
        pub const BC2_UNORM_SRGB: i32 = 148;
        pub const BC3_UNORM: i32 = 149;
        pub const BC3_UNORM_SRGB: i32 = 150;
        pub const BC4_UNORM: i32 = 151;
        pub const BC4_SNORM: i32 = 152;
        pub const BC5_UNORM: i32 = 153;
        pub const BC5_SNORM: i32 = 154;
        pub const BC6H_UF16: i32 = 155;
        pub const BC6H_SF16: i32 = 156;
        pub const BC7_UNORM: i32 = 157;
        pub const BC7_UNORM_SRGB: i32 = 158;
        pub const P010: i32 = 159;
        pub const P016: i32 = 161;
        pub const NV16: i32 = 162;
        pub const P210: i32 = 163;
        pub const P216: i32 = 164;
        pub const YUY2: i32 = 165;
        pub const Y210: i32 = 166;
        pub const Y216: i32 = 167;
        pub const AYUV: i32 = 168;
        pub const Y410: i32 = 169;
        pub const Y416: i32 = 177;
        pub const Y444_PLANAR8: i32 = 178;
        pub const Y444_PLANAR10: i32 = 179;
        pub const YUV444_8BIT_SEMI_PLANAR: i32 = 180;
        pub const YUV444_16BIT_SEMI_PLANAR: i32 = 181;
        pub const UNORM_INT_101010_2: i32 = 80;
        pub const UINT8_PACKED_422: i32 = 81;
        pub const UINT8_PACKED_444: i32 = 82;
        pub const UINT8_SEMIPLANAR_420: i32 = 83;
        pub const UINT16_SEMIPLANAR_420: i32 = 84;
        pub const UINT8_SEMIPLANAR_422: i32 = 85;
        pub const UINT16_SEMIPLANAR_422: i32 = 86;
        pub const UINT8_SEMIPLANAR_444: i32 = 87;
        pub const UINT16_SEMIPLANAR_444: i32 = 88;
        pub const UINT8_PLANAR_420: i32 = 89;
        pub const UINT16_PLANAR_420: i32 = 90;
        pub const UINT8_PLANAR_422: i32 = 91;
        pub const UINT16_PLANAR_422: i32 = 92;
        pub const UINT8_PLANAR_444: i32 = 93;
        pub const UINT16_PLANAR_444: i32 = 94;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 203;
    }
    /// `CUatomicOperation`.
    pub mod atomic_operation {
        pub const INTEGER_ADD: i32 = 0;
        pub const INTEGER_MIN: i32 = 1;
        pub const INTEGER_MAX: i32 = 2;
        pub const INTEGER_INCREMENT: i32 = 3;
        pub const INTEGER_DECREMENT: i32 = 4;
        pub const AND: i32 = 5;
        pub const OR: i32 = 6;
        pub const XOR: i32 = 7;
        pub const EXCHANGE: i32 = 8;
        pub const CAS: i32 = 9;
        pub const FLOAT_ADD: i32 = 10;
        pub const FLOAT_MIN: i32 = 11;
        pub const FLOAT_MAX: i32 = 12;
        pub const MAX: i32 = 13;
        /// The greatest of these values.
        pub const LAST: i32 = 12;
    }
    /// `CUmemAttach_flags`.
    pub mod attach_flags {
        pub const GLOBAL: u32 = 1;
        pub const HOST: u32 = 2;
        pub const SINGLE: u32 = 4;
    }
    /// `CUstreamMemoryBarrier_flags`.
    pub mod barrier_flags {
        pub const SYS: u32 = 0;
        pub const GPU: u32 = 1;
    }
    /// `CUfunc_cache`.
    pub mod cache_config {
        pub const NONE: i32 = 0;
        pub const SHARED: i32 = 1;
        pub const L1: i32 = 2;
        pub const EQUAL: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUstreamUpdateCaptureDependencies_flags`.
    pub mod capture_dependencies {
        pub const ADD_CAPTURE_DEPENDENCIES: u32 = 0;
        pub const SET_CAPTURE_DEPENDENCIES: u32 = 1;
    }
    /// `CUstreamCaptureMode`.
    pub mod capture_mode {
        pub const GLOBAL: i32 = 0;
        pub const THREAD_LOCAL: i32 = 1;
        pub const RELAXED: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUstreamCaptureStatus`.
    pub mod capture_status {
        pub const NONE: i32 = 0;
        pub const ACTIVE: i32 = 1;
        pub const INVALIDATED: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CU_GRAPH_COND_ASSIGN_DEFAULT`.
    pub mod condition_flags {
        pub const ASSIGN_DEFAULT: u32 = 1;
    }
    /// `CUgraphConditionalNodeType`.
    pub mod conditional_type {
        pub const IF: i32 = 0;
        pub const WHILE: i32 = 1;
        pub const SWITCH: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUctx_flags`.
    pub mod context_flags {
        pub const SCHED_AUTO: u32 = 0;
        pub const SCHED_SPIN: u32 = 1;
        pub const SCHED_YIELD: u32 = 2;
        pub const SCHED_BLOCKING_SYNC: u32 = 4;
        pub const BLOCKING_SYNC: u32 = 4;
        pub const SCHED_MASK: u32 = 7;
        pub const MAP_HOST: u32 = 8;
        pub const LMEM_RESIZE_TO_MAX: u32 = 16;
        pub const COREDUMP_ENABLE: u32 = 32;
        pub const USER_COREDUMP_ENABLE: u32 = 64;
        pub const SYNC_MEMOPS: u32 = 128;
        pub const FLAGS_MASK: u32 = 255;
    }
    /// `CUmemcpyFlags`.
    pub mod copy_flags {
        pub const DEFAULT: u32 = 0;
        pub const PREFER_OVERLAP_WITH_COMPUTE: u32 = 1;
    }
    /// `CUmemcpy3DOperandType`.
    pub mod copy_operand {
        pub const POINTER: i32 = 1;
        pub const ARRAY: i32 = 2;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CU_STREAM_LEGACY`, `CU_STREAM_PER_THREAD`.
    pub mod default_stream {
        pub const LEGACY: usize = 1;
        pub const PER_THREAD: usize = 2;
    }
    /// `CUdevice_attribute`.
    pub mod device_attribute {
        pub const MAX_THREADS_PER_BLOCK: i32 = 1;
        pub const MAX_BLOCK_DIM_X: i32 = 2;
        pub const MAX_BLOCK_DIM_Y: i32 = 3;
        pub const MAX_BLOCK_DIM_Z: i32 = 4;
        pub const MAX_GRID_DIM_X: i32 = 5;
        pub const MAX_GRID_DIM_Y: i32 = 6;
        pub const MAX_GRID_DIM_Z: i32 = 7;
        pub const MAX_SHARED_MEMORY_PER_BLOCK: i32 = 8;
        pub const SHARED_MEMORY_PER_BLOCK: i32 = 8;
        pub const TOTAL_CONSTANT_MEMORY: i32 = 9;
        pub const WARP_SIZE: i32 = 10;
        pub const MAX_PITCH: i32 = 11;
        pub const MAX_REGISTERS_PER_BLOCK: i32 = 12;
        pub const REGISTERS_PER_BLOCK: i32 = 12;
        pub const CLOCK_RATE: i32 = 13;
        pub const TEXTURE_ALIGNMENT: i32 = 14;
        pub const GPU_OVERLAP: i32 = 15;
        pub const MULTIPROCESSOR_COUNT: i32 = 16;
        pub const KERNEL_EXEC_TIMEOUT: i32 = 17;
        pub const INTEGRATED: i32 = 18;
        pub const CAN_MAP_HOST_MEMORY: i32 = 19;
        pub const COMPUTE_MODE: i32 = 20;
        pub const MAXIMUM_TEXTURE1D_WIDTH: i32 = 21;
        pub const MAXIMUM_TEXTURE2D_WIDTH: i32 = 22;
        pub const MAXIMUM_TEXTURE2D_HEIGHT: i32 = 23;
        pub const MAXIMUM_TEXTURE3D_WIDTH: i32 = 24;
        pub const MAXIMUM_TEXTURE3D_HEIGHT: i32 = 25;
        pub const MAXIMUM_TEXTURE3D_DEPTH: i32 = 26;
        pub const MAXIMUM_TEXTURE2D_LAYERED_WIDTH: i32 = 27;
        pub const MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: i32 = 28;
        pub const MAXIMUM_TEXTURE2D_LAYERED_LAYERS: i32 = 29;
        pub const MAXIMUM_TEXTURE2D_ARRAY_WIDTH: i32 = 27;
        pub const MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: i32 = 28;
        pub const MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: i32 = 29;
        pub const SURFACE_ALIGNMENT: i32 = 30;
        pub const CONCURRENT_KERNELS: i32 = 31;
        pub const ECC_ENABLED: i32 = 32;
        pub const PCI_BUS_ID: i32 = 33;
        pub const PCI_DEVICE_ID: i32 = 34;
        pub const TCC_DRIVER: i32 = 35;
        pub const MEMORY_CLOCK_RATE: i32 = 36;
        pub const GLOBAL_MEMORY_BUS_WIDTH: i32 = 37;
        pub const L2_CACHE_SIZE: i32 = 38;
        pub const MAX_THREADS_PER_MULTIPROCESSOR: i32 = 39;
        pub const ASYNC_ENGINE_COUNT: i32 = 40;
        pub const UNIFIED_ADDRESSING: i32 = 41;
        pub const MAXIMUM_TEXTURE1D_LAYERED_WIDTH: i32 = 42;
        pub const MAXIMUM_TEXTURE1D_LAYERED_LAYERS: i32 = 43;
        pub const CAN_TEX2D_GATHER: i32 = 44;
        pub const MAXIMUM_TEXTURE2D_GATHER_WIDTH: i32 = 45;
        pub const MAXIMUM_TEXTURE2D_GATHER_HEIGHT: i32 = 46;
        pub const MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: i32 = 47;
        pub const MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: i32 = 48;
        pub const MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: i32 = 49;
        pub const PCI_DOMAIN_ID: i32 = 50;
        pub const TEXTURE_PITCH_ALIGNMENT: i32 = 51;
        pub const MAXIMUM_TEXTURECUBEMAP_WIDTH: i32 = 52;
        pub const MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: i32 = 53;
        pub const MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: i32 = 54;
        pub const MAXIMUM_SURFACE1D_WIDTH: i32 = 55;
        pub const MAXIMUM_SURFACE2D_WIDTH: i32 = 56;
        pub const MAXIMUM_SURFACE2D_HEIGHT: i32 = 57;
        pub const MAXIMUM_SURFACE3D_WIDTH: i32 = 58;
        pub const MAXIMUM_SURFACE3D_HEIGHT: i32 = 59;
        pub const MAXIMUM_SURFACE3D_DEPTH: i32 = 60;
        pub const MAXIMUM_SURFACE1D_LAYERED_WIDTH: i32 = 61;
        pub const MAXIMUM_SURFACE1D_LAYERED_LAYERS: i32 = 62;
        pub const MAXIMUM_SURFACE2D_LAYERED_WIDTH: i32 = 63;
        pub const MAXIMUM_SURFACE2D_LAYERED_HEIGHT: i32 = 64;
        pub const MAXIMUM_SURFACE2D_LAYERED_LAYERS: i32 = 65;
        pub const MAXIMUM_SURFACECUBEMAP_WIDTH: i32 = 66;
        pub const MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: i32 = 67;
        pub const MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: i32 = 68;
        pub const MAXIMUM_TEXTURE1D_LINEAR_WIDTH: i32 = 69;
        pub const MAXIMUM_TEXTURE2D_LINEAR_WIDTH: i32 = 70;
        pub const MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: i32 = 71;
        pub const MAXIMUM_TEXTURE2D_LINEAR_PITCH: i32 = 72;
        pub const MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: i32 = 73;
        pub const MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: i32 = 74;
        pub const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
        pub const COMPUTE_CAPABILITY_MINOR: i32 = 76;
        pub const MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: i32 = 77;
        pub const STREAM_PRIORITIES_SUPPORTED: i32 = 78;
        pub const GLOBAL_L1_CACHE_SUPPORTED: i32 = 79;
        pub const LOCAL_L1_CACHE_SUPPORTED: i32 = 80;
        pub const MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: i32 = 81;
        pub const MAX_REGISTERS_PER_MULTIPROCESSOR: i32 = 82;
        pub const MANAGED_MEMORY: i32 = 83;
        pub const MULTI_GPU_BOARD: i32 = 84;
        pub const MULTI_GPU_BOARD_GROUP_ID: i32 = 85;
        pub const HOST_NATIVE_ATOMIC_SUPPORTED: i32 = 86;
        pub const SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: i32 = 87;
        pub const PAGEABLE_MEMORY_ACCESS: i32 = 88;
        pub const CONCURRENT_MANAGED_ACCESS: i32 = 89;
        pub const COMPUTE_PREEMPTION_SUPPORTED: i32 = 90;
        pub const CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: i32 = 91;
        pub const CAN_USE_STREAM_MEM_OPS_V1: i32 = 92;
        pub const CAN_USE_64_BIT_STREAM_MEM_OPS_V1: i32 = 93;
        pub const CAN_USE_STREAM_WAIT_VALUE_NOR_V1: i32 = 94;
        pub const COOPERATIVE_LAUNCH: i32 = 95;
        pub const COOPERATIVE_MULTI_DEVICE_LAUNCH: i32 = 96;
        pub const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: i32 = 97;
        pub const CAN_FLUSH_REMOTE_WRITES: i32 = 98;
        pub const HOST_REGISTER_SUPPORTED: i32 = 99;
        pub const PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: i32 = 100;
        pub const DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: i32 = 101;
        pub const VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED: i32 = 102;
        pub const VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 102;
        pub const HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: i32 = 103;
        pub const HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: i32 = 104;
        pub const HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: i32 = 105;
        pub const MAX_BLOCKS_PER_MULTIPROCESSOR: i32 = 106;
        pub const GENERIC_COMPRESSION_SUPPORTED: i32 = 107;
        pub const MAX_PERSISTING_L2_CACHE_SIZE: i32 = 108;
        pub const MAX_ACCESS_POLICY_WINDOW_SIZE: i32 = 109;
        pub const GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: i32 = 110;
        pub const RESERVED_SHARED_MEMORY_PER_BLOCK: i32 = 111;
        pub const SPARSE_CUDA_ARRAY_SUPPORTED: i32 = 112;
        pub const READ_ONLY_HOST_REGISTER_SUPPORTED: i32 = 113;
        pub const TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: i32 = 114;
        pub const MEMORY_POOLS_SUPPORTED: i32 = 115;
        pub const GPU_DIRECT_RDMA_SUPPORTED: i32 = 116;
        pub const GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: i32 = 117;
        pub const GPU_DIRECT_RDMA_WRITES_ORDERING: i32 = 118;
        pub const MEMPOOL_SUPPORTED_HANDLE_TYPES: i32 = 119;
        pub const CLUSTER_LAUNCH: i32 = 120;
        pub const DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: i32 = 121;
        pub const CAN_USE_64_BIT_STREAM_MEM_OPS: i32 = 122;
        pub const CAN_USE_STREAM_WAIT_VALUE_NOR: i32 = 123;
        pub const DMA_BUF_SUPPORTED: i32 = 124;
        pub const IPC_EVENT_SUPPORTED: i32 = 125;
        pub const MEM_SYNC_DOMAIN_COUNT: i32 = 126;
        pub const TENSOR_MAP_ACCESS_SUPPORTED: i32 = 127;
        pub const HANDLE_TYPE_FABRIC_SUPPORTED: i32 = 128;
        pub const UNIFIED_FUNCTION_POINTERS: i32 = 129;
        pub const NUMA_CONFIG: i32 = 130;
        pub const NUMA_ID: i32 = 131;
        pub const MULTICAST_SUPPORTED: i32 = 132;
        pub const MPS_ENABLED: i32 = 133;
        pub const HOST_NUMA_ID: i32 = 134;
        pub const D3D12_CIG_SUPPORTED: i32 = 135;
        pub const MEM_DECOMPRESS_ALGORITHM_MASK: i32 = 136;
        pub const MEM_DECOMPRESS_MAXIMUM_LENGTH: i32 = 137;
        pub const VULKAN_CIG_SUPPORTED: i32 = 138;
        pub const GPU_PCI_DEVICE_ID: i32 = 139;
        pub const GPU_PCI_SUBSYSTEM_ID: i32 = 140;
        pub const HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 141;
        pub const HOST_NUMA_MEMORY_POOLS_SUPPORTED: i32 = 142;
        pub const HOST_NUMA_MULTINODE_IPC_SUPPORTED: i32 = 143;
        pub const HOST_MEMORY_POOLS_SUPPORTED: i32 = 144;
        pub const HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 145;
        pub const HOST_ALLOC_DMA_BUF_SUPPORTED: i32 = 146;
        pub const ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: i32 = 147;
        pub const ATOMIC_REDUCTION_SUPPORTED: i32 = 148;
        pub const LOCALITY_DOMAIN_COUNT: i32 = 149;
        pub const MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK: i32 = 150;
        pub const D3D12_CIG_STREAMS_SUPPORTED: i32 = 151;
        pub const DMA_BUF_MMAP_SUPPORTED: i32 = 152;
        pub const LOGICAL_ENDPOINT_UNICAST_SUPPORTED: i32 = 153;
        pub const LOGICAL_ENDPOINT_MULTICAST_SUPPORTED: i32 = 154;
        pub const LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED: i32 = 155;
        pub const LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED: i32 = 156;
        pub const LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT: i32 = 157;
        pub const LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES: i32 = 158;
        pub const VULKAN_CIG_STREAMS_SUPPORTED: i32 = 159;
        pub const TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: i32 = 160;
        pub const GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED: i32 = 161;
        pub const MAX: i32 = 162;
        /// The greatest of these values.
        pub const LAST: i32 = 161;
    }
    /// `CU_DEVICE_CPU`, `CU_DEVICE_INVALID`.
    pub mod device_ordinal {
        pub const CPU: i32 = -1;
        pub const INVALID: i32 = -2;
    }
    /// `CUevent_flags`.
    pub mod event_flags {
        pub const DEFAULT: u32 = 0;
        pub const BLOCKING_SYNC: u32 = 1;
        pub const DISABLE_TIMING: u32 = 2;
        pub const INTERPROCESS: u32 = 4;
    }
    /// `CUevent_record_flags`.
    pub mod event_record_flags {
        pub const DEFAULT: u32 = 0;
        pub const EXTERNAL: u32 = 1;
    }
    /// `CUevent_wait_flags`.
    pub mod event_wait_flags {
        pub const DEFAULT: u32 = 0;
        pub const EXTERNAL: u32 = 1;
    }
    /// `CUfilter_mode`.
    pub mod filter_mode {
        pub const POINT: i32 = 0;
        pub const LINEAR: i32 = 1;
        /// The greatest of these values.
        pub const LAST: i32 = 1;
    }
    /// `CUfunction_attribute`.
    pub mod function_attribute {
        pub const MAX_THREADS_PER_BLOCK: i32 = 0;
        pub const SHARED_SIZE_BYTES: i32 = 1;
        pub const CONST_SIZE_BYTES: i32 = 2;
        pub const LOCAL_SIZE_BYTES: i32 = 3;
        pub const NUM_REGS: i32 = 4;
        pub const PTX_VERSION: i32 = 5;
        pub const BINARY_VERSION: i32 = 6;
        pub const CACHE_MODE_CA: i32 = 7;
        pub const MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
        pub const PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 9;
        pub const CLUSTER_SIZE_MUST_BE_SET: i32 = 10;
        pub const REQUIRED_CLUSTER_WIDTH: i32 = 11;
        pub const REQUIRED_CLUSTER_HEIGHT: i32 = 12;
        pub const REQUIRED_CLUSTER_DEPTH: i32 = 13;
        pub const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;
        pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: i32 = 15;
        pub const DEVICE_NODE_UPDATE_SUPPORTED: i32 = 16;
        pub const SHARED_MEMORY_MODE: i32 = 17;
        pub const MAX: i32 = 18;
        /// The greatest of these values.
        pub const LAST: i32 = 17;
    }
    /// `CUmemAllocationGranularity_flags`.
    pub mod granularity {
        pub const MINIMUM: i32 = 0;
        pub const RECOMMENDED: i32 = 1;
        /// The greatest of these values.
        pub const LAST: i32 = 1;
    }
    /// `CUgraphMem_attribute`.
    pub mod graph_memory_attribute {
        pub const USED_MEM_CURRENT: i32 = 0;
        pub const USED_MEM_HIGH: i32 = 1;
        pub const RESERVED_MEM_CURRENT: i32 = 2;
        pub const RESERVED_MEM_HIGH: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUgreenCtxCreate_flags`.
    pub mod green_flags {
        pub const NONE: u32 = 0;
        pub const DEFAULT_STREAM: u32 = 1;
    }
    /// `CUmemAllocationHandleType`.
    pub mod handle_type {
        pub const NONE: i32 = 0;
        pub const POSIX_FILE_DESCRIPTOR: i32 = 1;
        pub const WIN32: i32 = 2;
        pub const WIN32_KMT: i32 = 4;
        pub const FABRIC: i32 = 8;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 8;
    }
    /// `CU_MEMHOSTALLOC_*`.
    pub mod host_alloc_flags {
        pub const PORTABLE: u32 = 1;
        pub const DEVICEMAP: u32 = 2;
        pub const WRITECOMBINED: u32 = 4;
        /// All of these flags.
        pub const ALL: u32 = 7;
    }
    /// `CU_MEMHOSTREGISTER_*`.
    pub mod host_register_flags {
        pub const PORTABLE: u32 = 1;
        pub const DEVICEMAP: u32 = 2;
        pub const IOMEMORY: u32 = 4;
        pub const READ_ONLY: u32 = 8;
        /// All of these flags.
        pub const ALL: u32 = 15;
    }
    /// `CUgraphInstantiate_flags`.
    pub mod instantiate_flags {
        pub const AUTO_FREE_ON_LAUNCH: u64 = 1;
        pub const UPLOAD: u64 = 2;
        pub const DEVICE_LAUNCH: u64 = 4;
        pub const USE_NODE_PRIORITY: u64 = 8;
    }
    /// `CUgraphInstantiateResult`.
    pub mod instantiate_result {
        pub const SUCCESS: i32 = 0;
        pub const ERROR: i32 = 1;
        pub const INVALID_STRUCTURE: i32 = 2;
        pub const NODE_OPERATION_NOT_SUPPORTED: i32 = 3;
        pub const MULTIPLE_CTXS_NOT_SUPPORTED: i32 = 4;
        pub const CONDITIONAL_HANDLE_UNUSED: i32 = 5;
        /// The greatest of these values.
        pub const LAST: i32 = 5;
    }
    /// `CUipcMem_flags`.
    pub mod ipc_flags {
        pub const LAZY_ENABLE_PEER_ACCESS: u32 = 1;
    }
    /// `CUjitInputType`.
    pub mod jit_input {
        pub const CUBIN: i32 = 0;
        pub const PTX: i32 = 1;
        pub const FATBINARY: i32 = 2;
        pub const OBJECT: i32 = 3;
        pub const LIBRARY: i32 = 4;
        pub const NVVM: i32 = 5;
        pub const CU_JIT_NUM_INPUT_TYPES: i32 = 6;
        /// The greatest of these values.
        pub const LAST: i32 = 5;
    }
    /// `CUjit_option`.
    pub mod jit_option {
        pub const MAX_REGISTERS: i32 = 0;
        pub const THREADS_PER_BLOCK: i32 = 1;
        pub const WALL_TIME: i32 = 2;
        pub const INFO_LOG_BUFFER: i32 = 3;
        pub const INFO_LOG_BUFFER_SIZE_BYTES: i32 = 4;
        pub const ERROR_LOG_BUFFER: i32 = 5;
        pub const ERROR_LOG_BUFFER_SIZE_BYTES: i32 = 6;
        pub const OPTIMIZATION_LEVEL: i32 = 7;
        pub const TARGET_FROM_CUCONTEXT: i32 = 8;
        pub const TARGET: i32 = 9;
        pub const FALLBACK_STRATEGY: i32 = 10;
        pub const GENERATE_DEBUG_INFO: i32 = 11;
        pub const LOG_VERBOSE: i32 = 12;
        pub const GENERATE_LINE_INFO: i32 = 13;
        pub const CACHE_MODE: i32 = 14;
        pub const NEW_SM3X_OPT: i32 = 15;
        pub const FAST_COMPILE: i32 = 16;
        pub const GLOBAL_SYMBOL_NAMES: i32 = 17;
        pub const GLOBAL_SYMBOL_ADDRESSES: i32 = 18;
        pub const GLOBAL_SYMBOL_COUNT: i32 = 19;
        pub const LTO: i32 = 20;
        pub const FTZ: i32 = 21;
        pub const PREC_DIV: i32 = 22;
        pub const PREC_SQRT: i32 = 23;
        pub const FMA: i32 = 24;
        pub const REFERENCED_KERNEL_NAMES: i32 = 25;
        pub const REFERENCED_KERNEL_COUNT: i32 = 26;
        pub const REFERENCED_VARIABLE_NAMES: i32 = 27;
        pub const REFERENCED_VARIABLE_COUNT: i32 = 28;
        pub const OPTIMIZE_UNUSED_DEVICE_VARIABLES: i32 = 29;
        pub const POSITION_INDEPENDENT_CODE: i32 = 30;
        pub const MIN_CTA_PER_SM: i32 = 31;
        pub const MAX_THREADS_PER_BLOCK: i32 = 32;
        pub const OVERRIDE_DIRECTIVE_VALUES: i32 = 33;
        pub const SPLIT_COMPILE: i32 = 34;
        pub const BINARY_LOADER_THREAD_COUNT: i32 = 35;
        pub const NUM_OPTIONS: i32 = 36;
        /// The greatest of these values.
        pub const LAST: i32 = 35;
    }
    /// `CUlaunchAttributeID`.
    pub mod launch_attribute {
        pub const IGNORE: i32 = 0;
        pub const ACCESS_POLICY_WINDOW: i32 = 1;
        pub const COOPERATIVE: i32 = 2;
        pub const SYNCHRONIZATION_POLICY: i32 = 3;
        pub const CLUSTER_DIMENSION: i32 = 4;
        pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: i32 = 5;
        pub const PROGRAMMATIC_STREAM_SERIALIZATION: i32 = 6;
        pub const PROGRAMMATIC_EVENT: i32 = 7;
        pub const PRIORITY: i32 = 8;
        pub const MEM_SYNC_DOMAIN_MAP: i32 = 9;
        pub const MEM_SYNC_DOMAIN: i32 = 10;
        pub const PREFERRED_CLUSTER_DIMENSION: i32 = 11;
        pub const LAUNCH_COMPLETION_EVENT: i32 = 12;
        pub const DEVICE_UPDATABLE_KERNEL_NODE: i32 = 13;
        pub const PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 14;
        pub const NVLINK_UTIL_CENTRIC_SCHEDULING: i32 = 16;
        pub const PORTABLE_CLUSTER_SIZE_MODE: i32 = 17;
        pub const SHARED_MEMORY_MODE: i32 = 18;
        pub const MAX: i32 = 19;
        /// The greatest of these values.
        pub const LAST: i32 = 18;
    }
    /// `CU_LAUNCH_PARAM_*`.
    pub mod launch_param {
        pub const END: usize = 0;
        pub const END_AS_INT: usize = 0;
        pub const BUFFER_POINTER: usize = 1;
        pub const BUFFER_POINTER_AS_INT: usize = 1;
        pub const BUFFER_SIZE: usize = 2;
        pub const BUFFER_SIZE_AS_INT: usize = 2;
    }
    /// `CUlibraryOption`.
    pub mod library_option {
        pub const HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE: i32 = 0;
        pub const BINARY_IS_PRESERVED: i32 = 1;
        pub const NUM_OPTIONS: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 1;
    }
    /// `CUlimit`.
    pub mod limit {
        pub const STACK_SIZE: i32 = 0;
        pub const PRINTF_FIFO_SIZE: i32 = 1;
        pub const MALLOC_HEAP_SIZE: i32 = 2;
        pub const DEV_RUNTIME_SYNC_DEPTH: i32 = 3;
        pub const DEV_RUNTIME_PENDING_LAUNCH_COUNT: i32 = 4;
        pub const MAX_L2_FETCH_GRANULARITY: i32 = 5;
        pub const PERSISTING_L2_CACHE_SIZE: i32 = 6;
        pub const SHMEM_SIZE: i32 = 7;
        pub const CIG_ENABLED: i32 = 8;
        pub const CIG_SHMEM_FALLBACK_ENABLED: i32 = 9;
        pub const PER_BLOCK_MEMORY_SIZE: i32 = 10;
        pub const MAX: i32 = 11;
        /// The greatest of these values.
        pub const LAST: i32 = 10;
    }
    /// `CUmoduleLoadingMode`.
    pub mod loading_mode {
        pub const EAGER_LOADING: i32 = 1;
        pub const LAZY_LOADING: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUmemLocationType`.
    pub mod location_type {
        pub const INVALID: i32 = 0;
        pub const NONE: i32 = 0;
        pub const DEVICE: i32 = 1;
        pub const HOST: i32 = 2;
        pub const HOST_NUMA: i32 = 3;
        pub const HOST_NUMA_CURRENT: i32 = 4;
        pub const INVISIBLE: i32 = 5;
        pub const DEVICE_LOCALITY_DOMAIN: i32 = 6;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 6;
    }
    /// `CUstreamBatchMemOpType`.
    pub mod mem_op {
        pub const WAIT_VALUE_32: u32 = 1;
        pub const WRITE_VALUE_32: u32 = 2;
        pub const WAIT_VALUE_64: u32 = 4;
        pub const WRITE_VALUE_64: u32 = 5;
        pub const BARRIER: u32 = 6;
        pub const ATOMIC_REDUCTION: u32 = 8;
        pub const FLUSH_REMOTE_WRITES: u32 = 3;
    }
    /// `CUmemorytype`.
    pub mod memory_type {
        pub const HOST: i32 = 1;
        pub const DEVICE: i32 = 2;
        pub const ARRAY: i32 = 3;
        pub const UNIFIED: i32 = 4;
        /// The greatest of these values.
        pub const LAST: i32 = 4;
    }
    /// `CUgraphNodeType`.
    pub mod node_type {
        pub const KERNEL: i32 = 0;
        pub const MEMCPY: i32 = 1;
        pub const MEMSET: i32 = 2;
        pub const HOST: i32 = 3;
        pub const GRAPH: i32 = 4;
        pub const EMPTY: i32 = 5;
        pub const WAIT_EVENT: i32 = 6;
        pub const EVENT_RECORD: i32 = 7;
        pub const EXT_SEMAS_SIGNAL: i32 = 8;
        pub const EXT_SEMAS_WAIT: i32 = 9;
        pub const MEM_ALLOC: i32 = 10;
        pub const MEM_FREE: i32 = 11;
        pub const BATCH_MEM_OP: i32 = 12;
        pub const CONDITIONAL: i32 = 13;
        pub const MEMCPY_BATCH: i32 = 14;
        pub const RESERVED_16: i32 = 16;
        pub const EXTERNAL_ENGINE: i32 = 17;
        pub const FABRIC_CPY_BATCH: i32 = 18;
        /// The greatest of these values.
        pub const LAST: i32 = 18;
    }
    /// `CUoccupancy_flags`.
    pub mod occupancy_flags {
        pub const DEFAULT: u32 = 0;
        pub const DISABLE_CACHING_OVERRIDE: u32 = 1;
    }
    /// `CUpointer_attribute`.
    pub mod pointer_attribute {
        pub const CONTEXT: i32 = 1;
        pub const MEMORY_TYPE: i32 = 2;
        pub const DEVICE_POINTER: i32 = 3;
        pub const HOST_POINTER: i32 = 4;
        pub const P2P_TOKENS: i32 = 5;
        pub const SYNC_MEMOPS: i32 = 6;
        pub const BUFFER_ID: i32 = 7;
        pub const IS_MANAGED: i32 = 8;
        pub const DEVICE_ORDINAL: i32 = 9;
        pub const IS_LEGACY_CUDA_IPC_CAPABLE: i32 = 10;
        pub const RANGE_START_ADDR: i32 = 11;
        pub const RANGE_SIZE: i32 = 12;
        pub const MAPPED: i32 = 13;
        pub const ALLOWED_HANDLE_TYPES: i32 = 14;
        pub const IS_GPU_DIRECT_RDMA_CAPABLE: i32 = 15;
        pub const ACCESS_FLAGS: i32 = 16;
        pub const MEMPOOL_HANDLE: i32 = 17;
        pub const MAPPING_SIZE: i32 = 18;
        pub const MAPPING_BASE_ADDR: i32 = 19;
        pub const MEMORY_BLOCK_ID: i32 = 20;
        pub const IS_HW_DECOMPRESS_CAPABLE: i32 = 21;
        pub const LOCALITY_DOMAIN_ORDINAL: i32 = 22;
        /// The greatest of these values.
        pub const LAST: i32 = 22;
    }
    /// `CUmemPool_attribute`.
    pub mod pool_attribute {
        pub const REUSE_FOLLOW_EVENT_DEPENDENCIES: i32 = 1;
        pub const REUSE_ALLOW_OPPORTUNISTIC: i32 = 2;
        pub const REUSE_ALLOW_INTERNAL_DEPENDENCIES: i32 = 3;
        pub const RELEASE_THRESHOLD: i32 = 4;
        pub const RESERVED_MEM_CURRENT: i32 = 5;
        pub const RESERVED_MEM_HIGH: i32 = 6;
        pub const USED_MEM_CURRENT: i32 = 7;
        pub const USED_MEM_HIGH: i32 = 8;
        pub const ALLOCATION_TYPE: i32 = 9;
        pub const EXPORT_HANDLE_TYPES: i32 = 10;
        pub const LOCATION_ID: i32 = 11;
        pub const LOCATION_TYPE: i32 = 12;
        pub const MAX_POOL_SIZE: i32 = 13;
        pub const HW_DECOMPRESS_ENABLED: i32 = 14;
        pub const LOCALITY_DOMAIN_ID: i32 = 15;
        /// The greatest of these values.
        pub const LAST: i32 = 15;
    }
    /// `CUdriverProcAddress_flags`.
    pub mod proc_address_flags {
        pub const DEFAULT: u64 = 0;
        pub const LEGACY_STREAM: u64 = 1;
        pub const PER_THREAD_DEFAULT_STREAM: u64 = 2;
    }
    /// `CUdriverProcAddressQueryResult`.
    pub mod proc_address_result {
        pub const SUCCESS: i32 = 0;
        pub const SYMBOL_NOT_FOUND: i32 = 1;
        pub const VERSION_NOT_SUFFICIENT: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUmem_range_attribute`.
    pub mod range_attribute {
        pub const READ_MOSTLY: i32 = 1;
        pub const PREFERRED_LOCATION: i32 = 2;
        pub const ACCESSED_BY: i32 = 3;
        pub const LAST_PREFETCH_LOCATION: i32 = 4;
        pub const PREFERRED_LOCATION_TYPE: i32 = 5;
        pub const PREFERRED_LOCATION_ID: i32 = 6;
        pub const LAST_PREFETCH_LOCATION_TYPE: i32 = 7;
        pub const LAST_PREFETCH_LOCATION_ID: i32 = 8;
        /// The greatest of these values.
        pub const LAST: i32 = 8;
    }
    /// `CUresourcetype`.
    pub mod resource_kind {
        pub const ARRAY: i32 = 0;
        pub const MIPMAPPED_ARRAY: i32 = 1;
        pub const LINEAR: i32 = 2;
        pub const PITCH2D: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUdevResourceType`.
    pub mod resource_type {
        pub const INVALID: i32 = 0;
        pub const SM: i32 = 1;
        pub const WORKQUEUE_CONFIG: i32 = 1000;
        pub const WORKQUEUE: i32 = 10000;
        pub const MAX: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 10000;
    }
    /// `CUuserObjectRetain_flags`.
    pub mod retain_flags {
        pub const MOVE: u32 = 1;
    }
    /// `CUsharedconfig`.
    pub mod shared_config {
        pub const DEFAULT_BANK_SIZE: i32 = 0;
        pub const FOUR_BYTE_BANK_SIZE: i32 = 1;
        pub const EIGHT_BYTE_BANK_SIZE: i32 = 2;
        /// The greatest of these values.
        pub const LAST: i32 = 2;
    }
    /// `CUmemcpySrcAccessOrder`.
    pub mod source_order {
        pub const INVALID: i32 = 0;
        pub const STREAM: i32 = 1;
        pub const DURING_API_CALL: i32 = 2;
        pub const ANY: i32 = 3;
        pub const MAX: i32 = 0x7fffffff;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `CUdevSmResourceSplit_flags`.
    pub mod split_flags {
        pub const IGNORE_SM_COSCHEDULING: u32 = 1;
        pub const MAX_POTENTIAL_CLUSTER_SIZE: u32 = 2;
    }
    /// `CUstream_flags`.
    pub mod stream_flags {
        pub const DEFAULT: u32 = 0;
        pub const NON_BLOCKING: u32 = 1;
    }
    /// `CU_TRSF_*`.
    pub mod texture_flags {
        pub const READ_AS_INTEGER: u32 = 1;
        pub const NORMALIZED_COORDINATES: u32 = 2;
        pub const SRGB: u32 = 16;
        pub const DISABLE_TRILINEAR_OPTIMIZATION: u32 = 32;
        pub const SEAMLESS_CUBEMAP: u32 = 64;
        /// All of these flags.
        pub const ALL: u32 = 115;
    }
    /// `CUgraphExecUpdateResult`.
    pub mod update_result {
        pub const SUCCESS: i32 = 0;
        pub const ERROR: i32 = 1;
        pub const ERROR_TOPOLOGY_CHANGED: i32 = 2;
        pub const ERROR_NODE_TYPE_CHANGED: i32 = 3;
        pub const ERROR_FUNCTION_CHANGED: i32 = 4;
        pub const ERROR_PARAMETERS_CHANGED: i32 = 5;
        pub const ERROR_NOT_SUPPORTED: i32 = 6;
        pub const ERROR_UNSUPPORTED_FUNCTION_CHANGE: i32 = 7;
        pub const ERROR_ATTRIBUTES_CHANGED: i32 = 8;
        /// The greatest of these values.
        pub const LAST: i32 = 8;
    }
    /// `CUuserObject_flags`.
    pub mod user_object_flags {
        pub const NO_DESTRUCTOR_SYNC: u32 = 1;
    }
    /// `CUstreamWaitValue_flags`.
    pub mod wait_value_flags {
        pub const GEQ: u32 = 0;
        pub const EQ: u32 = 1;
        pub const AND: u32 = 2;
        pub const NOR: u32 = 3;
        pub const FLUSH: u32 = 0x40000000;
    }
    /// `CUstreamWriteValue_flags`.
    pub mod write_value_flags {
        pub const DEFAULT: u32 = 0;
        pub const NO_MEMORY_BARRIER: u32 = 1;
    }
}
pub mod types {
    use crate::structure::{layout, views, zeroed};
    use std::ffi::{c_char, c_int, c_uint, c_void};
    /// `CUmemAccessDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AccessDesc {
        pub location: Location,
        pub flags: c_int,
    }
    zeroed! { AccessDesc }
    /// `CUDA_MEM_ALLOC_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AllocNode {
        pub pool_props: PoolProps,
        pub access_descs: *const AccessDesc,
        pub access_desc_count: usize,
        pub bytesize: usize,
        pub dptr: u64,
    }
    zeroed! { AllocNode }
    /// `value` of `CUgraphNodeParams`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AnyNodeValue(pub [u64; 29]);
    views! { AnyNodeValue;
    }
    zeroed! { AnyNodeValue }
    /// `CUgraphNodeParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AnyNode {
        pub kind: c_int,
        pub reserved0: [c_int; 3],
        pub value: AnyNodeValue,
        pub reserved2: i64,
    }
    zeroed! { AnyNode }
    /// `CUDA_ARRAY3D_DESCRIPTOR`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ArrayDesc {
        pub width: usize,
        pub height: usize,
        pub depth: usize,
        pub format: c_int,
        pub num_channels: c_uint,
        pub flags: c_uint,
    }
    zeroed! { ArrayDesc }
    /// `extent` of `CUDA_MEMCPY3D_BATCH_OP`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchCopyExtent {
        pub width: usize,
        pub height: usize,
        pub depth: usize,
    }
    zeroed! { BatchCopyExtent }
    /// `CUDA_MEMCPY3D_BATCH_OP`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchCopy {
        pub src: BatchOperand,
        pub dst: BatchOperand,
        pub extent: BatchCopyExtent,
        pub src_access_order: c_int,
        pub flags: c_uint,
    }
    zeroed! { BatchCopy }
    /// `ptr` of `op` of `CUmemcpy3DOperand`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchOperandOpPtr {
        pub ptr: u64,
        pub row_length: usize,
        pub layer_height: usize,
        pub loc_hint: Location,
    }
    zeroed! { BatchOperandOpPtr }
    /// `offset` of `array` of `op` of `CUmemcpy3DOperand`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchOperandOpArrayOffset {
        pub x: usize,
        pub y: usize,
        pub z: usize,
    }
    zeroed! { BatchOperandOpArrayOffset }
    /// `array` of `op` of `CUmemcpy3DOperand`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchOperandOpArray {
        pub array: usize,
        pub offset: BatchOperandOpArrayOffset,
    }
    zeroed! { BatchOperandOpArray }
    /// `op` of `CUmemcpy3DOperand`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchOperandOp(pub [u64; 4]);
    views! { BatchOperandOp;
    ptr set_ptr: BatchOperandOpPtr,
    array set_array: BatchOperandOpArray,
    }
    zeroed! { BatchOperandOp }
    /// `CUmemcpy3DOperand`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BatchOperand {
        pub kind: c_int,
        pub op: BatchOperandOp,
    }
    zeroed! { BatchOperand }
    /// `CUDA_CONDITIONAL_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ConditionalNode {
        pub handle: u64,
        pub kind: c_int,
        pub size: c_uint,
        pub ph_graph_out: *mut usize,
        pub ctx: usize,
    }
    zeroed! { ConditionalNode }
    /// `CUctxCreateParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ContextParams {
        pub exec_affinity_params: *mut c_void,
        pub num_exec_affinity_params: c_int,
        pub cig_params: *mut c_void,
    }
    zeroed! { ContextParams }
    /// `CUDA_MEMCPY2D`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Copy2D {
        pub src_x_in_bytes: usize,
        pub src_y: usize,
        pub src_memory_type: c_int,
        pub src_host: u64,
        pub src_device: u64,
        pub src_array: usize,
        pub src_pitch: usize,
        pub dst_x_in_bytes: usize,
        pub dst_y: usize,
        pub dst_memory_type: c_int,
        pub dst_host: u64,
        pub dst_device: u64,
        pub dst_array: usize,
        pub dst_pitch: usize,
        pub width_in_bytes: usize,
        pub height: usize,
    }
    zeroed! { Copy2D }
    /// `CUDA_MEMCPY3D`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Copy3D {
        pub src_x_in_bytes: usize,
        pub src_y: usize,
        pub src_z: usize,
        pub src_lod: usize,
        pub src_memory_type: c_int,
        pub src_host: u64,
        pub src_device: u64,
        pub src_array: usize,
        pub reserved0: u64,
        pub src_pitch: usize,
        pub src_height: usize,
        pub dst_x_in_bytes: usize,
        pub dst_y: usize,
        pub dst_z: usize,
        pub dst_lod: usize,
        pub dst_memory_type: c_int,
        pub dst_host: u64,
        pub dst_device: u64,
        pub dst_array: usize,
        pub reserved1: u64,
        pub dst_pitch: usize,
        pub dst_height: usize,
        pub width_in_bytes: usize,
        pub height: usize,
        pub depth: usize,
    }
    zeroed! { Copy3D }
    /// `CUDA_MEMCPY3D_PEER`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Copy3DPeer {
        pub src_x_in_bytes: usize,
        pub src_y: usize,
        pub src_z: usize,
        pub src_lod: usize,
        pub src_memory_type: c_int,
        pub src_host: u64,
        pub src_device: u64,
        pub src_array: usize,
        pub src_context: usize,
        pub src_pitch: usize,
        pub src_height: usize,
        pub dst_x_in_bytes: usize,
        pub dst_y: usize,
        pub dst_z: usize,
        pub dst_lod: usize,
        pub dst_memory_type: c_int,
        pub dst_host: u64,
        pub dst_device: u64,
        pub dst_array: usize,
        pub dst_context: usize,
        pub dst_pitch: usize,
        pub dst_height: usize,
        pub width_in_bytes: usize,
        pub height: usize,
        pub depth: usize,
    }
    zeroed! { Copy3DPeer }
    /// `CUmemcpyAttributes`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyAttributes {
        pub src_access_order: c_int,
        pub src_loc_hint: Location,
        pub dst_loc_hint: Location,
        pub flags: c_uint,
    }
    zeroed! { CopyAttributes }
    /// `CUDA_MEMCPY_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyNode {
        pub flags: c_int,
        pub reserved: c_int,
        pub copy_ctx: usize,
        pub copy_params: Copy3D,
    }
    zeroed! { CopyNode }
    /// `CUdevprop`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DeviceProperties {
        pub max_threads_per_block: c_int,
        pub max_threads_dim: [c_int; 3],
        pub max_grid_size: [c_int; 3],
        pub shared_mem_per_block: c_int,
        pub total_constant_memory: c_int,
        pub simd_width: c_int,
        pub mem_pitch: c_int,
        pub regs_per_block: c_int,
        pub clock_rate: c_int,
        pub texture_align: c_int,
    }
    zeroed! { DeviceProperties }
    /// `CUgraphEdgeData`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct EdgeData {
        pub from_port: u8,
        pub to_port: u8,
        pub kind: u8,
        pub reserved: [u8; 5],
    }
    zeroed! { EdgeData }
    /// `CUDA_MEMSET_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FillNode {
        pub dst: u64,
        pub pitch: usize,
        pub value: c_uint,
        pub element_size: c_uint,
        pub width: usize,
        pub height: usize,
    }
    zeroed! { FillNode }
    /// `CUDA_ARRAY_DESCRIPTOR`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FlatArrayDesc {
        pub width: usize,
        pub height: usize,
        pub format: c_int,
        pub num_channels: c_uint,
    }
    zeroed! { FlatArrayDesc }
    /// `CUDA_HOST_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct HostNode {
        pub function: Option<unsafe extern "C" fn(*mut c_void)>,
        pub user_data: *mut c_void,
    }
    zeroed! { HostNode }
    /// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InstantiateParams {
        pub flags: u64,
        pub h_upload_stream: usize,
        pub h_err_node_out: usize,
        pub result_out: c_int,
    }
    zeroed! { InstantiateParams }
    /// `CUDA_KERNEL_NODE_PARAMS_v1`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KernelNode {
        pub func: usize,
        pub grid_dim: [c_uint; 3],
        pub block_dim: [c_uint; 3],
        pub shared_mem_bytes: c_uint,
        pub kernel_params: *mut *mut c_void,
        pub extra: *mut *mut c_void,
    }
    zeroed! { KernelNode }
    /// `CUDA_KERNEL_NODE_PARAMS_v2`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KernelNode2 {
        pub func: usize,
        pub grid_dim: [c_uint; 3],
        pub block_dim: [c_uint; 3],
        pub shared_mem_bytes: c_uint,
        pub kernel_params: *mut *mut c_void,
        pub extra: *mut *mut c_void,
        pub kern: usize,
        pub ctx: usize,
    }
    zeroed! { KernelNode2 }
    /// `accessPolicyWindow` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct LaunchAttributeValueAccessPolicyWindow {
        pub base_ptr: *mut c_void,
        pub num_bytes: usize,
        pub hit_ratio: f32,
        pub hit_prop: c_int,
        pub miss_prop: c_int,
    }
    zeroed! { LaunchAttributeValueAccessPolicyWindow }
    /// `clusterDim` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValueClusterDim {
        pub x: c_uint,
        pub y: c_uint,
        pub z: c_uint,
    }
    zeroed! { LaunchAttributeValueClusterDim }
    /// `programmaticEvent` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValueProgrammaticEvent {
        pub event: usize,
        pub flags: c_int,
        pub trigger_at_block_start: c_int,
    }
    zeroed! { LaunchAttributeValueProgrammaticEvent }
    /// `launchCompletionEvent` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValueLaunchCompletionEvent {
        pub event: usize,
        pub flags: c_int,
    }
    zeroed! { LaunchAttributeValueLaunchCompletionEvent }
    /// `memSyncDomainMap` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValueMemSyncDomainMap {
        pub default: u8,
        pub remote: u8,
    }
    zeroed! { LaunchAttributeValueMemSyncDomainMap }
    /// `preferredClusterDim` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValuePreferredClusterDim {
        pub x: c_uint,
        pub y: c_uint,
        pub z: c_uint,
    }
    zeroed! { LaunchAttributeValuePreferredClusterDim }
    /// `deviceUpdatableKernelNode` of `value` of `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValueDeviceUpdatableKernelNode {
        pub device_updatable: c_int,
        pub dev_node: usize,
    }
    zeroed! { LaunchAttributeValueDeviceUpdatableKernelNode }
    /// `value` of `CUlaunchAttribute`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttributeValue(pub [u64; 8]);
    views! { LaunchAttributeValue;
    pad set_pad: [c_char; 64],
    access_policy_window set_access_policy_window: LaunchAttributeValueAccessPolicyWindow,
    cooperative set_cooperative: c_int,
    sync_policy set_sync_policy: c_int,
    cluster_dim set_cluster_dim: LaunchAttributeValueClusterDim,
    cluster_scheduling_policy_preference set_cluster_scheduling_policy_preference: c_int,
    programmatic_stream_serialization_allowed set_programmatic_stream_serialization_allowed: c_int,
    programmatic_event set_programmatic_event: LaunchAttributeValueProgrammaticEvent,
    launch_completion_event set_launch_completion_event: LaunchAttributeValueLaunchCompletionEvent,
    priority set_priority: c_int,
    mem_sync_domain_map set_mem_sync_domain_map: LaunchAttributeValueMemSyncDomainMap,
    mem_sync_domain set_mem_sync_domain: c_int,
    preferred_cluster_dim set_preferred_cluster_dim: LaunchAttributeValuePreferredClusterDim,
    device_updatable_kernel_node set_device_updatable_kernel_node: LaunchAttributeValueDeviceUpdatableKernelNode,
    shared_mem_carveout set_shared_mem_carveout: c_uint,
    nvlink_util_centric_scheduling set_nvlink_util_centric_scheduling: c_uint,
    }
    zeroed! { LaunchAttributeValue }
    /// `CUlaunchAttribute`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchAttribute {
        pub id: c_int,
        pub pad: [c_char; 4],
        pub value: LaunchAttributeValue,
    }
    zeroed! { LaunchAttribute }
    /// `CUlaunchConfig`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchConfig {
        pub grid_dim: [c_uint; 3],
        pub block_dim: [c_uint; 3],
        pub shared_mem_bytes: c_uint,
        pub h_stream: usize,
        pub attrs: *mut LaunchAttribute,
        pub num_attrs: c_uint,
    }
    zeroed! { LaunchConfig }
    /// `CUDA_LAUNCH_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchParams {
        pub function: usize,
        pub grid_dim: [c_uint; 3],
        pub block_dim: [c_uint; 3],
        pub shared_mem_bytes: c_uint,
        pub h_stream: usize,
        pub kernel_params: *mut *mut c_void,
    }
    zeroed! { LaunchParams }
    /// `CUmemLocation`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Location {
        pub kind: c_int,
        pub id: c_int,
    }
    zeroed! { Location }
    /// `value` of `waitValue` of `CUstreamBatchMemOpParams`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpWaitValueValue(pub [u64; 1]);
    views! { MemOpWaitValueValue;
    value set_value: c_uint,
    value64 set_value64: u64,
    }
    zeroed! { MemOpWaitValueValue }
    /// `waitValue` of `CUstreamBatchMemOpParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpWaitValue {
        pub operation: c_int,
        pub address: u64,
        pub value: MemOpWaitValueValue,
        pub flags: c_uint,
        pub alias: u64,
    }
    zeroed! { MemOpWaitValue }
    /// `value` of `writeValue` of `CUstreamBatchMemOpParams`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpWriteValueValue(pub [u64; 1]);
    views! { MemOpWriteValueValue;
    value set_value: c_uint,
    value64 set_value64: u64,
    }
    zeroed! { MemOpWriteValueValue }
    /// `writeValue` of `CUstreamBatchMemOpParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpWriteValue {
        pub operation: c_int,
        pub address: u64,
        pub value: MemOpWriteValueValue,
        pub flags: c_uint,
        pub alias: u64,
    }
    zeroed! { MemOpWriteValue }
    /// `flushRemoteWrites` of `CUstreamBatchMemOpParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpFlushRemoteWrites {
        pub operation: c_int,
        pub flags: c_uint,
    }
    zeroed! { MemOpFlushRemoteWrites }
    /// `memoryBarrier` of `CUstreamBatchMemOpParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpMemoryBarrier {
        pub operation: c_int,
        pub flags: c_uint,
    }
    zeroed! { MemOpMemoryBarrier }
    /// `CUstreamBatchMemOpParams`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOp(pub [u64; 6]);
    views! { MemOp;
    operation set_operation: c_int,
    wait_value set_wait_value: MemOpWaitValue,
    write_value set_write_value: MemOpWriteValue,
    flush_remote_writes set_flush_remote_writes: MemOpFlushRemoteWrites,
    memory_barrier set_memory_barrier: MemOpMemoryBarrier,
    pad set_pad: [u64; 6],
    }
    zeroed! { MemOp }
    /// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemOpNode {
        pub ctx: usize,
        pub count: c_uint,
        pub param_array: *mut MemOp,
        pub flags: c_uint,
    }
    zeroed! { MemOpNode }
    /// `allocFlags` of `CUmemAllocationProp`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PhysicalPropsAllocFlags {
        pub compression_type: u8,
        pub gpu_direct_rdma_capable: u8,
        pub usage: u16,
        pub reserved: [u8; 4],
    }
    zeroed! { PhysicalPropsAllocFlags }
    /// `CUmemAllocationProp`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PhysicalProps {
        pub kind: c_int,
        pub requested_handle_types: c_int,
        pub location: Location,
        pub win32_handle_meta_data: u64,
        pub alloc_flags: PhysicalPropsAllocFlags,
    }
    zeroed! { PhysicalProps }
    /// `CUmemPoolProps`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PoolProps {
        pub alloc_type: c_int,
        pub handle_types: c_int,
        pub location: Location,
        pub win32_security_attributes: *mut c_void,
        pub max_size: usize,
        pub usage: u16,
        pub reserved: [u8; 54],
    }
    zeroed! { PoolProps }
    /// `sm` of `value` of `CUdevResource`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceValueSm {
        pub sm_count: c_uint,
        pub min_sm_partition_size: c_uint,
        pub sm_coscheduled_alignment: c_uint,
    }
    zeroed! { ResourceValueSm }
    /// `value` of `CUdevResource`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceValue(pub [u32; 12]);
    views! { ResourceValue;
    sm set_sm: ResourceValueSm,
    oversize set_oversize: [u8; 48],
    }
    zeroed! { ResourceValue }
    /// `CUdevResource`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Resource {
        pub kind: c_int,
        pub internal_padding: [u8; 92],
        pub value: ResourceValue,
    }
    zeroed! { Resource }
    /// `array` of `res` of `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResArray {
        pub h_array: usize,
    }
    zeroed! { ResourceDescResArray }
    /// `mipmap` of `res` of `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResMipmap {
        pub h_mipmapped_array: usize,
    }
    zeroed! { ResourceDescResMipmap }
    /// `linear` of `res` of `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResLinear {
        pub dev_ptr: u64,
        pub format: c_int,
        pub num_channels: c_uint,
        pub size_in_bytes: usize,
    }
    zeroed! { ResourceDescResLinear }
    /// `pitch2D` of `res` of `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResPitch2D {
        pub dev_ptr: u64,
        pub format: c_int,
        pub num_channels: c_uint,
        pub width: usize,
        pub height: usize,
        pub pitch_in_bytes: usize,
    }
    zeroed! { ResourceDescResPitch2D }
    /// `reserved` of `res` of `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResReserved {
        pub reserved: [c_int; 32],
    }
    zeroed! { ResourceDescResReserved }
    /// `res` of `CUDA_RESOURCE_DESC`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescRes(pub [u64; 16]);
    views! { ResourceDescRes;
    array set_array: ResourceDescResArray,
    mipmap set_mipmap: ResourceDescResMipmap,
    linear set_linear: ResourceDescResLinear,
    pitch2d set_pitch2d: ResourceDescResPitch2D,
    reserved set_reserved: ResourceDescResReserved,
    }
    zeroed! { ResourceDescRes }
    /// `CUDA_RESOURCE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDesc {
        pub res_type: c_int,
        pub res: ResourceDescRes,
        pub flags: c_uint,
    }
    zeroed! { ResourceDesc }
    /// `CUDA_TEXTURE_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TextureDesc {
        pub address_mode: [c_int; 3],
        pub filter_mode: c_int,
        pub flags: c_uint,
        pub max_anisotropy: c_uint,
        pub mipmap_filter_mode: c_int,
        pub mipmap_level_bias: f32,
        pub min_mipmap_level_clamp: f32,
        pub max_mipmap_level_clamp: f32,
        pub border_color: [f32; 4],
        pub reserved: [c_int; 12],
    }
    zeroed! { TextureDesc }
    /// `CUgraphExecUpdateResultInfo`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct UpdateResult {
        pub result: c_int,
        pub error_node: usize,
        pub error_from_node: usize,
    }
    zeroed! { UpdateResult }
    /// `CUuuid`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Uuid {
        pub bytes: [c_char; 16],
    }
    zeroed! { Uuid }
    /// `CUDA_RESOURCE_VIEW_DESC`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ViewDesc {
        pub format: c_int,
        pub width: usize,
        pub height: usize,
        pub depth: usize,
        pub first_mipmap_level: c_uint,
        pub last_mipmap_level: c_uint,
        pub first_layer: c_uint,
        pub last_layer: c_uint,
    }
    zeroed! { ViewDesc }
    layout! { AccessDesc: 12 bytes, 4 aligned;
    location 0, flags 8
    }
    layout! { AllocNode: 120 bytes, 8 aligned;
    pool_props 0, access_descs 88, access_desc_count 96, bytesize 104, dptr 112
    }
    layout! { AnyNodeValue: 232 bytes, 8 aligned;
    }
    layout! { AnyNode: 256 bytes, 8 aligned;
    kind 0, reserved0 4, value 16, reserved2 248
    }
    layout! { ArrayDesc: 40 bytes, 8 aligned;
    width 0, height 8, depth 16, format 24, num_channels 28, flags 32
    }
    layout! { BatchCopyExtent: 24 bytes, 8 aligned;
    width 0, height 8, depth 16
    }
    layout! { BatchCopy: 112 bytes, 8 aligned;
    src 0, dst 40, extent 80, src_access_order 104, flags 108
    }
    layout! { BatchOperandOpPtr: 32 bytes, 8 aligned;
    ptr 0, row_length 8, layer_height 16, loc_hint 24
    }
    layout! { BatchOperandOpArrayOffset: 24 bytes, 8 aligned;
    x 0, y 8, z 16
    }
    layout! { BatchOperandOpArray: 32 bytes, 8 aligned;
    array 0, offset 8
    }
    layout! { BatchOperandOp: 32 bytes, 8 aligned;
    }
    layout! { BatchOperand: 40 bytes, 8 aligned;
    kind 0, op 8
    }
    layout! { ConditionalNode: 32 bytes, 8 aligned;
    handle 0, kind 8, size 12, ph_graph_out 16, ctx 24
    }
    layout! { ContextParams: 24 bytes, 8 aligned;
    exec_affinity_params 0, num_exec_affinity_params 8, cig_params 16
    }
    layout! { Copy2D: 128 bytes, 8 aligned;
    src_x_in_bytes 0, src_y 8, src_memory_type 16, src_host 24, src_device 32, src_array 40, src_pitch
    48, dst_x_in_bytes 56, dst_y 64, dst_memory_type 72, dst_host 80, dst_device 88, dst_array 96,
    dst_pitch 104, width_in_bytes 112, height 120
    }
    layout! { Copy3D: 200 bytes, 8 aligned;
    src_x_in_bytes 0, src_y 8, src_z 16, src_lod 24, src_memory_type 32, src_host 40, src_device 48,
    src_array 56, reserved0 64, src_pitch 72, src_height 80, dst_x_in_bytes 88, dst_y 96, dst_z 104,
    dst_lod 112, dst_memory_type 120, dst_host 128, dst_device 136, dst_array 144, reserved1 152,
    dst_pitch 160, dst_height 168, width_in_bytes 176, height 184, depth 192
    }
    layout! { Copy3DPeer: 200 bytes, 8 aligned;
    src_x_in_bytes 0, src_y 8, src_z 16, src_lod 24, src_memory_type 32, src_host 40, src_device 48,
    src_array 56, src_context 64, src_pitch 72, src_height 80, dst_x_in_bytes 88, dst_y 96, dst_z 104,
    dst_lod 112, dst_memory_type 120, dst_host 128, dst_device 136, dst_array 144, dst_context 152,
    dst_pitch 160, dst_height 168, width_in_bytes 176, height 184, depth 192
    }
    layout! { CopyAttributes: 24 bytes, 4 aligned;
    src_access_order 0, src_loc_hint 4, dst_loc_hint 12, flags 20
    }
    layout! { CopyNode: 216 bytes, 8 aligned;
    flags 0, reserved 4, copy_ctx 8, copy_params 16
    }
    layout! { DeviceProperties: 56 bytes, 4 aligned;
    max_threads_per_block 0, max_threads_dim 4, max_grid_size 16, shared_mem_per_block 28,
    total_constant_memory 32, simd_width 36, mem_pitch 40, regs_per_block 44, clock_rate 48,
    texture_align 52
    }
    layout! { EdgeData: 8 bytes, 1 aligned;
    from_port 0, to_port 1, kind 2, reserved 3
    }
    layout! { FillNode: 40 bytes, 8 aligned;
    dst 0, pitch 8, value 16, element_size 20, width 24, height 32
    }
    layout! { FlatArrayDesc: 24 bytes, 8 aligned;
    width 0, height 8, format 16, num_channels 20
    }
    layout! { HostNode: 16 bytes, 8 aligned;
    function 0, user_data 8
    }
    layout! { InstantiateParams: 32 bytes, 8 aligned;
    flags 0, h_upload_stream 8, h_err_node_out 16, result_out 24
    }
    layout! { KernelNode: 56 bytes, 8 aligned;
    func 0, grid_dim 8, block_dim 20, shared_mem_bytes 32, kernel_params 40, extra 48
    }
    layout! { KernelNode2: 72 bytes, 8 aligned;
    func 0, grid_dim 8, block_dim 20, shared_mem_bytes 32, kernel_params 40, extra 48, kern 56, ctx 64
    }
    layout! { LaunchAttributeValueAccessPolicyWindow: 32 bytes, 8 aligned;
    base_ptr 0, num_bytes 8, hit_ratio 16, hit_prop 20, miss_prop 24
    }
    layout! { LaunchAttributeValueClusterDim: 12 bytes, 4 aligned;
    x 0, y 4, z 8
    }
    layout! { LaunchAttributeValueProgrammaticEvent: 16 bytes, 8 aligned;
    event 0, flags 8, trigger_at_block_start 12
    }
    layout! { LaunchAttributeValueLaunchCompletionEvent: 16 bytes, 8 aligned;
    event 0, flags 8
    }
    layout! { LaunchAttributeValueMemSyncDomainMap: 2 bytes, 1 aligned;
    default 0, remote 1
    }
    layout! { LaunchAttributeValuePreferredClusterDim: 12 bytes, 4 aligned;
    x 0, y 4, z 8
    }
    layout! { LaunchAttributeValueDeviceUpdatableKernelNode: 16 bytes, 8 aligned;
    device_updatable 0, dev_node 8
    }
    layout! { LaunchAttributeValue: 64 bytes, 8 aligned;
    }
    layout! { LaunchAttribute: 72 bytes, 8 aligned;
    id 0, pad 4, value 8
    }
    layout! { LaunchConfig: 56 bytes, 8 aligned;
    grid_dim 0, block_dim 12, shared_mem_bytes 24, h_stream 32, attrs 40, num_attrs 48
    }
    layout! { LaunchParams: 56 bytes, 8 aligned;
    function 0, grid_dim 8, block_dim 20, shared_mem_bytes 32, h_stream 40, kernel_params 48
    }
    layout! { Location: 8 bytes, 4 aligned;
    kind 0, id 4
    }
    layout! { MemOpWaitValueValue: 8 bytes, 8 aligned;
    }
    layout! { MemOpWaitValue: 40 bytes, 8 aligned;
    operation 0, address 8, value 16, flags 24, alias 32
    }
    layout! { MemOpWriteValueValue: 8 bytes, 8 aligned;
    }
    layout! { MemOpWriteValue: 40 bytes, 8 aligned;
    operation 0, address 8, value 16, flags 24, alias 32
    }
    layout! { MemOpFlushRemoteWrites: 8 bytes, 4 aligned;
    operation 0, flags 4
    }
    layout! { MemOpMemoryBarrier: 8 bytes, 4 aligned;
    operation 0, flags 4
    }
    layout! { MemOp: 48 bytes, 8 aligned;
    }
    layout! { MemOpNode: 32 bytes, 8 aligned;
    ctx 0, count 8, param_array 16, flags 24
    }
    layout! { PhysicalPropsAllocFlags: 8 bytes, 2 aligned;
    compression_type 0, gpu_direct_rdma_capable 1, usage 2, reserved 4
    }
    layout! { PhysicalProps: 32 bytes, 8 aligned;
    kind 0, requested_handle_types 4, location 8, win32_handle_meta_data 16, alloc_flags 24
    }
    layout! { PoolProps: 88 bytes, 8 aligned;
    alloc_type 0, handle_types 4, location 8, win32_security_attributes 16, max_size 24, usage 32,
    reserved 34
    }
    layout! { ResourceValueSm: 12 bytes, 4 aligned;
    sm_count 0, min_sm_partition_size 4, sm_coscheduled_alignment 8
    }
    layout! { ResourceValue: 48 bytes, 4 aligned;
    }
    layout! { Resource: 144 bytes, 4 aligned;
    kind 0, internal_padding 4, value 96
    }
    layout! { ResourceDescResArray: 8 bytes, 8 aligned;
    h_array 0
    }
    layout! { ResourceDescResMipmap: 8 bytes, 8 aligned;
    h_mipmapped_array 0
    }
    layout! { ResourceDescResLinear: 24 bytes, 8 aligned;
    dev_ptr 0, format 8, num_channels 12, size_in_bytes 16
    }
    layout! { ResourceDescResPitch2D: 40 bytes, 8 aligned;
    dev_ptr 0, format 8, num_channels 12, width 16, height 24, pitch_in_bytes 32
    }
    layout! { ResourceDescResReserved: 128 bytes, 4 aligned;
    reserved 0
    }
    layout! { ResourceDescRes: 128 bytes, 8 aligned;
    }
    layout! { ResourceDesc: 144 bytes, 8 aligned;
    res_type 0, res 8, flags 136
    }
    layout! { TextureDesc: 104 bytes, 4 aligned;
    address_mode 0, filter_mode 12, flags 16, max_anisotropy 20, mipmap_filter_mode 24,
    mipmap_level_bias 28, min_mipmap_level_clamp 32, max_mipmap_level_clamp 36, border_color 40,
    reserved 56
    }
    layout! { UpdateResult: 24 bytes, 8 aligned;
    result 0, error_node 8, error_from_node 16
    }
    layout! { Uuid: 16 bytes, 1 aligned;
    bytes 0
    }
    layout! { ViewDesc:
    format 0, width 8, height 16, depth 24, first_mipmap_level 32, last_mipmap_level 36, first_layer 40,
    last_layer 44
    }
}
/// The names of all functions of the headers.
pub const FUNCTIONS: &[&str] = &[
    "cuArray3DCreate",
    "cuArray3DCreate_v2",
    "cuArray3DGetDescriptor",
    "cuArray3DGetDescriptor_v2",
    "cuArrayCreate",
    "cuArrayCreate_v2",
    "cuArrayDestroy",
    "cuArrayGetDescriptor",
    "cuArrayGetDescriptor_v2",
    "cuArrayGetMemoryRequirements",
    "cuArrayGetPlane",
    "cuArrayGetSparseProperties",
    "cuCheckpointProcessCheckpoint",
    "cuCheckpointProcessGetRestoreThreadId",
    "cuCheckpointProcessGetState",
    "cuCheckpointProcessLock",
    "cuCheckpointProcessRestore",
    "cuCheckpointProcessUnlock",
    "cuCoredumpGetAttribute",
    "cuCoredumpGetAttributeGlobal",
    "cuCoredumpSetAttribute",
    "cuCoredumpSetAttributeGlobal",
    "cuCtxAttach",
    "cuCtxCreate",
    "cuCtxCreate_v2",
    "cuCtxCreate_v3",
    "cuCtxCreate_v4",
    "cuCtxDestroy",
    "cuCtxDestroy_v2",
    "cuCtxDetach",
    "cuCtxDisablePeerAccess",
    "cuCtxEnablePeerAccess",
    "cuCtxFromGreenCtx",
    "cuCtxGetApiVersion",
    "cuCtxGetCacheConfig",
    "cuCtxGetCurrent",
    "cuCtxGetDevResource",
    "cuCtxGetDevice",
    "cuCtxGetDevice_v2",
    "cuCtxGetExecAffinity",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxGetLimit",
    "cuCtxGetSharedMemConfig",
    "cuCtxGetStreamPriorityRange",
    "cuCtxPopCurrent",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent",
    "cuCtxPushCurrent_v2",
    "cuCtxRecordEvent",
    "cuCtxResetPersistingL2Cache",
    "cuCtxSetCacheConfig",
    "cuCtxSetCurrent",
    "cuCtxSetFlags",
    "cuCtxSetLimit",
    "cuCtxSetSharedMemConfig",
    "cuCtxSynchronize",
    "cuCtxSynchronize_v2",
    "cuCtxWaitEvent",
    "cuDestroyExternalMemory",
    "cuDestroyExternalSemaphore",
    "cuDevResourceGenerateDesc",
    "cuDevSmResourceSplitByCount",
    "cuDeviceCanAccessPeer",
    "cuDeviceComputeCapability",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetByPCIBusId",
    "cuDeviceGetCount",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetDevResource",
    "cuDeviceGetExecAffinitySupport",
    "cuDeviceGetGraphMemAttribute",
    "cuDeviceGetHostAtomicCapabilities",
    "cuDeviceGetLuid",
    "cuDeviceGetMemPool",
    "cuDeviceGetName",
    "cuDeviceGetNvSciSyncAttributes",
    "cuDeviceGetP2PAtomicCapabilities",
    "cuDeviceGetP2PAttribute",
    "cuDeviceGetPCIBusId",
    "cuDeviceGetProperties",
    "cuDeviceGetTexture1DLinearMaxWidth",
    "cuDeviceGetUuid",
    "cuDeviceGetUuid_v2",
    "cuDeviceGraphMemTrim",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxReset_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxSetFlags",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceRegisterAsyncNotification",
    "cuDeviceSetGraphMemAttribute",
    "cuDeviceSetMemPool",
    "cuDeviceTotalMem",
    "cuDeviceTotalMem_v2",
    "cuDeviceUnregisterAsyncNotification",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventElapsedTime_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventRecordWithFlags",
    "cuEventSynchronize",
    "cuExternalMemoryGetMappedBuffer",
    "cuExternalMemoryGetMappedMipmappedArray",
    "cuFlushGPUDirectRDMAWrites",
    "cuFuncGetAttribute",
    "cuFuncGetModule",
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    "cuFuncIsLoaded",
    "cuFuncLoad",
    "cuFuncSetAttribute",
    "cuFuncSetBlockShape",
    "cuFuncSetCacheConfig",
    "cuFuncSetSharedMemConfig",
    "cuFuncSetSharedSize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "cuGraphAddBatchMemOpNode",
    "cuGraphAddChildGraphNode",
    "cuGraphAddDependencies",
    "cuGraphAddDependencies_v2",
    "cuGraphAddEmptyNode",
    "cuGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode",
    "cuGraphAddExternalSemaphoresSignalNode",
    "cuGraphAddExternalSemaphoresWaitNode",
    "cuGraphAddHostNode",
    "cuGraphAddKernelNode",
    "cuGraphAddKernelNode_v2",
    "cuGraphAddMemAllocNode",
    "cuGraphAddMemFreeNode",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphAddNode",
    "cuGraphAddNode_v2",
    "cuGraphBatchMemOpNodeGetParams",
    "cuGraphBatchMemOpNodeSetParams",
    "cuGraphChildGraphNodeGetGraph",
    "cuGraphClone",
    "cuGraphConditionalHandleCreate",
    "cuGraphCreate",
    "cuGraphDebugDotPrint",
    "cuGraphDestroy",
    "cuGraphDestroyNode",
    "cuGraphEventRecordNodeGetEvent",
    "cuGraphEventRecordNodeSetEvent",
    "cuGraphEventWaitNodeGetEvent",
    "cuGraphEventWaitNodeSetEvent",
    "cuGraphExecBatchMemOpNodeSetParams",
    "cuGraphExecChildGraphNodeSetParams",
    "cuGraphExecDestroy",
    "cuGraphExecEventRecordNodeSetEvent",
    "cuGraphExecEventWaitNodeSetEvent",
    "cuGraphExecExternalSemaphoresSignalNodeSetParams",
    "cuGraphExecExternalSemaphoresWaitNodeSetParams",
    "cuGraphExecGetFlags",
    "cuGraphExecHostNodeSetParams",
    "cuGraphExecKernelNodeSetParams",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphExecMemcpyNodeSetParams",
    "cuGraphExecMemsetNodeSetParams",
    "cuGraphExecNodeSetParams",
    "cuGraphExecUpdate",
    "cuGraphExecUpdate_v2",
    "cuGraphExternalSemaphoresSignalNodeGetParams",
    "cuGraphExternalSemaphoresSignalNodeSetParams",
    "cuGraphExternalSemaphoresWaitNodeGetParams",
    "cuGraphExternalSemaphoresWaitNodeSetParams",
    "cuGraphGetEdges",
    "cuGraphGetEdges_v2",
    "cuGraphGetNodes",
    "cuGraphGetRootNodes",
    "cuGraphHostNodeGetParams",
    "cuGraphHostNodeSetParams",
    "cuGraphInstantiate",
    "cuGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams",
    "cuGraphInstantiate_v2",
    "cuGraphKernelNodeCopyAttributes",
    "cuGraphKernelNodeGetAttribute",
    "cuGraphKernelNodeGetParams",
    "cuGraphKernelNodeGetParams_v2",
    "cuGraphKernelNodeSetAttribute",
    "cuGraphKernelNodeSetParams",
    "cuGraphKernelNodeSetParams_v2",
    "cuGraphLaunch",
    "cuGraphMemAllocNodeGetParams",
    "cuGraphMemFreeNodeGetParams",
    "cuGraphMemcpyNodeGetParams",
    "cuGraphMemcpyNodeSetParams",
    "cuGraphMemsetNodeGetParams",
    "cuGraphMemsetNodeSetParams",
    "cuGraphNodeFindInClone",
    "cuGraphNodeGetDependencies",
    "cuGraphNodeGetDependencies_v2",
    "cuGraphNodeGetDependentNodes",
    "cuGraphNodeGetDependentNodes_v2",
    "cuGraphNodeGetEnabled",
    "cuGraphNodeGetType",
    "cuGraphNodeSetEnabled",
    "cuGraphNodeSetParams",
    "cuGraphReleaseUserObject",
    "cuGraphRemoveDependencies",
    "cuGraphRemoveDependencies_v2",
    "cuGraphRetainUserObject",
    "cuGraphUpload",
    "cuGraphicsMapResources",
    "cuGraphicsResourceGetMappedMipmappedArray",
    "cuGraphicsResourceGetMappedPointer",
    "cuGraphicsResourceGetMappedPointer_v2",
    "cuGraphicsResourceSetMapFlags",
    "cuGraphicsResourceSetMapFlags_v2",
    "cuGraphicsSubResourceGetMappedArray",
    "cuGraphicsUnmapResources",
    "cuGraphicsUnregisterResource",
    "cuGreenCtxCreate",
    "cuGreenCtxDestroy",
    "cuGreenCtxGetDevResource",
    "cuGreenCtxGetId",
    "cuGreenCtxRecordEvent",
    "cuGreenCtxStreamCreate",
    "cuGreenCtxWaitEvent",
    "cuImportExternalMemory",
    "cuImportExternalSemaphore",
    "cuInit",
    "cuIpcCloseMemHandle",
    "cuIpcGetEventHandle",
    "cuIpcGetMemHandle",
    "cuIpcOpenEventHandle",
    "cuIpcOpenMemHandle",
    "cuIpcOpenMemHandle_v2",
    "cuKernelGetAttribute",
    "cuKernelGetFunction",
    "cuKernelGetLibrary",
    "cuKernelGetName",
    "cuKernelGetParamInfo",
    "cuKernelSetAttribute",
    "cuKernelSetCacheConfig",
    "cuLaunch",
    "cuLaunchCooperativeKernel",
    "cuLaunchCooperativeKernelMultiDevice",
    "cuLaunchGrid",
    "cuLaunchGridAsync",
    "cuLaunchHostFunc",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuLibraryEnumerateKernels",
    "cuLibraryGetGlobal",
    "cuLibraryGetKernel",
    "cuLibraryGetKernelCount",
    "cuLibraryGetManaged",
    "cuLibraryGetModule",
    "cuLibraryGetUnifiedFunction",
    "cuLibraryLoadData",
    "cuLibraryLoadFromFile",
    "cuLibraryUnload",
    "cuLinkAddData",
    "cuLinkAddData_v2",
    "cuLinkAddFile",
    "cuLinkAddFile_v2",
    "cuLinkComplete",
    "cuLinkCreate",
    "cuLinkCreate_v2",
    "cuLinkDestroy",
    "cuLogsCurrent",
    "cuLogsDumpToFile",
    "cuLogsDumpToMemory",
    "cuLogsRegisterCallback",
    "cuLogsUnregisterCallback",
    "cuMemAddressFree",
    "cuMemAddressReserve",
    "cuMemAdvise",
    "cuMemAdvise_v2",
    "cuMemAlloc",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocHost",
    "cuMemAllocHost_v2",
    "cuMemAllocManaged",
    "cuMemAllocPitch",
    "cuMemAllocPitch_v2",
    "cuMemAlloc_v2",
    "cuMemBatchDecompressAsync",
    "cuMemCreate",
    "cuMemDiscardAndPrefetchBatchAsync",
    "cuMemDiscardBatchAsync",
    "cuMemExportToShareableHandle",
    "cuMemFree",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetAccess",
    "cuMemGetAddressRange",
    "cuMemGetAddressRange_v2",
    "cuMemGetAllocationGranularity",
    "cuMemGetAllocationPropertiesFromHandle",
    "cuMemGetDefaultMemPool",
    "cuMemGetHandleForAddressRange",
    "cuMemGetInfo",
    "cuMemGetInfo_v2",
    "cuMemGetMemPool",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer",
    "cuMemHostGetDevicePointer_v2",
    "cuMemHostGetFlags",
    "cuMemHostRegister",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemImportFromShareableHandle",
    "cuMemMap",
    "cuMemMapArrayAsync",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolExportPointer",
    "cuMemPoolExportToShareableHandle",
    "cuMemPoolGetAccess",
    "cuMemPoolGetAttribute",
    "cuMemPoolImportFromShareableHandle",
    "cuMemPoolImportPointer",
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemPrefetchAsync",
    "cuMemPrefetchAsync_v2",
    "cuMemPrefetchBatchAsync",
    "cuMemRangeGetAttribute",
    "cuMemRangeGetAttributes",
    "cuMemRelease",
    "cuMemRetainAllocationHandle",
    "cuMemSetAccess",
    "cuMemSetMemPool",
    "cuMemUnmap",
    "cuMemcpy",
    "cuMemcpy2D",
    "cuMemcpy2DAsync",
    "cuMemcpy2DAsync_v2",
    "cuMemcpy2DUnaligned",
    "cuMemcpy2DUnaligned_v2",
    "cuMemcpy2D_v2",
    "cuMemcpy3D",
    "cuMemcpy3DAsync",
    "cuMemcpy3DAsync_v2",
    "cuMemcpy3DBatchAsync",
    "cuMemcpy3DBatchAsync_v2",
    "cuMemcpy3DPeer",
    "cuMemcpy3DPeerAsync",
    "cuMemcpy3D_v2",
    "cuMemcpyAsync",
    "cuMemcpyAtoA",
    "cuMemcpyAtoA_v2",
    "cuMemcpyAtoD",
    "cuMemcpyAtoD_v2",
    "cuMemcpyAtoH",
    "cuMemcpyAtoHAsync",
    "cuMemcpyAtoHAsync_v2",
    "cuMemcpyAtoH_v2",
    "cuMemcpyBatchAsync",
    "cuMemcpyBatchAsync_v2",
    "cuMemcpyDtoA",
    "cuMemcpyDtoA_v2",
    "cuMemcpyDtoD",
    "cuMemcpyDtoDAsync",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyDtoH",
    "cuMemcpyDtoHAsync",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoA",
    "cuMemcpyHtoAAsync",
    "cuMemcpyHtoAAsync_v2",
    "cuMemcpyHtoA_v2",
    "cuMemcpyHtoD",
    "cuMemcpyHtoDAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyPeer",
    "cuMemcpyPeerAsync",
    "cuMemsetD16",
    "cuMemsetD16Async",
    "cuMemsetD16_v2",
    "cuMemsetD2D16",
    "cuMemsetD2D16Async",
    "cuMemsetD2D16_v2",
    "cuMemsetD2D32",
    "cuMemsetD2D32Async",
    "cuMemsetD2D32_v2",
    "cuMemsetD2D8",
    "cuMemsetD2D8Async",
    "cuMemsetD2D8_v2",
    "cuMemsetD32",
    "cuMemsetD32Async",
    "cuMemsetD32_v2",
    "cuMemsetD8",
    "cuMemsetD8Async",
    "cuMemsetD8_v2",
    "cuMipmappedArrayCreate",
    "cuMipmappedArrayDestroy",
    "cuMipmappedArrayGetLevel",
    "cuMipmappedArrayGetMemoryRequirements",
    "cuMipmappedArrayGetSparseProperties",
    "cuModuleEnumerateFunctions",
    "cuModuleGetFunction",
    "cuModuleGetFunctionCount",
    "cuModuleGetGlobal",
    "cuModuleGetGlobal_v2",
    "cuModuleGetLoadingMode",
    "cuModuleGetSurfRef",
    "cuModuleGetTexRef",
    "cuModuleLoad",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleLoadFatBinary",
    "cuModuleUnload",
    "cuMulticastAddDevice",
    "cuMulticastBindAddr",
    "cuMulticastBindMem",
    "cuMulticastCreate",
    "cuMulticastGetGranularity",
    "cuMulticastUnbind",
    "cuOccupancyAvailableDynamicSMemPerBlock",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialBlockSize",
    "cuOccupancyMaxPotentialBlockSizeWithFlags",
    "cuOccupancyMaxPotentialClusterSize",
    "cuParamSetSize",
    "cuParamSetTexRef",
    "cuParamSetf",
    "cuParamSeti",
    "cuParamSetv",
    "cuPointerGetAttribute",
    "cuPointerGetAttributes",
    "cuPointerSetAttribute",
    "cuProfilerInitialize",
    "cuProfilerStart",
    "cuProfilerStop",
    "cuSignalExternalSemaphoresAsync",
    "cuStreamAddCallback",
    "cuStreamAttachMemAsync",
    "cuStreamBatchMemOp",
    "cuStreamBatchMemOp_v2",
    "cuStreamBeginCapture",
    "cuStreamBeginCaptureToGraph",
    "cuStreamBeginCapture_v2",
    "cuStreamCopyAttributes",
    "cuStreamCreate",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
    "cuStreamGetAttribute",
    "cuStreamGetCaptureInfo",
    "cuStreamGetCaptureInfo_v2",
    "cuStreamGetCaptureInfo_v3",
    "cuStreamGetCtx",
    "cuStreamGetCtx_v2",
    "cuStreamGetDevice",
    "cuStreamGetFlags",
    "cuStreamGetGreenCtx",
    "cuStreamGetId",
    "cuStreamGetPriority",
    "cuStreamIsCapturing",
    "cuStreamQuery",
    "cuStreamSetAttribute",
    "cuStreamSynchronize",
    "cuStreamUpdateCaptureDependencies",
    "cuStreamUpdateCaptureDependencies_v2",
    "cuStreamWaitEvent",
    "cuStreamWaitValue32",
    "cuStreamWaitValue32_v2",
    "cuStreamWaitValue64",
    "cuStreamWaitValue64_v2",
    "cuStreamWriteValue32",
    "cuStreamWriteValue32_v2",
    "cuStreamWriteValue64",
    "cuStreamWriteValue64_v2",
    "cuSurfObjectCreate",
    "cuSurfObjectDestroy",
    "cuSurfObjectGetResourceDesc",
    "cuSurfRefGetArray",
    "cuSurfRefSetArray",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapEncodeTiled",
    "cuTensorMapReplaceAddress",
    "cuTexObjectCreate",
    "cuTexObjectDestroy",
    "cuTexObjectGetResourceDesc",
    "cuTexObjectGetResourceViewDesc",
    "cuTexObjectGetTextureDesc",
    "cuTexRefCreate",
    "cuTexRefDestroy",
    "cuTexRefGetAddress",
    "cuTexRefGetAddressMode",
    "cuTexRefGetAddress_v2",
    "cuTexRefGetArray",
    "cuTexRefGetBorderColor",
    "cuTexRefGetFilterMode",
    "cuTexRefGetFlags",
    "cuTexRefGetFormat",
    "cuTexRefGetMaxAnisotropy",
    "cuTexRefGetMipmapFilterMode",
    "cuTexRefGetMipmapLevelBias",
    "cuTexRefGetMipmapLevelClamp",
    "cuTexRefGetMipmappedArray",
    "cuTexRefSetAddress",
    "cuTexRefSetAddress2D",
    "cuTexRefSetAddress2D_v2",
    "cuTexRefSetAddress2D_v3",
    "cuTexRefSetAddressMode",
    "cuTexRefSetAddress_v2",
    "cuTexRefSetArray",
    "cuTexRefSetBorderColor",
    "cuTexRefSetFilterMode",
    "cuTexRefSetFlags",
    "cuTexRefSetFormat",
    "cuTexRefSetMaxAnisotropy",
    "cuTexRefSetMipmapFilterMode",
    "cuTexRefSetMipmapLevelBias",
    "cuTexRefSetMipmapLevelClamp",
    "cuTexRefSetMipmappedArray",
    "cuThreadExchangeStreamCaptureMode",
    "cuUserObjectCreate",
    "cuUserObjectRelease",
    "cuUserObjectRetain",
    "cuWaitExternalSemaphoresAsync",
];
