//! Values of the enumerations and flags of cuda.h, with a module for each enumeration.

#![allow(missing_docs, reason = "the names are those of cuda.h")]

/// Handles that name a default stream: `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`.
pub mod default_stream {
    use crate::abi::types::Handle;

    pub const LEGACY: Handle = 1;
    pub const PER_THREAD: Handle = 2;
}

/// `CUctx_flags`.
pub mod context_flags {
    /// The bits that choose how a waiting thread is scheduled, of which at most one is set.
    pub const SCHEDULING: u32 = 7;
    /// `CU_CTX_MAP_HOST`, which every context has.
    pub const MAP_HOST: u32 = 8;
    /// All bits that may be set.
    pub const ALL: u32 = 0xff;
}

/// `CUdevResourceType`.
pub mod resource_type {
    pub const INVALID: i32 = 0;
    pub const SM: i32 = 1;
}

/// `CUdevSmResourceSplit_flags`.
pub mod split_flags {
    pub const IGNORE_COSCHEDULING: u32 = 1;
    pub const MAX_POTENTIAL_CLUSTER_SIZE: u32 = 2;
}

/// `CUgreenCtxCreate_flags`.
pub mod green_flags {
    pub const DEFAULT_STREAM: u32 = 1;
}

/// `CUstream_flags`.
pub mod stream_flags {
    pub const NON_BLOCKING: u32 = 1;
}

/// `CUstreamWriteValue_flags`.
pub mod write_value_flags {
    pub const NO_MEMORY_BARRIER: u32 = 1;
}

/// `CUstreamWaitValue_flags`: a comparison, and whether remote writes are flushed first.
pub mod wait_value_flags {
    pub const GEQ: u32 = 0;
    pub const EQ: u32 = 1;
    pub const AND: u32 = 2;
    /// The bits that hold the comparison; all of them set is `NOR`.
    pub const COMPARISON: u32 = 3;
    pub const FLUSH: u32 = 1 << 30;
}

/// `CUstreamBatchMemOpType`.
pub mod mem_op {
    pub const WAIT_VALUE_32: u32 = 1;
    pub const WRITE_VALUE_32: u32 = 2;
    pub const FLUSH_REMOTE_WRITES: u32 = 3;
    pub const WAIT_VALUE_64: u32 = 4;
    pub const WRITE_VALUE_64: u32 = 5;
    pub const BARRIER: u32 = 6;
}

/// `CUstreamMemoryBarrier_flags`.
pub mod barrier_flags {
    pub const GPU: u32 = 1;
}

/// `CUevent_flags`.
pub mod event_flags {
    pub const BLOCKING_SYNC: u32 = 1;
    pub const DISABLE_TIMING: u32 = 2;
    pub const INTERPROCESS: u32 = 4;
}

/// `CUevent_record_flags` and `CUevent_wait_flags`: in a capture, the event becomes a separate node.
pub mod event_node_flags {
    pub const EXTERNAL: u32 = 1;
}

/// `CUstreamCaptureMode`.
pub mod capture_mode {
    pub const GLOBAL: i32 = 0;
    pub const THREAD_LOCAL: i32 = 1;
    pub const RELAXED: i32 = 2;
}

/// `CUstreamCaptureStatus`.
pub mod capture_status {
    pub const NONE: i32 = 0;
    pub const ACTIVE: i32 = 1;
    pub const INVALIDATED: i32 = 2;
}

/// `CUstreamUpdateCaptureDependencies_flags`.
pub mod capture_dependencies {
    pub const ADD: u32 = 0;
    pub const SET: u32 = 1;
}

/// `CUmemorytype`.
pub mod memory_type {
    pub const HOST: i32 = 1;
    pub const DEVICE: i32 = 2;
    pub const ARRAY: i32 = 3;
    pub const UNIFIED: i32 = 4;
}

/// `CUmemcpySrcAccessOrder`.
pub mod source_order {
    pub const STREAM: i32 = 1;
    pub const DURING_API_CALL: i32 = 2;
    pub const ANY: i32 = 3;
}

/// `CUmemcpyFlags`.
pub mod copy_flags {
    pub const PREFER_OVERLAP_WITH_COMPUTE: u32 = 1;
}

