//! Launch configurations.
use cudarc::driver::{CudaFunction, LaunchConfig};

use record::{Record, dims};

use crate::error::Result;

/// Returns a launch of `blocks` blocks of `threads` threads in one dimension.
pub fn launch_1d(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// Limits `config` to the blocks that are resident together on `multiprocessors`, but at least one: for a kernel whose
/// blocks wait for each other.
///
/// # Errors
/// The driver's errors.
pub fn at_once(kernel: &CudaFunction, mut config: LaunchConfig, multiprocessors: u32) -> Result<LaunchConfig> {
    let (threads, bytes) = (config.block_dim.0, config.shared_mem_bytes as usize);
    let held = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, bytes, None)?;
    config.grid_dim.0 = config.grid_dim.0.min((held * multiprocessors).max(1));
    Ok(config)
}

/// Sets the grid, the block and the shared memory of this launch in a record.
pub(crate) fn launched(record: Record, launch: Option<LaunchConfig>) -> Record {
    Record {
        grid: launch.map(|l| dims(l.grid_dim)),
        block: launch.map(|l| dims(l.block_dim)),
        shared_bytes: launch.map(|l| l.shared_mem_bytes),
        ..record
    }
}
