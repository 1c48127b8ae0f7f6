//! `cudaDeviceProp`: a table of its fields, in order, for each edition of CUDA.
use crate::abi::{edition::is_twelve, error::Result, pointers::need};
use crate::api::entry::calls;
use crate::driver::calls as driver;
use crate::state::context;
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
    (Both, Size(8)), // sharedMemPerBlock
    (Both, Int(12)), // regsPerBlock
    (Both, Int(10)), // warpSize
    (Both, Size(11)), // memPitch
    (Both, Int(1)), // maxThreadsPerBlock
    (Both, Int(2)), // maxThreadsDim
    (Both, Int(3)),
    (Both, Int(4)),
    (Both, Int(5)), // maxGridSize
    (Both, Int(6)),
    (Both, Int(7)),
    (Twelve, Int(13)), // clockRate
    (Both, Size(9)), // totalConstMem
    (Both, Int(75)), // major
    (Both, Int(76)), // minor
    (Both, Size(14)), // textureAlignment
    (Both, Size(51)), // texturePitchAlignment
    (Twelve, Int(15)), // deviceOverlap
    (Both, Int(16)), // multiProcessorCount
    (Twelve, Int(17)), // kernelExecTimeoutEnabled
    (Both, Int(18)), // integrated
    (Both, Int(19)), // canMapHostMemory
    (Twelve, Int(20)), // computeMode
    (Both, Int(21)), // maxTexture1D
    (Both, Int(77)), // maxTexture1DMipmap
    (Twelve, Int(69)), // maxTexture1DLinear
    (Both, Int(22)), // maxTexture2D
    (Both, Int(23)),
    (Both, Int(73)), // maxTexture2DMipmap
    (Both, Int(74)),
    (Both, Int(70)), // maxTexture2DLinear
    (Both, Int(71)),
    (Both, Int(72)),
    (Both, Int(45)), // maxTexture2DGather
    (Both, Int(46)),
    (Both, Int(24)), // maxTexture3D
    (Both, Int(25)),
    (Both, Int(26)),
    (Both, Int(47)), // maxTexture3DAlt
    (Both, Int(48)),
    (Both, Int(49)),
    (Both, Int(52)), // maxTextureCubemap
    (Both, Int(42)), // maxTexture1DLayered
    (Both, Int(43)),
    (Both, Int(27)), // maxTexture2DLayered
    (Both, Int(28)),
    (Both, Int(29)),
    (Both, Int(53)), // maxTextureCubemapLayered
    (Both, Int(54)),
    (Both, Int(55)), // maxSurface1D
    (Both, Int(56)), // maxSurface2D
    (Both, Int(57)),
    (Both, Int(58)), // maxSurface3D
    (Both, Int(59)),
    (Both, Int(60)),
    (Both, Int(61)), // maxSurface1DLayered
    (Both, Int(62)),
    (Both, Int(63)), // maxSurface2DLayered
    (Both, Int(64)),
    (Both, Int(65)),
    (Both, Int(66)), // maxSurfaceCubemap
    (Both, Int(67)), // maxSurfaceCubemapLayered
    (Both, Int(68)),
    (Both, Size(30)), // surfaceAlignment
    (Both, Int(31)), // concurrentKernels
    (Both, Int(32)), // ECCEnabled
    (Both, Int(33)), // pciBusID
    (Both, Int(34)), // pciDeviceID
    (Both, Int(50)), // pciDomainID
    (Both, Int(35)), // tccDriver
    (Both, Int(40)), // asyncEngineCount
    (Both, Int(41)), // unifiedAddressing
    (Twelve, Int(36)), // memoryClockRate
    (Both, Int(37)), // memoryBusWidth
    (Both, Int(38)), // l2CacheSize
    (Both, Int(108)), // persistingL2CacheMaxSize
    (Both, Int(39)), // maxThreadsPerMultiProcessor
    (Both, Int(78)), // streamPrioritiesSupported
    (Both, Int(79)), // globalL1CacheSupported
    (Both, Int(80)), // localL1CacheSupported
    (Both, Size(81)), // sharedMemPerMultiprocessor
    (Both, Int(82)), // regsPerMultiprocessor
    (Both, Int(83)), // managedMemory
    (Both, Int(84)), // isMultiGpuBoard
    (Both, Int(85)), // multiGpuBoardGroupID
    (Both, Int(86)), // hostNativeAtomicSupported
    (Twelve, Int(87)), // singleToDoublePrecisionPerfRatio
    (Both, Int(88)), // pageableMemoryAccess
    (Both, Int(89)), // concurrentManagedAccess
    (Both, Int(90)), // computePreemptionSupported
    (Both, Int(91)), // canUseHostPointerForRegisteredMem
    (Both, Int(95)), // cooperativeLaunch
    (Twelve, Int(96)), // cooperativeMultiDeviceLaunch
    (Both, Size(97)), // sharedMemPerBlockOptin
    (Both, Int(100)), // pageableMemoryAccessUsesHostPageTables
    (Both, Int(101)), // directManagedMemAccessFromHost
    (Both, Int(106)), // maxBlocksPerMultiProcessor
    (Both, Int(109)), // accessPolicyMaxWindowSize
    (Both, Size(111)), // reservedSharedMemPerBlock
    (Both, Int(99)), // hostRegisterSupported
    (Both, Int(112)), // sparseCudaArraySupported
    (Both, Int(113)), // hostRegisterReadOnlySupported
    (Both, Int(114)), // timelineSemaphoreInteropSupported
    (Both, Int(115)), // memoryPoolsSupported
    (Both, Int(116)), // gpuDirectRDMASupported
    (Both, Int(117)), // gpuDirectRDMAFlushWritesOptions
    (Both, Int(118)), // gpuDirectRDMAWritesOrdering
    (Both, Int(119)), // memoryPoolSupportedHandleTypes
    (Both, Int(121)), // deferredMappingCudaArraySupported
    (Both, Int(125)), // ipcEventSupported
    (Both, Int(120)), // clusterLaunch
    (Both, Int(129)), // unifiedFunctionPointers
    (Thirteen, Int(130)), // deviceNumaConfig
    (Thirteen, Int(131)), // deviceNumaId
    (Thirteen, Int(133)), // mpsEnabled
    (Thirteen, Int(134)), // hostNumaId
    (Thirteen, Int(139)), // gpuPciDeviceID
    (Thirteen, Int(140)), // gpuPciSubsystemID
    (Thirteen, Int(143)), // hostNumaMultinodeIpcSupported
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
