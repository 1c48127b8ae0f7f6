//! Written by generate.py from the headers of CUDA 12.9, 13.0, 13.5:
//! cuda_runtime_api.h, cuda_profiler_api.h, cuda_gl_interop.h, cuda_egl_interop.h, cuda_vdpau_interop.h.

/// An error: a `cudaError` other than success.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(pub i32);
impl Error {
    pub const INVALID_VALUE: Self = Self(1);
    pub const MEMORY_ALLOCATION: Self = Self(2);
    pub const INITIALIZATION_ERROR: Self = Self(3);
    pub const CUDART_UNLOADING: Self = Self(4);
    pub const PROFILER_DISABLED: Self = Self(5);
    pub const PROFILER_NOT_INITIALIZED: Self = Self(6);
    pub const PROFILER_ALREADY_STARTED: Self = Self(7);
    pub const PROFILER_ALREADY_STOPPED: Self = Self(8);
    pub const INVALID_CONFIGURATION: Self = Self(9);
    pub const VERSION_TRANSLATION: Self = Self(10);
    pub const INVALID_PITCH_VALUE: Self = Self(12);
    pub const INVALID_SYMBOL: Self = Self(13);
    pub const INVALID_HOST_POINTER: Self = Self(16);
    pub const INVALID_DEVICE_POINTER: Self = Self(17);
    pub const INVALID_TEXTURE: Self = Self(18);
    pub const INVALID_TEXTURE_BINDING: Self = Self(19);
    pub const INVALID_CHANNEL_DESCRIPTOR: Self = Self(20);
    pub const INVALID_MEMCPY_DIRECTION: Self = Self(21);
    pub const ADDRESS_OF_CONSTANT: Self = Self(22);
    pub const TEXTURE_FETCH_FAILED: Self = Self(23);
    pub const TEXTURE_NOT_BOUND: Self = Self(24);
    pub const SYNCHRONIZATION_ERROR: Self = Self(25);
    pub const INVALID_FILTER_SETTING: Self = Self(26);
    pub const INVALID_NORM_SETTING: Self = Self(27);
    pub const MIXED_DEVICE_EXECUTION: Self = Self(28);
    pub const NOT_YET_IMPLEMENTED: Self = Self(31);
    pub const MEMORY_VALUE_TOO_LARGE: Self = Self(32);
    pub const STUB_LIBRARY: Self = Self(34);
    pub const INSUFFICIENT_DRIVER: Self = Self(35);
    pub const CALL_REQUIRES_NEWER_DRIVER: Self = Self(36);
    pub const INVALID_SURFACE: Self = Self(37);
    pub const DUPLICATE_VARIABLE_NAME: Self = Self(43);
    pub const DUPLICATE_TEXTURE_NAME: Self = Self(44);
    pub const DUPLICATE_SURFACE_NAME: Self = Self(45);
    pub const DEVICES_UNAVAILABLE: Self = Self(46);
    pub const INCOMPATIBLE_DRIVER_CONTEXT: Self = Self(49);
    pub const MISSING_CONFIGURATION: Self = Self(52);
    pub const PRIOR_LAUNCH_FAILURE: Self = Self(53);
    pub const LAUNCH_MAX_DEPTH_EXCEEDED: Self = Self(65);
    pub const LAUNCH_FILE_SCOPED_TEX: Self = Self(66);
    pub const LAUNCH_FILE_SCOPED_SURF: Self = Self(67);
    pub const SYNC_DEPTH_EXCEEDED: Self = Self(68);
    pub const LAUNCH_PENDING_COUNT_EXCEEDED: Self = Self(69);
    pub const INVALID_DEVICE_FUNCTION: Self = Self(98);
    pub const NO_DEVICE: Self = Self(100);
    pub const INVALID_DEVICE: Self = Self(101);
    pub const DEVICE_NOT_LICENSED: Self = Self(102);
    pub const SOFTWARE_VALIDITY_NOT_ESTABLISHED: Self = Self(103);
    pub const STARTUP_FAILURE: Self = Self(127);
    pub const INVALID_KERNEL_IMAGE: Self = Self(200);
    pub const DEVICE_UNINITIALIZED: Self = Self(201);
    pub const MAP_BUFFER_OBJECT_FAILED: Self = Self(205);
    pub const UNMAP_BUFFER_OBJECT_FAILED: Self = Self(206);
    pub const ARRAY_IS_MAPPED: Self = Self(207);
    pub const ALREADY_MAPPED: Self = Self(208);
    pub const NO_KERNEL_IMAGE_FOR_DEVICE: Self = Self(209);
    pub const ALREADY_ACQUIRED: Self = Self(210);
    pub const NOT_MAPPED: Self = Self(211);
    pub const NOT_MAPPED_AS_ARRAY: Self = Self(212);
    pub const NOT_MAPPED_AS_POINTER: Self = Self(213);
    pub const ECC_UNCORRECTABLE: Self = Self(214);
    pub const UNSUPPORTED_LIMIT: Self = Self(215);
    pub const DEVICE_ALREADY_IN_USE: Self = Self(216);
    pub const PEER_ACCESS_UNSUPPORTED: Self = Self(217);
    pub const INVALID_PTX: Self = Self(218);
    pub const INVALID_GRAPHICS_CONTEXT: Self = Self(219);
    pub const NVLINK_UNCORRECTABLE: Self = Self(220);
    pub const JIT_COMPILER_NOT_FOUND: Self = Self(221);
    pub const UNSUPPORTED_PTX_VERSION: Self = Self(222);
    pub const JIT_COMPILATION_DISABLED: Self = Self(223);
    pub const UNSUPPORTED_EXEC_AFFINITY: Self = Self(224);
    pub const UNSUPPORTED_DEV_SIDE_SYNC: Self = Self(225);
    pub const CONTAINED: Self = Self(226);
    pub const INSUFFICIENT_LOADER_VERSION: Self = Self(227);
    pub const INVALID_SOURCE: Self = Self(300);
    pub const FILE_NOT_FOUND: Self = Self(301);
    pub const SHARED_OBJECT_SYMBOL_NOT_FOUND: Self = Self(302);
    pub const SHARED_OBJECT_INIT_FAILED: Self = Self(303);
    pub const OPERATING_SYSTEM: Self = Self(304);
    pub const INVALID_RESOURCE_HANDLE: Self = Self(400);
    pub const ILLEGAL_STATE: Self = Self(401);
    pub const LOSSY_QUERY: Self = Self(402);
    pub const SYMBOL_NOT_FOUND: Self = Self(500);
    pub const NOT_READY: Self = Self(600);
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    pub const LAUNCH_OUT_OF_RESOURCES: Self = Self(701);
    pub const LAUNCH_TIMEOUT: Self = Self(702);
    pub const LAUNCH_INCOMPATIBLE_TEXTURING: Self = Self(703);
    pub const PEER_ACCESS_ALREADY_ENABLED: Self = Self(704);
    pub const PEER_ACCESS_NOT_ENABLED: Self = Self(705);
    pub const SET_ON_ACTIVE_PROCESS: Self = Self(708);
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
    pub const LAUNCH_FAILURE: Self = Self(719);
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
    pub const STREAM_DETACHED: Self = Self(917);
    pub const GRAPH_RECAPTURE_FAILURE: Self = Self(918);
    pub const FABRIC_NOT_READY: Self = Self(919);
    pub const UNKNOWN: Self = Self(999);
    pub const API_FAILURE_BASE: Self = Self(10000);
}