/// `CUmemcpy3DOperandType`.
pub mod copy_operand {
    pub const POINTER: i32 = 1;
    pub const ARRAY: i32 = 2;
}

/// Flags of `cuMemHostAlloc`.
pub mod host_alloc_flags {
    pub const PORTABLE: u32 = 1;
    pub const DEVICE_MAP: u32 = 2;
    pub const WRITE_COMBINED: u32 = 4;
}

/// Flags of `cuMemHostRegister`.
pub mod host_register_flags {
    pub const PORTABLE: u32 = 1;
    pub const DEVICE_MAP: u32 = 2;
    pub const IO_MEMORY: u32 = 4;
    pub const READ_ONLY: u32 = 8;
}

/// `CUmemAttach_flags`.
pub mod attach_flags {
    pub const GLOBAL: u32 = 1;
    pub const HOST: u32 = 2;
    pub const SINGLE: u32 = 4;
}

/// `CUmemAllocationType`.
pub mod allocation_type {
    pub const PINNED: i32 = 1;
    pub const MANAGED: i32 = 2;
}

/// `CUmemAccess_flags`.
pub mod access_flags {
    pub const NONE: i32 = 0;
    pub const READ: i32 = 1;
    pub const READ_WRITE: i32 = 3;
}

/// `CUmemAllocationGranularity_flags`.
pub mod granularity {
    pub const MINIMUM: i32 = 0;
    pub const RECOMMENDED: i32 = 1;
}

/// `CUmemAllocationHandleType`.
pub mod handle_type {
    pub const POSIX_FILE_DESCRIPTOR: i32 = 1;
    pub const FABRIC: i32 = 8;
}

/// `CUmemPool_attribute`.
pub mod pool_attribute {
    pub const REUSE_FOLLOW_EVENT_DEPENDENCIES: i32 = 1;
    pub const REUSE_ALLOW_INTERNAL_DEPENDENCIES: i32 = 3;
    pub const RELEASE_THRESHOLD: i32 = 4;
    pub const RESERVED_MEM_CURRENT: i32 = 5;
    pub const RESERVED_MEM_HIGH: i32 = 6;
    pub const USED_MEM_CURRENT: i32 = 7;
    pub const USED_MEM_HIGH: i32 = 8;
}

/// Numbers in place of a device's ordinal: `CU_DEVICE_CPU` (the host) and `CU_DEVICE_INVALID` (no location).
pub mod device_ordinal {
    pub const CPU: i32 = -1;
    pub const INVALID: i32 = -2;
}

/// `CUipcMem_flags`.
pub mod ipc_flags {
    pub const LAZY_ENABLE_PEER_ACCESS: u32 = 1;
}

/// `CUmem_advise`.
pub mod advise {
    pub const SET_READ_MOSTLY: i32 = 1;
    pub const UNSET_READ_MOSTLY: i32 = 2;
    pub const SET_PREFERRED_LOCATION: i32 = 3;
    pub const UNSET_PREFERRED_LOCATION: i32 = 4;
    pub const SET_ACCESSED_BY: i32 = 5;
    pub const UNSET_ACCESSED_BY: i32 = 6;
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
    pub const REQUIRED_CLUSTER_DEPTH: i32 = 13;
    pub const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;
    pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: i32 = 15;
    pub const DEVICE_NODE_UPDATE_SUPPORTED: i32 = 16;
}

/// `CUfunc_cache`.
pub mod cache_config {
    pub const PREFER_NONE: i32 = 0;
    pub const PREFER_EQUAL: i32 = 3;
}

/// `CUsharedconfig`.
pub mod shared_config {
    pub const DEFAULT_BANK_SIZE: i32 = 0;
    pub const FOUR_BYTE_BANK_SIZE: i32 = 1;
    pub const EIGHT_BYTE_BANK_SIZE: i32 = 2;
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
    /// The first of the limits that only graphics contexts have.
    pub const SHMEM_SIZE: i32 = 7;
    pub const LAST: i32 = 10;
}

/// `CUgraphMem_attribute`.
pub mod graph_memory_attribute {
    pub const USED_MEM_CURRENT: i32 = 0;
    pub const USED_MEM_HIGH: i32 = 1;
    pub const RESERVED_MEM_CURRENT: i32 = 2;
    pub const RESERVED_MEM_HIGH: i32 = 3;
}

