//! The maximum numbers of threads and blocks of a function.

use super::module::Function;
use crate::abi::error::Result;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use simt::occupancy::{Occupancy, best_block, occupancy};

/// Returns the maximum number of threads of a block of this function: limited by its own bound, and by the registers.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn max_threads(function: &Function) -> Result<u32> {
    let profile = driver()?.profile;
    let kernel = function.kernel();
    let declared = kernel.required_threads.map(|size| size.iter().product());
    let bound = declared.or(kernel.max_threads).unwrap_or(profile.max_threads_per_block);
    let mut threads = bound.min(profile.max_threads_per_block);
    while threads > profile.warp_size && occupancy(profile, threads, kernel.registers, 0).blocks == 0 {
        threads = (threads - 1) / profile.warp_size * profile.warp_size;
    }
    Ok(threads)
}

/// Returns the resident blocks of a function on an SM, and the resource that limits their number.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn compute(function: &Function, threads: u32, dynamic_shared: u32) -> Result<Occupancy> {
    let kernel = function.kernel();
    let shared = kernel.static_shared.saturating_add(dynamic_shared);
    Ok(occupancy(driver()?.profile, threads, kernel.registers, shared))
}

/// Returns the number of resident blocks of a function on an SM; 0 for blocks that could not be launched.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn resident_blocks(function: &Function, threads: u32, dynamic_shared: u32) -> Result<u32> {
    let allowed = lock(&function.settings).max_dynamic_shared;
    if threads <= max_threads(function)? && dynamic_shared <= allowed {
        Ok(compute(function, threads, dynamic_shared)?.blocks)
    } else {
        Ok(0)
    }
}

/// Returns the block size of at most `limit` threads (0: without a limit) with the best occupancy of an SM, and the
/// number of blocks that fill the device. `shared_of` returns the dynamic shared memory of a block size.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`. `None` if no block fits.
pub fn best_size(function: &Function, limit: u32, shared_of: impl Fn(u32) -> u32) -> Result<Option<(u32, u32)>> {
    let kernel = function.kernel();
    let (registers, fixed) = (kernel.registers, kernel.static_shared);
    let most = max_threads(function)?;
    Ok(best_block(driver()?.profile, registers, fixed, most, limit, shared_of))
}

/// Returns the dynamic shared memory available to each block when `blocks` are resident on an SM, in bytes: at most
/// what the function's attribute allows a launch. `None` if they do not fit.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn free_shared(function: &Function, blocks: u32, threads: u32) -> Result<Option<u32>> {
    let profile = driver()?.profile;
    if compute(function, threads, 0)?.blocks < blocks {
        return Ok(None);
    }
    // An equal share of the SM in whole units, minus the kernel's static usage. The memory that the system reserves in
    // each block is not subtracted: on an H200 two blocks get half of an SM's 233472 bytes each.
    let share = profile.shared_per_sm / blocks / profile.shared_alloc_unit * profile.shared_alloc_unit;
    let allowed = lock(&function.settings).max_dynamic_shared;
    Ok(Some(share.saturating_sub(function.kernel().static_shared).min(allowed)))
}
