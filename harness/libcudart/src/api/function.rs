//! Attributes and occupancy of kernels.
use crate::abi::{
    error::{Error, Result},
    pointers::{need, put},
    types::{FuncAttributes, Handle, LaunchConfig},
};
use crate::api::{entry::calls, launch};
use crate::driver::calls as driver;
use crate::state::{context, function::function};
use cuda_abi::driver::constants::function_attribute as of;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A program's reference to a kernel.
type Symbol = *const c_void;

fn attributes(out: *mut FuncAttributes, symbol: Symbol) -> Result {
    need(out)?;
    let function = function(symbol)?;
    let ask = |attribute: c_int| {
        let mut value = 0;
        driver::cuFuncGetAttribute(&raw mut value, attribute, function).map(|()| value)
    };
    let attributes = FuncAttributes {
        max_threads_per_block: ask(of::MAX_THREADS_PER_BLOCK)?,
        shared_size_bytes: ask(of::SHARED_SIZE_BYTES)? as usize,
        const_size_bytes: ask(of::CONST_SIZE_BYTES)? as usize,
        local_size_bytes: ask(of::LOCAL_SIZE_BYTES)? as usize,
        num_regs: ask(of::NUM_REGS)?,
        ptx_version: ask(of::PTX_VERSION)?,
        binary_version: ask(of::BINARY_VERSION)?,
        cache_mode_ca: ask(of::CACHE_MODE_CA)?,
        max_dynamic_shared_size_bytes: ask(of::MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
        preferred_shmem_carveout: ask(of::PREFERRED_SHARED_MEMORY_CARVEOUT)?,
        cluster_dim_must_be_set: ask(of::CLUSTER_SIZE_MUST_BE_SET)?,
        required_cluster_width: ask(of::REQUIRED_CLUSTER_WIDTH)?,
        required_cluster_height: ask(of::REQUIRED_CLUSTER_HEIGHT)?,
        required_cluster_depth: ask(of::REQUIRED_CLUSTER_DEPTH)?,
        non_portable_cluster_size_allowed: ask(of::NON_PORTABLE_CLUSTER_SIZE_ALLOWED)?,
        cluster_scheduling_policy_preference: ask(of::CLUSTER_SCHEDULING_POLICY_PREFERENCE)?,
        reserved: [0; 16],
    };
    put(out, attributes)
}

fn set_attribute(symbol: Symbol, attribute: c_int, value: c_int) -> Result {
    driver::cuFuncSetAttribute(function(symbol)?, attribute, value)
}

fn set_cache(symbol: Symbol, config: c_int) -> Result {
    driver::cuFuncSetCacheConfig(function(symbol)?, config)
}

fn set_shared(symbol: Symbol, config: c_int) -> Result {
    driver::cuFuncSetSharedMemConfig(function(symbol)?, config)
}

fn name(out: *mut *const c_char, symbol: Symbol) -> Result {
    need(out)?;
    driver::cuFuncGetName(out, function(symbol)?)
}

fn param_info(symbol: Symbol, index: usize, offset: *mut usize, bytes: *mut usize) -> Result {
    need(offset)?;
    driver::cuFuncGetParamInfo(function(symbol)?, index, offset, bytes)
}

fn kernel_attribute(kernel: Handle, attribute: c_int, value: c_int, device: c_int) -> Result {
    context::ensure()?;
    if kernel.is_null() {
        return Err(Error::INVALID_RESOURCE_HANDLE);
    }
    driver::cuKernelSetAttribute(attribute, value, crate::state::function::kernel(kernel)?, device)
}

fn blocks(out: *mut c_int, symbol: Symbol, block: c_int, shared: usize) -> Result {
    blocks_with_flags(out, symbol, block, shared, 0)
}

fn blocks_with_flags(out: *mut c_int, symbol: Symbol, block: c_int, shared: usize, flags: c_uint) -> Result {
    need(out)?;
    driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, function(symbol)?, block, shared, flags)
}

fn available_shared(out: *mut usize, symbol: Symbol, blocks: c_int, block: c_int) -> Result {
    need(out)?;
    driver::cuOccupancyAvailableDynamicSMemPerBlock(out, function(symbol)?, blocks, block)
}

fn cluster_size(out: *mut c_int, symbol: Symbol, config: *const LaunchConfig) -> Result {
    need(out)?;
    let config = launch::native(config)?;
    driver::cuOccupancyMaxPotentialClusterSize(out, function(symbol)?, &raw const config)
}

fn active_clusters(out: *mut c_int, symbol: Symbol, config: *const LaunchConfig) -> Result {
    need(out)?;
    let config = launch::native(config)?;
    driver::cuOccupancyMaxActiveClusters(out, function(symbol)?, &raw const config)
}

calls! {
    cudaFuncGetAttributes(out: *mut FuncAttributes, symbol: Symbol) = attributes;
    cudaFuncSetAttribute(symbol: Symbol, attribute: c_int, value: c_int) = set_attribute;
    cudaFuncSetCacheConfig(symbol: Symbol, config: c_int) = set_cache;
    cudaFuncSetSharedMemConfig(symbol: Symbol, config: c_int) = set_shared;
    cudaFuncGetName(out: *mut *const c_char, symbol: Symbol) = name;
    cudaFuncGetParamInfo(symbol: Symbol, index: usize, offset: *mut usize, bytes: *mut usize) = param_info;
    cudaKernelSetAttributeForDevice(kernel: Handle, attribute: c_int, value: c_int, device: c_int) = kernel_attribute;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(out: *mut c_int, symbol: Symbol, block: c_int, shared: usize)
        = blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: *mut c_int, symbol: Symbol, block: c_int,
        shared: usize, flags: c_uint) = blocks_with_flags;
    cudaOccupancyAvailableDynamicSMemPerBlock(out: *mut usize, symbol: Symbol, blocks: c_int, block: c_int)
        = available_shared;
    cudaOccupancyMaxPotentialClusterSize(out: *mut c_int, symbol: Symbol, config: *const LaunchConfig) = cluster_size;
    cudaOccupancyMaxActiveClusters(out: *mut c_int, symbol: Symbol, config: *const LaunchConfig) = active_clusters;
}
