//! Launches as the driver takes them.
use cudarc::driver::LaunchConfig;

/// A launch of `blocks` blocks of `threads` threads in one dimension.
pub fn launch_1d(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}
