//! `cudaDeviceProp`: a table of its fields, in order, for each edition of CUDA.
use crate::abi::{edition::is_twelve, error::Result, pointers::need};
use crate::api::entry::calls;
use crate::driver::calls as driver;
use crate::state::context;
use cuda_abi::driver::constants::device_attribute::*;
use std::ffi::{c_int, c_void};

/// The next field in the structure. Numbers are aligned as in C.
#[derive(Clone, Copy)]
enum Field {
    /// 256 bytes of text.
    Name,
    /// 16 bytes.
    Uuid,
    /// 8 bytes and a number of 4.
    Luid,
    /// The total memory, in 8 bytes.
    Memory,
    /// An attribute of the driver, in 4 bytes.
    Int(c_int),
    /// An attribute of the driver, in 8 bytes.
    Size(c_int),
    /// This number of zero values of 4 bytes.
    Zeros(usize),
}

use Edition::{Both, Thirteen, Twelve};
use Field::{Int, Luid, Memory, Name, Size, Uuid, Zeros};

/// The editions that have a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edition {
    Both,
    Twelve,
    Thirteen,
}

/// All fields, in order. A comment names the start of each field.
#[rustfmt::skip]
const FIELDS: &[(Edition, Field)] = &[
    (Both, Name), // name
    (Both, Uuid),
    (Both, Luid),
    (Both, Memory), // totalGlobalMem
    (Both, Size(MAX_SHARED_MEMORY_PER_BLOCK)), // sharedMemPerBlock
    (Both, Int(MAX_REGISTERS_PER_BLOCK)), // regsPerBlock
    (Both, Int(WARP_SIZE)), // warpSize
    (Both, Size(MAX_PITCH)), // memPitch
    (Both, Int(MAX_THREADS_PER_BLOCK)), // maxThreadsPerBlock
    (Both, Int(MAX_BLOCK_DIM_X)), // maxThreadsDim
    (Both, Int(MAX_BLOCK_DIM_Y)),
    (Both, Int(MAX_BLOCK_DIM_Z)),
    (Both, Int(MAX_GRID_DIM_X)), // maxGridSize
    (Both, Int(MAX_GRID_DIM_Y)),
    (Both, Int(MAX_GRID_DIM_Z)),
    (Twelve, Int(CLOCK_RATE)), // clockRate
    (Both, Size(TOTAL_CONSTANT_MEMORY)), // totalConstMem
    (Both, Int(COMPUTE_CAPABILITY_MAJOR)), // major
    (Both, Int(COMPUTE_CAPABILITY_MINOR)), // minor
    (Both, Size(TEXTURE_ALIGNMENT)), // textureAlignment
    (Both, Size(TEXTURE_PITCH_ALIGNMENT)), // texturePitchAlignment
    (Twelve, Int(GPU_OVERLAP)), // deviceOverlap
    (Both, Int(MULTIPROCESSOR_COUNT)), // multiProcessorCount
    (Twelve, Int(KERNEL_EXEC_TIMEOUT)), // kernelExecTimeoutEnabled
    (Both, Int(INTEGRATED)), // integrated
    (Both, Int(CAN_MAP_HOST_MEMORY)), // canMapHostMemory
    (Twelve, Int(COMPUTE_MODE)), // computeMode
    (Both, Int(MAXIMUM_TEXTURE1D_WIDTH)), // maxTexture1D
    (Both, Int(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH)), // maxTexture1DMipmap
    (Twelve, Int(MAXIMUM_TEXTURE1D_LINEAR_WIDTH)), // maxTexture1DLinear
    (Both, Int(MAXIMUM_TEXTURE2D_WIDTH)), // maxTexture2D
    (Both, Int(MAXIMUM_TEXTURE2D_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH)), // maxTexture2DMipmap
    (Both, Int(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE2D_LINEAR_WIDTH)), // maxTexture2DLinear
    (Both, Int(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE2D_LINEAR_PITCH)),
    (Both, Int(MAXIMUM_TEXTURE2D_GATHER_WIDTH)), // maxTexture2DGather
    (Both, Int(MAXIMUM_TEXTURE2D_GATHER_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE3D_WIDTH)), // maxTexture3D
    (Both, Int(MAXIMUM_TEXTURE3D_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE3D_DEPTH)),
    (Both, Int(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE)), // maxTexture3DAlt
    (Both, Int(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE)),
    (Both, Int(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE)),
    (Both, Int(MAXIMUM_TEXTURECUBEMAP_WIDTH)), // maxTextureCubemap
    (Both, Int(MAXIMUM_TEXTURE1D_LAYERED_WIDTH)), // maxTexture1DLayered
    (Both, Int(MAXIMUM_TEXTURE1D_LAYERED_LAYERS)),
    (Both, Int(MAXIMUM_TEXTURE2D_LAYERED_WIDTH)), // maxTexture2DLayered
    (Both, Int(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT)),
    (Both, Int(MAXIMUM_TEXTURE2D_LAYERED_LAYERS)),
    (Both, Int(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH)), // maxTextureCubemapLayered
    (Both, Int(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)),
    (Both, Int(MAXIMUM_SURFACE1D_WIDTH)), // maxSurface1D
    (Both, Int(MAXIMUM_SURFACE2D_WIDTH)), // maxSurface2D
    (Both, Int(MAXIMUM_SURFACE2D_HEIGHT)),
    (Both, Int(MAXIMUM_SURFACE3D_WIDTH)), // maxSurface3D
    (Both, Int(MAXIMUM_SURFACE3D_HEIGHT)),
    (Both, Int(MAXIMUM_SURFACE3D_DEPTH)),
    (Both, Int(MAXIMUM_SURFACE1D_LAYERED_WIDTH)), // maxSurface1DLayered
    (Both, Int(MAXIMUM_SURFACE1D_LAYERED_LAYERS)),
    (Both, Int(MAXIMUM_SURFACE2D_LAYERED_WIDTH)), // maxSurface2DLayered
    (Both, Int(MAXIMUM_SURFACE2D_LAYERED_HEIGHT)),
    (Both, Int(MAXIMUM_SURFACE2D_LAYERED_LAYERS)),
    (Both, Int(MAXIMUM_SURFACECUBEMAP_WIDTH)), // maxSurfaceCubemap
    (Both, Int(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH)), // maxSurfaceCubemapLayered
    (Both, Int(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS)),
    (Both, Size(SURFACE_ALIGNMENT)), // surfaceAlignment
    (Both, Int(CONCURRENT_KERNELS)), // concurrentKernels
    (Both, Int(ECC_ENABLED)), // ECCEnabled
    (Both, Int(PCI_BUS_ID)), // pciBusID
    (Both, Int(PCI_DEVICE_ID)), // pciDeviceID
    (Both, Int(PCI_DOMAIN_ID)), // pciDomainID
    (Both, Int(TCC_DRIVER)), // tccDriver
    (Both, Int(ASYNC_ENGINE_COUNT)), // asyncEngineCount
    (Both, Int(UNIFIED_ADDRESSING)), // unifiedAddressing
    (Twelve, Int(MEMORY_CLOCK_RATE)), // memoryClockRate
    (Both, Int(GLOBAL_MEMORY_BUS_WIDTH)), // memoryBusWidth
    (Both, Int(L2_CACHE_SIZE)), // l2CacheSize
    (Both, Int(MAX_PERSISTING_L2_CACHE_SIZE)), // persistingL2CacheMaxSize
    (Both, Int(MAX_THREADS_PER_MULTIPROCESSOR)), // maxThreadsPerMultiProcessor
    (Both, Int(STREAM_PRIORITIES_SUPPORTED)), // streamPrioritiesSupported
    (Both, Int(GLOBAL_L1_CACHE_SUPPORTED)), // globalL1CacheSupported
    (Both, Int(LOCAL_L1_CACHE_SUPPORTED)), // localL1CacheSupported
    (Both, Size(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)), // sharedMemPerMultiprocessor
    (Both, Int(MAX_REGISTERS_PER_MULTIPROCESSOR)), // regsPerMultiprocessor
    (Both, Int(MANAGED_MEMORY)), // managedMemory
    (Both, Int(MULTI_GPU_BOARD)), // isMultiGpuBoard
    (Both, Int(MULTI_GPU_BOARD_GROUP_ID)), // multiGpuBoardGroupID
    (Both, Int(HOST_NATIVE_ATOMIC_SUPPORTED)), // hostNativeAtomicSupported
    (Twelve, Int(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)), // singleToDoublePrecisionPerfRatio
    (Both, Int(PAGEABLE_MEMORY_ACCESS)), // pageableMemoryAccess
    (Both, Int(CONCURRENT_MANAGED_ACCESS)), // concurrentManagedAccess
    (Both, Int(COMPUTE_PREEMPTION_SUPPORTED)), // computePreemptionSupported
    (Both, Int(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)), // canUseHostPointerForRegisteredMem
    (Both, Int(COOPERATIVE_LAUNCH)), // cooperativeLaunch
    (Twelve, Int(COOPERATIVE_MULTI_DEVICE_LAUNCH)), // cooperativeMultiDeviceLaunch
    (Both, Size(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)), // sharedMemPerBlockOptin
    (Both, Int(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)), // pageableMemoryAccessUsesHostPageTables
    (Both, Int(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST)), // directManagedMemAccessFromHost
    (Both, Int(MAX_BLOCKS_PER_MULTIPROCESSOR)), // maxBlocksPerMultiProcessor
    (Both, Int(MAX_ACCESS_POLICY_WINDOW_SIZE)), // accessPolicyMaxWindowSize
    (Both, Size(RESERVED_SHARED_MEMORY_PER_BLOCK)), // reservedSharedMemPerBlock
    (Both, Int(HOST_REGISTER_SUPPORTED)), // hostRegisterSupported
    (Both, Int(SPARSE_CUDA_ARRAY_SUPPORTED)), // sparseCudaArraySupported
    (Both, Int(READ_ONLY_HOST_REGISTER_SUPPORTED)), // hostRegisterReadOnlySupported
    (Both, Int(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)), // timelineSemaphoreInteropSupported
    (Both, Int(MEMORY_POOLS_SUPPORTED)), // memoryPoolsSupported
    (Both, Int(GPU_DIRECT_RDMA_SUPPORTED)), // gpuDirectRDMASupported
    (Both, Int(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)), // gpuDirectRDMAFlushWritesOptions
    (Both, Int(GPU_DIRECT_RDMA_WRITES_ORDERING)), // gpuDirectRDMAWritesOrdering
    (Both, Int(MEMPOOL_SUPPORTED_HANDLE_TYPES)), // memoryPoolSupportedHandleTypes
    (Both, Int(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED)), // deferredMappingCudaArraySupported
    (Both, Int(IPC_EVENT_SUPPORTED)), // ipcEventSupported
    (Both, Int(CLUSTER_LAUNCH)), // clusterLaunch
    (Both, Int(UNIFIED_FUNCTION_POINTERS)), // unifiedFunctionPointers
    (Thirteen, Int(NUMA_CONFIG)), // deviceNumaConfig
    (Thirteen, Int(NUMA_ID)), // deviceNumaId
    (Thirteen, Int(MPS_ENABLED)), // mpsEnabled
    (Thirteen, Int(HOST_NUMA_ID)), // hostNumaId
    (Thirteen, Int(GPU_PCI_DEVICE_ID)), // gpuPciDeviceID
    (Thirteen, Int(GPU_PCI_SUBSYSTEM_ID)), // gpuPciSubsystemID
    (Thirteen, Int(HOST_NUMA_MULTINODE_IPC_SUPPORTED)), // hostNumaMultinodeIpcSupported
    (Thirteen, Zeros(56)), // reserved
    (Twelve, Zeros(63)), // reserved
];

