//! Kernels that execute one instruction in a loop, each with the one to which its cost is compared.
use crate::common::{Arg, Device};
use kernels::CommittedPtx;

/// The kernels' PTX.
const PTX: CommittedPtx = CommittedPtx::Lzma(include_bytes!("../../tests/kernels/rates.ptx.lzma"));

/// A kernel that executes one instruction over and over.
pub struct Rate {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The kernel whose instruction is the unit for this one's cost.
    pub measure: &'static str,
    /// How often a thread executes the instruction in one iteration of the kernel's loop.
    pub times: u64,
}

const fn rate(kernel: &'static str, measure: &'static str, times: u64) -> Rate {
    Rate { kernel, measure, times }
}

/// Each unit precedes the kernels that are measured in it.
pub const RATES: [Rate; 15] = [
    rate("fma_f32", "fma_f32", 8),
    rate("fma_f16", "fma_f32", 8),
    rate("fma_f16x2", "fma_f32", 8),
    rate("fma_bf16", "fma_f32", 8),
    rate("fma_bf16x2", "fma_f32", 8),
    rate("add_f16", "fma_f32", 8),
    rate("max_f16", "fma_f32", 8),
    rate("cvt_f16", "fma_f32", 16),
    rate("local_128", "fma_f32", 8),
    rate("local_1k", "local_128", 8),
    rate("local_8k", "local_128", 8),
    rate("local_32k", "local_128", 8),
    rate("local_loads", "local_1k", 8),
    rate("count_all", "fma_f32", 1),
    rate("sum_all", "count_all", 1),
];

/// Blocks of a launch.
const BLOCKS: u32 = 16;
/// Threads of a block.
const THREADS: u32 = 256;

impl Rate {
    /// Creates a device with the kernels.
    pub fn device() -> Device {
        let mut device = Device::new(&PTX.text());
        device.settings.workers = 1;
        device
    }

    /// Launches the kernel with `rounds` iterations of its loop; returns how often warps executed the instruction.
    pub fn launch(&self, device: &Device, out: u64, rounds: i32) -> u64 {
        device.launch(self.kernel, BLOCKS, THREADS, &[Arg::Ptr(out), Arg::I32(rounds)]);
        u64::from(BLOCKS * THREADS / 32) * rounds as u64 * self.times
    }
}
