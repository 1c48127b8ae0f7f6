//! The facts of GPUs: the limits that decide which launches are legal and how many blocks are resident, and the
//! constants by which times are predicted.
//!
//! A part is a file of `parts`: `PARTS` is made from them when the crate is built. The limits that all parts of a
//! compute capability share are one row of [`architecture::ARCHITECTURES`].

pub mod architecture;
mod model;
mod part_file;

use std::borrow::Cow;

pub use architecture::Architecture;
pub use model::{Constant, Model};
pub use part_file::{Figure, Figures, PartFile};

/// A part. Sizes in bytes, clocks in kHz.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
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
    /// The part of the L2 cache that can be set aside for persisting accesses; 0 if unsupported or unknown.
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
    /// Whether host and device share one memory.
    pub integrated: bool,
    /// The figures of the part's file with their sources.
    pub sources: &'static [(&'static str, &'static str)],
    /// The constants for predictions; `None` if they are not known.
    pub model: Option<&'static Model>,
}

/// All parts, oldest compute capability first, then by name.
pub static PARTS: &[Part] = include!(concat!(env!("OUT_DIR"), "/parts.rs"));

/// Maximum bytes of local memory per thread: 512 KiB on every part since compute capability 2.0 (CUDA C++ Programming
/// Guide, technical specifications), less 576 that the driver uses, as measured on an H200. Modules that declare more
/// can be loaded; their launches are refused.
pub const LOCAL_BYTES: u32 = 523_712;

/// The name of the default part.
pub const DEFAULT: &str = "a100";

impl Part {
    /// Returns a part with the limits of this architecture, and without figures of its own.
    const fn of(architecture: &Architecture) -> Part {
        Part {
            name: "",
            full_name: "",
            compute_capability: architecture.compute_capability,
            sms: 0,
            warp_size: 32,
            max_threads_per_block: 1024,
            max_threads_per_sm: architecture.max_threads_per_sm,
            max_blocks_per_sm: architecture.max_blocks_per_sm,
            regs_per_sm: 65536,
            regs_per_block: 65536,
            max_regs_per_thread: 255,
            reg_alloc_unit: 256,
            warp_alloc_granularity: 4,
            shared_per_block: 48 << 10,
            shared_per_block_optin: architecture.shared_per_block_optin,
            shared_per_sm: architecture.shared_per_sm,
            shared_reserved_per_block: architecture.shared_reserved_per_block,
            shared_alloc_unit: architecture.shared_alloc_unit,
            max_grid: [i32::MAX as u32, 65535, 65535],
            max_block: [1024, 1024, 64],
            total_memory: 0,
            const_bytes: 64 << 10,
            l2_bytes: 0,
            l2_persisting_bytes: 0,
            clock_khz: 0,
            mem_clock_khz: 0,
            bus_bits: 0,
            copy_engines: 0,
            single_to_double: architecture.single_per_clock / architecture.double_per_clock,
            max_param_bytes: architecture.max_param_bytes,
            concurrent_managed_access: architecture.concurrent_managed_access,
            ecc: false,
            integrated: false,
            sources: &[],
            model: None,
        }
    }

    /// Returns the part with this name. Case and punctuation do not matter (`Titan X` is `titan-x`).
    pub fn find(name: &str) -> Option<&'static Part> {
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        PARTS.iter().find(|part| plain(part.name) == plain(name))
    }

    /// Returns the default part.
    pub fn default_part() -> &'static Part {
        Self::find(DEFAULT).expect("the default has a file")
    }

    /// Returns the names of all parts, separated by `separator`.
    pub fn names(separator: &str) -> String {
        PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(separator)
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
