//! `cuDeviceGetAttribute`: every attribute of CUDA 12.9 (and those of CUDA 13 that have a value here), from the
//! profile.

use crate::abi::constants::device_attribute::*;
use gpu::Part;

/// Returns the value of a `CUdevice_attribute`; `None` for a number that is not an attribute.
pub fn device(profile: &Part, attribute: i32) -> Option<i32> {
    let value = of_part(profile, attribute)
        .or_else(|| of_textures(profile, attribute))
        .or_else(|| of_features(profile, attribute))?;
    i32::try_from(value).ok()
}

/// Returns the part's own numbers.
fn of_part(p: &Part, attribute: i32) -> Option<i64> {
    Some(match attribute {
        MAX_THREADS_PER_BLOCK => p.max_threads_per_block.into(),
        MAX_BLOCK_DIM_X | MAX_BLOCK_DIM_Y | MAX_BLOCK_DIM_Z => {
            p.max_block[(attribute - MAX_BLOCK_DIM_X) as usize].into()
        }
        MAX_GRID_DIM_X | MAX_GRID_DIM_Y | MAX_GRID_DIM_Z => p.max_grid[(attribute - MAX_GRID_DIM_X) as usize].into(),
        MAX_SHARED_MEMORY_PER_BLOCK => p.shared_per_block.into(),
        TOTAL_CONSTANT_MEMORY => p.const_bytes.into(),
        WARP_SIZE => p.warp_size.into(),
        MAX_PITCH => i32::MAX.into(),
        MAX_REGISTERS_PER_BLOCK => p.regs_per_block.into(),
        CLOCK_RATE => p.clock_khz.into(),
        MULTIPROCESSOR_COUNT => p.sms.into(),
        MEMORY_CLOCK_RATE => p.mem_clock_khz.into(),
        GLOBAL_MEMORY_BUS_WIDTH => p.bus_bits.into(),
        L2_CACHE_SIZE => p.l2_bytes.into(),
        MAX_THREADS_PER_MULTIPROCESSOR => p.max_threads_per_sm.into(),
        ASYNC_ENGINE_COUNT => p.copy_engines.into(),
        // Bus 1, device 0, of a domain that no real bus has.
        PCI_DOMAIN_ID => 0xffff,
        PCI_BUS_ID => 1,
        PCI_DEVICE_ID | GPU_PCI_DEVICE_ID | GPU_PCI_SUBSYSTEM_ID => 0,
        NUMA_ID | HOST_NUMA_ID => -1,
        COMPUTE_CAPABILITY_MAJOR => p.compute_capability.0.into(),
        COMPUTE_CAPABILITY_MINOR => p.compute_capability.1.into(),
        MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => p.shared_per_sm.into(),
        MAX_REGISTERS_PER_MULTIPROCESSOR => p.regs_per_sm.into(),
        SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO => p.single_to_double.into(),
        MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => p.shared_per_block_optin.into(),
        MAX_BLOCKS_PER_MULTIPROCESSOR => p.max_blocks_per_sm.into(),
        MAX_PERSISTING_L2_CACHE_SIZE => p.l2_persisting_bytes.into(),
        MAX_ACCESS_POLICY_WINDOW_SIZE => {
            if p.l2_persisting_bytes == 0 {
                0
            } else {
                128 << 20
            }
        }
        RESERVED_SHARED_MEMORY_PER_BLOCK => p.shared_reserved_per_block.into(),
        MEM_SYNC_DOMAIN_COUNT => {
            if p.at_least(9, 0) {
                4
            } else {
                1
            }
        }
        _ => return None,
    })
}