/// Bytes of the structure of CUDA 11, whose fields are the first of CUDA 12's.
const ELEVEN_BYTES: usize = 712;

/// Returns the bytes of the structure for this device.
fn write(edition: Edition, device: c_int) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(1100);
    let ask = |attribute: c_int| {
        let mut value = 0;
        // An attribute that an older driver does not support is zero.
        match driver::cuDeviceGetAttribute(&raw mut value, attribute, device) {
            Ok(()) => value,
            Err(_) => 0,
        }
    };
    for (_, field) in FIELDS.iter().filter(|(of, _)| *of == Both || *of == edition) {
        match *field {
            Name => {
                let mut name = [0; 256];
                driver::cuDeviceGetName(name.as_mut_ptr(), 256, device)?;
                bytes.extend(name.map(|letter| letter as u8));
            }
            Uuid => {
                let mut uuid = [0u8; 16];
                driver::cuDeviceGetUuid_v2(uuid.as_mut_ptr().cast(), device)?;
                bytes.extend(uuid);
            }
            Luid => {
                let (mut luid, mut mask) = ([0; 8], 0u32);
                // Only Windows has a LUID.
                if driver::cuDeviceGetLuid(luid.as_mut_ptr(), &raw mut mask, device).is_err() {
                    (luid, mask) = ([0; 8], 0);
                }
                bytes.extend(luid.map(|byte| byte as u8));
                bytes.extend(mask.to_ne_bytes());
            }
            Memory => {
                let mut total = 0;
                driver::cuDeviceTotalMem_v2(&raw mut total, device)?;
                align(&mut bytes);
                bytes.extend(total.to_ne_bytes());
            }
            Int(attribute) => bytes.extend(ask(attribute).to_ne_bytes()),
            Size(attribute) => {
                align(&mut bytes);
                bytes.extend((ask(attribute) as u32 as usize).to_ne_bytes());
            }
            Zeros(count) => bytes.resize(bytes.len() + 4 * count, 0),
        }
    }
    align(&mut bytes);
    Ok(bytes)
}

fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

fn put(out: *mut c_void, bytes: &[u8]) {
    // SAFETY: the caller promises room for its edition's structure.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast::<u8>(), bytes.len()) };
}

/// Fills the structure. Programs of CUDA 12 call the second form, and this one only if they were compiled for CUDA 11.
fn properties(out: *mut c_void, device: c_int) -> Result {
    need(out)?;
    context::check(device)?;
    let bytes = write(if is_twelve() { Twelve } else { Thirteen }, device)?;
    put(out, if is_twelve() { &bytes[..ELEVEN_BYTES] } else { &bytes });
    Ok(())
}

fn properties_of_twelve(out: *mut c_void, device: c_int) -> Result {
    need(out)?;
    context::check(device)?;
    put(out, &write(Twelve, device)?);
    Ok(())
}

/// Returns the first device: all devices that this runtime runs on are alike.
fn choose(out: *mut c_int, wanted: *const c_void) -> Result {
    need(wanted)?;
    context::check(0)?;
    crate::abi::pointers::put(out, 0)
}

calls! {
    cudaGetDeviceProperties(out: *mut c_void, device: c_int) = properties;
    cudaGetDeviceProperties_v2(out: *mut c_void, device: c_int) = properties_of_twelve;
    cudaChooseDevice(out: *mut c_int, wanted: *const c_void) = choose;
}
