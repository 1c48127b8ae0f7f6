//! The limits of a real part: the figures that decide which launches are legal and how many blocks are resident.
//!
//! Limits by compute capability are those of the CUDA C++ Programming Guide's table "Technical Specifications per
//! Compute Capability". Allocation granularities are those of NVIDIA's occupancy calculator. A part's own figures (SMs,
//! memory, clocks, bus, L2) are what its `deviceQuery` prints.

mod occupancy;
mod parts;

pub use occupancy::{Limiter, Limits, Occupancy, best_block, occupancy, registers_for};
pub use parts::PROFILES;

/// A part. Sizes in bytes, clocks in kHz.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in the driver.
    pub full_name: &'static str,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Lanes of a warp.
    pub warp_size: u32,
    /// Threads a block may have.
    pub max_threads_per_block: u32,
    /// Threads resident on an SM.
    pub max_threads_per_sm: u32,
    /// Blocks resident on an SM.
    pub max_blocks_per_sm: u32,
    /// 32-bit registers of an SM.
    pub regs_per_sm: u32,
    /// Registers that one block may have.
    pub regs_per_block: u32,
    /// Registers that one thread may have.
    pub max_regs_per_thread: u32,
    /// Registers are allocated to a warp in multiples of this.
    pub reg_alloc_unit: u32,
    /// Sub-partitions of an SM: each warp's registers lie in one.
    pub warp_alloc_granularity: u32,
    /// Shared memory that a block may have without opting in.
    pub shared_per_block: u32,
    /// Shared memory that a block may have after opting in with `cuFuncSetAttribute`.
    pub shared_per_block_optin: u32,
    /// Shared memory of an SM.
    pub shared_per_sm: u32,
    /// Shared memory that the system reserves for each block.
    pub shared_reserved_per_block: u32,
    /// Shared memory is allocated to a block in multiples of this.
    pub shared_alloc_unit: u32,
    /// Blocks a grid may have, x, y, z.
    pub max_grid: [u32; 3],
    /// Threads a block may have, x, y, z.
    pub max_block: [u32; 3],
    /// Device memory that the driver reports.
    pub total_memory: u64,
    /// Constant memory.
    pub const_bytes: u32,
    /// L2 cache.
    pub l2_bytes: u32,
    /// The part of the L2 cache that can be set aside for persisting accesses (0: none).
    pub l2_persisting_bytes: u32,
    /// The SMs' boost clock.
    pub clock_khz: u32,
    /// Memory clock.
    pub mem_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// Engines that copy while kernels run.
    pub copy_engines: u32,
    /// The ratio of single-precision to double-precision throughput.
    pub single_to_double: u32,
    /// Bytes of kernel parameters.
    pub max_param_bytes: u32,
    /// Whether host and device may touch managed memory at once.
    pub concurrent_managed_access: bool,
    /// Whether the memory has ECC.
    pub ecc: bool,
}

/// Bytes of local memory that a thread may have: 512 KiB on every part since compute capability 2.0 (CUDA C++
/// Programming Guide, technical specifications), less 576 that the driver takes, as seen on an H200. Modules that
/// declare more can be loaded; their launches are refused.
pub const LOCAL_BYTES: u32 = 523_712;

/// The default profile's name.
pub const DEFAULT: &str = "a100";

impl Profile {
    /// The profile with this name. Case and punctuation do not matter (`Titan X` is `titan-x`).
    pub fn find(name: &str) -> Option<&'static Profile> {
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        PROFILES.iter().find(|profile| plain(profile.name) == plain(name))
    }
    /// The default profile.
    pub fn default_profile() -> &'static Profile {
        Self::find(DEFAULT).expect("the default is in the table")
    }
    /// Warps resident on an SM.
    pub fn max_warps_per_sm(&self) -> u32 {
        self.max_threads_per_sm / self.warp_size
    }
    /// Whether the compute capability is at least this.
    pub fn at_least(&self, major: u32, minor: u32) -> bool {
        self.compute_capability >= (major, minor)
    }
}

#[cfg(test)]
mod tests;
