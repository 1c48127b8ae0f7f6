//! Occupancy queries.

use crate::abi::{Handle, LaunchConfig, get, need, put, put_optional};
use crate::context::current;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::function;
use crate::kernel::{self, Function};
use simt::profile::{best_block, occupancy};
use std::ffi::{c_int, c_uint};

/// Resident blocks of a function on an SM, and what keeps more away.
pub fn of(
    function: &Function,
    threads: u32,
    dynamic_shared: u32,
) -> Result<simt::profile::Occupancy> {
    let kernel = function.kernel();
    let shared = kernel.static_shared.saturating_add(dynamic_shared);
    Ok(occupancy(
        driver()?.profile,
        threads,
        kernel.registers,
        shared,
    ))
}

fn max_blocks(out: *mut c_int, function: Handle, threads: c_int, dynamic_shared: usize) -> Result {
    max_blocks_with_flags(out, function, threads, dynamic_shared, 0)
}

fn max_blocks_with_flags(
    out: *mut c_int,
    function: Handle,
    threads: c_int,
    dynamic_shared: usize,
    flags: c_uint,
) -> Result {
    current()?;
    need(out)?;
    let function = kernel::find(function)?;
    let threads = u32::try_from(threads)
        .ok()
        .filter(|threads| *threads > 0)
        .ok_or(Error::INVALID_VALUE)?;
    if flags & !1 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let allowed = lock(&function.settings).max_dynamic_shared;
    let shared = u32::try_from(dynamic_shared).unwrap_or(u32::MAX);
    let fits = threads <= function::max_threads(&function)? && shared <= allowed;
    put(
        out,
        if fits {
            of(&function, threads, shared)?.blocks as c_int
        } else {
            0
        },
    )
}

/// Gives the dynamic shared memory of a block size.
type SizeFn = Option<unsafe extern "C" fn(c_int) -> usize>;

fn best_size(
    grid: *mut c_int,
    block: *mut c_int,
    function: Handle,
    shared_of: SizeFn,
    dynamic_shared: usize,
    limit: c_int,
) -> Result {
    best_size_with_flags(grid, block, function, shared_of, dynamic_shared, limit, 0)
}

fn best_size_with_flags(
    grid: *mut c_int,
    block: *mut c_int,
    function: Handle,
    shared_of: SizeFn,
    dynamic_shared: usize,
    limit: c_int,
    flags: c_uint,
) -> Result {
    current()?;
    need(grid)?;
    need(block)?;
    let function = kernel::find(function)?;
    let limit = u32::try_from(limit).map_err(|_| Error::INVALID_VALUE)?;
    if flags & !1 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let shared = |threads: u32| {
        // SAFETY: the caller promises a good function.
        let bytes = shared_of.map_or(dynamic_shared, |size| unsafe { size(threads as c_int) });
        u32::try_from(bytes).unwrap_or(u32::MAX)
    };
    let (registers, fixed) = (function.kernel().registers, function.kernel().static_shared);
    let most = function::max_threads(&function)?;
    let best = best_block(driver()?.profile, registers, fixed, most, limit, shared);
    let (threads, blocks) = best.ok_or(Error::INVALID_VALUE)?;
    put(grid, blocks as c_int)?;
    put(block, threads as c_int)
}

fn free_shared(out: *mut usize, function: Handle, blocks: c_int, threads: c_int) -> Result {
    current()?;
    need(out)?;
    let function = kernel::find(function)?;
    let positive = |n: c_int| {
        u32::try_from(n)
            .ok()
            .filter(|n| *n > 0)
            .ok_or(Error::INVALID_VALUE)
    };
    let (blocks, threads) = (positive(blocks)?, positive(threads)?);
    let profile = driver()?.profile;
    if of(&function, threads, 0)?.blocks < blocks {
        return Err(Error::INVALID_VALUE);
    }
    // An equal share of the SM, in whole units, less what the system and the kernel take.
    let share =
        profile.shared_per_sm / blocks / profile.shared_alloc_unit * profile.shared_alloc_unit;
    let share = share
        .saturating_sub(profile.shared_reserved_per_block)
        .min(profile.shared_per_block_optin);
    put(
        out,
        share.saturating_sub(function.kernel().static_shared) as usize,
    )
}

fn active_clusters(out: *mut c_int, function: Handle, config: *const LaunchConfig) -> Result {
    current()?;
    need(out)?;
    kernel::find(function)?;
    get(config)?;
    // Clusters of several blocks are not modelled (`CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH` is 0).
    put_optional(out, 0);
    Err(Error::NOT_SUPPORTED)
}

entry_points! {
    cuOccupancyMaxActiveBlocksPerMultiprocessor(out: *mut c_int, function: Handle, threads: c_int,
        dynamic_shared: usize) = max_blocks;
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: *mut c_int, function: Handle, threads: c_int,
        dynamic_shared: usize, flags: c_uint) = max_blocks_with_flags;
    cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, function: Handle, shared_of: SizeFn,
        dynamic_shared: usize, limit: c_int) = best_size;
    cuOccupancyMaxPotentialBlockSizeWithFlags(grid: *mut c_int, block: *mut c_int, function: Handle,
        shared_of: SizeFn, dynamic_shared: usize, limit: c_int, flags: c_uint) = best_size_with_flags;
    cuOccupancyAvailableDynamicSMemPerBlock(out: *mut usize, function: Handle, blocks: c_int, threads: c_int)
        = free_shared;
    cuOccupancyMaxActiveClusters(out: *mut c_int, function: Handle, config: *const LaunchConfig) = active_clusters;
    cuOccupancyMaxPotentialClusterSize(out: *mut c_int, function: Handle, config: *const LaunchConfig)
        = active_clusters;
}
