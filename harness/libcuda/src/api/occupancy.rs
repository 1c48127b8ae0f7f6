//! Occupancy queries (`cuOccupancy*`).

use super::launch::geometry_of;
use crate::abi::constants::occupancy_flags;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put, put_optional};
use crate::abi::types::{Handle, LaunchConfig};
use crate::state::contexts::current::current;
use crate::state::modules::clusters;
use crate::state::modules::module::{Function, find_function};
use crate::state::modules::occupancy::{self, resident_blocks};
use simt::kernel::Geometry;
use std::ffi::{c_int, c_uint};

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
    let function = find_function(function)?;
    let threads = positive(threads)?;
    if flags & !occupancy_flags::DISABLE_CACHING_OVERRIDE != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let shared = u32::try_from(dynamic_shared).unwrap_or(u32::MAX);
    let blocks = resident_blocks(&function, threads, shared)?;
    put(out, blocks as c_int)
}

/// `CUoccupancyB2DSize`: the dynamic shared memory that a block of this many threads needs.
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
    let function = find_function(function)?;
    let limit = u32::try_from(limit).map_err(|_| Error::INVALID_VALUE)?;
    if flags & !occupancy_flags::DISABLE_CACHING_OVERRIDE != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let shared = |threads: u32| {
        // SAFETY: the caller promises a valid function.
        let bytes = shared_of.map_or(dynamic_shared, |size| unsafe { size(threads as c_int) });
        u32::try_from(bytes).unwrap_or(u32::MAX)
    };
    let best = occupancy::best_size(&function, limit, shared)?;
    let (threads, blocks) = best.ok_or(Error::INVALID_VALUE)?;
    put(grid, blocks as c_int)?;
    put(block, threads as c_int)
}

fn free_shared(out: *mut usize, function: Handle, blocks: c_int, threads: c_int) -> Result {
    current()?;
    need(out)?;
    let function = find_function(function)?;
    let (blocks, threads) = (positive(blocks)?, positive(threads)?);
    let free = occupancy::free_shared(&function, blocks, threads)?;
    put(out, free.ok_or(Error::INVALID_VALUE)? as usize)
}

/// Converts a number that must be above 0.
fn positive(n: c_int) -> Result<u32> {
    let n = u32::try_from(n).ok().filter(|n| *n > 0);
    n.ok_or(Error::INVALID_VALUE)
}

fn active_clusters(out: *mut c_int, function: Handle, config: *const LaunchConfig) -> Result {
    clusters_of(out, function, config, clusters::active)
}

fn potential_cluster_size(out: *mut c_int, function: Handle, config: *const LaunchConfig) -> Result {
    clusters_of(out, function, config, clusters::potential)
}

fn clusters_of(
    out: *mut c_int,
    function: Handle,
    config: *const LaunchConfig,
    ask: impl FnOnce(&Function, Geometry) -> Result<u32>,
) -> Result {
    current()?;
    need(out)?;
    let function = find_function(function)?;
    let geometry = geometry_of(&get(config)?)?;
    match ask(&function, geometry) {
        Ok(count) => put(out, count as c_int),
        Err(error) => {
            put_optional(out, 0);
            Err(error)
        }
    }
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
        = potential_cluster_size;
}
