//! The table of parts.

use super::Profile;

const KIB: u32 = 1024;
const MIB: u32 = 1024 * KIB;

/// The limits that all compute capabilities since 5.2 have in common; the other limits are those of 5.2.
const MAXWELL: Profile = Profile {
    name: "",
    full_name: "",
    compute_capability: (5, 2),
    sms: 0,
    warp_size: 32,
    max_threads_per_block: 1024,
    max_threads_per_sm: 2048,
    max_blocks_per_sm: 32,
    regs_per_sm: 65536,
    regs_per_block: 65536,
    max_regs_per_thread: 255,
    reg_alloc_unit: 256,
    warp_alloc_granularity: 4,
    shared_per_block: 48 * KIB,
    shared_per_block_optin: 48 * KIB,
    shared_per_sm: 96 * KIB,
    shared_reserved_per_block: 0,
    shared_alloc_unit: 256,
    max_grid: [i32::MAX as u32, 65535, 65535],
    max_block: [1024, 1024, 64],
    total_memory: 0,
    const_bytes: 64 * KIB,
    l2_bytes: 0,
    l2_persisting_bytes: 0,
    clock_khz: 0,
    mem_clock_khz: 0,
    bus_bits: 0,
    copy_engines: 2,
    single_to_double: 32,
    max_param_bytes: 4096,
    concurrent_managed_access: false,
    ecc: false,
};

/// Compute capability 7.0. From here on, kernel parameters may have up to 32764 bytes (since CUDA 12.1).
const VOLTA: Profile = Profile {
    compute_capability: (7, 0),
    shared_per_block_optin: 96 * KIB,
    max_param_bytes: 32764,
    concurrent_managed_access: true,
    ..MAXWELL
};

/// Compute capability 7.5.
const TURING: Profile = Profile {
    compute_capability: (7, 5),
    max_threads_per_sm: 1024,
    max_blocks_per_sm: 16,
    shared_per_block_optin: 64 * KIB,
    shared_per_sm: 64 * KIB,
    ..VOLTA
};

/// Compute capability 8.0. From here on, the system reserves 1 KiB of shared memory for each block.
const AMPERE: Profile = Profile {
    compute_capability: (8, 0),
    shared_per_block_optin: 163 * KIB,
    shared_per_sm: 164 * KIB,
    shared_reserved_per_block: KIB,
    shared_alloc_unit: 128,
    ..VOLTA
};

/// Compute capability 8.6.
const AMPERE_CONSUMER: Profile = Profile {
    compute_capability: (8, 6),
    max_threads_per_sm: 1536,
    max_blocks_per_sm: 16,
    shared_per_block_optin: 99 * KIB,
    shared_per_sm: 100 * KIB,
    ..AMPERE
};

/// Compute capability 8.9.
const ADA: Profile = Profile { compute_capability: (8, 9), max_blocks_per_sm: 24, ..AMPERE_CONSUMER };

/// Compute capability 9.0.
const HOPPER: Profile = Profile {
    compute_capability: (9, 0),
    shared_per_block_optin: 227 * KIB,
    shared_per_sm: 228 * KIB,
    copy_engines: 3,
    single_to_double: 2,
    ecc: true,
    ..AMPERE
};

/// All profiles, oldest part first.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "titan-x",
        full_name: "NVIDIA GeForce GTX TITAN X",
        sms: 24,
        total_memory: 12_783_648_768,
        l2_bytes: 3 * MIB,
        clock_khz: 1_076_000,
        mem_clock_khz: 3_505_000,
        bus_bits: 384,
        ..MAXWELL
    },
    Profile {
        name: "v100",
        full_name: "NVIDIA Tesla V100-SXM2-16GB",
        sms: 80,
        total_memory: 16_945_512_448,
        l2_bytes: 6 * MIB,
        clock_khz: 1_530_000,
        mem_clock_khz: 877_000,
        bus_bits: 4096,
        copy_engines: 5,
        single_to_double: 2,
        ecc: true,
        ..VOLTA
    },
    Profile {
        name: "t4",
        full_name: "NVIDIA Tesla T4",
        sms: 40,
        total_memory: 15_828_320_256,
        l2_bytes: 4 * MIB,
        clock_khz: 1_590_000,
        mem_clock_khz: 5_001_000,
        bus_bits: 256,
        copy_engines: 3,
        ecc: true,
        ..TURING
    },
    Profile {
        name: "a100",
        full_name: "NVIDIA A100-PCIE-40GB",
        sms: 108,
        total_memory: 42_298_834_944,
        l2_bytes: 40 * MIB,
        l2_persisting_bytes: 30 * MIB,
        clock_khz: 1_410_000,
        mem_clock_khz: 1_215_000,
        bus_bits: 5120,
        copy_engines: 3,
        single_to_double: 2,
        ecc: true,
        ..AMPERE
    },
    Profile {
        name: "rtx3090",
        full_name: "NVIDIA GeForce RTX 3090",
        sms: 82,
        total_memory: 25_447_170_048,
        l2_bytes: 6 * MIB,
        l2_persisting_bytes: 4_325_376,
        clock_khz: 1_695_000,
        mem_clock_khz: 9_751_000,
        bus_bits: 384,
        single_to_double: 64,
        ..AMPERE_CONSUMER
    },
    Profile {
        name: "rtx4090",
        full_name: "NVIDIA GeForce RTX 4090",
        sms: 128,
        total_memory: 25_250_627_584,
        l2_bytes: 72 * MIB,
        l2_persisting_bytes: 49_545_216,
        clock_khz: 2_520_000,
        mem_clock_khz: 10_501_000,
        bus_bits: 384,
        single_to_double: 64,
        ..ADA
    },
    Profile {
        name: "h100",
        full_name: "NVIDIA H100 80GB HBM3",
        sms: 132,
        total_memory: 85_028_896_768,
        l2_bytes: 50 * MIB,
        l2_persisting_bytes: 32_768_000,
        clock_khz: 1_980_000,
        mem_clock_khz: 2_619_000,
        bus_bits: 5120,
        ..HOPPER
    },
    Profile {
        name: "h200",
        full_name: "NVIDIA H200",
        sms: 132,
        // 143156 MiB.
        total_memory: 150_109_945_856,
        l2_bytes: 60 * MIB,
        l2_persisting_bytes: 39_321_600,
        clock_khz: 1_980_000,
        mem_clock_khz: 3_201_000,
        bus_bits: 6144,
        ..HOPPER
    },
];