/// The name of each `cudaError`, by its code.
pub const ERROR_NAMES: &[(i32, &std::ffi::CStr)] = &[
    (0, c"cudaSuccess"),
    (1, c"cudaErrorInvalidValue"),
    (2, c"cudaErrorMemoryAllocation"),
    (3, c"cudaErrorInitializationError"),
    (4, c"cudaErrorCudartUnloading"),
    (5, c"cudaErrorProfilerDisabled"),
    (6, c"cudaErrorProfilerNotInitialized"),
    (7, c"cudaErrorProfilerAlreadyStarted"),
    (8, c"cudaErrorProfilerAlreadyStopped"),
    (9, c"cudaErrorInvalidConfiguration"),
    (10, c"cudaErrorVersionTranslation"),
    (12, c"cudaErrorInvalidPitchValue"),
    (13, c"cudaErrorInvalidSymbol"),
    (16, c"cudaErrorInvalidHostPointer"),
    (17, c"cudaErrorInvalidDevicePointer"),
    (18, c"cudaErrorInvalidTexture"),
    (19, c"cudaErrorInvalidTextureBinding"),
    (20, c"cudaErrorInvalidChannelDescriptor"),
    (21, c"cudaErrorInvalidMemcpyDirection"),
    (22, c"cudaErrorAddressOfConstant"),
    (23, c"cudaErrorTextureFetchFailed"),
    (24, c"cudaErrorTextureNotBound"),
    (25, c"cudaErrorSynchronizationError"),
    (26, c"cudaErrorInvalidFilterSetting"),
    (27, c"cudaErrorInvalidNormSetting"),
    (28, c"cudaErrorMixedDeviceExecution"),
    (31, c"cudaErrorNotYetImplemented"),
    (32, c"cudaErrorMemoryValueTooLarge"),
    (34, c"cudaErrorStubLibrary"),
    (35, c"cudaErrorInsufficientDriver"),
    (36, c"cudaErrorCallRequiresNewerDriver"),
    (37, c"cudaErrorInvalidSurface"),
    (43, c"cudaErrorDuplicateVariableName"),
    (44, c"cudaErrorDuplicateTextureName"),
    (45, c"cudaErrorDuplicateSurfaceName"),
    (46, c"cudaErrorDevicesUnavailable"),
    (49, c"cudaErrorIncompatibleDriverContext"),
    (52, c"cudaErrorMissingConfiguration"),
    (53, c"cudaErrorPriorLaunchFailure"),
    (65, c"cudaErrorLaunchMaxDepthExceeded"),
    (66, c"cudaErrorLaunchFileScopedTex"),
    (67, c"cudaErrorLaunchFileScopedSurf"),
    (68, c"cudaErrorSyncDepthExceeded"),
    (69, c"cudaErrorLaunchPendingCountExceeded"),
    (98, c"cudaErrorInvalidDeviceFunction"),
    (100, c"cudaErrorNoDevice"),
    (101, c"cudaErrorInvalidDevice"),
    (102, c"cudaErrorDeviceNotLicensed"),
    (103, c"cudaErrorSoftwareValidityNotEstablished"),
    (127, c"cudaErrorStartupFailure"),
    (200, c"cudaErrorInvalidKernelImage"),
    (201, c"cudaErrorDeviceUninitialized"),
    (205, c"cudaErrorMapBufferObjectFailed"),
    (206, c"cudaErrorUnmapBufferObjectFailed"),
    (207, c"cudaErrorArrayIsMapped"),
    (208, c"cudaErrorAlreadyMapped"),
    (209, c"cudaErrorNoKernelImageForDevice"),
    (210, c"cudaErrorAlreadyAcquired"),
    (211, c"cudaErrorNotMapped"),
    (212, c"cudaErrorNotMappedAsArray"),
    (213, c"cudaErrorNotMappedAsPointer"),
    (214, c"cudaErrorECCUncorrectable"),
    (215, c"cudaErrorUnsupportedLimit"),
    (216, c"cudaErrorDeviceAlreadyInUse"),
    (217, c"cudaErrorPeerAccessUnsupported"),
    (218, c"cudaErrorInvalidPtx"),
    (219, c"cudaErrorInvalidGraphicsContext"),
    (220, c"cudaErrorNvlinkUncorrectable"),
    (221, c"cudaErrorJitCompilerNotFound"),
    (222, c"cudaErrorUnsupportedPtxVersion"),
    (223, c"cudaErrorJitCompilationDisabled"),
    (224, c"cudaErrorUnsupportedExecAffinity"),
    (225, c"cudaErrorUnsupportedDevSideSync"),
    (226, c"cudaErrorContained"),
    (227, c"cudaErrorInsufficientLoaderVersion"),
    (300, c"cudaErrorInvalidSource"),
    (301, c"cudaErrorFileNotFound"),
    (302, c"cudaErrorSharedObjectSymbolNotFound"),
    (303, c"cudaErrorSharedObjectInitFailed"),
    (304, c"cudaErrorOperatingSystem"),
    (400, c"cudaErrorInvalidResourceHandle"),
    (401, c"cudaErrorIllegalState"),
    (402, c"cudaErrorLossyQuery"),
    (500, c"cudaErrorSymbolNotFound"),
    (600, c"cudaErrorNotReady"),
    (700, c"cudaErrorIllegalAddress"),
    (701, c"cudaErrorLaunchOutOfResources"),
    (702, c"cudaErrorLaunchTimeout"),
    (703, c"cudaErrorLaunchIncompatibleTexturing"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled"),
    (705, c"cudaErrorPeerAccessNotEnabled"),
    (708, c"cudaErrorSetOnActiveProcess"),
    (709, c"cudaErrorContextIsDestroyed"),
    (710, c"cudaErrorAssert"),
    (711, c"cudaErrorTooManyPeers"),
    (712, c"cudaErrorHostMemoryAlreadyRegistered"),
    (713, c"cudaErrorHostMemoryNotRegistered"),
    (714, c"cudaErrorHardwareStackError"),
    (715, c"cudaErrorIllegalInstruction"),
    (716, c"cudaErrorMisalignedAddress"),
    (717, c"cudaErrorInvalidAddressSpace"),
    (718, c"cudaErrorInvalidPc"),
    (719, c"cudaErrorLaunchFailure"),
    (720, c"cudaErrorCooperativeLaunchTooLarge"),
    (721, c"cudaErrorTensorMemoryLeak"),
    (800, c"cudaErrorNotPermitted"),
    (801, c"cudaErrorNotSupported"),
    (802, c"cudaErrorSystemNotReady"),
    (803, c"cudaErrorSystemDriverMismatch"),
    (804, c"cudaErrorCompatNotSupportedOnDevice"),
    (805, c"cudaErrorMpsConnectionFailed"),
    (806, c"cudaErrorMpsRpcFailure"),
    (807, c"cudaErrorMpsServerNotReady"),
    (808, c"cudaErrorMpsMaxClientsReached"),
    (809, c"cudaErrorMpsMaxConnectionsReached"),
    (810, c"cudaErrorMpsClientTerminated"),
    (811, c"cudaErrorCdpNotSupported"),
    (812, c"cudaErrorCdpVersionMismatch"),
    (900, c"cudaErrorStreamCaptureUnsupported"),
    (901, c"cudaErrorStreamCaptureInvalidated"),
    (902, c"cudaErrorStreamCaptureMerge"),
    (903, c"cudaErrorStreamCaptureUnmatched"),
    (904, c"cudaErrorStreamCaptureUnjoined"),
    (905, c"cudaErrorStreamCaptureIsolation"),
    (906, c"cudaErrorStreamCaptureImplicit"),
    (907, c"cudaErrorCapturedEvent"),
    (908, c"cudaErrorStreamCaptureWrongThread"),
    (909, c"cudaErrorTimeout"),
    (910, c"cudaErrorGraphExecUpdateFailure"),
    (911, c"cudaErrorExternalDevice"),
    (912, c"cudaErrorInvalidClusterSize"),
    (913, c"cudaErrorFunctionNotLoaded"),
    (914, c"cudaErrorInvalidResourceType"),
    (915, c"cudaErrorInvalidResourceConfiguration"),
    (917, c"cudaErrorStreamDetached"),
    (918, c"cudaErrorGraphRecaptureFailure"),
    (919, c"cudaErrorFabricNotReady"),
    (999, c"cudaErrorUnknown"),
    (10000, c"cudaErrorApiFailureBase"),
];

pub mod constants {
    /// `cudaChannelFormatKind`.
    pub mod channel_kind {
        pub const SIGNED: i32 = 0;
        pub const UNSIGNED: i32 = 1;
        pub const FLOAT: i32 = 2;
        pub const NONE: i32 = 3;
        pub const NV12: i32 = 4;
        pub const UNSIGNED_NORMALIZED8X1: i32 = 5;
        pub const UNSIGNED_NORMALIZED8X2: i32 = 6;
        pub const UNSIGNED_NORMALIZED8X4: i32 = 7;
        pub const UNSIGNED_NORMALIZED16X1: i32 = 8;
        pub const UNSIGNED_NORMALIZED16X2: i32 = 9;
        pub const UNSIGNED_NORMALIZED16X4: i32 = 10;
        pub const SIGNED_NORMALIZED8X1: i32 = 11;
        pub const SIGNED_NORMALIZED8X2: i32 = 12;
        pub const SIGNED_NORMALIZED8X4: i32 = 13;
        pub const SIGNED_NORMALIZED16X1: i32 = 14;
        pub const SIGNED_NORMALIZED16X2: i32 = 15;
        pub const SIGNED_NORMALIZED16X4: i32 = 16;
        pub const UNSIGNED_BLOCK_COMPRESSED1: i32 = 17;
        pub const UNSIGNED_BLOCK_COMPRESSED1SRGB: i32 = 18;
        pub const UNSIGNED_BLOCK_COMPRESSED2: i32 = 19;
        pub const UNSIGNED_BLOCK_COMPRESSED2SRGB: i32 = 20;
        pub const UNSIGNED_BLOCK_COMPRESSED3: i32 = 21;
        pub const UNSIGNED_BLOCK_COMPRESSED3SRGB: i32 = 22;
        pub const UNSIGNED_BLOCK_COMPRESSED4: i32 = 23;
        pub const SIGNED_BLOCK_COMPRESSED4: i32 = 24;
        pub const UNSIGNED_BLOCK_COMPRESSED5: i32 = 25;
        pub const SIGNED_BLOCK_COMPRESSED5: i32 = 26;
        pub const UNSIGNED_BLOCK_COMPRESSED6H: i32 = 27;
        pub const SIGNED_BLOCK_COMPRESSED6H: i32 = 28;
        pub const UNSIGNED_BLOCK_COMPRESSED7: i32 = 29;
        pub const UNSIGNED_BLOCK_COMPRESSED7SRGB: i32 = 30;
        pub const UNSIGNED_NORMALIZED1010102: i32 = 31;
        pub const UNSIGNED8_PACKED422: i32 = 32;
        pub const UNSIGNED8_PACKED444: i32 = 33;
        pub const UNSIGNED8_SEMI_PLANAR420: i32 = 34;
        pub const UNSIGNED16_SEMI_PLANAR420: i32 = 35;
        pub const UNSIGNED8_SEMI_PLANAR422: i32 = 36;
        pub const UNSIGNED16_SEMI_PLANAR422: i32 = 37;
        pub const UNSIGNED8_SEMI_PLANAR444: i32 = 38;
        pub const UNSIGNED16_SEMI_PLANAR444: i32 = 39;
        pub const UNSIGNED8_PLANAR420: i32 = 40;
        pub const UNSIGNED16_PLANAR420: i32 = 41;
        pub const UNSIGNED8_PLANAR422: i32 = 42;
        pub const UNSIGNED16_PLANAR422: i32 = 43;
        pub const UNSIGNED8_PLANAR444: i32 = 44;
        pub const UNSIGNED16_PLANAR444: i32 = 45;
        /// The greatest of these values.
        pub const LAST: i32 = 45;
    }
    /// `cudaMemcpyKind`.
    pub mod copy_kind {
        pub const HOST_TO_HOST: i32 = 0;
        pub const HOST_TO_DEVICE: i32 = 1;
        pub const DEVICE_TO_HOST: i32 = 2;
        pub const DEVICE_TO_DEVICE: i32 = 3;
        pub const DEFAULT: i32 = 4;
        /// The greatest of these values.
        pub const LAST: i32 = 4;
    }
    /// `cudaStreamLegacy`, `cudaStreamPerThread`.
    pub mod default_stream {
        pub const LEGACY: usize = 1;
        pub const PER_THREAD: usize = 2;
    }
    /// `cudaDeviceLmemResizeToMax`, `cudaDeviceMapHost`, `cudaDeviceScheduleMask`, `cudaDeviceSyncMemops`.
    pub mod device_flags {
        pub const LMEM_RESIZE_TO_MAX: u32 = 16;
        pub const MAP_HOST: u32 = 8;
        pub const SCHEDULE_MASK: u32 = 7;
        pub const SYNC_MEMOPS: u32 = 128;
    }
    /// `cudaInvalidDeviceId`.
    pub mod device_id {
        pub const INVALID_DEVICE_ID: i32 = -2;
    }
    /// `cudaMemLocationType`.
    pub mod location_type {
        pub const INVALID: i32 = 0;
        pub const NONE: i32 = 0;
        pub const DEVICE: i32 = 1;
        pub const HOST: i32 = 2;
        pub const HOST_NUMA: i32 = 3;
        pub const HOST_NUMA_CURRENT: i32 = 4;
        pub const INVISIBLE: i32 = 5;
        pub const DEVICE_LOCALITY_DOMAIN: i32 = 6;
        /// The greatest of these values.
        pub const LAST: i32 = 6;
    }
    /// `cudaMemoryType`.
    pub mod memory_type {
        pub const UNREGISTERED: i32 = 0;
        pub const HOST: i32 = 1;
        pub const DEVICE: i32 = 2;
        pub const MANAGED: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
    /// `cudaGraphNodeType`.
    pub mod node_type {
        pub const KERNEL: i32 = 0;
        pub const MEMCPY: i32 = 1;
        pub const MEMSET: i32 = 2;
        pub const HOST: i32 = 3;
        pub const GRAPH: i32 = 4;
        pub const EMPTY: i32 = 5;
        pub const WAIT_EVENT: i32 = 6;
        pub const EVENT_RECORD: i32 = 7;
        pub const EXT_SEMAPHORE_SIGNAL: i32 = 8;
        pub const EXT_SEMAPHORE_WAIT: i32 = 9;
        pub const MEM_ALLOC: i32 = 10;
        pub const MEM_FREE: i32 = 11;
        pub const CONDITIONAL: i32 = 13;
        pub const MEMCPY_BATCH: i32 = 14;
        pub const RESERVED16: i32 = 16;
        pub const EXTERNAL_ENGINE: i32 = 17;
        pub const COUNT: i32 = 18;
        /// The greatest of these values.
        pub const LAST: i32 = 17;
    }
    /// `cudaTextureReadMode`.
    pub mod read_mode {
        pub const ELEMENT_TYPE: i32 = 0;
        pub const NORMALIZED_FLOAT: i32 = 1;
        /// The greatest of these values.
        pub const LAST: i32 = 1;
    }
    /// `cudaResourceType`.
    pub mod resource_type {
        pub const ARRAY: i32 = 0;
        pub const MIPMAPPED_ARRAY: i32 = 1;
        pub const LINEAR: i32 = 2;
        pub const PITCH2D: i32 = 3;
        /// The greatest of these values.
        pub const LAST: i32 = 3;
    }
}
pub mod types {
    use crate::structure::{layout, views, zeroed};
    use std::ffi::{c_char, c_int, c_uint, c_void};
    /// `value` of `cudaGraphNodeParams`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AnyNodeValue(pub [u64; 29]);
    views! { AnyNodeValue;
    }
    zeroed! { AnyNodeValue }
    /// `cudaGraphNodeParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AnyNode {
        pub kind: c_int,
        pub reserved0: [c_int; 3],
        pub value: AnyNodeValue,
        pub reserved2: i64,
    }
    zeroed! { AnyNode }
    /// `cudaChannelFormatDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ChannelDesc {
        pub x: c_int,
        pub y: c_int,
        pub z: c_int,
        pub w: c_int,
        pub f: c_int,
    }
    zeroed! { ChannelDesc }
    /// `cudaConditionalNodeParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ConditionalNode {
        pub handle: u64,
        pub kind: c_int,
        pub size: c_uint,
        pub ph_graph_out: *mut *mut c_void,
    }
    zeroed! { ConditionalNode }
    /// `cudaMemcpy3DParms`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Copy3d {
        pub src_array: *mut c_void,
        pub src_pos: Pos,
        pub src_ptr: PitchedPtr,
        pub dst_array: *mut c_void,
        pub dst_pos: Pos,
        pub dst_ptr: PitchedPtr,
        pub extent: Extent,
        pub kind: c_int,
    }
    zeroed! { Copy3d }
    /// `cudaMemcpy3DPeerParms`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Copy3dPeer {
        pub src_array: *mut c_void,
        pub src_pos: Pos,
        pub src_ptr: PitchedPtr,
        pub src_device: c_int,
        pub dst_array: *mut c_void,
        pub dst_pos: Pos,
        pub dst_ptr: PitchedPtr,
        pub dst_device: c_int,
        pub extent: Extent,
    }
    zeroed! { Copy3dPeer }
    /// `cudaMemcpyNodeParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyNode {
        pub flags: c_int,
        pub reserved: [c_int; 3],
        pub copy_params: Copy3d,
    }
    zeroed! { CopyNode }
    /// `dim3`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Dim3 {
        pub x: c_uint,
        pub y: c_uint,
        pub z: c_uint,
    }
    zeroed! { Dim3 }
    /// `cudaExtent`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Extent {
        pub width: usize,
        pub height: usize,
        pub depth: usize,
    }
    zeroed! { Extent }
    /// `cudaFuncAttributes`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FuncAttributes {
        pub shared_size_bytes: usize,
        pub const_size_bytes: usize,
        pub local_size_bytes: usize,
        pub max_threads_per_block: c_int,
        pub num_regs: c_int,
        pub ptx_version: c_int,
        pub binary_version: c_int,
        pub cache_mode_ca: c_int,
        pub max_dynamic_shared_size_bytes: c_int,
        pub preferred_shmem_carveout: c_int,
        pub cluster_dim_must_be_set: c_int,
        pub required_cluster_width: c_int,
        pub required_cluster_height: c_int,
        pub required_cluster_depth: c_int,
        pub cluster_scheduling_policy_preference: c_int,
        pub non_portable_cluster_size_allowed: c_int,
        pub reserved: [c_int; 16],
    }
    zeroed! { FuncAttributes }
    /// `cudaIpcMemHandle_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct IpcHandle {
        pub reserved: [c_char; 64],
    }
    zeroed! { IpcHandle }
    /// `cudaKernelNodeParams`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KernelNode {
        pub func: *mut c_void,
        pub grid_dim: Dim3,
        pub block_dim: Dim3,
        pub shared_mem_bytes: c_uint,
        pub kernel_params: *mut *mut c_void,
        pub extra: *mut *mut c_void,
    }
    zeroed! { KernelNode }
    /// `cudaLaunchConfig_t`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LaunchConfig {
        pub grid_dim: Dim3,
        pub block_dim: Dim3,
        pub dynamic_smem_bytes: usize,
        pub stream: *mut c_void,
        pub attrs: *mut c_void,
        pub num_attrs: c_uint,
    }
    zeroed! { LaunchConfig }
    /// `cudaMemLocation`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemLocation {
        pub kind: c_int,
        pub id: c_int,
    }
    zeroed! { MemLocation }
    /// `cudaPitchedPtr`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PitchedPtr {
        pub ptr: *mut c_void,
        pub pitch: usize,
        pub xsize: usize,
        pub ysize: usize,
    }
    zeroed! { PitchedPtr }
    /// `cudaPointerAttributes`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PointerAttributes {
        pub kind: c_int,
        pub device: c_int,
        pub device_pointer: *mut c_void,
        pub host_pointer: *mut c_void,
    }
    zeroed! { PointerAttributes }
    /// `cudaPos`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Pos {
        pub x: usize,
        pub y: usize,
        pub z: usize,
    }
    zeroed! { Pos }
    /// `array` of `res` of `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResArray {
        pub array: *mut c_void,
    }
    zeroed! { ResourceDescResArray }
    /// `mipmap` of `res` of `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResMipmap {
        pub mipmap: *mut c_void,
    }
    zeroed! { ResourceDescResMipmap }
    /// `linear` of `res` of `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResLinear {
        pub dev_ptr: *mut c_void,
        pub desc: ChannelDesc,
        pub size_in_bytes: usize,
    }
    zeroed! { ResourceDescResLinear }
    /// `pitch2D` of `res` of `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResPitch2D {
        pub dev_ptr: *mut c_void,
        pub desc: ChannelDesc,
        pub width: usize,
        pub height: usize,
        pub pitch_in_bytes: usize,
    }
    zeroed! { ResourceDescResPitch2D }
    /// `reserved` of `res` of `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDescResReserved {
        pub reserved: [c_int; 32],
    }
    zeroed! { ResourceDescResReserved }
    /// `res` of `cudaResourceDesc`: each member is a view of the words.
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
    /// `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDesc {
        pub res_type: c_int,
        pub res: ResourceDescRes,
        pub flags: c_uint,
    }
    zeroed! { ResourceDesc }
    /// `res` of `cudaResourceDesc`: each member is a view of the words.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDesc12Res(pub [u64; 7]);
    views! { ResourceDesc12Res;
    }
    zeroed! { ResourceDesc12Res }
    /// `cudaResourceDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ResourceDesc12 {
        pub res_type: c_int,
        pub res: ResourceDesc12Res,
    }
    zeroed! { ResourceDesc12 }
    /// `cudaTextureDesc`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TextureDesc {
        pub address_mode: [c_int; 3],
        pub filter_mode: c_int,
        pub read_mode: c_int,
        pub s_rgb: c_int,
        pub border_color: [f32; 4],
        pub normalized_coords: c_int,
        pub max_anisotropy: c_uint,
        pub mipmap_filter_mode: c_int,
        pub mipmap_level_bias: f32,
        pub min_mipmap_level_clamp: f32,
        pub max_mipmap_level_clamp: f32,
        pub disable_trilinear_optimization: c_int,
        pub seamless_cubemap: c_int,
    }
    zeroed! { TextureDesc }
    layout! { AnyNodeValue: 232 bytes, 8 aligned;
    }
    layout! { AnyNode: 256 bytes, 8 aligned;
    kind 0, reserved0 4, value 16, reserved2 248
    }
    layout! { ChannelDesc: 20 bytes, 4 aligned;
    x 0, y 4, z 8, w 12, f 16
    }
    layout! { ConditionalNode: 24 bytes, 8 aligned;
    handle 0, kind 8, size 12, ph_graph_out 16
    }
    layout! { Copy3d: 160 bytes, 8 aligned;
    src_array 0, src_pos 8, src_ptr 32, dst_array 64, dst_pos 72, dst_ptr 96, extent 128, kind 152
    }
    layout! { Copy3dPeer: 168 bytes, 8 aligned;
    src_array 0, src_pos 8, src_ptr 32, src_device 64, dst_array 72, dst_pos 80, dst_ptr 104, dst_device
    136, extent 144
    }
    layout! { CopyNode: 176 bytes, 8 aligned;
    flags 0, reserved 4, copy_params 16
    }
    layout! { Dim3: 12 bytes, 4 aligned;
    x 0, y 4, z 8
    }
    layout! { Extent: 24 bytes, 8 aligned;
    width 0, height 8, depth 16
    }
    layout! { FuncAttributes: 144 bytes, 8 aligned;
    shared_size_bytes 0, const_size_bytes 8, local_size_bytes 16, max_threads_per_block 24, num_regs 28,
    ptx_version 32, binary_version 36, cache_mode_ca 40, max_dynamic_shared_size_bytes 44,
    preferred_shmem_carveout 48, cluster_dim_must_be_set 52, required_cluster_width 56,
    required_cluster_height 60, required_cluster_depth 64, cluster_scheduling_policy_preference 68,
    non_portable_cluster_size_allowed 72, reserved 76
    }
    layout! { IpcHandle: 64 bytes, 1 aligned;
    reserved 0
    }
    layout! { KernelNode: 56 bytes, 8 aligned;
    func 0, grid_dim 8, block_dim 20, shared_mem_bytes 32, kernel_params 40, extra 48
    }
    layout! { LaunchConfig: 56 bytes, 8 aligned;
    grid_dim 0, block_dim 12, dynamic_smem_bytes 24, stream 32, attrs 40, num_attrs 48
    }
    layout! { MemLocation: 8 bytes, 4 aligned;
    kind 0, id 4
    }
    layout! { PitchedPtr: 32 bytes, 8 aligned;
    ptr 0, pitch 8, xsize 16, ysize 24
    }
    layout! { PointerAttributes: 24 bytes, 8 aligned;
    kind 0, device 4, device_pointer 8, host_pointer 16
    }
    layout! { Pos: 24 bytes, 8 aligned;
    x 0, y 8, z 16
    }
    layout! { ResourceDescResArray: 8 bytes, 8 aligned;
    array 0
    }
    layout! { ResourceDescResMipmap: 8 bytes, 8 aligned;
    mipmap 0
    }
    layout! { ResourceDescResLinear: 40 bytes, 8 aligned;
    dev_ptr 0, desc 8, size_in_bytes 32
    }
    layout! { ResourceDescResPitch2D: 56 bytes, 8 aligned;
    dev_ptr 0, desc 8, width 32, height 40, pitch_in_bytes 48
    }
    layout! { ResourceDescResReserved: 128 bytes, 4 aligned;
    reserved 0
    }
    layout! { ResourceDescRes: 128 bytes, 8 aligned;
    }
    layout! { ResourceDesc: 144 bytes, 8 aligned;
    res_type 0, res 8, flags 136
    }
    layout! { ResourceDesc12Res: 56 bytes, 8 aligned;
    }
    layout! { ResourceDesc12: 64 bytes, 8 aligned;
    res_type 0, res 8
    }
    layout! { TextureDesc: 72 bytes, 4 aligned;
    address_mode 0, filter_mode 12, read_mode 16, s_rgb 20, border_color 24, normalized_coords 40,
    max_anisotropy 44, mipmap_filter_mode 48, mipmap_level_bias 52, min_mipmap_level_clamp 56,
    max_mipmap_level_clamp 60, disable_trilinear_optimization 64, seamless_cubemap 68
    }
}
/// The names of all functions of the headers.
pub const FUNCTIONS: &[&str] = &[
    "cudaArrayGetInfo",
    "cudaArrayGetMemoryRequirements",
    "cudaArrayGetPlane",
    "cudaArrayGetSparseProperties",
    "cudaChooseDevice",
    "cudaCreateChannelDesc",
    "cudaCreateSurfaceObject",
    "cudaCreateTextureObject",
    "cudaCtxResetPersistingL2Cache",
    "cudaDestroyExternalMemory",
    "cudaDestroyExternalSemaphore",
    "cudaDestroySurfaceObject",
    "cudaDestroyTextureObject",
    "cudaDeviceCanAccessPeer",
    "cudaDeviceDisablePeerAccess",
    "cudaDeviceEnablePeerAccess",
    "cudaDeviceFlushGPUDirectRDMAWrites",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetByPCIBusId",
    "cudaDeviceGetCacheConfig",
    "cudaDeviceGetDefaultMemPool",
    "cudaDeviceGetGraphMemAttribute",
    "cudaDeviceGetHostAtomicCapabilities",
    "cudaDeviceGetLimit",
    "cudaDeviceGetMemPool",
    "cudaDeviceGetNvSciSyncAttributes",
    "cudaDeviceGetP2PAtomicCapabilities",
    "cudaDeviceGetP2PAttribute",
    "cudaDeviceGetPCIBusId",
    "cudaDeviceGetSharedMemConfig",
    "cudaDeviceGetStreamPriorityRange",
    "cudaDeviceGetTexture1DLinearMaxWidth",
    "cudaDeviceGraphMemTrim",
    "cudaDeviceRegisterAsyncNotification",
    "cudaDeviceReset",
    "cudaDeviceSetCacheConfig",
    "cudaDeviceSetGraphMemAttribute",
    "cudaDeviceSetLimit",
    "cudaDeviceSetMemPool",
    "cudaDeviceSetSharedMemConfig",
    "cudaDeviceSynchronize",
    "cudaDeviceUnregisterAsyncNotification",
    "cudaDriverGetVersion",
    "cudaEGLStreamConsumerAcquireFrame",
    "cudaEGLStreamConsumerConnect",
    "cudaEGLStreamConsumerConnectWithFlags",
    "cudaEGLStreamConsumerDisconnect",
    "cudaEGLStreamConsumerReleaseFrame",
    "cudaEGLStreamProducerConnect",
    "cudaEGLStreamProducerDisconnect",
    "cudaEGLStreamProducerPresentFrame",
    "cudaEGLStreamProducerReturnFrame",
    "cudaEventCreate",
    "cudaEventCreateFromEGLSync",
    "cudaEventCreateWithFlags",
    "cudaEventDestroy",
    "cudaEventElapsedTime",
    "cudaEventElapsedTime_v2",
    "cudaEventQuery",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaEventRecordWithFlags_ptsz",
    "cudaEventRecord_ptsz",
    "cudaEventSynchronize",
    "cudaExternalMemoryGetMappedBuffer",
    "cudaExternalMemoryGetMappedMipmappedArray",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeAsync",
    "cudaFreeAsync_ptsz",
    "cudaFreeHost",
    "cudaFreeMipmappedArray",
    "cudaFuncGetAttributes",
    "cudaFuncGetName",
    "cudaFuncGetParamInfo",
    "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig",
    "cudaFuncSetSharedMemConfig",
    "cudaGLGetDevices",
    "cudaGLMapBufferObject",
    "cudaGLMapBufferObjectAsync",
    "cudaGLRegisterBufferObject",
    "cudaGLSetBufferObjectMapFlags",
    "cudaGLSetGLDevice",
    "cudaGLUnmapBufferObject",
    "cudaGLUnmapBufferObjectAsync",
    "cudaGLUnregisterBufferObject",
    "cudaGetChannelDesc",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceFlags",
    "cudaGetDeviceProperties",
    "cudaGetDeviceProperties_v2",
    "cudaGetDriverEntryPoint",
    "cudaGetDriverEntryPointByVersion",
    "cudaGetDriverEntryPointByVersion_ptsz",
    "cudaGetDriverEntryPoint_ptsz",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetExportTable",
    "cudaGetFuncBySymbol",
    "cudaGetKernel",
    "cudaGetLastError",
    "cudaGetMipmappedArrayLevel",
    "cudaGetSurfaceObjectResourceDesc",
    "cudaGetSymbolAddress",
    "cudaGetSymbolSize",
    "cudaGetTextureObjectResourceDesc",
    "cudaGetTextureObjectResourceViewDesc",
    "cudaGetTextureObjectTextureDesc",
    "cudaGraphAddChildGraphNode",
    "cudaGraphAddDependencies",
    "cudaGraphAddDependencies_v2",
    "cudaGraphAddEmptyNode",
    "cudaGraphAddEventRecordNode",
    "cudaGraphAddEventWaitNode",
    "cudaGraphAddExternalSemaphoresSignalNode",
    "cudaGraphAddExternalSemaphoresWaitNode",
    "cudaGraphAddHostNode",
    "cudaGraphAddKernelNode",
    "cudaGraphAddMemAllocNode",
    "cudaGraphAddMemFreeNode",
    "cudaGraphAddMemcpyNode",
    "cudaGraphAddMemcpyNode1D",
    "cudaGraphAddMemcpyNodeFromSymbol",
    "cudaGraphAddMemcpyNodeToSymbol",
    "cudaGraphAddMemsetNode",
    "cudaGraphAddNode",
    "cudaGraphAddNode_v2",
    "cudaGraphChildGraphNodeGetGraph",
    "cudaGraphClone",
    "cudaGraphConditionalHandleCreate",
    "cudaGraphCreate",
    "cudaGraphDebugDotPrint",
    "cudaGraphDestroy",
    "cudaGraphDestroyNode",
    "cudaGraphEventRecordNodeGetEvent",
    "cudaGraphEventRecordNodeSetEvent",
    "cudaGraphEventWaitNodeGetEvent",
    "cudaGraphEventWaitNodeSetEvent",
    "cudaGraphExecChildGraphNodeSetParams",
    "cudaGraphExecDestroy",
    "cudaGraphExecEventRecordNodeSetEvent",
    "cudaGraphExecEventWaitNodeSetEvent",
    "cudaGraphExecExternalSemaphoresSignalNodeSetParams",
    "cudaGraphExecExternalSemaphoresWaitNodeSetParams",
    "cudaGraphExecGetFlags",
    "cudaGraphExecHostNodeSetParams",
    "cudaGraphExecKernelNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams1D",
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
    "cudaGraphExecMemcpyNodeSetParamsToSymbol",
    "cudaGraphExecMemsetNodeSetParams",
    "cudaGraphExecNodeSetParams",
    "cudaGraphExecUpdate",
    "cudaGraphExternalSemaphoresSignalNodeGetParams",
    "cudaGraphExternalSemaphoresSignalNodeSetParams",
    "cudaGraphExternalSemaphoresWaitNodeGetParams",
    "cudaGraphExternalSemaphoresWaitNodeSetParams",
    "cudaGraphGetEdges",
    "cudaGraphGetEdges_v2",
    "cudaGraphGetNodes",
    "cudaGraphGetRootNodes",
    "cudaGraphHostNodeGetParams",
    "cudaGraphHostNodeSetParams",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams",
    "cudaGraphInstantiateWithParams_ptsz",
    "cudaGraphKernelNodeCopyAttributes",
    "cudaGraphKernelNodeGetAttribute",
    "cudaGraphKernelNodeGetParams",
    "cudaGraphKernelNodeSetAttribute",
    "cudaGraphKernelNodeSetParams",
    "cudaGraphLaunch",
    "cudaGraphLaunch_ptsz",
    "cudaGraphMemAllocNodeGetParams",
    "cudaGraphMemFreeNodeGetParams",
    "cudaGraphMemcpyNodeGetParams",
    "cudaGraphMemcpyNodeSetParams",
    "cudaGraphMemcpyNodeSetParams1D",
    "cudaGraphMemcpyNodeSetParamsFromSymbol",
    "cudaGraphMemcpyNodeSetParamsToSymbol",
    "cudaGraphMemsetNodeGetParams",
    "cudaGraphMemsetNodeSetParams",
    "cudaGraphNodeFindInClone",
    "cudaGraphNodeGetDependencies",
    "cudaGraphNodeGetDependencies_v2",
    "cudaGraphNodeGetDependentNodes",
    "cudaGraphNodeGetDependentNodes_v2",
    "cudaGraphNodeGetEnabled",
    "cudaGraphNodeGetType",
    "cudaGraphNodeSetEnabled",
    "cudaGraphNodeSetParams",
    "cudaGraphReleaseUserObject",
    "cudaGraphRemoveDependencies",
    "cudaGraphRemoveDependencies_v2",
    "cudaGraphRetainUserObject",
    "cudaGraphUpload",
    "cudaGraphUpload_ptsz",
    "cudaGraphicsEGLRegisterImage",
    "cudaGraphicsGLRegisterBuffer",
    "cudaGraphicsGLRegisterImage",
    "cudaGraphicsMapResources",
    "cudaGraphicsResourceGetMappedEglFrame",
    "cudaGraphicsResourceGetMappedMipmappedArray",
    "cudaGraphicsResourceGetMappedPointer",
    "cudaGraphicsResourceSetMapFlags",
    "cudaGraphicsSubResourceGetMappedArray",
    "cudaGraphicsUnmapResources",
    "cudaGraphicsUnregisterResource",
    "cudaGraphicsVDPAURegisterOutputSurface",
    "cudaGraphicsVDPAURegisterVideoSurface",
    "cudaHostAlloc",
    "cudaHostGetDevicePointer",
    "cudaHostGetFlags",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaImportExternalMemory",
    "cudaImportExternalSemaphore",
    "cudaInitDevice",
    "cudaIpcCloseMemHandle",
    "cudaIpcGetEventHandle",
    "cudaIpcGetMemHandle",
    "cudaIpcOpenEventHandle",
    "cudaIpcOpenMemHandle",
    "cudaKernelSetAttributeForDevice",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchCooperativeKernelMultiDevice",
    "cudaLaunchCooperativeKernel_ptsz",
    "cudaLaunchHostFunc",
    "cudaLaunchHostFunc_ptsz",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchKernelExC_ptsz",
    "cudaLaunchKernel_ptsz",
    "cudaLibraryEnumerateKernels",
    "cudaLibraryGetGlobal",
    "cudaLibraryGetKernel",
    "cudaLibraryGetKernelCount",
    "cudaLibraryGetManaged",
    "cudaLibraryGetUnifiedFunction",
    "cudaLibraryLoadData",
    "cudaLibraryLoadFromFile",
    "cudaLibraryUnload",
    "cudaLogsCurrent",
    "cudaLogsDumpToFile",
    "cudaLogsDumpToMemory",
    "cudaLogsRegisterCallback",
    "cudaLogsUnregisterCallback",
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMalloc3DArray",
    "cudaMallocArray",
    "cudaMallocAsync",
    "cudaMallocAsync_ptsz",
    "cudaMallocFromPoolAsync",
    "cudaMallocFromPoolAsync_ptsz",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMallocMipmappedArray",
    "cudaMallocPitch",
    "cudaMemAdvise",
    "cudaMemAdvise_v2",
    "cudaMemDiscardAndPrefetchBatchAsync",
    "cudaMemDiscardAndPrefetchBatchAsync_ptsz",
    "cudaMemDiscardBatchAsync",
    "cudaMemDiscardBatchAsync_ptsz",
    "cudaMemGetDefaultMemPool",
    "cudaMemGetInfo",
    "cudaMemGetMemPool",
    "cudaMemPoolCreate",
    "cudaMemPoolDestroy",
    "cudaMemPoolExportPointer",
    "cudaMemPoolExportToShareableHandle",
    "cudaMemPoolGetAccess",
    "cudaMemPoolGetAttribute",
    "cudaMemPoolImportFromShareableHandle",
    "cudaMemPoolImportPointer",
    "cudaMemPoolSetAccess",
    "cudaMemPoolSetAttribute",
    "cudaMemPoolTrimTo",
    "cudaMemPrefetchAsync",
    "cudaMemPrefetchAsync_ptsz",
    "cudaMemPrefetchAsync_v2",
    "cudaMemPrefetchAsync_v2_ptsz",
    "cudaMemPrefetchBatchAsync",
    "cudaMemPrefetchBatchAsync_ptsz",
    "cudaMemRangeGetAttribute",
    "cudaMemRangeGetAttributes",
    "cudaMemSetMemPool",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy2DArrayToArray",
    "cudaMemcpy2DArrayToArray_ptds",
    "cudaMemcpy2DAsync",
    "cudaMemcpy2DAsync_ptsz",
    "cudaMemcpy2DFromArray",
    "cudaMemcpy2DFromArrayAsync",
    "cudaMemcpy2DFromArrayAsync_ptsz",
    "cudaMemcpy2DFromArray_ptds",
    "cudaMemcpy2DToArray",
    "cudaMemcpy2DToArrayAsync",
    "cudaMemcpy2DToArrayAsync_ptsz",
    "cudaMemcpy2DToArray_ptds",
    "cudaMemcpy2D_ptds",
    "cudaMemcpy3D",
    "cudaMemcpy3DAsync",
    "cudaMemcpy3DAsync_ptsz",
    "cudaMemcpy3DBatchAsync",
    "cudaMemcpy3DBatchAsync_ptsz",
    "cudaMemcpy3DPeer",
    "cudaMemcpy3DPeerAsync",
    "cudaMemcpy3DPeerAsync_ptsz",
    "cudaMemcpy3DPeer_ptds",
    "cudaMemcpy3D_ptds",
    "cudaMemcpyArrayToArray",
    "cudaMemcpyArrayToArray_ptds",
    "cudaMemcpyAsync",
    "cudaMemcpyAsync_ptsz",
    "cudaMemcpyBatchAsync",
    "cudaMemcpyBatchAsync_ptsz",
    "cudaMemcpyFromArray",
    "cudaMemcpyFromArrayAsync",
    "cudaMemcpyFromArrayAsync_ptsz",
    "cudaMemcpyFromArray_ptds",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbolAsync",
    "cudaMemcpyFromSymbolAsync_ptsz",
    "cudaMemcpyFromSymbol_ptds",
    "cudaMemcpyPeer",
    "cudaMemcpyPeerAsync",
    "cudaMemcpyToArray",
    "cudaMemcpyToArrayAsync",
    "cudaMemcpyToArrayAsync_ptsz",
    "cudaMemcpyToArray_ptds",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync",
    "cudaMemcpyToSymbolAsync_ptsz",
    "cudaMemcpyToSymbol_ptds",
    "cudaMemcpy_ptds",
    "cudaMemset",
    "cudaMemset2D",
    "cudaMemset2DAsync",
    "cudaMemset2DAsync_ptsz",
    "cudaMemset2D_ptds",
    "cudaMemset3D",
    "cudaMemset3DAsync",
    "cudaMemset3DAsync_ptsz",
    "cudaMemset3D_ptds",
    "cudaMemsetAsync",
    "cudaMemsetAsync_ptsz",
    "cudaMemset_ptds",
    "cudaMipmappedArrayGetMemoryRequirements",
    "cudaMipmappedArrayGetSparseProperties",
    "cudaOccupancyAvailableDynamicSMemPerBlock",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaOccupancyMaxActiveClusters",
    "cudaOccupancyMaxPotentialClusterSize",
    "cudaPeekAtLastError",
    "cudaPointerGetAttributes",
    "cudaProfilerStart",
    "cudaProfilerStop",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "cudaSetDeviceFlags",
    "cudaSetDoubleForDevice",
    "cudaSetDoubleForHost",
    "cudaSetValidDevices",
    "cudaSignalExternalSemaphoresAsync",
    "cudaSignalExternalSemaphoresAsync_ptsz",
    "cudaSignalExternalSemaphoresAsync_v2",
    "cudaSignalExternalSemaphoresAsync_v2_ptsz",
    "cudaStreamAddCallback",
    "cudaStreamAddCallback_ptsz",
    "cudaStreamAttachMemAsync",
    "cudaStreamAttachMemAsync_ptsz",
    "cudaStreamBeginCapture",
    "cudaStreamBeginCaptureToGraph",
    "cudaStreamBeginCaptureToGraph_ptsz",
    "cudaStreamBeginCapture_ptsz",
    "cudaStreamCopyAttributes",
    "cudaStreamCopyAttributes_ptsz",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaStreamDestroy",
    "cudaStreamEndCapture",
    "cudaStreamEndCapture_ptsz",
    "cudaStreamGetAttribute",
    "cudaStreamGetAttribute_ptsz",
    "cudaStreamGetCaptureInfo",
    "cudaStreamGetCaptureInfo_ptsz",
    "cudaStreamGetCaptureInfo_v2",
    "cudaStreamGetCaptureInfo_v2_ptsz",
    "cudaStreamGetCaptureInfo_v3",
    "cudaStreamGetCaptureInfo_v3_ptsz",
    "cudaStreamGetDevice",
    "cudaStreamGetDevice_ptsz",
    "cudaStreamGetFlags",
    "cudaStreamGetFlags_ptsz",
    "cudaStreamGetId",
    "cudaStreamGetId_ptsz",
    "cudaStreamGetPriority",
    "cudaStreamGetPriority_ptsz",
    "cudaStreamIsCapturing",
    "cudaStreamIsCapturing_ptsz",
    "cudaStreamQuery",
    "cudaStreamQuery_ptsz",
    "cudaStreamSetAttribute",
    "cudaStreamSetAttribute_ptsz",
    "cudaStreamSynchronize",
    "cudaStreamSynchronize_ptsz",
    "cudaStreamUpdateCaptureDependencies",
    "cudaStreamUpdateCaptureDependencies_ptsz",
    "cudaStreamUpdateCaptureDependencies_v2",
    "cudaStreamUpdateCaptureDependencies_v2_ptsz",
    "cudaStreamWaitEvent",
    "cudaStreamWaitEvent_ptsz",
    "cudaThreadExchangeStreamCaptureMode",
    "cudaThreadExit",
    "cudaThreadGetCacheConfig",
    "cudaThreadGetLimit",
    "cudaThreadSetCacheConfig",
    "cudaThreadSetLimit",
    "cudaThreadSynchronize",
    "cudaUserObjectCreate",
    "cudaUserObjectRelease",
    "cudaUserObjectRetain",
    "cudaVDPAUGetDevice",
    "cudaVDPAUSetVDPAUDevice",
    "cudaWaitExternalSemaphoresAsync",
    "cudaWaitExternalSemaphoresAsync_ptsz",
    "cudaWaitExternalSemaphoresAsync_v2",
    "cudaWaitExternalSemaphoresAsync_v2_ptsz",
];
