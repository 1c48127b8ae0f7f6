//! The limits of a real part: the numbers that decide which launches are legal and how many blocks are resident.
//!
//! Limits by compute capability are those of the CUDA C++ Programming Guide's table "Technical Specifications per
//! Compute Capability". Allocation granularities are those of NVIDIA's occupancy calculator. A part's own figures (SMs,
//! memory, clocks, bus, L2) are what its `deviceQuery` prints.

mod occupancy;
mod parts;

pub use occupancy::{Limiter, Occupancy, OccupancyLimits, best_block, occupancy, registers_for};
pub use parts::PROFILES;

/// A part. Sizes in bytes, clocks in kHz.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in the driver.
    pub full_name: &'static str,
    /// Compute capability: (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Lanes per warp.
    pub warp_size: u32,
    /// Maximum threads per block.
    pub max_threads_per_block: u32,
    /// Maximum resident threads per SM.
    pub max_threads_per_sm: u32,
    /// Maximum resident blocks per SM.
    pub max_blocks_per_sm: u32,
    /// 32-bit registers per SM.
    pub regs_per_sm: u32,
    /// Maximum registers per block.
    pub regs_per_block: u32,
    /// Maximum registers per thread.
    pub max_regs_per_thread: u32,
    /// Allocation granularity of a warp's registers.
    pub reg_alloc_unit: u32,
    /// Sub-partitions of an SM: each warp's registers lie in one.
    pub warp_alloc_granularity: u32,
    /// Maximum shared memory per block without opting in.
    pub shared_per_block: u32,
    /// Maximum shared memory per block after opting in with `cuFuncSetAttribute`.
    pub shared_per_block_optin: u32,
    /// Shared memory per SM.
    pub shared_per_sm: u32,
    /// Shared memory that the system reserves for each block.
    pub shared_reserved_per_block: u32,
    /// Allocation granularity of a block's shared memory.
    pub shared_alloc_unit: u32,
    /// Maximum blocks of a grid in x, y, z.
    pub max_grid: [u32; 3],
    /// Maximum threads of a block in x, y, z.
    pub max_block: [u32; 3],
    /// Device memory that the driver reports.
    pub total_memory: u64,
    /// Constant memory.
    pub const_bytes: u32,
    /// L2 cache.
    pub l2_bytes: u32,
    /// The part of the L2 cache that can be set aside for persisting accesses (0 if unsupported).
    pub l2_persisting_bytes: u32,
    /// The SMs' boost clock.
    pub clock_khz: u32,
    /// The memory clock.
    pub mem_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// Engines that can copy while kernels run.
    pub copy_engines: u32,
    /// The ratio of single-precision to double-precision throughput.
    pub single_to_double: u32,
    /// Maximum bytes of kernel parameters.
    pub max_param_bytes: u32,
    /// Whether host and device may access managed memory concurrently.
    pub concurrent_managed_access: bool,
    /// Whether the memory has ECC.
    pub ecc: bool,
}

/// Maximum bytes of local memory per thread: 512 KiB on every part since compute capability 2.0 (CUDA C++ Programming
/// Guide, technical specifications), less 576 that the driver uses, as measured on an H200. Modules that declare more
/// can be loaded; their launches are refused.
pub const LOCAL_BYTES: u32 = 523_712;

/// The name of the default profile.
pub const DEFAULT: &str = "a100";

impl Profile {
    /// Returns the profile with this name. Case and punctuation do not matter (`Titan X` is `titan-x`).
    pub fn find(name: &str) -> Option<&'static Profile> {
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        PROFILES.iter().find(|profile| plain(profile.name) == plain(name))
    }
    /// Returns the default profile.
    pub fn default_profile() -> &'static Profile {
        Self::find(DEFAULT).expect("the default is in the table")
    }
    /// Returns the maximum number of resident warps per SM.
    pub fn max_warps_per_sm(&self) -> u32 {
        self.max_threads_per_sm / self.warp_size
    }
    /// Returns whether the compute capability is at least this.
    pub fn at_least(&self, major: u32, minor: u32) -> bool {
        self.compute_capability >= (major, minor)
    }
}

#[cfg(test)]
mod tests;