/// Returns limits of textures and surfaces, from the Programming Guide's table: one column for 5.x, one for the rest;
/// Maxwell's limits are smaller.
fn of_textures(profile: &Part, attribute: i32) -> Option<i64> {
    let wide = profile.at_least(6, 0);
    let pick = |new: i64, old: i64| if wide { new } else { old };
    Some(match attribute {
        TEXTURE_ALIGNMENT | SURFACE_ALIGNMENT => 512,
        MAXIMUM_TEXTURE1D_WIDTH | MAXIMUM_SURFACE1D_WIDTH => pick(131_072, 65_536),
        MAXIMUM_TEXTURE2D_WIDTH | MAXIMUM_SURFACE2D_WIDTH => pick(131_072, 65_536),
        MAXIMUM_TEXTURE2D_HEIGHT | MAXIMUM_SURFACE2D_HEIGHT => 65_536,
        MAXIMUM_TEXTURE3D_WIDTH | MAXIMUM_TEXTURE3D_HEIGHT | MAXIMUM_TEXTURE3D_DEPTH => pick(16_384, 4096),
        MAXIMUM_TEXTURE2D_LAYERED_WIDTH | MAXIMUM_TEXTURE2D_LAYERED_HEIGHT => pick(32_768, 16_384),
        MAXIMUM_TEXTURE2D_LAYERED_LAYERS => 2048,
        MAXIMUM_TEXTURE1D_LAYERED_WIDTH => pick(32_768, 16_384),
        MAXIMUM_TEXTURE1D_LAYERED_LAYERS => 2048,
        CAN_TEX2D_GATHER => 1,
        MAXIMUM_TEXTURE2D_GATHER_WIDTH | MAXIMUM_TEXTURE2D_GATHER_HEIGHT => pick(32_768, 16_384),
        MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE | MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE => pick(8192, 2048),
        MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE => pick(32_768, 16_384),
        TEXTURE_PITCH_ALIGNMENT => 32,
        MAXIMUM_TEXTURECUBEMAP_WIDTH | MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH => pick(32_768, 16_384),
        MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS => 2046,
        MAXIMUM_SURFACE3D_WIDTH | MAXIMUM_SURFACE3D_HEIGHT | MAXIMUM_SURFACE3D_DEPTH => pick(16_384, 4096),
        MAXIMUM_SURFACE1D_LAYERED_WIDTH => pick(32_768, 16_384),
        MAXIMUM_SURFACE1D_LAYERED_LAYERS => 2048,
        MAXIMUM_SURFACE2D_LAYERED_WIDTH | MAXIMUM_SURFACE2D_LAYERED_HEIGHT => pick(32_768, 16_384),
        MAXIMUM_SURFACE2D_LAYERED_LAYERS => 2048,
        MAXIMUM_SURFACECUBEMAP_WIDTH | MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH => pick(32_768, 16_384),
        MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS => 2046,
        MAXIMUM_TEXTURE1D_LINEAR_WIDTH => 1 << 28,
        MAXIMUM_TEXTURE2D_LINEAR_WIDTH => pick(131_072, 65_000),
        MAXIMUM_TEXTURE2D_LINEAR_HEIGHT => 65_000,
        MAXIMUM_TEXTURE2D_LINEAR_PITCH => pick(2_097_120, 1_048_544),
        MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH | MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT => pick(32_768, 16_384),
        MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH => pick(32_768, 16_384),
        _ => return None,
    })
}

