//! The compute capabilities: the limits, units and rates that all their parts share.
//!
//! Limits are those of the CUDA C++ Programming Guide's table "Technical Specifications per Compute Capability", rates
//! those of its table "Throughput of Native Arithmetic Instructions". Allocation granularities are those of NVIDIA's
//! occupancy calculator (`cuda_occupancy.h`).

const KIB: u32 = 1024;

/// A compute capability. Sizes are in bytes; rates are operations of an SM per clock, where a multiply-add counts as
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// (major, minor).
    pub compute_capability: (u32, u32),
    /// NVML's number for it (`nvml.h`, `NVML_DEVICE_ARCH_*`).
    pub nvml_number: u32,
    /// Maximum resident threads per SM.
    pub max_threads_per_sm: u32,
    /// Maximum resident blocks per SM.
    pub max_blocks_per_sm: u32,
    /// Shared memory per SM.
    pub shared_per_sm: u32,
    /// Maximum shared memory per block after opting in.
    pub shared_per_block_optin: u32,
    /// Shared memory that the system reserves for each block.
    pub shared_reserved_per_block: u32,
    /// Allocation granularity of a block's shared memory.
    pub shared_alloc_unit: u32,
    /// Maximum bytes of kernel parameters (CUDA 12.1 and later).
    pub max_param_bytes: u32,
    /// Whether host and device may access managed memory concurrently, on Linux.
    pub concurrent_managed_access: bool,
    /// Whether parts can be divided into instances (MIG).
    pub mig: bool,
    /// Multiply-adds in single precision; also the number that NVIDIA calls the CUDA cores of an SM.
    pub single_per_clock: u32,
    /// Multiply-adds in double precision.
    pub double_per_clock: u32,
    /// Multiply-adds of tensor cores with TF32 inputs, without sparsity; 0 without such cores, or if their rate is not
    /// known.
    pub tf32_per_clock: u32,
    /// Multiply-adds of tensor cores with bfloat16 inputs, without sparsity; 0 without such cores, or if their rate is
    /// not known.
    pub bf16_per_clock: u32,
}

const MAXWELL: Architecture = Architecture {
    compute_capability: (5, 2),
    nvml_number: 3,
    max_threads_per_sm: 2048,
    max_blocks_per_sm: 32,
    shared_per_sm: 96 * KIB,
    shared_per_block_optin: 48 * KIB,
    shared_reserved_per_block: 0,
    shared_alloc_unit: 256,
    max_param_bytes: 4096,
    concurrent_managed_access: false,
    mig: false,
    single_per_clock: 128,
    double_per_clock: 4,
    tf32_per_clock: 0,
    bf16_per_clock: 0,
};

const PASCAL: Architecture = Architecture {
    compute_capability: (6, 0),
    nvml_number: 4,
    shared_per_sm: 64 * KIB,
    concurrent_managed_access: true,
    single_per_clock: 64,
    double_per_clock: 32,
    ..MAXWELL
};

const VOLTA: Architecture = Architecture {
    compute_capability: (7, 0),
    nvml_number: 5,
    shared_per_sm: 96 * KIB,
    shared_per_block_optin: 96 * KIB,
    max_param_bytes: 32764,
    ..PASCAL
};

/// The rates of tensor cores are those of the A100's whitepaper: 156 and 312 TFLOP/s at 1.41 GHz with 108 SMs.
const AMPERE: Architecture = Architecture {
    compute_capability: (8, 0),
    nvml_number: 7,
    shared_per_sm: 164 * KIB,
    shared_per_block_optin: 163 * KIB,
    shared_reserved_per_block: KIB,
    shared_alloc_unit: 128,
    mig: true,
    tf32_per_clock: 512,
    bf16_per_clock: 1024,
    ..VOLTA
};

const AMPERE_CONSUMER: Architecture = Architecture {
    compute_capability: (8, 6),
    max_threads_per_sm: 1536,
    max_blocks_per_sm: 16,
    shared_per_sm: 100 * KIB,
    shared_per_block_optin: 99 * KIB,
    mig: false,
    single_per_clock: 128,
    double_per_clock: 2,
    tf32_per_clock: 0,
    bf16_per_clock: 0,
    ..AMPERE
};

/// The rates of tensor cores are those of the H100's whitepaper: 495 and 989 TFLOP/s at 1.83 GHz with 132 SMs.
const HOPPER: Architecture = Architecture {
    compute_capability: (9, 0),
    nvml_number: 9,
    shared_per_sm: 228 * KIB,
    shared_per_block_optin: 227 * KIB,
    single_per_clock: 128,
    double_per_clock: 64,
    tf32_per_clock: 1024,
    bf16_per_clock: 2048,
    ..AMPERE
};

const BLACKWELL_CONSUMER: Architecture =
    Architecture { compute_capability: (12, 0), nvml_number: 10, max_blocks_per_sm: 24, ..AMPERE_CONSUMER };

/// The compute capabilities, oldest first.
pub const ARCHITECTURES: [Architecture; 13] = [
    Architecture { compute_capability: (5, 0), shared_per_sm: 64 * KIB, ..MAXWELL },
    MAXWELL,
    PASCAL,
    Architecture {
        compute_capability: (6, 1),
        shared_per_sm: 96 * KIB,
        single_per_clock: 128,
        double_per_clock: 4,
        ..PASCAL
    },
    VOLTA,
    Architecture {
        compute_capability: (7, 5),
        nvml_number: 6,
        max_threads_per_sm: 1024,
        max_blocks_per_sm: 16,
        shared_per_sm: 64 * KIB,
        shared_per_block_optin: 64 * KIB,
        double_per_clock: 2,
        ..VOLTA
    },
    AMPERE,
    AMPERE_CONSUMER,
    Architecture { compute_capability: (8, 9), nvml_number: 8, max_blocks_per_sm: 24, ..AMPERE_CONSUMER },
    HOPPER,
    // The rates of its tensor cores are not in the documents named above.
    Architecture { compute_capability: (10, 0), nvml_number: 10, tf32_per_clock: 0, bf16_per_clock: 0, ..HOPPER },
    BLACKWELL_CONSUMER,
    Architecture { compute_capability: (12, 1), ..BLACKWELL_CONSUMER },
];

/// Returns the row of a compute capability.
pub const fn known(major: u32, minor: u32) -> Option<&'static Architecture> {
    let mut i = 0;
    while i < ARCHITECTURES.len() {
        let row: &'static Architecture = &ARCHITECTURES[i];
        if row.compute_capability.0 == major && row.compute_capability.1 == minor {
            return Some(row);
        }
        i += 1;
    }
    None
}

/// Returns the row of a part's compute capability. The build refuses a file that names one without a row.
pub(crate) const fn find(major: u32, minor: u32) -> &'static Architecture {
    known(major, minor).expect("a row of ARCHITECTURES for the compute capability that a part's file names")
}