/// `CUjit_option`.
pub mod jit_option {
    pub const MAX_REGISTERS: i32 = 0;
    pub const INFO_LOG_BUFFER_SIZE_BYTES: i32 = 4;
    pub const ERROR_LOG_BUFFER: i32 = 5;
    pub const ERROR_LOG_BUFFER_SIZE_BYTES: i32 = 6;
    /// The number of options.
    pub const NUM_OPTIONS: i32 = 36;
}

/// `CUjitInputType`.
pub mod jit_input {
    pub const CUBIN: i32 = 0;
    pub const PTX: i32 = 1;
    pub const FATBINARY: i32 = 2;
    pub const LIBRARY: i32 = 4;
    pub const NVVM: i32 = 5;
}

/// `CUlibraryOption`.
pub mod library_option {
    pub const HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE: i32 = 0;
    pub const BINARY_IS_PRESERVED: i32 = 1;
}

/// `CUmoduleLoadingMode`.
pub mod loading_mode {
    pub const EAGER: i32 = 1;
    pub const LAZY: i32 = 2;
}

/// `CUlaunchAttributeID`.
pub mod launch_attribute {
    pub const IGNORE: i32 = 0;
    pub const ACCESS_POLICY_WINDOW: i32 = 1;
    pub const COOPERATIVE: i32 = 2;
    pub const SYNCHRONIZATION_POLICY: i32 = 3;
    pub const CLUSTER_DIMENSION: i32 = 4;
    pub const CLUSTER_SCHEDULING_POLICY: i32 = 5;
    pub const PRIORITY: i32 = 8;
    pub const MEM_SYNC_DOMAIN_MAP: i32 = 9;
    pub const MEM_SYNC_DOMAIN: i32 = 10;
    pub const DEVICE_UPDATABLE: i32 = 13;
    pub const SHARED_MEMORY_CARVEOUT: i32 = 14;
    pub const NVLINK_UTIL_CENTRIC_SCHEDULING: i32 = 16;
    pub const LAST: i32 = 18;
}

/// The marks in the `extra` list of a launch: `CU_LAUNCH_PARAM_*`.
pub mod launch_param {
    pub const END: usize = 0;
    pub const BUFFER_POINTER: usize = 1;
    pub const BUFFER_SIZE: usize = 2;
}

/// `CUoccupancy_flags`.
pub mod occupancy_flags {
    pub const DISABLE_CACHING_OVERRIDE: u32 = 1;
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
    pub const MEM_ALLOC: i32 = 10;
    pub const MEM_FREE: i32 = 11;
    pub const BATCH_MEM_OP: i32 = 12;
    pub const CONDITIONAL: i32 = 13;
    pub const LAST: i32 = 16;
}

/// `CUgraphConditionalNodeType`.
pub mod conditional_type {
    pub const IF: i32 = 0;
    pub const WHILE: i32 = 1;
    pub const SWITCH: i32 = 2;
}

/// Flags of `cuGraphConditionalHandleCreate`.
pub mod condition_flags {
    pub const ASSIGN_DEFAULT: u32 = 1;
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
}

/// `CUgraphExecUpdateResult`.
pub mod update_result {
    pub const SUCCESS: i32 = 0;
    pub const TOPOLOGY_CHANGED: i32 = 2;
    pub const NODE_TYPE_CHANGED: i32 = 3;
    pub const FUNCTION_CHANGED: i32 = 4;
    pub const ATTRIBUTES_CHANGED: i32 = 8;
}

/// `CUuserObject_flags`.
pub mod user_object_flags {
    pub const NO_DESTRUCTOR_SYNC: u32 = 1;
}

/// `CUuserObjectRetain_flags`.
pub mod retain_flags {
    pub const MOVE: u32 = 1;
}

/// `CUdriverProcAddress_flags`.
pub mod proc_address_flags {
    pub const LEGACY_STREAM: u64 = 1;
    pub const PER_THREAD_DEFAULT_STREAM: u64 = 2;
}

/// `CUdriverProcAddressQueryResult`.
pub mod proc_address_result {
    pub const SUCCESS: i32 = 0;
    pub const SYMBOL_NOT_FOUND: i32 = 1;
    pub const VERSION_NOT_SUFFICIENT: i32 = 2;
}