/// Returns whether the device has a feature: 1 or 0.
fn of_features(p: &Part, attribute: i32) -> Option<i64> {
    let yes_from = |major, minor| i64::from(p.at_least(major, minor));
    Some(match attribute {
        // Copies overlap with kernels, and kernels run concurrently.
        GPU_OVERLAP | CAN_MAP_HOST_MEMORY | CONCURRENT_KERNELS | UNIFIED_ADDRESSING | MANAGED_MEMORY => 1,
        // Stream priorities; caching in L1.
        STREAM_PRIORITIES_SUPPORTED | GLOBAL_L1_CACHE_SUPPORTED | LOCAL_L1_CACHE_SUPPORTED => 1,
        // Stream memory operations, also of 64 bits, and NOR among their comparisons.
        CAN_USE_STREAM_MEM_OPS_V1
        | CAN_USE_64_BIT_STREAM_MEM_OPS_V1
        | CAN_USE_STREAM_WAIT_VALUE_NOR_V1
        | CAN_USE_64_BIT_STREAM_MEM_OPS
        | CAN_USE_STREAM_WAIT_VALUE_NOR => 1,
        HOST_REGISTER_SUPPORTED => 1,
        READ_ONLY_HOST_REGISTER_SUPPORTED => 1,
        MEMORY_POOLS_SUPPORTED => 1,
        UNIFIED_FUNCTION_POINTERS => 1,
        ECC_ENABLED => p.ecc.into(),
        CONCURRENT_MANAGED_ACCESS => p.concurrent_managed_access.into(),
        COMPUTE_PREEMPTION_SUPPORTED => yes_from(6, 0),
        CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM => yes_from(6, 0),
        COOPERATIVE_LAUNCH => yes_from(6, 0),
        // No watchdog, default compute mode.
        KERNEL_EXEC_TIMEOUT | COMPUTE_MODE => 0,
        INTEGRATED => p.integrated.into(),
        TCC_DRIVER => 0,
        // The only device on its board.
        MULTI_GPU_BOARD | MULTI_GPU_BOARD_GROUP_ID => 0,
        HOST_NATIVE_ATOMIC_SUPPORTED => 0,
        // Kernels cannot access pageable memory.
        PAGEABLE_MEMORY_ACCESS | PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES | DIRECT_MANAGED_MEM_ACCESS_FROM_HOST => {
            0
        }
        COOPERATIVE_MULTI_DEVICE_LAUNCH => 0,
        CAN_FLUSH_REMOTE_WRITES => 0,
        VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED => 1,
        // Processes share memory and events through files, which Linux allows one process to open for another.
        HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED | MEMPOOL_SUPPORTED_HANDLE_TYPES | IPC_EVENT_SUPPORTED => {
            cfg!(target_os = "linux").into()
        }
        HOST_MEMORY_POOLS_SUPPORTED | HOST_NUMA_MEMORY_POOLS_SUPPORTED => 1,
        // Handles of other systems are not modelled.
        HANDLE_TYPE_WIN32_HANDLE_SUPPORTED
        | HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED
        | GENERIC_COMPRESSION_SUPPORTED
        | GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
        | SPARSE_CUDA_ARRAY_SUPPORTED
        | TIMELINE_SEMAPHORE_INTEROP_SUPPORTED
        | GPU_DIRECT_RDMA_SUPPORTED
        | GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS
        | GPU_DIRECT_RDMA_WRITES_ORDERING
        | DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED
        | DMA_BUF_SUPPORTED
        | HANDLE_TYPE_FABRIC_SUPPORTED => 0,
        CLUSTER_LAUNCH | TENSOR_MAP_ACCESS_SUPPORTED => yes_from(9, 0),
        // Multicast memory is not modelled, although Hopper has it.
        MULTICAST_SUPPORTED => 0,
        // These are not modelled either.
        NUMA_CONFIG
        | MPS_ENABLED
        | D3D12_CIG_SUPPORTED
        | MEM_DECOMPRESS_ALGORITHM_MASK
        | MEM_DECOMPRESS_MAXIMUM_LENGTH
        | VULKAN_CIG_SUPPORTED
        | HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | HOST_NUMA_MULTINODE_IPC_SUPPORTED
        | HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | HOST_ALLOC_DMA_BUF_SUPPORTED
        | ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED
        | ATOMIC_REDUCTION_SUPPORTED
        | D3D12_CIG_STREAMS_SUPPORTED
        | DMA_BUF_MMAP_SUPPORTED
        | LOGICAL_ENDPOINT_UNICAST_SUPPORTED
        | LOGICAL_ENDPOINT_MULTICAST_SUPPORTED
        | LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED
        | LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED
        | LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES
        | GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED => 0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu::PARTS;

    #[test]
    fn every_attribute_of_cuda_12_9_has_a_value() {
        for profile in PARTS {
            for attribute in 1..=143 {
                assert!(device(profile, attribute).is_some(), "{attribute} of {}", profile.name);
            }
            assert_eq!(device(profile, 0), None);
            assert_eq!(device(profile, 10_000), None);
            assert_eq!(device(profile, -1), None);
        }
    }

    #[test]
    fn the_profile_s_figures_are_under_the_driver_s_numbers() {
        let t4 = Part::find("t4").unwrap();
        let expected = [(16, 40), (39, 1024), (106, 16), (82, 65536), (75, 7), (76, 5), (8, 49152), (97, 65536)];
        for (attribute, value) in expected {
            assert_eq!(device(t4, attribute), Some(value), "{attribute}");
        }
    }
}
